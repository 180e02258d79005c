//! Accepts connections and serves them until told to stop, then lets the open ones finish.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper_util::server::graceful::GracefulShutdown;
use socket2::SockRef;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tonearm_telemetry::{OpenConnection, Protocol};

use crate::connected::Connected;
use crate::server::Server;

/// Serves the connections of `listener` until `shutdown`, then drains.
pub async fn serve(listener: TcpListener, server: Server, shutdown: CancellationToken) {
    let graceful = GracefulShutdown::new();
    let limits = server.limits;
    let places = Arc::clone(&server.places);
    let mut lanes = server.lanes(&shutdown);
    let server = Arc::new(server);
    loop {
        let (stream, address, permit) = tokio::select! {
            () = shutdown.cancelled() => break,
            accepted = accept(&listener, &places) => match accepted {
                Some(accepted) => accepted,
                None => break,
            },
        };
        prepare(&stream);
        let protocol = if server.tls.is_some() { Protocol::Http1Tls } else { Protocol::Http1 };
        let connected = Connected {
            server: server.clone(),
            address,
            watcher: graceful.watcher(),
            permit,
            open: OpenConnection::new(protocol),
            first_head_by: Some(Instant::now() + limits.header_timeout),
        };
        match lanes.next() {
            Some(lane) => connected.begin_at(lane.clone(), stream),
            None => {
                tokio::spawn(connected.run(stream, shutdown.clone(), false));
            }
        }
    }
    drop(listener);
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

/// The next connection, with its permit.
async fn accept(
    listener: &TcpListener,
    places: &Arc<Semaphore>,
) -> Option<(TcpStream, SocketAddr, OwnedSemaphorePermit)> {
    let permit = places.clone().acquire_owned().await.ok()?;
    loop {
        match listener.accept().await {
            Ok((stream, address)) => return Some((stream, address, permit)),
            Err(error) => {
                // Out of file descriptors, or the peer was gone already: others must still be served.
                tracing::warn!(%error, "could not accept a connection");
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
}
