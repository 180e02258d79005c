//! Webhooks: the endpoints of an organization, the deliveries to them, and sending those.

mod deliveries;
mod endpoints;
pub(crate) mod events;
mod payload;
mod secrets;
mod send;
mod urls;

use tonearm_catalog::Catalog;
use tonearm_domain::Ambient;
use tonearm_outbound::Outbound;
use tonearm_signing::Vault;

use crate::delivery::Links;

pub use deliveries::{DeliveryQuery, DeliveryView};
pub(crate) use endpoints::vault_context;
pub use endpoints::{WebhookName, WebhookView, WebhookWithSecret};
pub use send::SentWebhook;

/// Manages webhooks and sends them.
#[derive(Clone)]
pub struct Webhooks {
    catalog: Catalog,
    ambient: Ambient,
    links: Links,
    vault: Vault,
    outbound: Outbound,
}

impl Webhooks {
    /// Creates the webhook use cases. Secrets are sealed with `vault`, and requests are sent through `outbound`.
    pub fn new(catalog: Catalog, ambient: Ambient, links: Links, vault: Vault, outbound: Outbound) -> Self {
        Self { catalog, ambient, links, vault, outbound }
    }

    /// The catalog, for callers that wait for deliveries to send.
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// The source of time and randomness.
    pub fn ambient(&self) -> &Ambient {
        &self.ambient
    }
}
