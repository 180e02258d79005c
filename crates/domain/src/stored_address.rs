//! How much of a network address is written down.

use std::net::IpAddr;

/// How much of a network address is kept in the log, the audit log and with sign-ins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StoredAddresses {
    /// All of it.
    #[default]
    Whole,
    /// The network: 24 bits of an IPv4 address, 48 of an IPv6 one.
    Networks,
}

impl StoredAddresses {
    /// What is kept of an address.
    pub fn of(self, address: IpAddr) -> IpAddr {
        match (self, address.to_canonical()) {
            (Self::Whole, _) => address,
            (Self::Networks, IpAddr::V4(v4)) => IpAddr::V4((v4.to_bits() & (u32::MAX << 8)).into()),
            (Self::Networks, IpAddr::V6(v6)) => IpAddr::V6((v6.to_bits() & (u128::MAX << 80)).into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_are_kept() {
        let of = |text: &str| StoredAddresses::Networks.of(text.parse().unwrap()).to_string();
        assert_eq!(of("203.0.113.77"), "203.0.113.0");
        assert_eq!(of("::ffff:203.0.113.77"), "203.0.113.0");
        assert_eq!(of("2001:db8:1:2:3:4:5:6"), "2001:db8:1::");
        assert_eq!(StoredAddresses::Whole.of("203.0.113.77".parse().unwrap()).to_string(), "203.0.113.77");
    }
}
