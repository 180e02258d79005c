//! Whether new uploads are accepted. They are refused if there is too little free space, if too many jobs wait to be
//! processed, or if they exceed an organization's quotas.

pub(crate) mod quota_claim;
pub(crate) mod quotas;
mod reserve;
mod space;

use std::collections::HashSet;
use std::num::NonZeroU64;
use std::sync::Arc;

use tokio::sync::Mutex;
use tonearm_catalog::Catalog;
use tonearm_domain::{Ambient, JobQueue, OrganizationId, Timestamp};

use crate::refusal::Refusal;

pub use space::Space;

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
    /// What was found when the queue was last checked. Locked during the check, so that concurrent callers share one
    /// query.
    found: Mutex<Option<Found>>,
}

struct Found {
    at: Timestamp,
    /// If the queue is full: how many of its jobs may wait for one organization.
    share: Option<u64>,
    /// The organizations that have their share.
    with_share: HashSet<OrganizationId>,
}

impl Admission {
    /// Admits uploads if there is enough free space.
    pub fn by_space(space: Space) -> Self {
        Self { space, backlog: None }
    }

    /// Also requires that fewer than `most` jobs wait in the uploads queue, or fewer than an equal share of them for this
    /// organization; 0 for no limit.
    pub fn and_by_queue(self, catalog: Catalog, ambient: Ambient, most: u64) -> Self {
        let backlog = NonZeroU64::new(most)
            .map(|most| Arc::new(Backlog { catalog, ambient, most, found: Mutex::default() }));
        Self { backlog, ..self }
    }

    /// Refuses if there is too little free space.
    pub fn require_space(&self) -> Result<(), Refusal> {
        self.space.require()
    }

    /// Refuses new uploads to an organization if there is too little free space or the queue is full. Call it before
    /// reading a body.
    pub async fn require(&self, organization_id: OrganizationId) -> Result<(), Refusal> {
        self.require_space()?;
        match &self.backlog {
            Some(backlog) => backlog.require(organization_id).await,
            None => Ok(()),
        }
    }
}

impl Backlog {
    /// Jobs are scheduled in turns by organization, so the jobs of others do not delay an organization. If the queue is
    /// full, those are admitted that have less than an equal share of it. What they add makes it longer than `most`, but
    /// no longer than `most` shares of ever more organizations.
    async fn require(&self, organization_id: OrganizationId) -> Result<(), Refusal> {
        let mut found = self.found.lock().await;
        let now = self.ambient.now();
        let is_recent =
            |at: Timestamp| (0..REMEMBERED_MILLIS).contains(&(now.unix_millis() - at.unix_millis()));
        let found = match &mut *found {
            Some(found) if is_recent(found.at) => found,
            found => found.insert(Found { at: now, share: self.share().await?, with_share: HashSet::new() }),
        };
        let Some(share) = found.share else { return Ok(()) };
        let queue = JobQueue::Uploads;
        // An organization that is admitted adds a job, after which it may have its share.
        if !found.with_share.contains(&organization_id)
            && !self.catalog.has_waiting_jobs(queue, Some(organization_id), share).await?
        {
            return Ok(());
        }
        found.with_share.insert(organization_id);
        Err(Refusal::Busy)
    }

    /// How many jobs may wait for one organization; `None` if the queue is not full.
    async fn share(&self) -> Result<Option<u64>, Refusal> {
        let (queue, most) = (JobQueue::Uploads, self.most.get());
        if !self.catalog.has_waiting_jobs(queue, None, most).await? {
            return Ok(None);
        }
        let organizations = self.catalog.waiting_organizations(queue).await?;
        Ok(Some(most.div_ceil(organizations.max(1))))
    }
}
