//! Sends a webhook with the headers and the signature of Standard Webhooks.

use std::fmt;
use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use tonearm_domain::{EventKind, Timestamp, TraceContext, WebhookDeliveryId};

use crate::outbound::{Answer, CallError, CallLimits, Outbound};

/// A receiver has 15 seconds to respond, and the first 64 KiB of its response are kept.
const LIMITS: CallLimits = CallLimits { timeout: Duration::from_secs(15), body: 64 * 1024 };

/// The signing secret that is shared with a receiver. `Debug` does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct WebhookSecret([u8; 32]);

impl WebhookSecret {
    /// From random bytes, or from stored ones.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The bytes, to be stored encrypted.
    pub const fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The text that receivers are configured with, `whsec_…`.
    pub fn reveal(&self) -> String {
        format!("whsec_{}", BASE64_STANDARD.encode(self.0))
    }

    fn sign(&self, id: &str, timestamp: &str, body: &[u8]) -> String {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).expect("HMAC takes keys of any length");
        for part in [id.as_bytes(), b".", timestamp.as_bytes(), b".", body] {
            mac.update(part);
        }
        format!("v1,{}", BASE64_STANDARD.encode(mac.finalize().into_bytes()))
    }
}

impl fmt::Debug for WebhookSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WebhookSecret")
    }
}

/// One delivery of an event.
#[derive(Debug, Clone)]
pub struct WebhookCall {
    /// The URL of the receiver.
    pub url: String,
    /// The same in every attempt, so that receivers can recognise repeats.
    pub delivery_id: WebhookDeliveryId,
    /// What happened.
    pub event: EventKind,
    /// The JSON.
    pub body: Bytes,
    /// The secrets to sign with, the newest first.
    pub secrets: Vec<WebhookSecret>,
    /// The trace that the call is part of, for the receiver to go on with.
    pub trace: Option<TraceContext>,
}

impl WebhookCall {
    /// The headers that this call adds to those of every HTTP request, as of `now`.
    pub fn headers(&self, now: Timestamp) -> [(&'static str, String); 5] {
        let id = format!("msg_{}", self.delivery_id);
        let timestamp = now.unix_seconds().to_string();
        let signatures: Vec<String> =
            self.secrets.iter().map(|secret| secret.sign(&id, &timestamp, &self.body)).collect();
        [
            ("content-type", "application/json".to_owned()),
            ("x-adn-event", self.event.as_str().to_owned()),
            ("webhook-id", id),
            ("webhook-timestamp", timestamp),
            ("webhook-signature", signatures.join(" ")),
        ]
    }
}

impl Outbound {
    /// Sends a webhook once.
    pub async fn send_webhook(&self, call: &WebhookCall, now: Timestamp) -> Result<Answer, CallError> {
        let headers = call.headers(now);
        self.post(&call.url, LIMITS, |request| {
            let request =
                headers.into_iter().fold(request, |request, (name, value)| request.header(name, value));
            let request = match call.trace {
                Some(trace) => request.header("traceparent", trace.to_string()),
                None => request,
            };
            request.body(call.body.clone())
        })
        .await
    }
}
