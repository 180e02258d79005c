//! Settings of jobs, webhooks and database connections.

use std::time::Duration;

use tonearm_worker::{SenderConfig, SlotCounts, WorkerConfig};

use super::error::{ConfigError, positive};
use super::file::{DatabaseSettings, WebhookSettings, WorkerSettings};
use super::{Config, Role};

/// Maximum number of jobs of one class that a node may run concurrently.
const MOST_SLOTS: usize = 1000;

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
    let counts = [
        ("worker.slots", slots.encode),
        ("worker.wait_slots", slots.wait),
        ("worker.maintenance_slots", slots.maintenance),
    ];
    if let Some((setting, _)) = counts.into_iter().find(|(_, count)| !(1..=MOST_SLOTS).contains(count)) {
        return Err(ConfigError::new(setting, "must be from 1 to 1000"));
    }
    let seconds = settings.lease_seconds.unwrap_or(60);
    if !(2..=3600).contains(&seconds) {
        return Err(ConfigError::new("worker.lease_seconds", "must be from 2 to 3600"));
    }
    let lease = Duration::from_secs(seconds);
    Ok(WorkerConfig { slots, lease, heartbeat: lease / 4, ..WorkerConfig::default() })
}

/// The maximum number of connections. If it is not set, it depends on the roles of the node.
pub(super) fn database_connections(settings: &DatabaseSettings, roles: &[Role]) -> Result<u32, ConfigError> {
    let of_role = |role: &Role| match role {
        Role::Api => 10,
        Role::Worker => 6,
        Role::Edge => 4,
    };
    let connections = settings.connections.unwrap_or_else(|| roles.iter().map(of_role).sum());
    positive("database.connections", connections)?;
    Ok(connections)
}

impl Config {
    /// How many connections to the database this node may open.
    pub(crate) fn connections(&self) -> u32 {
        self.database_connections.saturating_add(u32::from(self.has_role(Role::Worker)))
    }

    /// Returns a warning if this node may open more connections than the `most` that the database server accepts. Nodes
    /// with the role `worker` use one more, to listen.
    pub(crate) fn too_many_connections(&self, most: u32) -> Option<String> {
        let own = self.connections();
        (own > most).then(|| {
            format!(
                "this node may open {own} connections to the database, but its server accepts only {most} from all nodes \
                 together: lower database.connections, or raise max_connections on the server"
            )
        })
    }
}

pub(super) fn statement_timeout(settings: &DatabaseSettings) -> Result<Duration, ConfigError> {
    let seconds = settings.statement_timeout_seconds.unwrap_or(60);
    if !(1..=86_400).contains(&seconds) {
        return Err(ConfigError::new("database.statement_timeout_seconds", "must be from 1 to 86400"));
    }
    Ok(Duration::from_secs(seconds))
}

pub(super) fn sender_config(settings: &WebhookSettings) -> Result<SenderConfig, ConfigError> {
    let mut config = SenderConfig::default();
    let lanes = &mut config.lanes;
    lanes.total = settings.connections.unwrap_or(lanes.total);
    lanes.per_endpoint = settings.connections_per_endpoint.unwrap_or(lanes.per_endpoint);
    positive("webhooks.connections", lanes.total as u64)?;
    positive("webhooks.connections_per_endpoint", lanes.per_endpoint as u64)?;
    Ok(config)
}
