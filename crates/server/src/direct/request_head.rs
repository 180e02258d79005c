//! Parses request heads in wire format (RFC 9112), as far as they are for the edge.

use std::net::{IpAddr, SocketAddr};

use hyper::header::{self, HeaderName, HeaderValue};
use hyper::http::request;
use hyper::{Method, Uri};
use tonearm_domain::ClientAddress;
use tonearm_edge::{Edge, PlainRequest, RepeatedAnswer};

use crate::proxies::TrustedProxies;

/// Maximum number of header lines of a request for an object.
const MOST_LINES: usize = 64;

/// A request for an object.
pub(super) struct ObjectRequest {
    pub(super) request: Request,
    /// The client wants no further response on this connection.
    pub(super) is_last: bool,
}

/// A request, or its response if that is already known.
#[expect(
    clippy::large_enum_variant,
    reason = "one exists at a time, on the path of a range, where a box would cost an allocation"
)]
pub(super) enum Request {
    /// Its response.
    Repeated(RepeatedAnswer),
    /// The request head.
    New(Box<request::Parts>),
}

/// The result of parsing the beginning of some bytes.
#[allow(clippy::large_enum_variant, reason = "a box would be an allocation for each request")]
pub(super) enum Parsed {
    /// A request for an object, whose head has this length, and no body.
    Object { object: ObjectRequest, length: usize },
    /// Something that the HTTP server has to parse.
    Other,
    /// An incomplete head.
    Partial,
}

/// The other end of a connection.
#[derive(Clone, Copy)]
pub(crate) struct Peer<'a> {
    pub(crate) address: SocketAddr,
    pub(crate) proxies: &'a TrustedProxies,
}

impl Peer<'_> {
    /// The address that a request comes from.
    fn client(self, head: &httparse::Request<'_, '_>) -> IpAddr {
        let name = self.proxies.header_name();
        let is_said = |line: &&httparse::Header<'_>| line.name.eq_ignore_ascii_case(name.as_str());
        let lines = || head.headers.iter().filter(is_said).map(|line| line.value);
        self.proxies.client_by_lines(self.address, lines).ip()
    }
}

/// Parses the bytes at the beginning of a request.
pub(super) fn parse(bytes: &[u8], edge: Option<&Edge>, peer: Peer<'_>) -> Parsed {
    let mut lines = [httparse::EMPTY_HEADER; MOST_LINES];
    let mut head = httparse::Request::new(&mut lines);
    match head.parse(bytes) {
        Ok(httparse::Status::Complete(length)) => {
            match edge.and_then(|edge| repeated(&head, edge, peer).or_else(|| object_request(&head, peer))) {
                Some(object) => Parsed::Object { object, length },
                None => Parsed::Other,
            }
        }
        Ok(httparse::Status::Partial) => Parsed::Partial,
        Err(_) => Parsed::Other,
    }
}

/// A request like one that was just answered.
fn repeated(head: &httparse::Request<'_, '_>, edge: &Edge, peer: Peer<'_>) -> Option<ObjectRequest> {
    if head.method != Some("GET") || head.version != Some(1) {
        return None;
    }
    let mut plain = PlainRequest { target: head.path?, ..PlainRequest::default() };
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
                header::USER_AGENT => &mut plain.agent,
                header::REFERER => &mut plain.referrer,
                _ => return None,
            },
        };
        if place.replace(line.value).is_some() {
            return None;
        }
    }
    plain.host?;
    plain.address = Some(peer.client(head));
    Some(ObjectRequest { request: Request::Repeated(edge.answer_repeated(&plain)?), is_last })
}

/// `None` unless it is a plain GET or HEAD of an object.
fn object_request(head: &httparse::Request<'_, '_>, peer: Peer<'_>) -> Option<ObjectRequest> {
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
    request.extensions_mut().insert(ClientAddress::from(peer.client(head)));
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
    if request.headers().get_all(header::HOST).iter().count() != 1 {
        return None;
    }
    Some(ObjectRequest { request: Request::New(Box::new(request.into_parts().0)), is_last })
}

/// The meaning of a header line.
enum Meaning {
    /// It is irrelevant for objects.
    Nothing,
    /// The connection ends after the response.
    Last,
    /// The edge uses it.
    Line(&'static HeaderName),
}

/// `None` if the HTTP server has to parse the request: a body follows, or another protocol.
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
