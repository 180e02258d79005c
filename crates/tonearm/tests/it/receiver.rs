//! A server that receives webhooks.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU16, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use serde_json::Value;
use tokio::sync::Notify;

/// A webhook that was received.
#[derive(Debug, Clone)]
pub(crate) struct Hook {
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
    pub(crate) json: Value,
}

impl Hook {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }
}

/// A server that keeps what it receives, and responds as configured.
#[derive(Clone)]
pub(crate) struct Receiver {
    address: SocketAddr,
    inner: Arc<Inner>,
}

struct Inner {
    hooks: Mutex<Vec<Hook>>,
    arrived: Notify,
    status: AtomicU16,
    delay: Duration,
    open: AtomicUsize,
    most_open: AtomicUsize,
}

impl Receiver {
    pub(crate) async fn start(delay: Duration) -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let inner = Arc::new(Inner {
            hooks: Mutex::default(),
            arrived: Notify::new(),
            status: AtomicU16::new(200),
            delay,
            open: AtomicUsize::new(0),
            most_open: AtomicUsize::new(0),
        });
        let routes = Router::new().fallback(take).with_state(Arc::clone(&inner));
        tokio::spawn(async move { axum::serve(listener, routes).await });
        Self { address, inner }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/hook", self.address)
    }

    /// Responds with this status from now on.
    pub(crate) fn answer(&self, status: u16) {
        self.inner.status.store(status, Ordering::SeqCst);
    }

    pub(crate) fn hooks(&self) -> Vec<Hook> {
        self.inner.hooks.lock().unwrap().clone()
    }

    /// The largest number of requests that were open at once.
    pub(crate) fn most_open(&self) -> usize {
        self.inner.most_open.load(Ordering::SeqCst)
    }

    /// Waits until at least this many have arrived. Bounded by two minutes.
    pub(crate) async fn wait_for(&self, count: usize) -> Vec<Hook> {
        let enough = async {
            loop {
                let arrived = self.inner.arrived.notified();
                let hooks = self.hooks();
                if hooks.len() >= count {
                    return hooks;
                }
                arrived.await;
            }
        };
        tokio::time::timeout(Duration::from_secs(120), enough)
            .await
            .unwrap_or_else(|_| panic!("only {} of {count} webhooks arrived", self.hooks().len()))
    }
}

async fn take(
    State(inner): State<Arc<Inner>>,
    headers: HeaderMap,
    text: String,
) -> (StatusCode, &'static str) {
    let open = inner.open.fetch_add(1, Ordering::SeqCst) + 1;
    inner.most_open.fetch_max(open, Ordering::SeqCst);
    tokio::time::sleep(inner.delay).await;
    inner.open.fetch_sub(1, Ordering::SeqCst);
    let json = serde_json::from_str(&text).unwrap_or_default();
    // Before anybody learns of the request, who may then set another one.
    let status = StatusCode::from_u16(inner.status.load(Ordering::SeqCst)).unwrap();
    inner.hooks.lock().unwrap().push(Hook { headers, text, json });
    inner.arrived.notify_one();
    (status, "noted")
}
