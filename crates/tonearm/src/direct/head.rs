//! Heads of requests and of answers as they are on the wire (RFC 9112).

use std::cell::RefCell;
use std::io::Write as _;
use std::time::{Duration, SystemTime};

use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};
use hyper::http::{request, response};
use hyper::{Method, StatusCode, Uri};
use tonearm_domain::Timestamp;
use tonearm_edge::{Again, Edge, Plain, PlainConnection};

/// Header lines that a request for an object may have.
const MOST_LINES: usize = 64;

/// Room for the head of most answers.
const USUAL_HEAD: usize = 1024;

/// A request for an object.
pub(super) struct Asked {
    pub(super) request: Request,
    /// The client wants no more than this answer.
    pub(super) is_last: bool,
}

/// How much is known of a request already.
pub(super) enum Request {
    /// Its answer.
    Answered(Again),
    /// What it says.
    New(Box<request::Parts>),
}

/// What bytes begin with.
pub(super) enum Parsed {
    /// A request for an object, whose head has this length, and no body.
    Object { asked: Asked, length: usize },
    /// Something for others to understand.
    Other,
    /// The beginning of a head.
    Partial,
}

/// Looks at the bytes that a request begins with.
pub(super) fn parse(bytes: &[u8], edge: Option<&Edge>) -> Parsed {
    let mut lines = [httparse::EMPTY_HEADER; MOST_LINES];
    let mut head = httparse::Request::new(&mut lines);
    match head.parse(bytes) {
        Ok(httparse::Status::Complete(length)) => {
            match edge.and_then(|edge| again(&head, edge).or_else(|| asked(&head))) {
                Some(asked) => Parsed::Object { asked, length },
                None => Parsed::Other,
            }
        }
        Ok(httparse::Status::Partial) => Parsed::Partial,
        Err(_) => Parsed::Other,
    }
}

/// A request like one that was answered a moment ago.
fn again(head: &httparse::Request<'_, '_>, edge: &Edge) -> Option<Asked> {
    if head.method != Some("GET") || head.version != Some(1) {
        return None;
    }
    let mut plain = Plain { target: head.path?, ..Plain::default() };
    let mut is_last = false;
    for line in head.headers.iter() {
        let place = match of_line(line)? {
            Meaning::Nothing => continue,
            Meaning::Last => {
                is_last = true;
                continue;
            }
            Meaning::Line(name) => match *name {
                header::HOST => &mut plain.host,
                header::ACCEPT => &mut plain.accept,
                header::RANGE => &mut plain.range,
                _ => return None,
            },
        };
        if place.replace(line.value).is_some() {
            return None;
        }
    }
    Some(Asked { request: Request::Answered(edge.again(&plain)?), is_last })
}

/// `None` for all that is not a plain GET or HEAD of an object.
fn asked(head: &httparse::Request<'_, '_>) -> Option<Asked> {
    let method = match head.method? {
        "GET" => Method::GET,
        "HEAD" => Method::HEAD,
        _ => return None,
    };
    let target = head.path?;
    let path = target.split('?').next().unwrap_or(target);
    if head.version != Some(1) || !Edge::owns(path) {
        return None;
    }
    let mut request = hyper::Request::new(());
    *request.method_mut() = method;
    *request.uri_mut() = target.parse::<Uri>().ok()?;
    let mut is_last = false;
    for line in head.headers.iter() {
        match of_line(line)? {
            Meaning::Nothing => {}
            Meaning::Last => is_last = true,
            Meaning::Line(name) => {
                request.headers_mut().append(name, HeaderValue::from_bytes(line.value).ok()?);
            }
        }
    }
    request.extensions_mut().insert(PlainConnection);
    Some(Asked { request: Request::New(Box::new(request.into_parts().0)), is_last })
}

/// What a header line is for.
enum Meaning {
    /// Nothing that matters to objects.
    Nothing,
    /// The connection ends with the answer.
    Last,
    /// The edge looks at it.
    Line(&'static HeaderName),
}

/// `None` where others have to understand it: a body follows, or another protocol.
fn of_line(line: &httparse::Header<'_>) -> Option<Meaning> {
    let is = |name: &str| line.name.eq_ignore_ascii_case(name);
    match line.name.len() {
        // te, via, dnt
        2 | 3 => Some(Meaning::Nothing),
        _ if is("connection") => match line.value {
            value if value.eq_ignore_ascii_case(b"keep-alive") => Some(Meaning::Nothing),
            value if value.eq_ignore_ascii_case(b"close") => Some(Meaning::Last),
            _ => None,
        },
        _ if is("transfer-encoding") || is("content-length") || is("expect") || is("upgrade") => None,
        _ => {
            let name = Edge::header_names().iter().find(|name| is(name.as_str()));
            Some(name.map_or(Meaning::Nothing, Meaning::Line))
        }
    }
}

/// The head of an answer.
pub(super) fn write(head: &response::Parts, now: Timestamp, is_last: bool) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(USUAL_HEAD);
    write_status(&mut bytes, head.status);
    write_lines(&mut bytes, &head.headers);
    write_end(&mut bytes, now, is_last);
    bytes
}

/// The head of an answer like one before.
pub(super) fn write_again(again: &Again, now: Timestamp, is_last: bool) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(USUAL_HEAD);
    write_status(&mut bytes, again.status());
    bytes.extend_from_slice(&again.lines);
    let mut digits = itoa::Buffer::new();
    let mut write = |text: &str, number: u64| {
        bytes.extend_from_slice(text.as_bytes());
        bytes.extend_from_slice(digits.format(number).as_bytes());
    };
    write("content-length: ", again.length);
    if let Some((range, size)) = &again.part {
        write("\r\ncontent-range: bytes ", range.start);
        write("-", range.end - 1);
        write("/", *size);
    }
    bytes.extend_from_slice(b"\r\nx-request-id: ");
    // A Vec takes any text.
    let _ = write!(bytes, "{}\r\n", again.request_id);
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
    write_date(bytes, now);
    bytes.extend_from_slice(if is_last { b"\r\nconnection: close\r\n\r\n" } else { b"\r\n\r\n" });
}

thread_local! {
    /// The second that was written last, and how.
    static DATE: RefCell<(i64, [u8; 29])> = const { RefCell::new((i64::MIN, [0; 29])) };
}

fn write_date(bytes: &mut Vec<u8>, now: Timestamp) {
    DATE.with_borrow_mut(|(second, date)| {
        if *second != now.unix_seconds() {
            *second = now.unix_seconds();
            let since_1970 = Duration::from_secs(u64::try_from(*second).unwrap_or(0));
            let text = httpdate::HttpDate::from(SystemTime::UNIX_EPOCH + since_1970);
            // 29 characters in every year up to 9999.
            let _ = write!(&mut date[..], "{text}");
        }
        bytes.extend_from_slice(date);
    });
}
