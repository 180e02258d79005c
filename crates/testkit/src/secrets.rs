//! The secrets that a test works with, none of which may be in a log.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use serde_json::Value;

/// Shorter texts may stand in a log for other reasons.
const SHORTEST: usize = 16;

/// The API keys that clients have, by the node that they are used with.
static KEYS: Mutex<BTreeMap<String, BTreeSet<String>>> = Mutex::new(BTreeMap::new());

/// Remembers a key that a client has for a node. What does not look like one, as tests of refusals use it, is left out.
pub(crate) fn note_key(base_url: &str, key: &str) {
    let is_key = key.len() > 40 && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if is_key {
        let mut keys = KEYS.lock().unwrap_or_else(PoisonError::into_inner);
        keys.entry(base_url.to_owned()).or_default().insert(key.to_owned());
    }
}

/// The keys that clients have for a node.
pub(crate) fn keys_of(base_url: &str) -> BTreeSet<String> {
    let keys = KEYS.lock().unwrap_or_else(PoisonError::into_inner);
    keys.get(base_url).cloned().unwrap_or_default()
}

/// The secrets of one program.
#[derive(Debug, Default)]
pub(crate) struct Secrets(Mutex<BTreeSet<String>>);

impl Secrets {
    pub(crate) fn note(&self, secret: &str) {
        if secret.len() >= SHORTEST {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(secret.to_owned());
        }
    }

    /// What is secret of the value of a variable.
    pub(crate) fn note_variable(&self, name: &str, value: &str) {
        match name {
            "TONEARM_SECRET" => value.split(',').for_each(|secret| self.note(secret.trim())),
            "TONEARM_DATABASE_URL" => {
                let credentials = value.split_once("://").and_then(|(_, rest)| rest.split_once('@'));
                if let Some((_, password)) = credentials.and_then(|(own, _)| own.split_once(':')) {
                    self.note(password);
                }
            }
            "TONEARM_TRACING_OTLP_HEADERS"
            | "TONEARM_OIDC_CLIENT_SECRET"
            | "TONEARM_IMPORT_SECRET_ACCESS_KEY"
            | "AWS_SECRET_ACCESS_KEY" => self.note(value),
            _ => {}
        }
    }

    /// What a command printed that is shown only once.
    pub(crate) fn note_output(&self, output: &[u8]) {
        if let Ok(Value::Object(printed)) = serde_json::from_slice(output) {
            let secret = |name: &str| printed.get(name).and_then(Value::as_str);
            ["api_key", "secret"].into_iter().filter_map(secret).for_each(|secret| self.note(secret));
        }
    }

    /// The beginning of a secret that is in a log.
    pub(crate) fn found_in(&self, log: &str, keys: &BTreeSet<String>) -> Option<String> {
        let own = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = own.iter().chain(keys).find(|secret| log.contains(secret.as_str()));
        found.map(|secret| secret.chars().take(6).collect())
    }
}
