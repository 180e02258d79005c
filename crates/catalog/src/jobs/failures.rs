//! Jobs that were given up recently, grouped by reason.

use sea_orm::{ConnectionTrait, QueryResult, Statement};
use tonearm_domain::{JobId, OrganizationId, Timestamp, TrackId};
use uuid::Uuid;

use crate::catalog::Catalog;
use crate::column::moment;
use crate::error::CatalogError;

/// The most jobs that are read, the latest first.
const MOST: usize = 1000;

/// The number of characters of a reason that count.
const REASON_LENGTH: usize = 300;

/// Jobs of one kind that were given up for one reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedJobs {
    /// Their kind. A later version may have queued them.
    pub kind: String,
    /// The reason, perhaps only its beginning; empty where there is none.
    pub reason: String,
    /// How many there are.
    pub count: u64,
    /// When the latest of them was given up.
    pub last_at: Timestamp,
    /// The latest of them.
    pub job_id: JobId,
    /// The organization that it belongs to.
    pub organization_id: Option<OrganizationId>,
    /// The track that it worked on.
    pub track_id: Option<TrackId>,
}

impl FailedJobs {
    fn is_like(&self, other: &Self) -> bool {
        self.kind == other.kind && self.reason == other.reason
    }
}

/// The jobs that were given up since a point in time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JobFailures {
    /// By kind and reason, the most frequent first.
    pub groups: Vec<FailedJobs>,
    /// Whether all jobs are counted. False if there are too many.
    pub is_complete: bool,
}

fn statement(since: Timestamp) -> String {
    let since = since.unix_millis();
    format!(
        "SELECT id, kind, SUBSTR(last_error, 1, {REASON_LENGTH}) AS reason, failed_at, organization_id, track_id \
         FROM job WHERE failed_at IS NOT NULL AND failed_at > {since} ORDER BY failed_at DESC LIMIT {MOST}"
    )
}

fn alone(row: &QueryResult) -> Result<FailedJobs, CatalogError> {
    let reason: Option<String> = row.try_get("", "reason")?;
    let id: Uuid = row.try_get("", "id")?;
    let (organization, track): (Option<Uuid>, Option<Uuid>) =
        (row.try_get("", "organization_id")?, row.try_get("", "track_id")?);
    Ok(FailedJobs {
        kind: row.try_get("", "kind")?,
        reason: reason.unwrap_or_default(),
        count: 1,
        last_at: moment("job.failed_at", row.try_get("", "failed_at")?)?,
        job_id: JobId::from_uuid(id),
        organization_id: organization.map(OrganizationId::from_uuid),
        track_id: track.map(TrackId::from_uuid),
    })
}

impl Catalog {
    /// The jobs that were given up since a point in time and not removed or retried, in at most `most` groups. Reads a
    /// bounded number of rows through an index.
    pub async fn failed_jobs(&self, since: Timestamp, most: usize) -> Result<JobFailures, CatalogError> {
        let found = self.failed_since(since).await?;
        let is_all = found.len() < MOST;
        let mut groups: Vec<FailedJobs> = Vec::new();
        for failed in found {
            // The latest job comes first, and represents its group.
            match groups.iter_mut().find(|one| one.is_like(&failed)) {
                Some(group) => group.count += 1,
                None => groups.push(failed),
            }
        }
        groups.sort_by_key(|group| std::cmp::Reverse(group.count));
        let is_complete = is_all && groups.len() <= most;
        groups.truncate(most);
        Ok(JobFailures { groups, is_complete })
    }

    /// The jobs that were given up since a point in time for the same reason as this one, including this one, the
    /// latest first. Empty if this job was not given up since then, or is over. Reads a bounded number of rows through
    /// an index.
    pub async fn jobs_failed_alike(&self, id: JobId, since: Timestamp) -> Result<Vec<JobId>, CatalogError> {
        let failed = self.failed_since(since).await?;
        let Some(named) = failed.iter().find(|one| one.job_id == id) else { return Ok(Vec::new()) };
        Ok(failed.iter().filter(|one| one.is_like(named)).map(|one| one.job_id).collect())
    }

    /// The latest jobs that were given up since a point in time, each as a group of its own, the latest first.
    async fn failed_since(&self, since: Timestamp) -> Result<Vec<FailedJobs>, CatalogError> {
        let db = self.reader();
        let found = Statement::from_string(db.get_database_backend(), statement(since));
        db.query_all_raw(found).await?.iter().map(alone).collect()
    }
}
