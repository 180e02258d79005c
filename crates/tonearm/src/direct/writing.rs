//! Answers on their way into a socket.

use std::future::poll_fn;
use std::io::{self, ErrorKind, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::{Buf as _, Bytes};
use futures::FutureExt as _;
use hyper::body::Body;
use rustix::fs::sendfile;
use rustix::net::{SendFlags, send};
use tokio::io::{AsyncWrite as _, Interest};
use tokio::net::TcpStream;
use tonearm_blobs::Chunks;
use tonearm_edge::{Content, Sending};

use super::Direct;

impl Direct<'_> {
    pub(super) async fn send(&mut self, head: Vec<u8>, content: Content) -> io::Result<()> {
        match content {
            Content::Empty => self.write(head.into(), Bytes::new()).await,
            Content::Text(text) => self.write(head.into(), text).await,
            Content::Object(sending) => self.send_object(head.into(), sending).await,
            Content::Parts(body) => self.send_body(head.into(), body).await,
        }
    }

    /// Sends an object: by the kernel alone as far as it is in memory, else as it is read.
    async fn send_object(&mut self, mut head: Bytes, mut sending: Sending<Chunks>) -> io::Result<()> {
        loop {
            if sending.in_file().is_some() {
                self.send_more(&mut head).await?;
                self.send_file(&mut sending).await?;
            } else {
                match self.next(&mut sending, &mut head).await? {
                    Some(chunk) => self.write(std::mem::take(&mut head), chunk).await?,
                    None => return self.write(head, Bytes::new()).await,
                }
            }
        }
    }

    async fn send_body(&mut self, mut head: Bytes, mut body: axum::body::Body) -> io::Result<()> {
        while let Some(chunk) = self.next(&mut body, &mut head).await? {
            self.write(std::mem::take(&mut head), chunk).await?;
        }
        self.write(head, Bytes::new()).await
    }

    /// The next bytes of a body. Where they are to be waited for, the head goes ahead.
    async fn next<B>(&mut self, body: &mut B, head: &mut Bytes) -> io::Result<Option<Bytes>>
    where
        B: Body<Data = Bytes> + Unpin,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let mut frame = poll_fn(|context| Pin::new(&mut *body).poll_frame(context));
        let frame = match (&mut frame).now_or_never() {
            Some(frame) => frame,
            None => {
                self.write(std::mem::take(head), Bytes::new()).await?;
                frame.await
            }
        };
        let data = frame.transpose().map_err(io::Error::other)?;
        Ok(data.and_then(|frame| frame.into_data().ok()))
    }

    /// Sends bytes that the next ones may share a packet with.
    async fn send_more(&mut self, bytes: &mut Bytes) -> io::Result<()> {
        while !bytes.is_empty() {
            let flags = SendFlags::MORE | SendFlags::NOSIGNAL;
            let sent = self.attempt(|socket| Ok(send(socket, bytes, flags)?)).await?;
            bytes.advance(sent.unwrap_or(0));
        }
        Ok(())
    }

    /// Sends what of an object is in memory, as much as the socket takes at once.
    async fn send_file(&mut self, sending: &mut Sending<Chunks>) -> io::Result<()> {
        let Some(part) = sending.in_file() else { return Ok(()) };
        let (file, mut offset) = (part.file, part.offset);
        let length = usize::try_from(part.length).unwrap_or(usize::MAX);
        let sent = self.attempt(|socket| Ok(sendfile(socket, file, Some(&mut offset), length)?)).await?;
        match sent {
            // The file was cut short from outside, after its length was told.
            Some(0) => Err(ErrorKind::UnexpectedEof.into()),
            Some(sent) => {
                sending.pass(sent);
                Ok(())
            }
            // While there was no room, what was in memory may have left it.
            None => Ok(()),
        }
    }

    /// Hands bytes to the kernel. Where it has no room for any, waits until it has; then `None`.
    async fn attempt(
        &self,
        hand_over: impl FnOnce(&TcpStream) -> io::Result<usize>,
    ) -> io::Result<Option<usize>> {
        match self.stream.try_io(Interest::WRITABLE, || hand_over(self.stream)) {
            Ok(sent) => {
                self.progress.advance(sent);
                Ok(Some(sent))
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                self.progress.block();
                self.stream.writable().await?;
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Writes both, as one where the socket takes them.
    async fn write(&mut self, mut first: Bytes, mut second: Bytes) -> io::Result<()> {
        while !first.is_empty() || !second.is_empty() {
            let written = poll_fn(|context| self.poll_write(context, [&first, &second])).await?;
            let of_first = written.min(first.len());
            first.advance(of_first);
            second.advance(written - of_first);
        }
        Ok(())
    }

    fn poll_write(&mut self, context: &mut Context<'_>, parts: [&[u8]; 2]) -> Poll<io::Result<usize>> {
        let slices = parts.map(IoSlice::new);
        let written = Pin::new(&mut *self.stream).poll_write_vectored(context, &slices);
        self.progress.note(&written, |count| *count);
        match written {
            Poll::Ready(Ok(0)) => Poll::Ready(Err(ErrorKind::WriteZero.into())),
            written => written,
        }
    }
}
