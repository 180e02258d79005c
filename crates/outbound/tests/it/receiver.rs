//! A server that counts its visits.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;

pub(crate) struct Receiver {
    pub(crate) address: SocketAddr,
    visits: Arc<AtomicUsize>,
}

impl Receiver {
    /// Serves `routes` on a free port of the loopback address.
    pub(crate) async fn start(routes: Router) -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let visits = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&visits);
        let routes = routes.layer(axum::middleware::from_fn(
            move |request: axum::extract::Request, next: axum::middleware::Next| {
                counted.fetch_add(1, Ordering::SeqCst);
                next.run(request)
            },
        ));
        tokio::spawn(async move { axum::serve(listener, routes).await });
        Self { address, visits }
    }

    pub(crate) fn visits(&self) -> usize {
        self.visits.load(Ordering::SeqCst)
    }

    /// The server's URL with this host name.
    pub(crate) fn url(&self, name: &str, path: &str) -> String {
        format!("http://{name}:{}{path}", self.address.port())
    }
}
