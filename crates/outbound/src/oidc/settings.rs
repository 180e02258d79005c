//! The provider that users sign in with, and this service's registration there.

use std::fmt;
use std::str::FromStr;

use url::{Host, Url};

/// The issuer URL that identifies a provider, exactly as in its tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Issuer(String);

/// Text that is not the URL of a provider.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is not an https URL such as https://id.example.com/realms/main; http is for providers on this machine only"
)]
pub struct IssuerError(String);

impl Issuer {
    /// Longest URL in bytes.
    const MOST: usize = 500;

    /// The URL as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Its host, to be displayed.
    pub fn host(&self) -> String {
        let url = Url::parse(&self.0).ok();
        url.and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_else(|| self.0.clone())
    }
}

impl FromStr for Issuer {
    type Err = IssuerError;

    fn from_str(text: &str) -> Result<Self, IssuerError> {
        let refused = || IssuerError(text.to_owned());
        let url = Url::parse(text).map_err(|_| refused())?;
        let is_plain = url.username().is_empty()
            && url.password().is_none()
            && url.query().is_none()
            && url.fragment().is_none();
        if !is_plain || !is_safe(&url) || text.len() > Self::MOST {
            return Err(refused());
        }
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Display for Issuer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Whether data sent to this URL cannot be read on the way: it is encrypted, or stays on this machine.
pub(super) fn is_safe(url: &Url) -> bool {
    let is_local = match url.host() {
        None => return false,
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
    };
    url.scheme() == "https" || (url.scheme() == "http" && is_local)
}

/// The secret with which this service authenticates itself to the provider.
#[derive(Clone)]
pub struct ClientSecret(String);

impl ClientSecret {
    /// From the configuration.
    pub fn new(text: String) -> Self {
        Self(text)
    }

    pub(super) fn reveal(&self) -> String {
        self.0.clone()
    }
}

impl fmt::Debug for ClientSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ClientSecret")
    }
}

/// A provider, and this service as its client.
#[derive(Debug, Clone)]
pub struct ProviderSettings {
    /// The provider.
    pub issuer: Issuer,
    /// The client ID under which this service is registered with the provider.
    pub client_id: String,
    /// None for a public client, which does not authenticate itself.
    pub client_secret: Option<ClientSecret>,
    /// The requested scopes: `openid` and others.
    pub scopes: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn issuers_are_encrypted_or_local() {
        for good in [
            "https://id.example.com",
            "https://id.example.com/realms/main",
            "https://id.example.com/application/o/tonearm/",
            "http://127.0.0.1:8081/realms/main",
            "http://localhost:8081",
            "http://[::1]:8081",
        ] {
            assert_eq!(good.parse::<Issuer>().unwrap().as_str(), good);
        }
        for bad in [
            "",
            "id.example.com",
            "http://id.example.com",
            "http://10.0.0.1/",
            "http://localhost.example.com/",
            "ftp://localhost/",
            "https://a:b@id.example.com",
            "https://id.example.com/?realm=main",
            "https://id.example.com/#main",
        ] {
            assert!(bad.parse::<Issuer>().is_err(), "{bad}");
        }
        assert_eq!("https://id.example.com/x".parse::<Issuer>().unwrap().host(), "id.example.com");
    }

    #[test]
    fn secrets_are_not_printed() {
        assert_eq!(format!("{:?}", ClientSecret::new("hush".to_owned())), "ClientSecret");
    }
}
