//! Which caches may store a delivered object.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Which caches may store the response to a signed URL.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CachePolicy {
    /// The listener's own cache. Each URL is signed for the client that requests it.
    #[default]
    Private,
    /// CDNs and proxies, too. URLs that are signed within the same window are identical, so that one copy serves many
    /// listeners.
    Public,
}

/// A policy that is neither `private` nor `public`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be private or public")]
pub struct CachePolicyError;

impl CachePolicy {
    /// The policy as text, as in SQL and in URLs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Private => "private",
            Self::Public => "public",
        }
    }

    /// The more permissive policy of two.
    pub fn or(self, other: Self) -> Self {
        if self == Self::Public { self } else { other }
    }
}

impl FromStr for CachePolicy {
    type Err = CachePolicyError;
    fn from_str(text: &str) -> Result<Self, CachePolicyError> {
        [Self::Private, Self::Public].into_iter().find(|it| it.as_str() == text).ok_or(CachePolicyError)
    }
}
