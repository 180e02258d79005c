//! The state of a delivery, for people.

use tonearm_domain::{DeliveryState, WebhookDelivery};

use crate::text::{Message, t};

/// A state as one word, and the tone of its badge.
pub(super) struct DeliveryStatus {
    pub(super) text: Message,
    pub(super) tone: &'static str,
    /// Whether it will soon change on its own.
    pub(super) is_busy: bool,
}

impl DeliveryStatus {
    /// A pending delivery that has failed before is shown as being retried.
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
