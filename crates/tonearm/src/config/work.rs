//! How jobs are done and webhooks are sent.

use std::time::Duration;

use tonearm_worker::{SenderConfig, WorkerConfig};

use super::error::{ConfigError, positive};
use super::file::WebhookSettings;

pub(super) fn worker_config(slots: usize, lease_seconds: Option<u64>) -> Result<WorkerConfig, ConfigError> {
    let seconds = lease_seconds.unwrap_or(60);
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
