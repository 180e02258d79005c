//! What answers a request: the edge, or the router of everything else.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use futures::future::BoxFuture;
use hyper::body::Incoming;
use hyper::{Request, Response};
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
    ) -> BoxFuture<'static, Result<Response<Body>, Infallible>> {
        match &self.edge {
            Some(edge) if Edge::owns(request.uri().path()) => {
                if connection.plain {
                    request.extensions_mut().insert(PlainConnection);
                }
                let edge = edge.clone();
                Box::pin(async move { Ok(edge.serve(request).await) })
            }
            _ => {
                let client = self.proxies.client(connection.address, request.headers());
                request.extensions_mut().insert(ConnectInfo(client));
                Box::pin(self.router.clone().oneshot(request))
            }
        }
    }
}
