//! Servers that do as little as possible.

use std::fs::File;
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use anyhow::Result;
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Path as UrlPath, Request};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, put};
use axum::serve::ListenerExt;
use clap::ValueEnum;
use http_body_util::BodyExt;
use sha2::{Digest, Sha256};
use tokio::net::TcpListener;
use tokio_util::io::ReaderStream;

/// What a bare server does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Bare {
    /// Answers everything with one word.
    Hello,
    /// Hashes what is put, writes it to one file and waits until the disk has it.
    Sink,
    /// Serves the files of the working folder, whole or one range.
    Files,
}

impl Bare {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Hello => "hello",
            Self::Sink => "sink",
            Self::Files => "files",
        }
    }
}

/// Serves until the process is ended. The first line of output is the server's address.
pub(crate) async fn serve(kind: Bare) -> Result<()> {
    let router = match kind {
        // Reads the body, as any server that parses JSON must.
        Bare::Hello => Router::new().fallback(async |_: Bytes| "hello"),
        Bare::Sink => Router::new().route("/{*path}", put(take_in)),
        Bare::Files => Router::new().route("/{*path}", get(hand_out)),
    };
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("http://{}", listener.local_addr()?);
    let listener = listener.tap_io(|socket| drop(socket.set_nodelay(true)));
    axum::serve(listener, router).await?;
    Ok(())
}

async fn take_in(UrlPath(path): UrlPath<PathBuf>, request: Request) -> Result<String, Problem> {
    let mut file = File::create(path)?;
    let mut hash = Sha256::new();
    let mut body = request.into_body();
    while let Some(frame) = body.frame().await {
        if let Ok(chunk) = frame?.into_data() {
            hash.update(&chunk);
            file.write_all(&chunk)?;
        }
    }
    file.sync_all()?;
    // Without this, the file's directory entry may be lost in a power failure.
    File::open(".")?.sync_all()?;
    Ok(format!("{:?}", hash.finalize()))
}

async fn hand_out(UrlPath(path): UrlPath<PathBuf>, headers: HeaderMap) -> Result<Response, Problem> {
    match headers.get(header::RANGE).and_then(|value| parse_range(value.to_str().ok()?)) {
        Some((first, last)) => {
            Ok((StatusCode::PARTIAL_CONTENT, read_range(&path, first, last)?).into_response())
        }
        None => {
            let file = tokio::fs::File::open(path).await?;
            Ok(Body::from_stream(ReaderStream::with_capacity(file, 256 * 1024)).into_response())
        }
    }
}

fn read_range(path: &Path, first: u64, last: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = vec![0; (last - first + 1) as usize];
    File::open(path)?.read_exact_at(&mut bytes, first)?;
    Ok(bytes)
}

/// The first and the last byte of a range that has both.
fn parse_range(value: &str) -> Option<(u64, u64)> {
    let (first, last) = value.strip_prefix("bytes=")?.split_once('-')?;
    let (first, last) = (first.parse().ok()?, last.parse().ok()?);
    (first <= last).then_some((first, last))
}

/// Any error, answered with status 500.
struct Problem(anyhow::Error);

impl<E: Into<anyhow::Error>> From<E> for Problem {
    fn from(error: E) -> Self {
        Self(error.into())
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        (StatusCode::INTERNAL_SERVER_ERROR, self.0.to_string()).into_response()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_name_both_ends() {
        assert_eq!(parse_range("bytes=0-65535"), Some((0, 65_535)));
        for value in ["bytes=5-4", "bytes=5-", "bytes=-5", "0-1", "bytes=a-b"] {
            assert_eq!(parse_range(value), None, "{value}");
        }
    }

    #[test]
    fn names_are_those_of_the_command_line() {
        for kind in Bare::value_variants() {
            assert_eq!(Bare::from_str(kind.name(), false).as_ref(), Ok(kind));
        }
    }
}
