//! The web pages that may use a key.

use std::fmt;
use std::ops::Deref;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The origin of a page, as browsers send it in `Origin`: a scheme, a host in lower case, and a port unless it is the
/// scheme's default.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PageOrigin(String);

/// Text that is not the origin of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be an origin such as https://www.example.com: a scheme and a host, without a path")]
pub struct PageOriginError;

impl PageOrigin {
    /// Longest origin in bytes: a host has at most 253.
    const MOST: usize = 300;

    /// The origin as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for PageOrigin {
    type Err = PageOriginError;

    /// One trailing slash is ignored, because copied addresses often end with one.
    fn from_str(text: &str) -> Result<Self, PageOriginError> {
        let text = text.trim().to_ascii_lowercase();
        let text = text.strip_suffix('/').unwrap_or(&text);
        let (scheme, rest) = text.split_once("://").ok_or(PageOriginError)?;
        let (host, port) = match rest.split_once(':') {
            Some((host, port)) => (host, Some(read_port(port).ok_or(PageOriginError)?)),
            None => (rest, None),
        };
        if text.len() > Self::MOST || !is_scheme(scheme) || !is_host(host) {
            return Err(PageOriginError);
        }
        let own = match scheme {
            "http" => Some(80),
            "https" => Some(443),
            _ => None,
        };
        Ok(Self(match port.filter(|port| Some(*port) != own) {
            Some(port) => format!("{scheme}://{host}:{port}"),
            None => format!("{scheme}://{host}"),
        }))
    }
}

fn is_scheme(text: &str) -> bool {
    text.len() <= 40
        && text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
}

fn is_host(text: &str) -> bool {
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
    };
    text.len() <= 253 && text.split('.').all(is_label)
}

fn read_port(text: &str) -> Option<u16> {
    let is_plain = text.starts_with(|c: char| ('1'..='9').contains(&c)) && text.len() <= 5;
    text.parse().ok().filter(|_| is_plain)
}

impl TryFrom<String> for PageOrigin {
    type Error = PageOriginError;

    fn try_from(text: String) -> Result<Self, PageOriginError> {
        text.parse()
    }
}

impl From<PageOrigin> for String {
    fn from(origin: PageOrigin) -> Self {
        origin.0
    }
}

impl fmt::Display for PageOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for PageOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

/// The web pages that may use a key. An empty list is not possible, so it can never be mistaken for "any".
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum AllowedOrigins {
    /// Every page.
    Any,
    /// Pages of these origins.
    Only(OriginList),
}

/// One to twenty origins, each once. In JSON an array; an empty one does not parse.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<PageOrigin>", into = "Vec<PageOrigin>")]
pub struct OriginList(Vec<PageOrigin>);

/// An invalid list of origins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum OriginListError {
    /// It names no origin.
    #[error("cannot be empty; list at least one origin, or omit the list to allow every origin")]
    Empty,
    /// It names too many.
    #[error("can have at most {} origins", OriginList::MOST)]
    TooMany,
}

impl OriginList {
    /// Maximum number of origins of a key.
    pub const MOST: usize = 20;

    /// Builds a list. Duplicates are dropped.
    pub fn new(origins: impl IntoIterator<Item = PageOrigin>) -> Result<Self, OriginListError> {
        let mut list: Vec<PageOrigin> = Vec::new();
        for origin in origins {
            if !list.contains(&origin) {
                list.push(origin);
            }
        }
        match list.len() {
            0 => Err(OriginListError::Empty),
            1..=Self::MOST => Ok(Self(list)),
            _ => Err(OriginListError::TooMany),
        }
    }
}

impl Deref for OriginList {
    type Target = [PageOrigin];

    fn deref(&self) -> &[PageOrigin] {
        &self.0
    }
}

impl TryFrom<Vec<PageOrigin>> for OriginList {
    type Error = OriginListError;

    fn try_from(origins: Vec<PageOrigin>) -> Result<Self, OriginListError> {
        Self::new(origins)
    }
}

impl From<OriginList> for Vec<PageOrigin> {
    fn from(list: OriginList) -> Self {
        list.0
    }
}

impl AllowedOrigins {
    /// Builds the setting from an optional list: `None` allows every origin, an empty list is an error.
    pub fn from_list(list: Option<Vec<PageOrigin>>) -> Result<Self, OriginListError> {
        list.map_or(Ok(Self::Any), |list| OriginList::new(list).map(Self::Only))
    }

    /// The allowed origins; `None` if every origin is allowed.
    pub fn only(&self) -> Option<&OriginList> {
        match self {
            Self::Any => None,
            Self::Only(list) => Some(list),
        }
    }

    /// Whether a request with this `Origin` header, if any, may use the key. Programs send none. Pages can neither omit
    /// it where it matters nor choose its value.
    pub fn allow(&self, origin: Option<&str>) -> bool {
        match (self, origin) {
            (Self::Any, _) | (Self::Only(_), None) => true,
            (Self::Only(list), Some(origin)) => {
                origin.parse::<PageOrigin>().is_ok_and(|origin| list.contains(&origin))
            }
        }
    }

    /// Whether this allows every page that `other` allows.
    pub fn covers(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Any, _) => true,
            (Self::Only(_), Self::Any) => false,
            (Self::Only(own), Self::Only(others)) => others.iter().all(|origin| own.contains(origin)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn only(origins: &[&str]) -> AllowedOrigins {
        let origins = origins.iter().map(|origin| origin.parse().unwrap());
        AllowedOrigins::Only(OriginList::new(origins).unwrap())
    }

    #[test]
    fn origins_are_written_in_one_way() {
        for (text, expected) in [
            ("https://Example.com", "https://example.com"),
            (" https://example.com/ ", "https://example.com"),
            ("https://example.com:443", "https://example.com"),
            ("http://example.com:443", "http://example.com:443"),
            ("http://localhost:3000", "http://localhost:3000"),
            ("http://127.0.0.1:80", "http://127.0.0.1"),
            ("capacitor://localhost", "capacitor://localhost"),
        ] {
            assert_eq!(text.parse::<PageOrigin>().unwrap().as_str(), expected, "{text}");
        }
        for bad in [
            "",
            "*",
            "null",
            "example.com",
            "https://",
            "https://example.com/a",
            "https://a b",
            "https://a:0",
            "https://a:99999",
            "https://a:+80",
            "https://a@b",
            "https://*.example.com",
            "https://a..b",
            "://a",
            "https://ä.example",
        ] {
            assert_eq!(bad.parse::<PageOrigin>(), Err(PageOriginError), "{bad}");
        }
    }

    #[test]
    fn an_empty_list_is_never_every_origin() {
        assert_eq!(AllowedOrigins::from_list(None), Ok(AllowedOrigins::Any));
        assert_eq!(AllowedOrigins::from_list(Some(Vec::new())), Err(OriginListError::Empty));
        assert!(serde_json::from_str::<OriginList>("[]").is_err());
        let many = (0..21).map(|number| format!("https://a{number}.example").parse().unwrap());
        assert_eq!(OriginList::new(many), Err(OriginListError::TooMany));
    }

    #[test]
    fn pages_of_other_origins_are_told_apart() {
        let one = only(&["https://example.com"]);
        for (origin, is_allowed) in [
            (Some("https://example.com"), true),
            (None, true),
            (Some("null"), false),
            (Some("http://example.com"), false),
            (Some("https://example.com:8443"), false),
            (Some("https://evil.example"), false),
            (Some("https://example.com.evil.example"), false),
        ] {
            assert_eq!(one.allow(origin), is_allowed, "{origin:?}");
            assert!(AllowedOrigins::Any.allow(origin));
        }
    }

    #[test]
    fn a_list_covers_what_it_names() {
        let (one, two) = (only(&["https://a.example"]), only(&["https://a.example", "https://b.example"]));
        assert!(two.covers(&one) && !one.covers(&two) && one.covers(&one));
        assert!(AllowedOrigins::Any.covers(&one) && !one.covers(&AllowedOrigins::Any));
    }
}
