//! The client of a request, for counting listeners.

use std::convert::Infallible;
use std::net::IpAddr;

use axum::extract::FromRequestParts;
use http::header::{HOST, HeaderName, HeaderValue, REFERER, USER_AGENT};
use http::request::Parts;
use tonearm_service::Visit;

use crate::session::address;

/// The client of a request: its address and the headers that distinguish clients.
pub(crate) struct RequestVisit {
    address: Option<IpAddr>,
    agent: Option<HeaderValue>,
    referrer: Option<HeaderValue>,
    host: Option<HeaderValue>,
}

impl RequestVisit {
    pub(crate) fn counted(&self) -> Visit<'_> {
        Visit {
            address: self.address,
            agent: self.agent.as_ref().map(HeaderValue::as_bytes),
            referrer: self.referrer.as_ref().map(HeaderValue::as_bytes),
            host: self.host.as_ref().map(HeaderValue::as_bytes),
        }
    }
}

impl<S: Sync> FromRequestParts<S> for RequestVisit {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let line = |name: HeaderName| parts.headers.get(name).cloned();
        let (agent, referrer, host) = (line(USER_AGENT), line(REFERER), line(HOST));
        Ok(Self { address: address(parts), agent, referrer, host })
    }
}
