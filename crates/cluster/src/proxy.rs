//! A proxy in front of a database or a bucket that makes connections fail in many ways.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::Result;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// How connections fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trouble {
    None,
    /// Connections are closed at once.
    Refuse,
    /// No bytes are passed on, and connections stay open.
    Hang,
    /// Each connection passes this many bytes per second.
    Slow(usize),
    /// Each connection is closed after this many bytes of the response.
    Cut(usize),
    /// Requests are passed on at once, and responses after this time.
    Late(Duration),
}

/// Listens on a free port as long as its runtime runs.
#[derive(Debug, Clone)]
pub(crate) struct Proxy {
    address: SocketAddr,
    trouble: watch::Sender<Trouble>,
}

impl Proxy {
    /// Starts a proxy in front of `target`.
    pub(crate) async fn start(target: SocketAddr) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let (trouble, seen) = watch::channel(Trouble::None);
        tokio::spawn(async move {
            loop {
                // An error affects only the connection that was not accepted.
                if let Ok((client, _)) = listener.accept().await {
                    tokio::spawn(pass(client, target, seen.clone()));
                }
            }
        });
        Ok(Self { address, trouble })
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Sets the trouble for open and new connections.
    pub(crate) fn set(&self, trouble: Trouble) {
        self.trouble.send_replace(trouble);
    }
}

async fn pass(client: TcpStream, target: SocketAddr, seen: watch::Receiver<Trouble>) {
    if *seen.borrow() == Trouble::Refuse {
        return reset(&client);
    }
    let Ok(server) = TcpStream::connect(target).await else {
        return reset(&client);
    };
    let mut watched = seen.clone();
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    let refused = async {
        // The sender lives as long as the proxy.
        let _ = watched.wait_for(|trouble| *trouble == Trouble::Refuse).await;
    };
    tokio::select! {
        () = pump(from_client, to_server, seen.clone(), false) => {}
        () = pump(from_server, to_client, seen, true) => {}
        () = refused => {}
    }
}

/// Passes bytes on until one side closes. Both connections are then closed.
async fn pump(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    mut seen: watch::Receiver<Trouble>,
    is_answer: bool,
) {
    let mut buffer = vec![0; 16 * 1024];
    let mut passed = 0;
    loop {
        let Ok(count @ 1..) = from.read(&mut buffer).await else { return };
        let mut bytes = &buffer[..count];
        while !bytes.is_empty() {
            let trouble = *seen.borrow_and_update();
            let part = match trouble {
                Trouble::None => bytes.len(),
                Trouble::Refuse => return,
                Trouble::Hang => {
                    if seen.changed().await.is_err() {
                        return;
                    }
                    continue;
                }
                Trouble::Slow(rate) => {
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    bytes.len().min(rate / 20 + 1)
                }
                Trouble::Cut(after) if is_answer && passed >= after => return,
                Trouble::Cut(after) if is_answer => bytes.len().min(after - passed),
                Trouble::Cut(_) => bytes.len(),
                Trouble::Late(delay) if is_answer => {
                    tokio::time::sleep(delay).await;
                    bytes.len()
                }
                Trouble::Late(_) => bytes.len(),
            };
            if to.write_all(&bytes[..part]).await.is_err() {
                return;
            }
            if matches!(trouble, Trouble::Cut(_)) {
                passed += part;
            }
            bytes = &bytes[part..];
        }
    }
}

/// Closes a connection as the kernel does for a port on which no process listens.
fn reset(socket: &TcpStream) {
    // If this fails, the connection is closed without a reset.
    let _ = socket2::SockRef::from(socket).set_linger(Some(Duration::ZERO));
}
