//! A proxy between a client and a service. It cuts connections, or holds back what a client sends.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt, copy};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tonearm_fixtures::EVENTUALLY;

/// A proxy on a free port.
pub(super) struct Proxy {
    address: SocketAddr,
    listener: Option<TcpListener>,
    state: Arc<State>,
}

struct State {
    /// Bytes from clients that the service received.
    passed: AtomicU64,
    /// The number of bytes after which the connection that sends them is closed.
    cut_at: AtomicU64,
    /// The number of bytes after which nothing more is forwarded.
    hold_at: watch::Sender<u64>,
    is_held: watch::Sender<bool>,
}

impl Proxy {
    /// Creates a proxy that forwards nothing yet, so that a service can be configured with its address.
    pub(super) async fn bind() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let state = State {
            passed: AtomicU64::new(0),
            cut_at: AtomicU64::new(u64::MAX),
            hold_at: watch::Sender::new(u64::MAX),
            is_held: watch::Sender::new(false),
        };
        Self { address: listener.local_addr().unwrap(), listener: Some(listener), state: Arc::new(state) }
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Forwards everything to a service from now on.
    pub(super) fn pass_to(&mut self, server: SocketAddr) {
        let (listener, state) = (self.listener.take().unwrap(), Arc::clone(&self.state));
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(pass(client, server, Arc::clone(&state)));
            }
        });
    }

    /// Bytes that the service received.
    pub(super) fn passed(&self) -> u64 {
        self.state.passed.load(Ordering::SeqCst)
    }

    /// After this many more bytes, closes the connection that sends them.
    pub(super) fn cut_after(&self, bytes: u64) {
        self.state.cut_at.store(self.passed() + bytes, Ordering::SeqCst);
    }

    /// Whether the connection was closed.
    pub(super) fn has_cut(&self) -> bool {
        self.state.cut_at.load(Ordering::SeqCst) == u64::MAX
    }

    /// Forwards this many more bytes, and then nothing.
    pub(super) fn hold_after(&self, bytes: u64) {
        self.state.is_held.send_replace(false);
        self.state.hold_at.send_replace(self.passed() + bytes);
    }

    /// Waits until the proxy holds bytes back.
    pub(super) async fn held(&self) {
        let mut is_held = self.state.is_held.subscribe();
        let held = tokio::time::timeout(EVENTUALLY, is_held.wait_for(|held| *held));
        held.await.expect("as many bytes came").unwrap();
    }

    /// Forwards everything again.
    pub(super) fn release(&self) {
        self.state.hold_at.send_replace(u64::MAX);
    }
}

async fn pass(client: TcpStream, server: SocketAddr, state: Arc<State>) {
    let Ok(server) = TcpStream::connect(server).await else { return };
    let ((mut from_client, mut to_client), (mut from_server, mut to_server)) =
        (client.into_split(), server.into_split());
    tokio::select! {
        _ = up(&mut from_client, &mut to_server, &state) => {}
        _ = copy(&mut from_server, &mut to_client) => {}
    }
}

async fn up(
    client: &mut (impl AsyncReadExt + Unpin),
    server: &mut (impl AsyncWriteExt + Unpin),
    state: &State,
) -> io::Result<()> {
    let mut buffer = vec![0; 16 * 1024];
    let mut hold_at = state.hold_at.subscribe();
    loop {
        let read = client.read(&mut buffer).await?;
        if read == 0 {
            return Ok(());
        }
        let passed = state.passed.load(Ordering::SeqCst);
        if passed + read as u64 > *hold_at.borrow() {
            state.is_held.send_replace(true);
            // Wait for the release. A sender that disconnects meanwhile is noticed when its bytes are forwarded.
            let _ = hold_at.wait_for(|at| *at == u64::MAX).await;
        }
        if passed + read as u64 > state.cut_at.load(Ordering::SeqCst) {
            state.cut_at.store(u64::MAX, Ordering::SeqCst);
            return Ok(());
        }
        server.write_all(&buffer[..read]).await?;
        state.passed.fetch_add(read as u64, Ordering::SeqCst);
    }
}
