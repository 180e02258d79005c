//! The secrets that events are signed with: the present one, and those that it replaced within the last day. Receivers may
//! still have any of them.

use tonearm_domain::{ErrorCode, OLD_SECRET_SECONDS, Timestamp, Webhook};
use tonearm_outbound::WebhookSecret;

use super::Webhooks;
use super::endpoints::vault_context;
use crate::refusal::Refusal;

/// The most replaced secrets. Each adds a signature to every request.
const MOST_REPLACED: usize = 10;

/// The bytes of a secret, and of the time until which it signs.
const SECRET: usize = 32;
const UNTIL: usize = 8;

/// A secret that was replaced.
#[derive(Clone, Copy)]
struct Replaced {
    secret: [u8; SECRET],
    until: Timestamp,
}

impl Webhooks {
    /// The secrets that sign at this moment, the newest first.
    pub(super) fn signing_secrets(
        &self,
        webhook: &Webhook,
        now: Timestamp,
    ) -> Result<Vec<WebhookSecret>, Refusal> {
        let replaced = self.replaced(webhook, now)?;
        let mut secrets = vec![self.open_secret(webhook, &webhook.secret)?];
        secrets.extend(replaced.into_iter().map(|one| WebhookSecret::from_bytes(one.secret)));
        Ok(secrets)
    }

    /// The present secret, which receivers are configured with.
    pub(super) fn open_secret(&self, webhook: &Webhook, sealed: &[u8]) -> Result<WebhookSecret, Refusal> {
        let secret =
            self.vault.open(&vault_context(webhook.id), sealed).and_then(|bytes| bytes.try_into().ok());
        secret.map(WebhookSecret::from_bytes).ok_or(LOST)
    }

    /// The replaced secrets of an endpoint whose present secret is about to be replaced, sealed. Those that cannot be
    /// decrypted any more are left out: rotating is the way out of that.
    pub(super) fn with_replaced(&self, webhook: &Webhook, now: Timestamp) -> Option<Vec<u8>> {
        let until = now.plus_seconds(OLD_SECRET_SECONDS);
        let present = self.open_secret(webhook, &webhook.secret).ok();
        let mut replaced: Vec<Replaced> =
            present.map(|secret| Replaced { secret: *secret.bytes(), until }).into_iter().collect();
        replaced.extend(self.replaced(webhook, now).unwrap_or_default());
        // Receivers have the oldest, or were just given the newest.
        if let Some(more @ 1..) = replaced.len().checked_sub(MOST_REPLACED) {
            replaced.drain(1..=more);
        }
        let text: Vec<u8> = replaced
            .into_iter()
            .flat_map(|one| one.secret.into_iter().chain(one.until.unix_millis().to_be_bytes()))
            .collect();
        let sealed = || self.vault.seal(&vault_context(webhook.id), self.ambient.random(), &text);
        (!text.is_empty()).then(sealed)
    }

    /// The replaced secrets that still sign, the newest first.
    fn replaced(&self, webhook: &Webhook, now: Timestamp) -> Result<Vec<Replaced>, Refusal> {
        let is_over = webhook.rotated_at.is_none_or(|at| now >= at.plus_seconds(OLD_SECRET_SECONDS));
        let Some(sealed) = webhook.old_secrets.as_deref().filter(|_| !is_over) else { return Ok(Vec::new()) };
        let text = self.vault.open(&vault_context(webhook.id), sealed).ok_or(LOST)?;
        let parsed = match <[u8; SECRET]>::try_from(text.as_slice()) {
            // Versions that kept a single one stored no time beside it.
            Ok(secret) => {
                let rotated_at = webhook.rotated_at.unwrap_or(now);
                vec![Replaced { secret, until: rotated_at.plus_seconds(OLD_SECRET_SECONDS) }]
            }
            Err(_) => text.chunks(SECRET + UNTIL).map(parse).collect::<Option<Vec<_>>>().ok_or(LOST)?,
        };
        Ok(parsed.into_iter().filter(|one| now < one.until).collect())
    }
}

const LOST: Refusal = Refusal::Unprocessable {
    code: ErrorCode::SecretSealed,
    message: "the webhook's secret cannot be decrypted, as its master secret is gone; rotate it",
};

fn parse(bytes: &[u8]) -> Option<Replaced> {
    let (secret, until) = bytes.split_first_chunk()?;
    let until = i64::from_be_bytes(until.try_into().ok()?);
    Some(Replaced { secret: *secret, until: Timestamp::from_unix_millis(until)? })
}
