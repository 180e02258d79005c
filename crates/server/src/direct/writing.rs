//! Writes responses into a socket.

use std::error::Error;
use std::future::poll_fn;
use std::io::{self, ErrorKind};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use axum::body::Body as AnyBody;
use bytes::{Buf as _, Bytes};
use futures::FutureExt as _;
use hyper::body::Body as _;
use tonearm_blobs::{Chunks, Part};
use tonearm_edge::{Content, Sending};

use super::Direct;

/// The body of a response, part by part.
pub(super) trait Parts {
    /// The next part, which may be empty.
    fn poll_part(&mut self, context: &mut Context<'_>) -> Poll<Option<io::Result<Part>>>;
}

impl Parts for Sending<Chunks> {
    fn poll_part(&mut self, context: &mut Context<'_>) -> Poll<Option<io::Result<Part>>> {
        Self::poll_part(self, context).map_err(io::Error::other)
    }
}

impl Parts for AnyBody {
    fn poll_part(&mut self, context: &mut Context<'_>) -> Poll<Option<io::Result<Part>>> {
        let frame = ready!(Pin::new(self).poll_frame(context));
        let data = |frame: hyper::body::Frame<Bytes>| frame.into_data().unwrap_or_default().into();
        let other = |error: axum::Error| io::Error::other(Box::<dyn Error + Send + Sync>::from(error));
        Poll::Ready(frame.map(|frame| frame.map(data).map_err(other)))
    }
}

impl Direct<'_> {
    pub(super) async fn send(&mut self, head: Vec<u8>, content: Content) -> io::Result<()> {
        match content {
            Content::Empty => self.write(head.into(), Bytes::new().into()).await,
            Content::Text(text) => self.write(head.into(), text.into()).await,
            Content::Object(sending) => self.send_body(head.into(), sending).await,
            Content::Parts(body) => self.send_body(head.into(), body).await,
        }
    }

    pub(super) async fn send_body(&mut self, mut head: Bytes, mut body: impl Parts) -> io::Result<()> {
        while let Some(part) = self.next(&mut body, &mut head).await? {
            self.write(std::mem::take(&mut head), part).await?;
        }
        self.write(head, Bytes::new().into()).await
    }

    /// The next bytes of a body. If they are not available at once, the head is sent first.
    async fn next(&mut self, body: &mut impl Parts, head: &mut Bytes) -> io::Result<Option<Part>> {
        let mut part = poll_fn(|context| body.poll_part(context));
        match (&mut part).now_or_never() {
            Some(part) => part.transpose(),
            None => {
                self.write(std::mem::take(head), Bytes::new().into()).await?;
                part.await.transpose()
            }
        }
    }

    /// Writes the head and the part, in one system call if the socket accepts both.
    async fn write(&mut self, mut head: Bytes, mut part: Part) -> io::Result<()> {
        while !head.is_empty() || !part.is_empty() {
            let written = poll_fn(|context| self.poll_write(context, &head, &part)).await?;
            let of_head = written.min(head.len());
            head.advance(of_head);
            part.advance(written - of_head);
        }
        Ok(())
    }

    fn poll_write(&mut self, context: &mut Context<'_>, head: &[u8], part: &Part) -> Poll<io::Result<usize>> {
        let written = part.poll_write_after(head, self.stream, context);
        self.progress.note(&written, |count| *count);
        match written {
            Poll::Ready(Ok(0)) => Poll::Ready(Err(ErrorKind::WriteZero.into())),
            written => written,
        }
    }
}
