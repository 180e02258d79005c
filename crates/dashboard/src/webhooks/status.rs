//! What people are told of the state of a delivery.

use tonearm_domain::{DeliveryState, WebhookDelivery};

use crate::text::{Message, t};

/// A state in a word, and the tone of its badge.
pub(super) struct DeliveryStatus {
    pub(super) text: Message,
    pub(super) tone: &'static str,
    /// Whether it changes by itself, soon.
    pub(super) is_busy: bool,
}

impl DeliveryStatus {
    /// A delivery that failed is not merely pending: it says that it is tried again.
    pub(super) fn of(delivery: &WebhookDelivery) -> Self {
        let (text, tone) = match delivery.state {
            DeliveryState::Delivered => ("webhooks-delivered", "good"),
            DeliveryState::Failed => ("webhooks-failed", "bad"),
            DeliveryState::Pending if delivery.attempts == 0 => ("webhooks-pending", "busy"),
            DeliveryState::Pending => ("webhooks-retrying", "warn"),
        };
        Self { text: t(text), tone, is_busy: delivery.state == DeliveryState::Pending }
    }
}
