//! Queueing the manifests that tell nodes without a catalog which objects the durable names of tracks stand for.

use std::collections::BTreeSet;

use tonearm_catalog::{CatalogError, NewJob, Transaction};
use tonearm_domain::{Ambient, Job, JobQueue, ObjectKey, OrganizationId, Track, TrackId};

/// Queues the manifest of a track, to be written after the files that this transaction records are committed. The
/// caller has locked the track. A job that was claimed earlier waits for that lock and so knows of these files;
/// otherwise another job is queued.
pub(crate) async fn queue(tx: &Transaction, ambient: &Ambient, track: &Track) -> Result<(), CatalogError> {
    let job = Job::PublishManifest { organization_id: track.organization_id, track_id: track.id };
    let unique = format!("publish_manifest {}", track.id);
    tx.enqueue(job, ambient.record_id(), ambient.now(), Some(&unique)).await
}

/// Queues the manifests of many tracks, behind all more urgent jobs. The files that they leave out must no longer be
/// read by any client: a job that was queued earlier may write a manifest without knowing of this transaction.
pub(crate) async fn queue_many(
    tx: &Transaction,
    ambient: &Ambient,
    tracks: impl IntoIterator<Item = (OrganizationId, TrackId)>,
) -> Result<(), CatalogError> {
    let jobs = tracks.into_iter().map(|(organization_id, track_id)| {
        let job = Job::PublishManifest { organization_id, track_id };
        NewJob {
            // Not the unique key of urgent jobs, which would then wait as long as these.
            unique: Some(format!("publish_manifest_later {track_id}")),
            queue: JobQueue::Maintenance,
            ..NewJob::new(job, ambient.record_id(), ambient.now())
        }
    });
    tx.enqueue_all(jobs.collect()).await
}

/// Queues the manifests of tracks of which the store has a later one than the database knows. Until they are written,
/// nodes without a catalog deliver the files of a time that the database has lost.
pub(crate) async fn queue_overtaken(
    tx: &Transaction,
    ambient: &Ambient,
    stored: &[ObjectKey],
) -> Result<(), CatalogError> {
    let overtaken = tx.unknown_generations(stored).await?;
    let tracks = overtaken.into_iter().map(|(track, key)| (key.organization_id, track));
    queue_many(tx, ambient, tracks.collect::<BTreeSet<_>>()).await
}
