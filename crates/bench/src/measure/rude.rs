//! Clients that keep connections open without sending or without reading anything: 500 of each kind at once, and how
//! they affect one well-behaved client. Reference: the same client alone.

use std::io::Write as _;
use std::net::TcpStream;

use anyhow::{Context, Result};

use super::hosted::{FILE_BYTES, Hosted, RANGE, noise_of};
use super::rows_of_answers;
use crate::h2load::{Answered, Load, Protocol};
use crate::plan::{Plan, Sides};
use crate::report::{Goal, Row};

/// Number of clients of each kind.
const MANY: usize = 500;

/// Connections of the well-behaved client.
const CONNECTIONS: u32 = 8;

/// Streams that a rude HTTP/2 client opens on each connection.
const STREAMS: u32 = 32;

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

pub(super) async fn run(plan: &Plan) -> Result<Vec<Row>> {
    let mut hosted = Hosted::start(&noise_of(FILE_BYTES)).await?;
    // Allows rude HTTP/2 clients without TLS.
    hosted.stage.restart_with("TONEARM_HTTP2_WITHOUT_TLS", "true").await;
    let base_url = hosted.stage.url();
    let host = base_url.strip_prefix("http://").context("the service is reached over http")?.to_owned();
    let url = format!("{base_url}{}", hosted.tonearm.path);
    let mut rows = Vec::new();
    for (kind, hello) in kinds(&host, &hosted.tonearm.path) {
        for (name, protocol) in [("HTTP/1.1", Protocol::Http1), ("HTTP/2", Protocol::Http2)] {
            let load = Load {
                urls: vec![url.clone()],
                connections: CONNECTIONS,
                streams: 1,
                range: RANGE.to_owned(),
                protocol,
            };
            let sides = beside(plan, &load, &host, &hello)?;
            let name = format!("rude clients, {kind}, a good one over {name}");
            rows.extend(rows_of_answers(&name, &sides, "alone", None, Some(Goal::AtMost(2.0))));
        }
    }
    Ok(rows)
}

/// Measures the well-behaved client with rude clients beside it, and alone, alternately.
fn beside(plan: &Plan, load: &Load, host: &str, hello: &[u8]) -> Result<Sides<Answered>> {
    let with_rude = || {
        let rude: Vec<TcpStream> = (0..MANY).map(|_| connect(host, hello)).collect::<Result<_>>()?;
        let answered = load.run(plan);
        drop(rude);
        answered
    };
    plan.alternate(with_rude, || load.run(plan))
}

fn connect(host: &str, hello: &[u8]) -> Result<TcpStream> {
    let mut socket = TcpStream::connect(host)?;
    socket.write_all(hello)?;
    Ok(socket)
}

/// The bytes that each kind of client sends before it stops.
fn kinds(host: &str, path: &str) -> Vec<(&'static str, Vec<u8>)> {
    let head = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n");
    let form = "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000\r\n";
    vec![
        ("nothing said", Vec::new()),
        ("half a head", format!("{head}X-Slow: ").into_bytes()),
        (
            "half a body",
            format!("POST /dashboard/sign-in HTTP/1.1\r\nHost: {host}\r\n{form}\r\nemail=a").into_bytes(),
        ),
        ("nothing taken", format!("{head}\r\n").repeat(4).into_bytes()),
        ("HTTP/2 preface", PREFACE.to_vec()),
        ("HTTP/2 without a window", without_window(host, path)),
    ]
}

/// Streams that request the whole file on a connection whose streams have a flow-control window of 0 (RFC 9113, section
/// 6.9.2).
fn without_window(host: &str, path: &str) -> Vec<u8> {
    let mut bytes = PREFACE.to_vec();
    // SETTINGS_INITIAL_WINDOW_SIZE, 0.
    bytes.extend(frame(0x4, 0, 0, &[0, 4, 0, 0, 0, 0]));
    // GET and http from HPACK's static table, then path and authority as literals without indexing (RFC 7541).
    let mut block = vec![0x82, 0x86];
    for (name, value) in [(0x04, path), (0x01, host)] {
        block.push(name);
        block.extend(length(value.len()));
        block.extend(value.as_bytes());
    }
    for number in 0..STREAMS {
        // END_STREAM and END_HEADERS.
        bytes.extend(frame(0x1, 0x5, 2 * number + 1, &block));
    }
    bytes
}

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let [_, length @ ..] = u32::try_from(payload.len()).unwrap_or_default().to_be_bytes();
    let mut bytes = length.to_vec();
    bytes.extend([kind, flags]);
    bytes.extend(stream.to_be_bytes());
    bytes.extend(payload);
    bytes
}

/// A length as HPACK writes it, with a prefix of seven bits (RFC 7541, section 5.1).
fn length(length: usize) -> Vec<u8> {
    if length < 127 {
        return vec![length as u8];
    }
    let (mut bytes, mut rest) = (vec![127], length - 127);
    while rest >= 128 {
        bytes.push((rest % 128 + 128) as u8);
        rest /= 128;
    }
    bytes.push(rest as u8);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_those_of_hpack() {
        // The last one is the example of RFC 7541, appendix C.1.2, with a prefix of seven bits.
        for (number, bytes) in
            [(0, &[0][..]), (126, &[126]), (127, &[127, 0]), (254, &[127, 127]), (1337, &[127, 186, 9])]
        {
            assert_eq!(length(number), bytes, "{number}");
        }
    }

    #[test]
    fn frames_have_nine_bytes_before_them() {
        assert_eq!(frame(4, 0, 1, b"ab"), [0, 0, 2, 4, 0, 0, 0, 0, 1, b'a', b'b']);
    }
}
