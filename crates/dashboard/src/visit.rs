//! What a request says about whoever sends it.

use std::convert::Infallible;
use std::net::IpAddr;

use axum::extract::FromRequestParts;
use http::header::{HOST, HeaderName, HeaderValue, REFERER, USER_AGENT};
use http::request::Parts;
use tonearm_service::Visit;

use crate::session::address;

/// Who asks, for what is counted of listeners.
pub(crate) struct Visitor {
    address: Option<IpAddr>,
    agent: Option<HeaderValue>,
    referrer: Option<HeaderValue>,
    host: Option<HeaderValue>,
}

impl Visitor {
    pub(crate) fn visit(&self) -> Visit<'_> {
        Visit {
            address: self.address,
            agent: self.agent.as_ref().map(HeaderValue::as_bytes),
            referrer: self.referrer.as_ref().map(HeaderValue::as_bytes),
            host: self.host.as_ref().map(HeaderValue::as_bytes),
        }
    }
}

impl<S: Sync> FromRequestParts<S> for Visitor {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let line = |name: HeaderName| parts.headers.get(name).cloned();
        let (agent, referrer, host) = (line(USER_AGENT), line(REFERER), line(HOST));
        Ok(Self { address: address(parts), agent, referrer, host })
    }
}
