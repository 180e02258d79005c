//! Where a request comes from.

use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};

use axum::extract::{ConnectInfo, FromRequestParts};
use http::Extensions;
use http::request::Parts;

/// The address of the client, as far as the server knows.
pub(crate) struct ClientAddress(pub(crate) Option<IpAddr>);

/// Where a request comes from, as far as the server knows: the address of the client, as trusted proxies tell it.
pub(crate) fn address(extensions: &Extensions) -> Option<IpAddr> {
    extensions.get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip().to_canonical())
}

impl<S: Sync> FromRequestParts<S> for ClientAddress {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self(address(&parts.extensions)))
    }
}
