//! Whether clients reach a node through a proxy, as far as its configuration tells.

use std::net::IpAddr;

use hyper::Uri;

use super::Config;

impl Config {
    /// Why there must be a proxy in front of this node although none is trusted. Rate limits and the throttling of sign-ins
    /// then see the proxy's address for every client.
    pub(crate) fn untrusted_proxy(&self) -> Option<String> {
        if !self.trusted_proxies.is_empty() {
            return None;
        }
        let public: Uri = self.public_url.as_deref()?.parse().ok()?;
        let (is_https, has_tls) = (public.scheme_str() == Some("https"), self.has_tls());
        let port = public.port_u16().unwrap_or(if is_https { 443 } else { 80 });
        let (address, url) = (self.listen, &public);
        if self.listen.ip().is_loopback() && !is_loopback(public.host()?) {
            Some(format!("clients use {url}, but only this machine can connect to {address}"))
        } else if is_https && !has_tls {
            Some(format!("clients use {url}, but this node has no certificate"))
        } else if !has_tls && port != self.listen.port() {
            Some(format!("clients use {url}, but this node listens on {address}"))
        } else {
            None
        }
    }
}

/// Whether a host of a URL is this machine.
pub(crate) fn is_loopback(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.to_canonical().is_loopback())
}

#[cfg(test)]
mod tests {
    use crate::{Config, Overrides};

    fn untrusted_proxy(settings: &[(&str, &str)]) -> Option<String> {
        let lookup = |name: &str| {
            let found = settings.iter().find(|(own, _)| format!("TONEARM_{own}") == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        Config::load(&Overrides::default(), lookup).unwrap().untrusted_proxy()
    }

    #[test]
    fn a_proxy_shows_in_where_clients_come() {
        const LOOPBACK: &str = "127.0.0.1:8080";
        const ALL: &str = "0.0.0.0:8080";
        for (listen, public_url, expected) in [
            (LOOPBACK, "", None),
            (LOOPBACK, "http://127.0.0.1:8080", None),
            (LOOPBACK, "http://localhost:8080", None),
            ("[::1]:8080", "http://[::1]:8080", None),
            (LOOPBACK, "http://localhost:3000", Some("this node listens on 127.0.0.1:8080")),
            (LOOPBACK, "http://audio.example.com:8080", Some("only this machine can connect to")),
            (LOOPBACK, "https://audio.example.com", Some("only this machine can connect to")),
            (LOOPBACK, "https://localhost:8080", Some("has no certificate")),
            (ALL, "", None),
            (ALL, "http://audio.example.com:8080", None),
            ("0.0.0.0:80", "http://audio.example.com", None),
            (ALL, "http://audio.example.com", Some("this node listens on 0.0.0.0:8080")),
            (ALL, "https://audio.example.com:8080", Some("has no certificate")),
        ] {
            let settings = [("LISTEN", listen), ("PUBLIC_URL", public_url)];
            let reason = untrusted_proxy(&settings);
            assert_eq!(reason.is_some(), expected.is_some(), "{listen} {public_url}: {reason:?}");
            assert!(
                reason.unwrap_or_default().contains(expected.unwrap_or_default()),
                "{listen} {public_url}"
            );
            let trusting = [settings[0], settings[1], ("TRUSTED_PROXIES", "127.0.0.1")];
            assert_eq!(untrusted_proxy(&trusting), None);
        }
        // Ports may be forwarded without a proxy, and TLS then ends here.
        let own_tls = [
            ("LISTEN", ALL),
            ("PUBLIC_URL", "https://audio.example.com"),
            ("TLS_CERT", "/c"),
            ("TLS_KEY", "/k"),
        ];
        assert_eq!(untrusted_proxy(&own_tls), None);
        let ordered =
            [("LISTEN", ALL), ("PUBLIC_URL", "https://audio.example.com"), ("TLS_ACME", "audio.example.com")];
        assert_eq!(untrusted_proxy(&ordered), None);
    }
}
