//! The periodic tasks of a worker besides running jobs.

use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tonearm_catalog::CatalogError;
use tonearm_domain::{Job, ScheduledTask};
use tonearm_service::Processing;

use crate::config::WorkerConfig;
use crate::failure_streak::FailureStreak;
use crate::lease;

/// Does what running jobs alone does not, until `shutdown` is cancelled: assigns queues, releases expired leases,
/// probes outages and queues maintenance jobs.
pub(crate) async fn keep_up(processing: Processing, config: WorkerConfig, shutdown: CancellationToken) {
    let catalog = processing.catalog();
    let lease_millis = lease::millis(config.lease);
    let mut releasing = FailureStreak::of("releasing the jobs of dead workers");
    let mut probing = FailureStreak::of("probing waiting jobs");
    let mut queueing = FailureStreak::of("queueing maintenance jobs");
    let mut next_probe = Instant::now() + config.probe;
    while !shutdown.is_cancelled() {
        let now = processing.ambient().now();
        let released = releasing.note(
            async {
                catalog.assign_queues().await?;
                catalog.release_expired_leases(now, lease_millis).await
            }
            .await,
        );
        if Instant::now() >= next_probe {
            next_probe = Instant::now() + config.probe;
            probing.note(catalog.probe_outages(now).await);
            queueing.note(queue_upkeep(&processing).await);
        }
        let pause = match released {
            Some(_) => pause(&processing, config).await,
            None => config.poll,
        };
        let pause = pause.min(next_probe.saturating_duration_since(Instant::now()));
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            () = shutdown.cancelled() => {}
        }
    }
}

/// How long to sleep until leases are checked again: until the first one ends. A lease that is taken in the meantime
/// lasts longer than that.
async fn pause(processing: &Processing, config: WorkerConfig) -> Duration {
    let (catalog, ambient) = (processing.catalog(), processing.ambient());
    let next_end = || catalog.next_lease_end(ambient.now());
    config.rhythm().pause(catalog, ambient, next_end).await.min(config.lease.max(config.poll))
}

/// Queues the maintenance jobs that are due. One of each at a time is enough for all nodes.
async fn queue_upkeep(processing: &Processing) -> Result<(), CatalogError> {
    let (catalog, ambient) = (processing.catalog(), processing.ambient());
    for (task, job) in [
        (ScheduledTask::SweepObjects, Job::SweepObjects {}),
        (ScheduledTask::ForgetExpired, Job::ForgetExpired {}),
    ] {
        let now = ambient.now();
        if !catalog.is_task_due(task, now).await? {
            continue;
        }
        let tx = catalog.begin().await?;
        if tx.take_task(task, now).await? {
            let kind = job.kind();
            tx.enqueue(job, ambient.record_id(), now, Some(kind)).await?;
        }
        tx.commit().await?;
    }
    Ok(())
}
