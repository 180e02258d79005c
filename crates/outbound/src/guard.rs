//! The rules for calls: which URLs are allowed, and which addresses their names may resolve to.

use std::net::{IpAddr, SocketAddr};

use url::{Host, Url};

use crate::address::is_public;

/// What a service's operator does to allow calls to private addresses, at the end of a sentence.
pub const ALLOW_PRIVATE: &str = "set outbound.allow_private = true";

/// Why a URL is not called. The text is for the user who entered it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GuardError {
    /// It does not parse, or is not an http or https URL with a host.
    #[error("this is not a URL such as https://example.com/hook")]
    Malformed,
    /// A user name or password, which would end up in logs.
    #[error("the URL contains a user name or password; remove them")]
    Credentials,
    /// A port that other protocols than HTTP use.
    #[error("port {0} is not allowed; use 80, 443, or one above 1023 that no other protocol uses")]
    Port(u16),
    /// An address that is not public.
    #[error(
        "{0} is not a public internet address; to allow such addresses, set outbound.allow_private = true"
    )]
    Private(IpAddr),
    /// A name with an address that is not public. The address is not part of the text: names of an internal network must
    /// not be looked up by those who enter URLs.
    #[error(
        "{0} leads to an address that is not public; to allow such addresses, set outbound.allow_private = true"
    )]
    PrivateName(String),
    /// A name that does not resolve.
    #[error("cannot resolve the host name {0}")]
    Unresolvable(String),
}

/// Ports from 1024 on whose protocols an HTTP request could be made to imitate: those that browsers refuse too, and
/// Redis and memcached, which read lines as commands.
const OTHER_PROTOCOLS: [u16; 21] = [
    1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6379, 6566, 6665, 6666, 6667, 6668, 6669,
    6679, 6697, 10080, 11211,
];

/// The rules, strict or not.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Guard {
    pub(crate) allow_private: bool,
}

impl Guard {
    /// Checks a URL as far as possible without looking up its name. The parser has already turned odd notations of IPv4
    /// (`0x7f.1`, `017700000001`, `2130706433`, full-width digits) into addresses.
    pub(crate) fn check_url(self, text: &str) -> Result<Url, GuardError> {
        let url = Url::parse(text).map_err(|_| GuardError::Malformed)?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(GuardError::Malformed);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(GuardError::Credentials);
        }
        let port = url.port_or_known_default().ok_or(GuardError::Malformed)?;
        if !is_allowed_port(port) {
            return Err(GuardError::Port(port));
        }
        match url.host() {
            None | Some(Host::Domain("")) => Err(GuardError::Malformed),
            Some(Host::Domain(_)) => Ok(url),
            Some(Host::Ipv4(address)) => self.check_address(address.into()).map(|()| url),
            Some(Host::Ipv6(address)) => self.check_address(address.into()).map(|()| url),
        }
    }

    fn check_address(self, address: IpAddr) -> Result<(), GuardError> {
        if self.allow_private || is_public(address) { Ok(()) } else { Err(GuardError::Private(address)) }
    }

    /// Checks the addresses of a name. One address that is not public rejects the whole name: such a name is a trick or
    /// a mistake, and which server is called must not depend on which address responds.
    pub(crate) fn check_addresses(
        self,
        name: &str,
        addresses: Vec<SocketAddr>,
    ) -> Result<Vec<SocketAddr>, GuardError> {
        if addresses.is_empty() {
            return Err(GuardError::Unresolvable(name.to_owned()));
        }
        let is_refused = |address: &SocketAddr| self.check_address(address.ip()).is_err();
        if addresses.iter().any(is_refused) {
            Err(GuardError::PrivateName(name.to_owned()))
        } else {
            Ok(addresses)
        }
    }
}

fn is_allowed_port(port: u16) -> bool {
    matches!(port, 80 | 443) || (port >= 1024 && !OTHER_PROTOCOLS.contains(&port))
}

#[cfg(test)]
mod tests {
    use super::*;

    const STRICT: Guard = Guard { allow_private: false };
    const LAX: Guard = Guard { allow_private: true };

    #[test]
    fn ordinary_urls_pass() {
        for url in [
            "https://example.com/hook",
            "http://example.com:8080/a?b=c#d",
            "https://1.1.1.1",
            "https://[2606:4700:4700::1111]:8443/",
            "https://bücher.example/",
        ] {
            assert!(STRICT.check_url(url).is_ok(), "{url}");
        }
    }

    #[test]
    fn odd_notations_of_private_addresses_are_seen_through() {
        for url in [
            "http://127.0.0.1/",
            "http://127.1/",
            "http://0x7f.1/",
            "http://0x7f000001/",
            "http://2130706433/",
            "http://017700000001/",
            "http://0177.0.0.1/",
            "http://127.0.0.1./",
            "http://１２７.０.０.１/",
            "http://①②⑦.⓪.⓪.①/",
            "http://%31%32%37.0.0.1/",
            "http://0/",
            "http://0.0.0.0/",
            "http://[::]/",
            "http://[::1]/",
            "http://[0:0:0:0:0:0:0:1]/",
            "http://[::ffff:7f00:1]/",
            "http://[::ffff:127.0.0.1]/",
            "http://[64:ff9b::a9fe:a9fe]/",
            "http://[2002:7f00:1::]/",
            "http://[fd00:ec2::254]/latest/meta-data/",
            "http://169.254.169.254/latest/meta-data/",
            "http://2852039166/latest/meta-data/",
            "http://0xa9fea9fe/",
            "http:\\\\127.0.0.1\\",
            "http:127.0.0.1",
            "http://10.0.0.1:8080/",
            "https://192.168.0.1",
        ] {
            assert!(matches!(STRICT.check_url(url), Err(GuardError::Private(_))), "{url}");
            assert!(LAX.check_url(url).is_ok(), "{url}");
        }
    }

    #[test]
    fn credentials_ports_and_other_schemes_are_refused_always() {
        for guard in [STRICT, LAX] {
            for url in ["http://a@example.com", "http://a:b@example.com", "http://example.com@127.0.0.1"] {
                assert_eq!(guard.check_url(url), Err(GuardError::Credentials), "{url}");
            }
            for port in [0, 1, 21, 22, 25, 79, 81, 110, 444, 993, 1023, 2049, 5060, 6000, 6379, 6667, 10080] {
                let url = format!("http://example.com:{port}/");
                assert_eq!(guard.check_url(&url), Err(GuardError::Port(port)), "{url}");
            }
            for url in [
                "",
                "example.com",
                "/hook",
                "//example.com",
                "ftp://example.com",
                "file:///etc/passwd",
                "gopher://example.com",
                "javascript:alert(1)",
                "http://",
                "http://:80",
                "http://exa mple.com",
                "http://[::1",
                "http://256.1.1.1",
                "http://[fe80::1%25eth0]/",
                "unix:///run/docker.sock",
            ] {
                assert_eq!(guard.check_url(url), Err(GuardError::Malformed), "{url}");
            }
        }
    }

    #[test]
    fn one_private_address_spoils_a_name() {
        let public: SocketAddr = "1.1.1.1:80".parse().unwrap();
        let private: SocketAddr = "10.0.0.1:80".parse().unwrap();
        assert_eq!(STRICT.check_addresses("a", vec![public]), Ok(vec![public]));
        for addresses in [vec![private], vec![public, private], vec![private, public]] {
            let refused = STRICT.check_addresses("a", addresses.clone()).unwrap_err();
            assert_eq!(refused, GuardError::PrivateName("a".to_owned()));
            assert!(!refused.to_string().contains(&private.ip().to_string()), "{refused}");
            assert!(LAX.check_addresses("a", addresses).is_ok());
        }
        assert_eq!(LAX.check_addresses("a", Vec::new()), Err(GuardError::Unresolvable("a".to_owned())));
    }
}
