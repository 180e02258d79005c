//! The network address of a client.

use std::net::IpAddr;

/// The address of a client, as reported by trusted proxies. Servers add it to the extensions of a request. It is never
/// an IPv4-mapped IPv6 address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClientAddress(IpAddr);

impl From<IpAddr> for ClientAddress {
    fn from(address: IpAddr) -> Self {
        Self(address.to_canonical())
    }
}

impl ClientAddress {
    /// The address.
    pub fn ip(self) -> IpAddr {
        self.0
    }
}
