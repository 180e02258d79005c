//! What answers a request: the edge, or the router of everything else.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use futures::future::BoxFuture;
use hyper::body::Incoming;
use hyper::{Request, Response};
use tonearm_domain::Ambient;
use tonearm_edge::{Edge, PlainConnection};
use tower::ServiceExt;

use crate::TrustedProxies;

/// All that a node answers.
#[derive(Clone)]
pub(crate) struct Front {
    /// Where this node delivers.
    pub(crate) edge: Option<Edge>,
    /// Who is believed to tell where a request came from.
    pub(crate) proxies: Arc<TrustedProxies>,
    pub(crate) router: Router,
    pub(crate) ambient: Ambient,
}

/// What is known of a connection.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Connection {
    /// Where it comes from.
    pub(crate) address: SocketAddr,
    /// What is sent goes to the kernel as it is.
    pub(crate) plain: bool,
}

impl Front {
    /// Answers a request. Objects go to the edge at once: their paths can be told
    /// apart from all others, and most requests are for them.
    ///
    /// Boxed, so that what it takes to answer is given back while the answer is sent, which may take long.
    pub(crate) fn answer(
        &self,
        mut request: Request<Incoming>,
        connection: Connection,
    ) -> BoxFuture<'static, Response<Body>> {
        match self.edge_for(request.uri().path()) {
            Some(edge) => {
                if connection.plain {
                    request.extensions_mut().insert(PlainConnection);
                }
                let edge = edge.clone();
                Box::pin(async move { edge.serve(request).await })
            }
            None => Box::pin(self.route(request.map(Body::new), connection)),
        }
    }

    /// What answers a request for this path, if it is one for an object.
    pub(crate) fn edge_for(&self, path: &str) -> Option<&Edge> {
        self.edge.as_ref().filter(|_| Edge::owns(path))
    }

    /// Answers a request that is not for the edge.
    pub(crate) fn route(
        &self,
        mut request: Request<Body>,
        connection: Connection,
    ) -> impl Future<Output = Response<Body>> + Send + 'static {
        let client = self.proxies.client(connection.address, request.headers());
        request.extensions_mut().insert(ConnectInfo(client));
        let answered = self.router.clone().oneshot(request);
        async move { answered.await.unwrap_or_else(|never| match never {}) }
    }
}
