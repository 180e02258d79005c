//! The address of a service.

use std::fmt;
use std::str::FromStr;

use url::{Host, Url};

/// The base URL of a service, without a slash at its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerUrl {
    base: String,
    host: String,
    is_exposed: bool,
}

/// Text that is not the URL of a service.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ServerUrlError {
    /// It does not parse, or is not http or https.
    #[error("must be an http or https URL such as https://audio.example.com")]
    Malformed,
    /// A user name or password.
    #[error("cannot contain a user name or password")]
    Credentials,
    /// A query or a fragment.
    #[error("cannot contain a query or a fragment")]
    Query,
}

impl ServerUrl {
    /// The URL of a path that begins with a slash.
    pub(crate) fn join(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    /// Host and port, for messages.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Whether requests to it cross a network unencrypted.
    pub fn is_exposed(&self) -> bool {
        self.is_exposed
    }
}

/// Host and port of a URL, for messages.
pub(crate) fn host_of(url: &Url) -> Option<String> {
    let host = url.host()?;
    Some(match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_string(),
    })
}

impl FromStr for ServerUrl {
    type Err = ServerUrlError;
    fn from_str(text: &str) -> Result<Self, ServerUrlError> {
        let url = Url::parse(text).map_err(|_| ServerUrlError::Malformed)?;
        let host = match url.host() {
            Some(host) if matches!(url.scheme(), "http" | "https") => host,
            _ => return Err(ServerUrlError::Malformed),
        };
        if !url.username().is_empty() || url.password().is_some() {
            return Err(ServerUrlError::Credentials);
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(ServerUrlError::Query);
        }
        let is_local = match host {
            Host::Domain(name) => name == "localhost" || name.ends_with(".localhost"),
            Host::Ipv4(address) => address.is_loopback(),
            Host::Ipv6(address) => address.is_loopback(),
        };
        let is_exposed = url.scheme() == "http" && !is_local;
        let host = host_of(&url).ok_or(ServerUrlError::Malformed)?;
        Ok(Self { base: url.as_str().trim_end_matches('/').to_owned(), host, is_exposed })
    }
}

impl fmt::Display for ServerUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.base)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_read() {
        for (text, joined, host, is_exposed) in [
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080/v1/track", "127.0.0.1:8080", false),
            ("http://[::1]:8080/", "http://[::1]:8080/v1/track", "[::1]:8080", false),
            ("https://audio.example.com/", "https://audio.example.com/v1/track", "audio.example.com", false),
            ("http://audio.example.com/a/", "http://audio.example.com/a/v1/track", "audio.example.com", true),
        ] {
            let url: ServerUrl = text.parse().unwrap();
            assert_eq!((url.join("/v1/track").as_str(), url.host()), (joined, host));
            assert_eq!(url.is_exposed(), is_exposed, "{text}");
        }
        for text in ["", "audio.example.com", "ftp://example.com", "file:///etc", "http://"] {
            assert_eq!(text.parse::<ServerUrl>(), Err(ServerUrlError::Malformed), "{text}");
        }
        assert_eq!("https://me:pw@example.com".parse::<ServerUrl>(), Err(ServerUrlError::Credentials));
        assert_eq!("https://example.com/?a".parse::<ServerUrl>(), Err(ServerUrlError::Query));
    }
}
