//! How much of a network address is stored.

use std::net::IpAddr;

/// How much of a network address is stored in the log, the audit log and sign-ins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StoredAddresses {
    /// The whole address.
    #[default]
    Whole,
    /// Only the network: 24 bits of an IPv4 address, 48 bits of an IPv6 address.
    Networks,
}

impl StoredAddresses {
    /// The part of an address that is stored.
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
