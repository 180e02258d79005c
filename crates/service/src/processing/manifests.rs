//! Having nodes without a catalog told what the durable names of tracks stand for.

use tonearm_catalog::{CatalogError, NewJob, Transaction};
use tonearm_domain::{Ambient, Job, JobQueue, OrganizationId, Track, TrackId};

/// Has the manifest of a track written once the files that this transaction records are committed. The caller has locked
/// the track: a job that was claimed before waits for that lock, so it knows of these files too, or there is another.
pub(crate) async fn queue(tx: &Transaction, ambient: &Ambient, track: &Track) -> Result<(), CatalogError> {
    let job = Job::PublishManifest { organization_id: track.organization_id, track_id: track.id };
    let unique = format!("publish_manifest {}", track.id);
    tx.enqueue(job, ambient.record_id(), ambient.now(), Some(&unique)).await
}

/// Has the manifests of many tracks written, after everything that is more urgent. What they leave out must not be read
/// by anybody any more: a job that was queued before may do it, without knowing of this transaction.
pub(crate) async fn queue_many(
    tx: &Transaction,
    ambient: &Ambient,
    organization_id: OrganizationId,
    tracks: &[TrackId],
) -> Result<(), CatalogError> {
    let jobs = tracks.iter().map(|&track_id| {
        let job = Job::PublishManifest { organization_id, track_id };
        NewJob {
            // Not the key of the urgent ones, which would then wait as long as these.
            unique: Some(format!("publish_manifest_later {track_id}")),
            queue: JobQueue::Maintenance,
            ..NewJob::new(job, ambient.record_id(), ambient.now())
        }
    });
    tx.enqueue_all(jobs.collect()).await
}
