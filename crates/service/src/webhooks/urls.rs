//! URLs in payloads. They are signed for each attempt, as an event may be hours old by then and a URL is valid for one
//! hour.

use serde_json::Value;
use tonearm_domain::ObjectKey;
use tonearm_signing::DeliveryTerms;

use super::Webhooks;

impl Webhooks {
    /// The stored payload with a URL for each of its files. The service wrote the stored text; if it does not parse, it
    /// is sent unchanged.
    pub(super) fn with_urls(&self, payload: &str) -> String {
        let Ok(mut payload) = serde_json::from_str::<Value>(payload) else {
            return payload.to_owned();
        };
        if let Some(file) = payload.get_mut("file") {
            self.give_url(file);
        }
        for file in payload.get_mut("files").and_then(Value::as_array_mut).into_iter().flatten() {
            self.give_url(file);
        }
        payload.to_string()
    }

    fn give_url(&self, file: &mut Value) {
        let path = file.get("path").and_then(Value::as_str);
        if let Some(key) = path.and_then(|path| path.parse::<ObjectKey>().ok()) {
            file["url"] = self.links.delivery(&key, DeliveryTerms::default()).into();
        }
    }
}
