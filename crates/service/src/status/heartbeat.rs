//! The heartbeats of a node.

use std::time::Duration;

use tokio::time::{Instant, timeout};
use tonearm_catalog::Catalog;
use tonearm_domain::{Ambient, NodeRecord};

use super::run_counter::{RunCounter, RunHistory};
use crate::refusal::Refusal;

/// How long one heartbeat may take.
const DEADLINE: Duration = Duration::from_secs(5);

/// Records that a node is alive, and removes it when it stops.
pub struct Heartbeat {
    catalog: Catalog,
    ambient: Ambient,
    node: NodeRecord,
    runs: RunCounter,
    history: RunHistory,
}

impl Heartbeat {
    /// Creates the heartbeat of a node that starts now. `runs` counts its job runs.
    pub fn new(catalog: Catalog, ambient: Ambient, node: NodeRecord, runs: RunCounter) -> Self {
        Self { catalog, ambient, node, runs, history: RunHistory::default() }
    }

    /// Records that the node is alive, how far its clock is off, and how many job runs ended recently.
    pub async fn beat(&mut self) -> Result<(), Refusal> {
        self.node.recent_runs = self.history.note(Instant::now(), self.runs.all());
        within(self.write()).await
    }

    /// Removes the node when it stops.
    pub async fn end(&self) -> Result<(), Refusal> {
        within(async { Ok(self.catalog.forget_node(self.node.id).await?) }).await
    }

    async fn write(&mut self) -> Result<(), Refusal> {
        self.node.clock_ahead_millis = self.clock_ahead().await?;
        Ok(self.catalog.note_node(&self.node, self.ambient.now()).await?)
    }

    /// How far the node's clock is ahead of the database server's. `None` if the node's time is set by hand.
    async fn clock_ahead(&self) -> Result<Option<i64>, Refusal> {
        if self.ambient.is_time_set_by_hand() {
            return Ok(None);
        }
        let (asked, before) = (Instant::now(), self.ambient.now());
        let Some(server) = self.catalog.server_time().await? else { return Ok(None) };
        // The response is assumed to take half of the round-trip time.
        let way = i64::try_from(asked.elapsed().as_millis() / 2).unwrap_or(i64::MAX);
        Ok(Some(before.plus_millis(way).unix_millis() - server.unix_millis()))
    }
}

async fn within(done: impl Future<Output = Result<(), Refusal>>) -> Result<(), Refusal> {
    match timeout(DEADLINE, done).await {
        Ok(done) => done,
        Err(late) => Err(Refusal::Unavailable(Box::new(late))),
    }
}
