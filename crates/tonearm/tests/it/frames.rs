//! A client that speaks HTTP/2 frame by frame (RFC 9113), and so can misbehave in any way.

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

pub(crate) const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

pub(crate) const DATA: u8 = 0;
pub(crate) const HEADERS: u8 = 1;
pub(crate) const RST_STREAM: u8 = 3;
pub(crate) const SETTINGS: u8 = 4;
pub(crate) const PING: u8 = 6;
pub(crate) const GOAWAY: u8 = 7;
const WINDOW_UPDATE: u8 = 8;

/// A parameter of SETTINGS.
pub(crate) const MAX_CONCURRENT_STREAMS: u16 = 3;
pub(crate) const INITIAL_WINDOW_SIZE: u16 = 4;

/// A flag of DATA and HEADERS.
pub(crate) const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;
/// A flag of SETTINGS and PING.
pub(crate) const ACK: u8 = 1;

/// The error code of a stream that one side cancels.
pub(crate) const CANCEL: u32 = 8;

#[derive(Debug)]
pub(crate) struct Frame {
    pub(crate) kind: u8,
    pub(crate) flags: u8,
    pub(crate) stream: u32,
    pub(crate) payload: Vec<u8>,
}

impl Frame {
    pub(crate) fn ends_stream(&self) -> bool {
        matches!(self.kind, DATA | HEADERS) && self.flags & END_STREAM != 0
    }

    /// The error code of a reset.
    pub(crate) fn reason(&self) -> u32 {
        assert_eq!(self.kind, RST_STREAM, "{self:?}");
        u32::from_be_bytes(self.payload[..4].try_into().unwrap())
    }

    /// A value of SETTINGS.
    pub(crate) fn setting(&self, id: u16) -> Option<u32> {
        let mut all = self.payload.chunks_exact(6);
        let found = all.find(|setting| setting[..2] == id.to_be_bytes())?;
        Some(u32::from_be_bytes(found[2..].try_into().unwrap()))
    }
}

/// A frame as it is on the wire.
pub(crate) fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let mut bytes = u32::try_from(payload.len()).unwrap().to_be_bytes()[1..].to_vec();
    bytes.extend_from_slice(&[kind, flags]);
    bytes.extend_from_slice(&stream.to_be_bytes());
    bytes.extend_from_slice(payload);
    bytes
}

pub(crate) fn settings(all: &[(u16, u32)]) -> Vec<u8> {
    let payload: Vec<u8> =
        all.iter().flat_map(|(id, value)| [&id.to_be_bytes()[..], &value.to_be_bytes()].concat()).collect();
    frame(SETTINGS, 0, 0, &payload)
}

pub(crate) fn window_update(stream: u32, bytes: u32) -> Vec<u8> {
    frame(WINDOW_UPDATE, 0, stream, &bytes.to_be_bytes())
}

/// A complete GET request.
pub(crate) fn get(stream: u32, path: &str) -> Vec<u8> {
    request(stream, "GET", path, true)
}

/// A request, with or without a body that follows.
pub(crate) fn request(stream: u32, method: &str, path: &str, is_whole: bool) -> Vec<u8> {
    let lines = [(":method", method), (":scheme", "http"), (":authority", "x"), (":path", path)];
    let mut block = Vec::new();
    for (name, value) in lines {
        // A literal header field without indexing and with a new name (RFC 7541, section 6.2.2).
        block.push(0);
        push_text(&mut block, name);
        push_text(&mut block, value);
    }
    frame(HEADERS, END_HEADERS | if is_whole { END_STREAM } else { 0 }, stream, &block)
}

/// A string without compression, with its length in a prefix of seven bits (RFC 7541, section 5).
fn push_text(block: &mut Vec<u8>, text: &str) {
    match text.len() {
        length @ ..127 => block.push(length as u8),
        length => {
            block.push(127);
            let mut left = length - 127;
            while left >= 128 {
                block.push((left % 128) as u8 | 128);
                left /= 128;
            }
            block.push(left as u8);
        }
    }
    block.extend_from_slice(text.as_bytes());
}

/// An HTTP/2 connection.
pub(crate) struct Frames<S>(pub(crate) S);

impl<S: AsyncRead + AsyncWrite + Unpin> Frames<S> {
    /// Opens the connection with these settings.
    pub(crate) async fn begin(stream: S, own: &[(u16, u32)]) -> Self {
        let mut frames = Self(stream);
        frames.write(&[PREFACE, &settings(own)].concat()).await;
        frames
    }

    pub(crate) async fn write(&mut self, bytes: &[u8]) {
        self.0.write_all(bytes).await.unwrap();
    }

    /// The next frame, or `None` at the end of the connection, however it ended.
    pub(crate) async fn next(&mut self) -> Option<Frame> {
        let mut head = [0; 9];
        self.0.read_exact(&mut head).await.ok()?;
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]);
        let mut payload = vec![0; length as usize];
        self.0.read_exact(&mut payload).await.ok()?;
        let stream = u32::from_be_bytes(head[5..].try_into().unwrap());
        Some(Frame { kind: head[3], flags: head[4], stream, payload })
    }

    /// The next frame that concerns a stream or the end of the connection.
    pub(crate) async fn news(&mut self) -> Option<Frame> {
        loop {
            let frame = self.next().await?;
            if matches!(frame.kind, DATA | HEADERS | RST_STREAM | GOAWAY) {
                return Some(frame);
            }
        }
    }
}
