//! Accepts connections and serves them until told to stop, then lets the open ones finish.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper_util::server::graceful::GracefulShutdown;
use socket2::SockRef;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;
use tonearm_telemetry::{OpenConnection, Protocol};

use crate::connected::Connected;
use crate::places::Place;
use crate::server::Server;

/// Maximum number of accepted connections that wait for a place.
const MOST_WAITING: usize = 256;

/// An accepted connection that waits for a place, and until when.
type Waiting = (TcpStream, SocketAddr, Instant);

/// Serves the connections of `listener` until `shutdown`, then drains.
pub async fn serve(listener: TcpListener, server: Server, shutdown: CancellationToken) {
    let graceful = GracefulShutdown::new();
    let limits = server.limits;
    let places = Arc::clone(&server.places);
    let mut lanes = server.lanes(&shutdown);
    let server = Arc::new(server);
    let mut begin = |(stream, address, first_head_by): Waiting, place: Place| {
        prepare(&stream);
        let protocol = if server.tls.is_some() { Protocol::Http1Tls } else { Protocol::Http1 };
        let connected = Connected {
            server: server.clone(),
            address,
            watcher: graceful.watcher(),
            place,
            open: OpenConnection::new(protocol),
            first_head_by: Some(first_head_by),
        };
        match lanes.next() {
            Some(lane) => connected.begin_at(lane.clone(), stream),
            None => {
                tokio::spawn(connected.run(stream, shutdown.clone(), false));
            }
        }
    };
    let take = |address: SocketAddr| places.take(address.ip(), server.front.proxies.trusts(address.ip()));
    // Nobody has more connections than these clients: they wait until a place becomes free.
    let mut waiting: VecDeque<Waiting> = VecDeque::new();
    loop {
        let first_deadline = waiting.front().map(|(_, _, deadline)| *deadline);
        tokio::select! {
            () = shutdown.cancelled() => break,
            (stream, address) = accept(&listener) => {
                let accepted = (stream, address, Instant::now() + limits.header_timeout);
                match take(address) {
                    Some(place) => begin(accepted, place),
                    None if waiting.len() < MOST_WAITING => waiting.push_back(accepted),
                    // It is closed.
                    None => {}
                }
            }
            () = places.freed(), if !waiting.is_empty() => {
                while !places.is_full() && let Some(accepted) = waiting.pop_front() {
                    match take(accepted.1) {
                        Some(place) => begin(accepted, place),
                        None => {
                            waiting.push_front(accepted);
                            break;
                        }
                    }
                }
            }
            () = sleep_until(first_deadline.unwrap_or_else(Instant::now)), if first_deadline.is_some() => {
                waiting.pop_front();
            }
        }
    }
    drop((listener, waiting));
    tokio::select! {
        () = graceful.shutdown() => {}
        () = tokio::time::sleep(limits.drain) => tracing::warn!("requests were still open after shutdown.drain_seconds"),
    }
}

/// Maximum number of bytes that the kernel buffers beyond what it can send at once.
const MOST_UNSENT: u32 = 64 * 1024;

/// Makes the kernel send bytes at once, and buffer few that it cannot send. Otherwise it would buffer megabytes for
/// each slow listener, and over HTTP/2 these would be sent before the range that a listener seeks to, even though their
/// stream was cancelled.
fn prepare(stream: &TcpStream) {
    let prepared =
        stream.set_nodelay(true).and_then(|()| SockRef::from(stream).set_tcp_notsent_lowat(MOST_UNSENT));
    if let Err(error) = prepared {
        tracing::debug!(%error, "could not set the options of a connection");
    }
}

/// The next connection.
async fn accept(listener: &TcpListener) -> (TcpStream, SocketAddr) {
    loop {
        match listener.accept().await {
            Ok(accepted) => return accepted,
            Err(error) => {
                // Out of file descriptors, or the peer was gone already: others must still be served.
                tracing::warn!(%error, "could not accept a connection");
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
}
