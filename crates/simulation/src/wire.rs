//! PostgreSQL's protocol, as far as it is needed to recognize statements.

use std::collections::HashMap;

/// Splits a stream of bytes into messages: a tag, four bytes of length, and a body.
#[derive(Debug, Default)]
pub(crate) struct Messages {
    buffer: Vec<u8>,
    /// Whether the first message was read. The first message of a client has no tag.
    has_begun: bool,
}

/// The size of a message's tag and length, in bytes.
const HEAD: usize = 5;

impl Messages {
    /// For the messages of a client.
    pub(crate) fn of_client() -> Self {
        Self::default()
    }

    /// For the messages of a server.
    pub(crate) fn of_server() -> Self {
        Self { has_begun: true, ..Self::default() }
    }

    /// Adds bytes, and calls `each` with the tag and the body of each complete message. The tag of a client's first
    /// message is 0.
    pub(crate) fn take(&mut self, bytes: &[u8], mut each: impl FnMut(u8, &[u8])) {
        self.buffer.extend_from_slice(bytes);
        let mut at = 0;
        loop {
            let rest = &self.buffer[at..];
            let tag_bytes = usize::from(self.has_begun);
            let Some(length) = rest.get(tag_bytes..tag_bytes + 4) else { break };
            let length = u32::from_be_bytes([length[0], length[1], length[2], length[3]]) as usize;
            let Some(message) = rest.get(..tag_bytes + length) else { break };
            if self.has_begun {
                each(message[0], &message[HEAD..]);
            } else {
                each(0, &[]);
                self.has_begun = true;
            }
            at += message.len();
        }
        self.buffer.drain(..at);
    }
}

/// What a message of a client requests.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ClientRequest {
    /// A statement is executed.
    Statement(String),
    /// The client waits for an answer until the server is ready again.
    Answer,
    Nothing,
}

/// The prepared statements of a connection.
#[derive(Debug, Default)]
pub(crate) struct Prepared {
    statements: HashMap<Vec<u8>, String>,
    bound: String,
}

impl Prepared {
    /// Reads a message of a client.
    pub(crate) fn read(&mut self, tag: u8, body: &[u8]) -> [ClientRequest; 2] {
        let mut parts = body.split(|byte| *byte == 0);
        let mut part = || parts.next().unwrap_or_default();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        match tag {
            b'P' => {
                let name = part().to_vec();
                let sql = text(part());
                self.statements.insert(name, sql);
            }
            b'B' => {
                let _portal = part();
                self.bound = self.statements.get(part()).cloned().unwrap_or_default();
            }
            b'E' => return [ClientRequest::Statement(self.bound.clone()), ClientRequest::Nothing],
            b'Q' => return [ClientRequest::Statement(text(part())), ClientRequest::Answer],
            b'S' | 0 => return [ClientRequest::Nothing, ClientRequest::Answer],
            _ => {}
        }
        [ClientRequest::Nothing, ClientRequest::Nothing]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(tag: u8, body: &[u8]) -> Vec<u8> {
        let length = u32::try_from(body.len() + 4).unwrap();
        [&[tag], &length.to_be_bytes()[..], body].concat()
    }

    #[test]
    fn messages_come_in_any_pieces() {
        let stream =
            [&[0, 0, 0, 8, 0, 3, 0, 0][..], &message(b'Q', b"BEGIN\0"), &message(b'S', b"")].concat();
        for size in 1..stream.len() {
            let (mut messages, mut seen) = (Messages::of_client(), Vec::new());
            for piece in stream.chunks(size) {
                messages.take(piece, |tag, body| seen.push((tag, body.to_vec())));
            }
            assert_eq!(seen, [(0, vec![]), (b'Q', b"BEGIN\0".to_vec()), (b'S', vec![])]);
        }
    }

    #[test]
    fn prepared_statements_are_known_by_their_names() {
        let mut prepared = Prepared::default();
        assert_eq!(
            prepared.read(b'P', b"one\0SELECT 1\0\0\0"),
            [ClientRequest::Nothing, ClientRequest::Nothing]
        );
        prepared.read(b'P', b"two\0SELECT 2\0\0\0");
        prepared.read(b'B', b"\0one\0\0\0");
        assert_eq!(
            prepared.read(b'E', b"\0"),
            [ClientRequest::Statement("SELECT 1".to_owned()), ClientRequest::Nothing]
        );
        assert_eq!(
            prepared.read(b'Q', b"COMMIT\0"),
            [ClientRequest::Statement("COMMIT".to_owned()), ClientRequest::Answer]
        );
    }
}
