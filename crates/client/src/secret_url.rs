//! URLs that are credentials.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::server_url::host_of;

/// An upload URL. Anyone who has it can upload, so it is never shown.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SecretUrl(String);

impl SecretUrl {
    /// The URL, for a request.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }

    /// Its host and port, for messages.
    pub(crate) fn host(&self) -> String {
        self.0.parse().ok().and_then(|url| host_of(&url)).unwrap_or_default()
    }
}

impl fmt::Debug for SecretUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretUrl(…)")
    }
}
