//! Whether new uploads are accepted. They are refused if there is too little free space, if too many jobs wait to be
//! processed, or if they exceed an organization's quotas.

pub(crate) mod quotas;
mod space;

use std::num::NonZeroU64;
use std::sync::Arc;

use tokio::sync::Mutex;
use tonearm_catalog::Catalog;
use tonearm_domain::{Ambient, JobQueue, OrganizationId, Timestamp};

use crate::refusal::Refusal;

pub use space::{Shortage, Space};

/// How long the result of a queue check is cached, in milliseconds.
const REMEMBERED_MILLIS: i64 = 1000;

/// The rules by which new uploads are admitted. By default all are. Cheap to clone; clones share cached results.
#[derive(Clone, Default)]
pub struct Admission {
    space: Space,
    backlog: Option<Arc<Backlog>>,
}

/// The queue of jobs that process uploads.
struct Backlog {
    catalog: Catalog,
    ambient: Ambient,
    most: NonZeroU64,
    /// Whether the queue was full, and when that was checked. Locked during the check, so that concurrent callers share
    /// one query.
    found: Mutex<Option<(Timestamp, bool)>>,
}

impl Admission {
    /// Admits uploads if there is enough free space.
    pub fn by_space(space: Space) -> Self {
        Self { space, backlog: None }
    }

    /// Also requires that fewer than `most` jobs wait in the uploads queue; 0 for no limit.
    pub fn and_by_queue(self, catalog: Catalog, ambient: Ambient, most: u64) -> Self {
        let backlog = NonZeroU64::new(most)
            .map(|most| Arc::new(Backlog { catalog, ambient, most, found: Mutex::default() }));
        Self { backlog, ..self }
    }

    /// Refuses if there is too little free space.
    pub async fn require_space(&self) -> Result<(), Refusal> {
        self.space.require().await
    }

    /// Refuses new uploads to an organization if there is too little free space or the queue is full. Call it before
    /// reading a body.
    pub async fn require(&self, organization_id: OrganizationId) -> Result<(), Refusal> {
        self.require_space().await?;
        match &self.backlog {
            Some(backlog) => backlog.require(organization_id).await,
            None => Ok(()),
        }
    }
}

impl Backlog {
    /// Jobs are scheduled in turns by organization, so an organization without waiting jobs is not delayed by the
    /// others and does not delay them. It is admitted even if the queue is full.
    async fn require(&self, organization_id: OrganizationId) -> Result<(), Refusal> {
        if !self.is_full().await?
            || !self.catalog.organization_waits(JobQueue::Uploads, organization_id).await?
        {
            return Ok(());
        }
        Err(Refusal::Busy)
    }

    async fn is_full(&self) -> Result<bool, Refusal> {
        let mut found = self.found.lock().await;
        let now = self.ambient.now();
        if let Some((at, is_full)) = *found
            && (0..REMEMBERED_MILLIS).contains(&(now.unix_millis() - at.unix_millis()))
        {
            return Ok(is_full);
        }
        let is_full = self.catalog.has_waiting_jobs(JobQueue::Uploads, self.most.get()).await?;
        *found = Some((now, is_full));
        Ok(is_full)
    }
}
