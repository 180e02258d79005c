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

    /// The network of one customer: an IPv6 customer has a whole /64 of addresses, which are counted as one.
    pub fn network(self) -> IpAddr {
        match self.0 {
            IpAddr::V6(v6) if !v6.is_loopback() => IpAddr::V6((v6.to_bits() & (u128::MAX << 64)).into()),
            other => other,
        }
    }

    /// All networks that one customer can have: the /48 of an IPv6 address. Shares of what a node has are those of sites;
    /// what is limited whether anybody else needs it or not is limited for each network.
    pub fn site(self) -> IpAddr {
        match self.0 {
            IpAddr::V6(v6) if !v6.is_loopback() => IpAddr::V6((v6.to_bits() & (u128::MAX << 80)).into()),
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_in_one_network_count_as_one() {
        let network = |text: &str| ClientAddress::from(text.parse::<IpAddr>().unwrap()).network();
        assert_eq!(network("2001:db8::1"), network("2001:db8::2"));
        assert_ne!(network("2001:db8::1"), network("2001:db8:0:1::1"));
        assert_eq!(network("::ffff:192.0.2.1"), network("192.0.2.1"));
        assert_ne!(network("192.0.2.1"), network("192.0.2.2"));
        assert!(network("::1").is_loopback());
        let site = |text: &str| ClientAddress::from(text.parse::<IpAddr>().unwrap()).site();
        assert_eq!(site("2001:db8:0:1::1"), site("2001:db8:0:ffff::"));
        assert_ne!(site("2001:db8:0:1::1"), site("2001:db8:1:1::1"));
        assert_eq!(site("::ffff:192.0.2.1"), network("192.0.2.1"));
        assert!(site("::1").is_loopback());
    }
}
