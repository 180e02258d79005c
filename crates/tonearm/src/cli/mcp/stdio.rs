//! Messages over standard input and output: one a line. What is none gets an error of the protocol.

use std::io;
use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, GetMeta as _};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde::Serialize;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Stdin, Stdout};
use tokio::sync::Mutex;
use tokio::task::JoinSet;

use super::message::{NoMessage, error_answer, read};

/// The longest message, in bytes.
const LONGEST_LINE: usize = 16 << 20;

pub(super) struct StandardStreams {
    input: BufReader<Stdin>,
    /// The beginning of the next line.
    line: Vec<u8>,
    /// The line is too long, and the rest of it is dropped.
    is_dropped: bool,
    output: Arc<Mutex<Stdout>>,
    /// The client has begun to speak the protocol. What is no request before that would end it.
    has_begun: bool,
    /// The errors that are being written.
    errors: JoinSet<io::Result<()>>,
}

impl StandardStreams {
    pub(super) fn open() -> Self {
        Self {
            input: BufReader::new(tokio::io::stdin()),
            line: Vec::new(),
            is_dropped: false,
            output: Arc::new(Mutex::new(tokio::io::stdout())),
            has_begun: false,
            errors: JoinSet::new(),
        }
    }

    /// The next line; nothing at the end. What was read of a line is kept if this is dropped before its end.
    async fn next_line(&mut self) -> Option<Result<Vec<u8>, NoMessage>> {
        loop {
            let read = self.input.fill_buf().await.ok()?;
            if read.is_empty() {
                // The last line may have no end.
                return Some(std::mem::take(&mut self.line)).filter(|line| !line.is_empty()).map(Ok);
            }
            let end = read.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(read.len(), |end| end + 1);
            self.is_dropped |= self.line.len() + taken > LONGEST_LINE;
            if self.is_dropped {
                self.line.clear();
            } else {
                self.line.extend_from_slice(&read[..taken]);
            }
            self.input.consume(taken);
            if end.is_some() {
                return Some(match std::mem::take(&mut self.is_dropped) {
                    true => Err(NoMessage::invalid("the message is too long")),
                    false => Ok(std::mem::take(&mut self.line)),
                });
            }
        }
    }

    fn write<T: Serialize>(&self, message: T) -> impl Future<Output = io::Result<()>> + use<T> {
        let output = Arc::clone(&self.output);
        async move {
            let mut line = serde_json::to_vec(&message)?;
            line.push(b'\n');
            let mut output = output.lock().await;
            output.write_all(&line).await?;
            output.flush().await
        }
    }
}

/// Whether a request begins the conversation: `initialize`, or one that names the version of the protocol itself.
fn begins(request: &ClientRequest) -> bool {
    match request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
        request => request.get_meta().protocol_version().is_some(),
    }
}

impl Transport<RoleServer> for StandardStreams {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        self.write(message)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            while self.errors.try_join_next().is_some() {}
            let Some(line) = self.next_line().await else {
                while self.errors.join_next().await.is_some() {}
                return None;
            };
            if line.as_ref().is_ok_and(|line| line.trim_ascii().is_empty()) {
                continue;
            }
            match line.and_then(|line| read(line.trim_ascii())) {
                Ok(ClientJsonRpcMessage::Request(request)) => {
                    self.has_begun |= begins(&request.request);
                    return Some(ClientJsonRpcMessage::Request(request));
                }
                Ok(message) if self.has_begun => return Some(message),
                Ok(_) => {}
                Err(NoMessage { is_notification: true, .. }) => {}
                // In a task of its own, as this may be dropped while it waits.
                Err(NoMessage { id, error, .. }) => {
                    let answer = self.write(error_answer(id, &error));
                    self.errors.spawn(answer);
                }
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        Ok(())
    }
}
