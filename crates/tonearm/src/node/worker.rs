//! The worker of a node with the role `worker`.

use tokio::sync::watch;
use tonearm_media::Media;
use tonearm_service::{Processing, RunCounter};
use tonearm_worker::{Sender, Worker};

use super::Node;
use super::foundation::Foundation;
use crate::opening;
use crate::services::Services;
use crate::start_error::StartError;

/// Age in seconds after which temporary files of the store belong to processes that have ended.
const ABANDONED_AFTER_SECONDS: i64 = 3600;

/// A worker that claims no job before the check of ffmpeg has passed.
pub(super) struct PendingWorker {
    media: Media,
    worker: Worker,
    media_works: watch::Sender<bool>,
}

impl Node {
    /// Builds the worker, and starts the sender of webhooks. `media_works` is set once ffmpeg is known to work.
    pub(super) async fn prepare_worker(
        &mut self,
        foundation: &Foundation<'_>,
        services: &Services,
        runs: RunCounter,
        media_works: watch::Sender<bool>,
    ) -> Result<(), StartError> {
        let Foundation { config, ambient, blobs, .. } = foundation;
        blobs
            .remove_temporaries(ambient.now().plus_seconds(-ABANDONED_AFTER_SECONDS))
            .await
            .map_err(|source| StartError::Store { url: config.storage_url.to_string(), source })?;
        let scratch = opening::scratch(config, ambient)?;
        let path = scratch.path().to_owned();
        self.scratch = Some(scratch);
        let (catalog, media) = (services.catalog.clone(), opening::media(config));
        let processing =
            Processing::new(catalog.clone(), blobs.clone(), media.clone(), ambient.clone(), path)
                .with_transcriptions(services.transcriptions.clone())
                .with_imports(services.imports.clone(), services.uploads(config, ambient, blobs))
                .with_purged_titles(config.purged_titles)
                .with_retention(config.retention)
                .with_longest_hours(config.max_duration_hours)
                .counting_runs(runs);
        let worker = Worker::new(processing, config.worker);
        self.pending_worker = Some(PendingWorker { media, worker, media_works });
        let stop = self.shutdown.clone();
        self.tasks.push(tokio::spawn(async move {
            stop.run_until_cancelled(catalog.listen()).await;
        }));
        let sender = Sender::new(services.webhooks.clone(), config.sender);
        self.tasks.push(tokio::spawn(sender.work(self.shutdown.clone())));
        Ok(())
    }

    /// The second part of a start: checks ffmpeg and begins to run jobs. Requests are answered meanwhile.
    pub(crate) async fn start_worker(&mut self) -> Result<(), StartError> {
        if let Some(pending) = &self.pending_worker {
            pending.media.check().await?;
        }
        if let Some(pending) = self.pending_worker.take() {
            pending.media_works.send_replace(true);
            self.tasks.push(tokio::spawn(pending.worker.work(self.shutdown.clone())));
        }
        Ok(())
    }
}
