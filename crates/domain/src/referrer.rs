//! The site that embeds a player.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The maximum length of a host name in bytes (RFC 1035).
const MOST_BYTES: usize = 253;

/// The host name of a site, in lower case and without a port.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Referrer(String);

/// Text that is not a host name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("must be a host name such as www.example.com")]
pub struct ReferrerError;

impl Referrer {
    /// The host of a `Referer` or `Origin` header; none if it is not an HTTP or HTTPS URL.
    pub fn from_header(value: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(value).ok()?;
        let after = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"))?;
        let authority = after.split(['/', '?', '#']).next()?;
        let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
        Self::from_authority(host.as_bytes())
    }

    /// The host of an authority such as `www.example.com:8080`, as in `Host`.
    pub fn from_authority(value: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(value).ok()?;
        let host = text.rsplit_once(':').map_or(text, |(host, _)| host);
        host.to_ascii_lowercase().parse().ok()
    }

    /// The host name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Referrer {
    type Err = ReferrerError;

    fn from_str(text: &str) -> Result<Self, ReferrerError> {
        let is_allowed =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-' || byte == b'_';
        let is_name = text.split('.').all(|label| !label.is_empty() && label.bytes().all(is_allowed));
        if is_name && text.len() <= MOST_BYTES { Ok(Self(text.to_owned())) } else { Err(ReferrerError) }
    }
}

impl fmt::Display for Referrer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for Referrer {
    type Error = ReferrerError;
    fn try_from(text: String) -> Result<Self, ReferrerError> {
        text.parse()
    }
}

impl From<Referrer> for String {
    fn from(referrer: Referrer) -> String {
        referrer.0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_host_of_a_page_is_found() {
        for (header, expected) in [
            ("https://www.Example.com/a?b#c", Some("www.example.com")),
            ("http://example.com:8080", Some("example.com")),
            ("https://user:secret@example.com/", Some("example.com")),
            ("https://xn--bcher-kva.example", Some("xn--bcher-kva.example")),
            ("https://127.0.0.1:1/", Some("127.0.0.1")),
            ("android-app://com.example", None),
            ("https://", None),
            ("https://a..b/", None),
            ("https://[2001:db8::1]/", None),
            ("null", None),
            ("", None),
            ("https://b\u{fc}cher.example/", None),
            ("https://<script>/", None),
        ] {
            let found = Referrer::from_header(header.as_bytes());
            assert_eq!(found.as_ref().map(Referrer::as_str), expected, "{header}");
        }
        assert_eq!(Referrer::from_header(format!("https://{}/", "a".repeat(254)).as_bytes()), None);
    }

    proptest! {
        #[test]
        fn hostile_headers_give_a_plain_name_or_none(value in proptest::collection::vec(any::<u8>(), 0..80)) {
            if let Some(host) = Referrer::from_header(&value) {
                prop_assert_eq!(host.as_str().parse::<Referrer>(), Ok(host.clone()));
            }
        }
    }
}
