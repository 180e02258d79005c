//! How jobs are done and webhooks are sent.

use std::time::Duration;

use tonearm_worker::{SenderConfig, SlotCounts, WorkerConfig};

use super::error::{ConfigError, positive};
use super::file::{WebhookSettings, WorkerSettings};

pub(super) fn worker_config(
    settings: &WorkerSettings,
    concurrency: usize,
) -> Result<WorkerConfig, ConfigError> {
    let usual = SlotCounts::default();
    let slots = SlotCounts {
        encode: settings.slots.unwrap_or(concurrency + 2),
        wait: settings.wait_slots.unwrap_or(usual.wait),
        maintenance: settings.maintenance_slots.unwrap_or(usual.maintenance),
    };
    positive("worker.slots", slots.encode)?;
    positive("worker.wait_slots", slots.wait)?;
    positive("worker.maintenance_slots", slots.maintenance)?;
    let seconds = settings.lease_seconds.unwrap_or(60);
    if !(2..=3600).contains(&seconds) {
        return Err(ConfigError::new("worker.lease_seconds", "is a number from 2 to 3600"));
    }
    let lease = Duration::from_secs(seconds);
    Ok(WorkerConfig { slots, lease, heartbeat: lease / 4, ..WorkerConfig::default() })
}

pub(super) fn sender_config(settings: &WebhookSettings) -> Result<SenderConfig, ConfigError> {
    let mut config = SenderConfig::default();
    let lanes = &mut config.lanes;
    lanes.total = settings.connections.unwrap_or(lanes.total);
    lanes.per_endpoint = settings.connections_per_endpoint.unwrap_or(lanes.per_endpoint);
    positive("webhooks.connections", lanes.total)?;
    positive("webhooks.connections_per_endpoint", lanes.per_endpoint)?;
    Ok(config)
}
