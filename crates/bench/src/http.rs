//! Requests written directly to a socket. The client of a measurement must use as little CPU time as possible, because
//! it shares the machine with the server that it measures.

use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

/// Size of the read buffer in bytes.
const READ_BYTES: usize = 256 * 1024;

/// Socket timeout, so that a stuck server ends the run.
const PATIENCE: Duration = Duration::from_secs(120);

/// A response whose body was counted, not kept.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    /// Size of the body in bytes.
    pub(crate) body_bytes: u64,
    /// The `Location` header.
    pub(crate) location: Option<String>,
}

/// Fetches a URL.
pub(crate) fn get(url: &str) -> Result<Reply> {
    let (mut socket, head) = connect("GET", url)?;
    socket.write_all(format!("{head}\r\n").as_bytes())?;
    Ok(read_reply(&mut socket)?)
}

/// A connection over which objects are fetched one after another.
#[derive(Debug)]
pub(crate) struct Visitor {
    socket: TcpStream,
    host: String,
    buffer: Vec<u8>,
    /// Bytes of the body that have not been read yet.
    left: u64,
}

impl Visitor {
    pub(crate) fn connect(url: &str) -> Result<Self> {
        let host = url.strip_prefix("http://").with_context(|| format!("{url} is no http URL"))?.to_owned();
        let socket = TcpStream::connect(&host)?;
        socket.set_nodelay(true)?;
        socket.set_read_timeout(Some(PATIENCE))?;
        Ok(Self { socket, host, buffer: vec![0; READ_BYTES], left: 0 })
    }

    /// Requests a path and reads up to the first bytes of the body, or to the end of the head if there is no body.
    /// Returns the status.
    pub(crate) fn first_byte(&mut self, path: &str) -> Result<u16> {
        let request = format!("GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", self.host);
        self.socket.write_all(request.as_bytes())?;
        let mut filled = 0;
        loop {
            let read = self.socket.read(&mut self.buffer[filled..])?;
            ensure!(read > 0, "the server closed the connection");
            filled += read;
            let head_end = self.buffer[..filled].windows(4).position(|bytes| bytes == b"\r\n\r\n");
            let Some(head_end) = head_end.map(|at| at + 4) else { continue };
            let head = &self.buffer[..head_end];
            let status = parse_status(head).context("the answer is no HTTP")?;
            let length = parse_length(head).context("the answer has no length")?;
            if filled > head_end || length == 0 {
                self.left = length - (filled - head_end) as u64;
                return Ok(status);
            }
        }
    }

    /// Reads the rest of the body.
    pub(crate) fn finish(&mut self) -> Result<()> {
        while self.left > 0 {
            let read = self.socket.read(&mut self.buffer)?;
            ensure!(read > 0, "the body ended early");
            self.left = self.left.saturating_sub(read as u64);
        }
        Ok(())
    }
}

/// Sends `size` bytes by repeating `block`.
pub(crate) fn put(url: &str, block: &[u8], size: u64) -> Result<Reply> {
    send("PUT", url, "", block, size)
}

/// Sends `size` bytes by repeating `block`, with another method and additional header lines, each of which must end
/// with `\r\n`.
pub(crate) fn send(method: &str, url: &str, lines: &str, block: &[u8], size: u64) -> Result<Reply> {
    let (mut socket, head) = connect(method, url)?;
    socket.write_all(format!("{head}{lines}Content-Length: {size}\r\n\r\n").as_bytes())?;
    let mut left = size;
    while left > 0 {
        let next = left.min(block.len() as u64);
        socket.write_all(&block[..next as usize])?;
        left -= next;
    }
    Ok(read_reply(&mut socket)?)
}

/// Opens a connection for one request, and returns it with the beginning of the request's head.
fn connect(method: &str, url: &str) -> Result<(TcpStream, String)> {
    let rest = url.strip_prefix("http://").with_context(|| format!("{url} is no http URL"))?;
    let (host, path) = rest.split_once('/').with_context(|| format!("{url} has no path"))?;
    ensure!(!host.is_empty(), "{url} has no host");
    let socket = TcpStream::connect(host)?;
    socket.set_nodelay(true)?;
    socket.set_read_timeout(Some(PATIENCE))?;
    socket.set_write_timeout(Some(PATIENCE))?;
    Ok((socket, format!("{method} /{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n")))
}

/// Reads until the server closes the connection.
fn read_reply(from: &mut impl Read) -> io::Result<Reply> {
    let invalid = || io::Error::new(ErrorKind::InvalidData, "the answer is no HTTP");
    let mut buffer = vec![0; READ_BYTES];
    let mut filled = 0;
    let head_end = loop {
        let read = from.read(&mut buffer[filled..])?;
        filled += read;
        if let Some(at) = buffer[..filled].windows(4).position(|bytes| bytes == b"\r\n\r\n") {
            break at + 4;
        }
        if read == 0 {
            return Err(invalid());
        }
    };
    let status = parse_status(&buffer[..head_end]).ok_or_else(invalid)?;
    let location = parse_line(&buffer[..head_end], "location").map(str::to_owned);
    let mut body_bytes = (filled - head_end) as u64;
    loop {
        match from.read(&mut buffer)? {
            0 => return Ok(Reply { status, body_bytes, location }),
            read => body_bytes += read as u64,
        }
    }
}

fn parse_length(head: &[u8]) -> Option<u64> {
    parse_line(head, "content-length")?.parse().ok()
}

/// The value of the first header line with this name.
fn parse_line<'a>(head: &'a [u8], name: &str) -> Option<&'a str> {
    let mut lines = std::str::from_utf8(head).ok()?.lines().filter_map(|line| line.split_once(':'));
    Some(lines.find(|(found, _)| found.eq_ignore_ascii_case(name))?.1.trim())
}

fn parse_status(head: &[u8]) -> Option<u16> {
    let line = std::str::from_utf8(head).ok()?.lines().next()?;
    line.strip_prefix("HTTP/1.1 ")?.get(..3)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_are_counted() {
        let reply = read_reply(&mut "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello".as_bytes()).unwrap();
        assert_eq!((reply.status, reply.body_bytes), (200, 5));
    }

    #[test]
    fn lengths_are_found_whatever_the_case() {
        assert_eq!(parse_length(b"HTTP/1.1 200 OK\r\ncontent-LENGTH: 12\r\n\r\n"), Some(12));
        assert_eq!(parse_length(b"HTTP/1.1 200 OK\r\n\r\n"), None);
    }

    #[test]
    fn what_is_no_answer_is_an_error() {
        for text in ["", "HTTP/1.1 200 OK\r\n", "SSH-2.0\r\n\r\n", "HTTP/1.1 ok\r\n\r\n"] {
            assert!(read_reply(&mut text.as_bytes()).is_err(), "{text:?}");
        }
    }
}
