//! The client of a request, for counting listeners.

use std::convert::Infallible;
use std::net::IpAddr;

use axum::extract::FromRequestParts;
use http::Method;
use http::header::{HOST, HeaderName, HeaderValue, ORIGIN, REFERER, USER_AGENT};
use http::request::Parts;
use tonearm_service::Visit;

use crate::address::address;

/// The client of a request: its address, and the headers that distinguish clients.
pub(crate) struct RequestVisit {
    is_counted: bool,
    address: Option<IpAddr>,
    agent: Option<HeaderValue>,
    referrer: Option<HeaderValue>,
    host: Option<HeaderValue>,
}

impl RequestVisit {
    /// The visit to count. `None` for HEAD requests, which play nothing.
    pub(crate) fn counted(&self) -> Option<Visit<'_>> {
        self.is_counted.then(|| Visit {
            address: self.address,
            agent: self.agent.as_ref().map(HeaderValue::as_bytes),
            referrer: self.referrer.as_ref().map(HeaderValue::as_bytes),
            host: self.host.as_ref().map(HeaderValue::as_bytes),
        })
    }
}

impl<S: Sync> FromRequestParts<S> for RequestVisit {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let line = |name: HeaderName| parts.headers.get(name).cloned();
        Ok(Self {
            is_counted: parts.method != Method::HEAD,
            address: address(&parts.extensions),
            agent: line(USER_AGENT),
            referrer: line(REFERER).or_else(|| line(ORIGIN)),
            host: line(HOST),
        })
    }
}
