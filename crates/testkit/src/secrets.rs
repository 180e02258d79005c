//! The secrets that a test uses, none of which may appear in a log.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use reqwest::header::{HeaderMap, SET_COOKIE};
use serde_json::Value;

/// Shorter texts may appear in a log for other reasons.
const SHORTEST: usize = 16;

/// The names of fields that are always secret.
const SECRET: [&str; 4] = ["api_key", "secret", "play_session_id", "password"];

/// The API keys and equivalent credentials of clients, by the base URL of the node that they are used with.
static KEYS: Mutex<BTreeMap<String, BTreeSet<String>>> = Mutex::new(BTreeMap::new());

/// Records a client's key for a node. Texts that do not look like a key are skipped, since tests of refusals use such
/// texts.
pub(crate) fn note_key(base_url: &str, key: &str) {
    let is_key = key.len() > 40 && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if is_key {
        let mut keys = KEYS.lock().unwrap_or_else(PoisonError::into_inner);
        keys.entry(base_url.to_owned()).or_default().insert(key.to_owned());
    }
}

/// Records the credentials in a node's response to a client: ids of play sessions, cookies, secrets of webhooks.
pub(crate) fn note_answer(base_url: &str, headers: &HeaderMap, body: &[u8]) {
    let cookies = headers.get_all(SET_COOKIE).iter().filter_map(|cookie| cookie.to_str().ok());
    let values =
        cookies.filter_map(|cookie| cookie.split(';').next()?.split_once('=').map(|(_, value)| value));
    let mut found: Vec<String> = values.map(str::to_owned).collect();
    if let Ok(body) = serde_json::from_slice(body) {
        let mut secrets = Vec::new();
        secrets_of(&body, &mut secrets);
        found.extend(secrets.into_iter().map(str::to_owned));
    }
    found.retain(|secret| secret.len() >= SHORTEST);
    if !found.is_empty() {
        KEYS.lock()
            .unwrap_or_else(PoisonError::into_inner)
            .entry(base_url.to_owned())
            .or_default()
            .extend(found);
    }
}

/// The texts in a JSON value whose field names are secret.
fn secrets_of<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                match value {
                    // The description of the API has examples.
                    _ if name == "example" => {}
                    Value::String(text) if SECRET.contains(&name.as_str()) => found.push(text),
                    other => secrets_of(other, found),
                }
            }
        }
        Value::Array(values) => values.iter().for_each(|value| secrets_of(value, found)),
        _ => {}
    }
}

/// The keys that clients have for a node.
pub(crate) fn keys_of(base_url: &str) -> BTreeSet<String> {
    let keys = KEYS.lock().unwrap_or_else(PoisonError::into_inner);
    keys.get(base_url).cloned().unwrap_or_default()
}

/// The keys that clients have for any node.
pub(crate) fn all_keys() -> BTreeSet<String> {
    let keys = KEYS.lock().unwrap_or_else(PoisonError::into_inner);
    keys.values().flatten().cloned().collect()
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

    /// Records the secrets in the value of a variable.
    pub(crate) fn note_variable(&self, name: &str, value: &str) {
        match name {
            "TONEARM_SECRET" => value.split(',').for_each(|secret| self.note(secret.trim())),
            "TONEARM_DATABASE_URL" => {
                let credentials = value.split_once("://").and_then(|(_, rest)| rest.split_once('@'));
                if let Some((_, password)) = credentials.and_then(|(own, _)| own.split_once(':')) {
                    self.note(password);
                }
            }
            "TONEARM_STORAGE_URL" => {
                let query = value.split_once('?').map_or("", |(_, query)| query);
                let settings = query.split('&').filter_map(|setting| setting.split_once('='));
                let secret = settings.filter(|(name, _)| matches!(*name, "secret_access_key" | "token"));
                secret.for_each(|(_, value)| self.note(value));
            }
            // Each value as a whole, and its parts, such as the token after the scheme.
            "TONEARM_TRACING_OTLP_HEADERS" => {
                let values = value.split(',').filter_map(|header| header.split_once('='));
                for (_, value) in values {
                    self.note(value);
                    value.split(' ').for_each(|part| self.note(part));
                }
            }
            "TONEARM_OIDC_CLIENT_SECRET"
            | "TONEARM_IMPORT_SECRET_ACCESS_KEY"
            | "TONEARM_TRANSCRIPTION_KEY"
            | "AWS_SECRET_ACCESS_KEY"
            | "AWS_SESSION_TOKEN" => self.note(value),
            _ => {}
        }
    }

    /// Records the secrets that a command printed, which are shown only once.
    pub(crate) fn note_output(&self, output: &[u8]) {
        if let Ok(printed) = serde_json::from_slice(output) {
            let mut found = Vec::new();
            secrets_of(&printed, &mut found);
            found.into_iter().for_each(|secret| self.note(secret));
        }
    }

    /// The first characters of a secret that is in a log.
    pub(crate) fn found_in(&self, log: &str, keys: &BTreeSet<String>) -> Option<String> {
        let own = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = own.iter().chain(keys).find(|secret| log.contains(secret.as_str()));
        found.map(|secret| secret.chars().take(6).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_secret_of_settings_is_known() {
        let secrets = Secrets::default();
        secrets.note_variable(
            "TONEARM_STORAGE_URL",
            "s3://bucket?endpoint=http://127.0.0.1:9000&access_key_id=not-so-secret-id&secret_access_key=secret-of-the-bucket",
        );
        secrets.note_variable(
            "TONEARM_TRACING_OTLP_HEADERS",
            "x-team=a,authorization=Bearer key-of-the-collector",
        );
        secrets.note_output(br#"[{"webhooks": [{"secret": "secret-of-a-webhook"}]}]"#);
        let none = BTreeSet::new();
        for text in ["secret-of-the-bucket", "key-of-the-collector", "secret-of-a-webhook"] {
            assert!(secrets.found_in(&format!("a line with {text} in it"), &none).is_some(), "{text}");
        }
        assert_eq!(secrets.found_in("s3://bucket?access_key_id=not-so-secret-id", &none), None);
    }

    #[test]
    fn what_a_node_hands_out_is_known() {
        let mut headers = HeaderMap::new();
        headers.append(SET_COOKIE, "session=value-of-the-cookie; HttpOnly".parse().unwrap());
        note_answer(
            "http://node",
            &headers,
            br#"{"play_session_id": "id-of-a-play-session", "title": "not a secret at all"}"#,
        );
        let known = keys_of("http://node");
        assert_eq!(
            known.iter().map(String::as_str).collect::<Vec<_>>(),
            ["id-of-a-play-session", "value-of-the-cookie"]
        );
        assert!(keys_of("http://other").is_empty());
    }
}
