//! Finds the client of a request that comes through proxies.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;

use hyper::HeaderMap;
use hyper::header::{FORWARDED, HeaderName};

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// A network, such as `10.0.0.0/8`; a single address is one too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    bits: u8,
}

impl FromStr for Network {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text:?} is not a network such as 10.0.0.0/8 or 192.0.2.1");
        let (address, bits) =
            text.split_once('/').map_or((text, None), |(address, bits)| (address, Some(bits)));
        let address: IpAddr = address.parse().map_err(|_| wrong())?;
        let most = if address.is_ipv4() { 32 } else { 128 };
        let bits = match bits {
            Some(bits) if bits.bytes().all(|b| b.is_ascii_digit()) => bits.parse().map_err(|_| wrong())?,
            Some(_) => return Err(wrong()),
            None => most,
        };
        if bits > most { Err(wrong()) } else { Ok(Self { address, bits }) }
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.bits)
    }
}

impl Network {
    fn contains(self, address: IpAddr) -> bool {
        match (self.address, address.to_canonical()) {
            (IpAddr::V4(own), IpAddr::V4(other)) => {
                let mask = u32::MAX.checked_shl(32 - u32::from(self.bits)).unwrap_or(0);
                own.to_bits() & mask == other.to_bits() & mask
            }
            (IpAddr::V6(own), IpAddr::V6(other)) => {
                let mask = u128::MAX.checked_shl(128 - u32::from(self.bits)).unwrap_or(0);
                own.to_bits() & mask == other.to_bits() & mask
            }
            _ => false,
        }
    }
}

/// The header in which proxies report the client. All proxies must use the same one: any other would be passed on as
/// the client wrote it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ForwardedHeader {
    /// `X-Forwarded-For`, which most proxies write.
    #[default]
    XForwardedFor,
    /// `Forwarded` (RFC 7239).
    Forwarded,
}

impl FromStr for ForwardedHeader {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.to_ascii_lowercase().as_str() {
            "x-forwarded-for" => Ok(Self::XForwardedFor),
            "forwarded" => Ok(Self::Forwarded),
            _ => Err(format!("must be X-Forwarded-For or Forwarded, not {text:?}")),
        }
    }
}

/// The proxies that are trusted to report the client. No other sender is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TrustedProxies {
    networks: Vec<Network>,
    header: ForwardedHeader,
}

impl TrustedProxies {
    /// Proxies in these networks.
    pub fn new(networks: Vec<Network>, header: ForwardedHeader) -> Self {
        Self { networks, header }
    }

    /// Whether no proxy is trusted.
    pub fn is_empty(&self) -> bool {
        self.networks.is_empty()
    }

    /// A trusted network that contains every address of the internet. With it, clients can claim any address.
    pub fn of_everybody(&self) -> Option<Network> {
        self.networks.iter().copied().find(|network| network.bits == 0)
    }

    /// Whether an address is that of a trusted proxy.
    pub(crate) fn trusts(&self, address: IpAddr) -> bool {
        self.networks.iter().any(|network| network.contains(address))
    }

    /// The address that a request really comes from: the last one that a trusted proxy reports and that is not a
    /// trusted proxy itself. Everything before it may be forged.
    pub(crate) fn client(&self, peer: SocketAddr, headers: &HeaderMap) -> SocketAddr {
        self.client_by_lines(peer, || {
            headers.get_all(self.header_name()).iter().map(hyper::header::HeaderValue::as_bytes)
        })
    }

    /// The same, by the values of all header lines with the name [`Self::header_name`].
    pub(crate) fn client_by_lines<'a, L: Iterator<Item = &'a [u8]>>(
        &self,
        peer: SocketAddr,
        lines: impl FnOnce() -> L,
    ) -> SocketAddr {
        if !self.trusts(peer.ip()) {
            return peer;
        }
        let mut client = peer;
        for hop in self.hops(lines()).into_iter().rev() {
            // If a proxy does not report its client, the proxy itself counts as the client.
            let Some(address) = hop else { break };
            client = address;
            if !self.trusts(address.ip()) {
                break;
            }
        }
        client
    }

    /// Whether a request comes through a proxy on this machine that is not trusted. Then all its clients share one
    /// address, and that address is not rate limited.
    pub(crate) fn is_overlooked(&self, peer: SocketAddr, headers: &HeaderMap) -> bool {
        let is_forwarded = || headers.contains_key(X_FORWARDED_FOR) || headers.contains_key(FORWARDED);
        peer.ip().to_canonical().is_loopback() && !self.trusts(peer.ip()) && is_forwarded()
    }

    /// The name of the header in which proxies report the client.
    pub(crate) fn header_name(&self) -> HeaderName {
        match self.header {
            ForwardedHeader::XForwardedFor => X_FORWARDED_FOR,
            ForwardedHeader::Forwarded => FORWARDED,
        }
    }

    /// The reported addresses, the nearest last; `None` for an element that is not an address.
    fn hops<'a>(&self, lines: impl Iterator<Item = &'a [u8]>) -> Vec<Option<SocketAddr>> {
        let parse: fn(&str) -> Option<SocketAddr> = match self.header {
            ForwardedHeader::XForwardedFor => address,
            ForwardedHeader::Forwarded => forwarded_for,
        };
        // Each element is decoded alone: a client must not make the proxy's own entry unreadable.
        let elements = lines.flat_map(|line| line.split(|byte| *byte == b','));
        elements.map(|element| str::from_utf8(element).ok().and_then(|text| parse(text.trim()))).collect()
    }
}

/// An address with or without a port, an IPv6 address with a port in brackets.
fn address(text: &str) -> Option<SocketAddr> {
    if let Ok(address) = text.parse::<SocketAddr>() {
        return Some(address);
    }
    let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    bare.parse::<IpAddr>().ok().map(|address| SocketAddr::new(address, 0))
}

/// The `for` of an element of `Forwarded`. It may be quoted. No address contains a comma inside quotes.
fn forwarded_for(element: &str) -> Option<SocketAddr> {
    let mut pairs = element.split(';').filter_map(|pair| pair.split_once('='));
    let (_, value) = pairs.find(|(name, _)| name.trim().eq_ignore_ascii_case("for"))?;
    let value = value.trim();
    address(value.strip_prefix('"').and_then(|value| value.strip_suffix('"')).unwrap_or(value))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use hyper::header::HeaderValue;

    use super::*;

    fn proxies(networks: &[&str], header: ForwardedHeader) -> TrustedProxies {
        TrustedProxies::new(networks.iter().map(|network| network.parse().unwrap()).collect(), header)
    }

    fn client(proxies: &TrustedProxies, peer: &str, lines: &[(&'static str, &str)]) -> String {
        let lines: Vec<_> = lines.iter().map(|(name, value)| (*name, value.as_bytes())).collect();
        client_by_bytes(proxies, peer, &lines)
    }

    fn client_by_bytes(proxies: &TrustedProxies, peer: &str, lines: &[(&'static str, &[u8])]) -> String {
        let header = |value| HeaderValue::from_bytes(value).unwrap();
        let headers = lines.iter().map(|(name, value)| (HeaderName::from_static(name), header(value)));
        proxies.client(SocketAddr::new(peer.parse().unwrap(), 1), &headers.collect()).ip().to_string()
    }

    #[test]
    fn only_trusted_proxies_are_believed() {
        const XFF: &str = "x-forwarded-for";
        let none = TrustedProxies::default();
        assert_eq!(client(&none, "127.0.0.1", &[(XFF, "203.0.113.9")]), "127.0.0.1");
        let ours = proxies(&["10.0.0.0/8", "::1", "192.0.2.7"], ForwardedHeader::XForwardedFor);
        for (peer, header, expected) in [
            ("203.0.113.1", "198.51.100.1", "203.0.113.1"),
            ("11.0.0.1", "198.51.100.1", "11.0.0.1"),
            ("10.1.2.3", "198.51.100.1", "198.51.100.1"),
            ("::1", "2001:db8::7", "2001:db8::7"),
            ("::ffff:10.1.2.3", "198.51.100.1", "198.51.100.1"),
            ("10.1.2.3", "198.51.100.1:4711", "198.51.100.1"),
            ("10.1.2.3", "[2001:db8::7]:4711", "2001:db8::7"),
            // The client's own entries come before those of the proxy.
            ("10.1.2.3", "127.0.0.1, 198.51.100.1", "198.51.100.1"),
            ("10.1.2.3", "1.1.1.1, 198.51.100.1 , 10.9.9.9,192.0.2.7", "198.51.100.1"),
            // Only proxies.
            ("10.1.2.3", "10.4.4.4, 10.9.9.9", "10.4.4.4"),
            ("10.1.2.3", "198.51.100.1, unknown", "10.1.2.3"),
            ("10.1.2.3", "198.51.100.1, garbage, 10.9.9.9", "10.9.9.9"),
            ("10.1.2.3", "", "10.1.2.3"),
        ] {
            assert_eq!(client(&ours, peer, &[(XFF, header)]), expected, "{peer}: {header}");
        }
        assert_eq!(client(&ours, "10.1.2.3", &[]), "10.1.2.3");
        let two_lines = [(XFF, "1.1.1.1"), (XFF, "198.51.100.1")];
        assert_eq!(client(&ours, "10.1.2.3", &two_lines), "198.51.100.1");
        // A header that the proxies do not write is the client's.
        assert_eq!(client(&ours, "10.1.2.3", &[("forwarded", "for=198.51.100.1")]), "10.1.2.3");
    }

    #[test]
    fn forwarded_is_understood() {
        let ours = proxies(&["10.0.0.0/8"], ForwardedHeader::Forwarded);
        for (header, expected) in [
            ("for=198.51.100.1", "198.51.100.1"),
            ("proto=https;For=\"198.51.100.1:4711\";by=10.0.0.1", "198.51.100.1"),
            ("for=\"[2001:db8::7]:4711\"", "2001:db8::7"),
            ("for=1.1.1.1, for=198.51.100.1;proto=http, for=10.2.2.2", "198.51.100.1"),
            ("for=198.51.100.1, for=_hidden", "10.1.2.3"),
            ("for=198.51.100.1, proto=https", "10.1.2.3"),
        ] {
            assert_eq!(client(&ours, "10.1.2.3", &[("forwarded", header)]), expected, "{header}");
        }
        assert_eq!(client(&ours, "10.1.2.3", &[("x-forwarded-for", "198.51.100.1")]), "10.1.2.3");
    }

    #[test]
    fn bytes_that_are_not_text_do_not_hide_what_the_proxy_wrote() {
        let ours = proxies(&["127.0.0.1"], ForwardedHeader::XForwardedFor);
        for line in [&b"\xff, 198.51.100.1"[..], b"1.1.1.1\xff,198.51.100.1", b"\xc3\xa9, 198.51.100.1"] {
            assert_eq!(client_by_bytes(&ours, "127.0.0.1", &[("x-forwarded-for", line)]), "198.51.100.1");
        }
        let ours = proxies(&["127.0.0.1"], ForwardedHeader::Forwarded);
        let line = b"for=\xff, for=198.51.100.1";
        assert_eq!(client_by_bytes(&ours, "127.0.0.1", &[("forwarded", line)]), "198.51.100.1");
    }

    #[test]
    fn networks_are_parsed() {
        for good in ["10.0.0.0/8", "0.0.0.0/0", "::/0", "2001:db8::/32", "127.0.0.1", "::1"] {
            assert!(good.parse::<Network>().is_ok(), "{good}");
        }
        for bad in
            ["", "10.0.0.0/33", "::/129", "10.0.0/8", "10.0.0.0/", "10.0.0.0/+8", "10.0.0.0/-1", "localhost"]
        {
            assert!(bad.parse::<Network>().is_err(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn strangers_stay_who_they_are(peer: std::net::Ipv4Addr, header in "[ -~]{0,60}") {
            let ours = proxies(&["10.0.0.0/8"], ForwardedHeader::XForwardedFor);
            prop_assume!(peer.octets()[0] != 10);
            prop_assert_eq!(client(&ours, &peer.to_string(), &[("x-forwarded-for", &header)]), peer.to_string());
        }

        #[test]
        fn what_the_proxy_wrote_last_counts(
            mut header in proptest::collection::vec((0x20..=0xFF_u8).prop_filter("DEL", |byte| *byte != 0x7F), 0..40),
            own: std::net::Ipv4Addr,
        ) {
            let ours = proxies(&["10.0.0.0/8"], ForwardedHeader::XForwardedFor);
            prop_assume!(own.octets()[0] != 10);
            header.extend_from_slice(format!(", {own}").as_bytes());
            let lines = [("x-forwarded-for", &header[..])];
            prop_assert_eq!(client_by_bytes(&ours, "10.0.0.1", &lines), own.to_string());
        }

        #[test]
        fn a_network_is_what_shares_its_first_bits(own: u32, other: u32, bits in 0..=32_u32) {
            let network: Network = format!("{}/{bits}", std::net::Ipv4Addr::from_bits(own)).parse().unwrap();
            let shared = (own ^ other).leading_zeros() >= bits;
            prop_assert_eq!(network.contains(std::net::Ipv4Addr::from_bits(other).into()), shared);
        }
    }
}
