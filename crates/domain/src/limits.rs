//! Limits that the API documents.

use serde::{Deserialize, Serialize};

/// The lifetime of an upload URL, in seconds.
pub const UPLOAD_URL_TTL_SECONDS: u32 = 3600;

/// Maximum number of recipes of an organization. Every track is rendered with all of them, and they are all read at
/// once.
pub const MOST_RECIPES: usize = 200;

/// Maximum number of signing keys of an organization that are not revoked. Every node holds them.
pub const MOST_SIGNING_KEYS: u64 = 100;

/// A number outside its bounds.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LimitError {
    /// `expires_in` outside 60..=86400 or not a number of seconds.
    #[error("must be a number of seconds from 60 to 86400")]
    ExpiresIn,
    /// `limit` outside 1..=200.
    #[error("must be a whole number from 1 to 200")]
    Limit,
    /// `offset` not a whole number of at least 0.
    #[error("must be a whole number, 0 or greater")]
    Offset,
}

/// The lifetime of a session: 60 to 86,400 seconds, default: 3,600.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "u32")]
pub struct ExpiresIn(u32);

impl ExpiresIn {
    /// Seconds, 60..=86400.
    pub const fn seconds(self) -> u32 {
        self.0
    }
}

impl Default for ExpiresIn {
    fn default() -> Self {
        Self(3600)
    }
}

impl TryFrom<f64> for ExpiresIn {
    type Error = LimitError;

    /// Fractions of a second are dropped: the API defines the field as a number.
    fn try_from(seconds: f64) -> Result<Self, LimitError> {
        if (60.0..=86_400.0).contains(&seconds) {
            Ok(Self(seconds as u32))
        } else {
            Err(LimitError::ExpiresIn)
        }
    }
}

impl From<ExpiresIn> for u32 {
    fn from(expires_in: ExpiresIn) -> u32 {
        expires_in.0
    }
}

/// A window of a list: `limit` 1..=200 (default: 50), `offset` at least 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LimitOffset {
    limit: u32,
    offset: u64,
}

impl LimitOffset {
    /// Builds the window from the optional query parameters.
    pub fn new(limit: Option<i64>, offset: Option<i64>) -> Result<Self, LimitError> {
        let limit = match limit {
            None => 50,
            Some(limit @ 1..=200) => limit as u32,
            Some(_) => return Err(LimitError::Limit),
        };
        let offset = u64::try_from(offset.unwrap_or(0)).map_err(|_| LimitError::Offset)?;
        Ok(Self { limit, offset })
    }

    /// Maximum number of rows of the page.
    pub fn limit(self) -> u64 {
        u64::from(self.limit)
    }

    /// Number of rows before the page.
    pub fn offset(self) -> u64 {
        self.offset
    }
}

impl Default for LimitOffset {
    fn default() -> Self {
        Self { limit: 50, offset: 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expires_in_has_bounds() {
        assert_eq!(ExpiresIn::default().seconds(), 3600);
        for ok in [60.0, 61.5, 86_400.0] {
            assert!(ExpiresIn::try_from(ok).is_ok());
        }
        for bad in [59.0, 59.999, 86_400.1, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(ExpiresIn::try_from(bad), Err(LimitError::ExpiresIn));
        }
    }

    #[test]
    fn pages_have_bounds() {
        assert_eq!(LimitOffset::new(None, None), Ok(LimitOffset::default()));
        assert_eq!(LimitOffset::new(Some(200), Some(7)).map(|p| (p.limit(), p.offset())), Ok((200, 7)));
        assert_eq!(LimitOffset::new(Some(0), None), Err(LimitError::Limit));
        assert_eq!(LimitOffset::new(Some(201), None), Err(LimitError::Limit));
        assert_eq!(LimitOffset::new(None, Some(-1)), Err(LimitError::Offset));
    }
}
