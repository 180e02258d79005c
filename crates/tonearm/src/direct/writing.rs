//! Answers on their way into a socket.

use std::error::Error;
use std::future::poll_fn;
use std::io::{self, ErrorKind, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::{Buf as _, Bytes};
use futures::FutureExt as _;
use hyper::body::Body;
use tokio::io::AsyncWrite as _;
use tonearm_edge::Content;

use super::Direct;

impl Direct<'_> {
    pub(super) async fn send(&mut self, head: Vec<u8>, content: Content) -> io::Result<()> {
        match content {
            Content::Empty => self.write(head.into(), Bytes::new()).await,
            Content::Text(text) => self.write(head.into(), text).await,
            Content::Object(sending) => self.send_body(head.into(), sending).await,
            Content::Parts(body) => self.send_body(head.into(), body).await,
        }
    }

    pub(super) async fn send_body<B>(&mut self, mut head: Bytes, mut body: B) -> io::Result<()>
    where
        B: Body<Data = Bytes> + Unpin,
        B::Error: Into<Box<dyn Error + Send + Sync>>,
    {
        while let Some(chunk) = self.next(&mut body, &mut head).await? {
            self.write(std::mem::take(&mut head), chunk).await?;
        }
        self.write(head, Bytes::new()).await
    }

    /// The next bytes of a body. Where they are to be waited for, the head goes ahead.
    async fn next<B>(&mut self, body: &mut B, head: &mut Bytes) -> io::Result<Option<Bytes>>
    where
        B: Body<Data = Bytes> + Unpin,
        B::Error: Into<Box<dyn Error + Send + Sync>>,
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
