//! What a worker does now and then beside running jobs.

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tonearm_domain::Job;
use tonearm_service::Processing;

use crate::spell::Spell;
use crate::{WorkerConfig, lease};

/// How long given-up jobs can be looked at.
const GIVEN_UP_KEPT_SECONDS: i64 = 90 * 24 * 3600;

/// Sees to jobs that nobody claims by themselves, until `shutdown` is cancelled.
pub(crate) async fn keep_up(processing: Processing, config: WorkerConfig, shutdown: CancellationToken) {
    let catalog = processing.catalog();
    let lease_millis = lease::millis(config.lease);
    let mut releasing = Spell::of("look for jobs of dead workers");
    let mut probing = Spell::of("look for jobs that wait");
    let mut next_upkeep = Instant::now() + config.upkeep / 12;
    let mut next_probe = Instant::now() + config.probe;
    while !shutdown.is_cancelled() {
        let now = processing.ambient().now();
        releasing.note(
            async {
                catalog.sort_jobs().await?;
                catalog.release_dead(now, lease_millis).await
            }
            .await,
        );
        if Instant::now() >= next_probe {
            next_probe = Instant::now() + config.probe;
            probing.note(catalog.probe_outages(now).await);
        }
        if Instant::now() >= next_upkeep {
            next_upkeep += config.upkeep;
            queue_upkeep(&processing).await;
        }
        tokio::select! {
            () = tokio::time::sleep(config.poll) => {}
            () = shutdown.cancelled() => {}
        }
    }
}

/// One of each at a time is enough for all nodes.
async fn queue_upkeep(processing: &Processing) {
    let ambient = processing.ambient();
    let queued = async {
        let tx = processing.catalog().begin().await?;
        for job in [Job::SweepObjects {}, Job::ForgetExpired {}] {
            let kind = job.kind();
            tx.enqueue(job, ambient.record_id(), ambient.now(), Some(kind)).await?;
        }
        tx.delete_given_up_jobs(ambient.now().plus_seconds(-GIVEN_UP_KEPT_SECONDS)).await?;
        tx.commit().await
    };
    if let Err(error) = queued.await {
        tracing::warn!(%error, "could not queue the upkeep");
    }
}
