//! Queueing the tracks whose derived things depend on something that changed.

use tonearm_domain::{CollectionId, Derived, Input, Job, JobQueue, OrganizationId, TrackId};

use super::recording::Recording;
use crate::library::derived;
use crate::processing::job_error::JobError;
use crate::processing::runner::{JobRun, Processing, finish};

/// Tracks in one transaction.
const BATCH: u64 = 200;
/// No more tracks are queued while this many renderings of the organization are due.
const MOST_AHEAD: u64 = 1000;
/// Seconds to wait before more are queued if too many are due.
const LATER_SECONDS: i64 = 3;

/// The tracks whose things are made again.
pub(in crate::processing) struct DerivedTracks<'a> {
    pub(in crate::processing) organization_id: OrganizationId,
    /// None for the whole organization.
    pub(in crate::processing) collection_id: Option<CollectionId>,
    pub(in crate::processing) things: &'a [Derived],
    /// The last track that was queued.
    pub(in crate::processing) cursor: Option<TrackId>,
}

impl Processing {
    /// Queues the jobs for all tracks that are ready. The others get their things when they are processed, but their files
    /// may already have durable names.
    pub(in crate::processing) async fn derive_again(
        &self,
        run: &JobRun,
        turn: DerivedTracks<'_>,
    ) -> Result<(), JobError> {
        let DerivedTracks { organization_id, collection_id, things, mut cursor } = turn;
        loop {
            let mut tx = self.begin_batch(run).await?;
            let now = self.ambient.now();
            let job =
                |cursor| Job::DeriveAgain { organization_id, collection_id, things: things.to_vec(), cursor };
            if tx.has_due_jobs(JobQueue::Renderings, organization_id, now, MOST_AHEAD).await? {
                let later = now.plus_seconds(LATER_SECONDS);
                tx.enqueue(job(cursor), self.ambient.record_id(), later, None).await?;
                return finish(&run.claimed, tx).await;
            }
            let found = tx.tracks_with_source(organization_id, collection_id, cursor, BATCH).await?;
            let Some((last, _)) = found.last() else { return finish(&run.claimed, tx).await };
            cursor = Some(*last);
            let (tracks, others): (Vec<_>, Vec<_>) =
                found.into_iter().partition(|(_, status)| status.is_settled());
            let [tracks, others] =
                [tracks, others].map(|found| found.into_iter().map(|(id, _)| id).collect::<Vec<_>>());
            derived::queue(&tx, &self.ambient, organization_id, &tracks, things).await?;
            if things.contains(&Derived::Manifest) {
                derived::queue(&tx, &self.ambient, organization_id, &others, &[Derived::Manifest]).await?;
            }
            if things.iter().any(|thing| thing.depends_on().contains(&Input::VariantNames)) {
                // The reason for the status of a track names a variant.
                for track in tx.tracks_with_failures(&tracks).await? {
                    tx = Recording::settled(tx, &self.ambient, organization_id, track).await?;
                }
            }
            if !tx.update_job(&run.claimed, &job(cursor)).await? {
                return Err(JobError::LeaseLost);
            }
            tx.commit().await?;
        }
    }
}
