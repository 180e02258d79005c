//! Writes response heads in wire format (RFC 9112).

use std::io::Write as _;

use hyper::StatusCode;
use hyper::header::HeaderMap;
use hyper::http::response;
use tonearm_domain::Timestamp;
use tonearm_edge::RepeatedAnswer;

use crate::http_date::http_date;

/// Initial capacity in bytes, enough for most heads.
const USUAL: usize = 1024;

/// The head of a response.
pub(super) fn of(head: &response::Parts, now: Timestamp, is_last: bool) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(USUAL);
    write_status(&mut bytes, head.status);
    write_lines(&mut bytes, &head.headers);
    write_end(&mut bytes, now, is_last);
    bytes
}

/// The head of a repeated response.
pub(super) fn of_repeated(answer: &RepeatedAnswer, now: Timestamp, is_last: bool) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(USUAL);
    write_status(&mut bytes, answer.status());
    bytes.extend_from_slice(&answer.lines);
    let mut digits = itoa::Buffer::new();
    let mut write = |text: &str, number: u64| {
        bytes.extend_from_slice(text.as_bytes());
        bytes.extend_from_slice(digits.format(number).as_bytes());
    };
    write("content-length: ", answer.length);
    if let Some((range, size)) = &answer.part {
        write("\r\ncontent-range: bytes ", range.start);
        write("-", range.end - 1);
        write("/", *size);
    }
    bytes.extend_from_slice(b"\r\nx-request-id: ");
    // A Vec takes any text.
    let _ = write!(bytes, "{}\r\n", answer.request_id);
    write_end(&mut bytes, now, is_last);
    bytes
}

fn write_status(bytes: &mut Vec<u8>, status: StatusCode) {
    bytes.extend_from_slice(b"HTTP/1.1 ");
    bytes.extend_from_slice(status.as_str().as_bytes());
    bytes.push(b' ');
    bytes.extend_from_slice(status.canonical_reason().unwrap_or_default().as_bytes());
    bytes.extend_from_slice(b"\r\n");
}

fn write_lines(bytes: &mut Vec<u8>, lines: &HeaderMap) {
    for (name, value) in lines {
        bytes.extend_from_slice(name.as_str().as_bytes());
        bytes.extend_from_slice(b": ");
        bytes.extend_from_slice(value.as_bytes());
        bytes.extend_from_slice(b"\r\n");
    }
}

fn write_end(bytes: &mut Vec<u8>, now: Timestamp, is_last: bool) {
    bytes.extend_from_slice(b"date: ");
    bytes.extend_from_slice(&http_date(now));
    bytes.extend_from_slice(if is_last { b"\r\nconnection: close\r\n\r\n" } else { b"\r\n\r\n" });
}
