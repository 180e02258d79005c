//! Where a request comes from.

use std::net::IpAddr;

/// The address of a client, as trusted proxies tell it; servers put it among the extensions of a request. Never an IPv4
/// address that is written as an IPv6 one.
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
