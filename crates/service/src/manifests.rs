//! Having nodes without a catalog told what the durable names of tracks stand for.

use tonearm_catalog::{CatalogError, Transaction};
use tonearm_domain::{Ambient, Job, Track};

/// Has the manifest of a track written once the files that this transaction records are committed. The caller has locked
/// the track: a job that was claimed before waits for that lock, so it knows of these files too, or there is another.
pub(crate) async fn queue(tx: &Transaction, ambient: &Ambient, track: &Track) -> Result<(), CatalogError> {
    let job = Job::PublishManifest { organization_id: track.organization_id, track_id: track.id };
    let unique = format!("publish_manifest {}", track.id);
    tx.enqueue(job, ambient.record_id(), ambient.now(), Some(&unique)).await
}
