//! The client address of a request.

use std::net::IpAddr;

use http::Extensions;
use tonearm_domain::ClientAddress;

/// The address of the client, as far as the server knows.
pub(crate) fn address(extensions: &Extensions) -> Option<IpAddr> {
    extensions.get::<ClientAddress>().map(|client| client.ip())
}
