//! Fetching a track's source from the URL from which it is imported.

use std::time::Duration;

use tonearm_catalog::CatalogError;
use tonearm_domain::{Import, OrganizationId, Track, TrackId, TrackStatus};
use tonearm_outbound::FetchError;
use tonearm_telemetry::Outcome;
use tracing::Instrument;

use super::importing::{Arriving, Importing};
use super::job_error::{JobError, ThirdPartyFailure};
use super::runner::{JobRun, Processing};
use crate::admission::quotas;
use crate::imports::{self, ImportError};
use crate::uploads::Arrived;

/// How often progress is reported, and how late a cancellation by another node is noticed.
const PERIOD: Duration = Duration::from_secs(1);

/// Why an import fails whose requester has lost the right to it.
const ENDED: &str =
    "the API key, the upload session or the person that requested it has no right to it any more";

/// The result of recording a file, if nothing failed.
enum Recorded {
    Done,
    NotWanted,
    /// It would exceed the quota named here.
    OverQuota(String),
    LeaseLost,
}

impl Processing {
    /// Fetches the file, stores it as it arrives, and records it in the same way as an upload. A run that is taken over
    /// starts from the beginning.
    pub(super) async fn import_source(
        &self,
        run: &JobRun,
        organization_id: OrganizationId,
        track_id: TrackId,
    ) -> Result<(), JobError> {
        let track = self.catalog.track(organization_id, track_id).await?;
        let import = self.catalog.import(track_id).await?;
        // The track was deleted or uploaded, or the import was cancelled. If a deleted track is restored, the import is
        // queued again.
        let (Some(track), Some(import)) = (track, import) else { return self.finish(&run.claimed).await };
        if import.has_ended() {
            return self.fail_import(run, organization_id, track_id, ENDED).await;
        }
        let importing =
            self.importing.as_ref().ok_or_else(|| JobError::internal("imports are not set up"))?;
        let arriving = Arriving::of(&import);
        // If it is dropped, it leaves nothing in the store.
        let fetching = importing.fetch_and_store(&self.catalog, &track, &import, &arriving);
        let arrived = tokio::select! {
            biased;
            arrived = fetching.instrument(tracing::info_span!("import")) => arrived,
            () = run.cancel.cancelled() => return Err(JobError::Cancelled),
            () = self.report_until_called_off(track_id, &arriving) => {
                return self.end_unwanted(run, organization_id, track_id).await;
            }
        };
        tonearm_telemetry::imported(match &arrived {
            Ok(_) => Outcome::Success,
            Err(ImportError::Fetch(FetchError::Final(_))) => Outcome::Failure,
            Err(_) => Outcome::Retry,
        });
        match arrived {
            Ok(arrived) => self.record_import(run, importing, &track, arrived).await,
            Err(ImportError::Catalog(error)) => Err(error.into()),
            Err(ImportError::Store(error)) => Err(error.into()),
            Err(ImportError::Own(refusal)) => Err(refusal.into()),
            Err(ImportError::Fetch(FetchError::Final(reason))) => {
                tracing::info!(%track_id, reason, "an import failed");
                self.fail_import(run, organization_id, track_id, &reason).await
            }
            Err(ImportError::Fetch(FetchError::Later(reason, wait))) => {
                self.retry_import(run, &import, &arriving, ThirdPartyFailure { reason, wait }).await
            }
            Err(ImportError::Fetch(FetchError::StartOver(reason))) => {
                self.retry_import(run, &import, &arriving, ThirdPartyFailure { reason, wait: None }).await
            }
        }
    }

    /// Reports how much has arrived. Returns once the track is deleted, has received a source in another way, or is no
    /// longer to be imported: at once if that happens in this process, else within a second.
    async fn report_until_called_off(&self, track_id: TrackId, arriving: &Arriving) {
        let watching = self.watched.watch(track_id);
        let mut beat = tokio::time::interval_at(tokio::time::Instant::now() + PERIOD, PERIOD);
        let mut reported = None;
        loop {
            tokio::select! {
                () = watching.changed.notified() => {}
                _ = beat.tick() => {}
            }
            let (received, size) = arriving.now();
            if reported.replace((received, size)) != Some((received, size))
                && let Err(error) =
                    self.catalog.note_import_progress(track_id, received, size, arriving.spent()).await
            {
                tracing::debug!(%track_id, %error, "could not publish the progress of an import");
            }
            match self.catalog.import_is_wanted(track_id).await {
                Ok(true) => {}
                Ok(false) => return,
                Err(error) => {
                    tracing::debug!(%track_id, %error, "could not check whether an import is wanted")
                }
            }
        }
    }

    async fn record_import(
        &self,
        run: &JobRun,
        importing: &Importing,
        track: &Track,
        arrived: Arrived,
    ) -> Result<(), JobError> {
        let recorded = self.try_to_record(run, importing, track, &arrived).await;
        // A row may name the object. If none does, the sweep removes it.
        if !matches!(recorded, Ok(Recorded::Done) | Err(CatalogError::UnknownOutcome(_))) {
            importing.uploads.remove_unrecorded(vec![arrived.key]).await;
        }
        match recorded? {
            Recorded::Done => Ok(()),
            Recorded::NotWanted => self.end_unwanted(run, track.organization_id, track.id).await,
            Recorded::OverQuota(reason) => {
                self.fail_import(run, track.organization_id, track.id, &reason).await
            }
            Recorded::LeaseLost => Err(JobError::LeaseLost),
        }
    }

    async fn try_to_record(
        &self,
        run: &JobRun,
        importing: &Importing,
        track: &Track,
        arrived: &Arrived,
    ) -> Result<Recorded, CatalogError> {
        let tx = self.catalog.begin().await?;
        let (size, counted) = (arrived.stored.size, arrived.claim.claimed());
        if let Some(exceeded) = quotas::exceeded_by(&tx, track.organization_id, size, counted).await? {
            return Ok(Recorded::OverQuota(exceeded.to_string()));
        }
        if !tx.check_lease(&run.claimed).await? {
            return Ok(Recorded::LeaseLost);
        }
        let Some(track) = tx.track(track.organization_id, track.id).await? else {
            return Ok(Recorded::NotWanted);
        };
        if !importing.uploads.record_fetched(&tx, track, arrived).await? {
            return Ok(Recorded::NotWanted);
        }
        if !tx.finish_job(&run.claimed).await? {
            return Ok(Recorded::LeaseLost);
        }
        tx.commit().await?;
        Ok(Recorded::Done)
    }

    /// Ends the job of an import that is not wanted any more. The track learns of it if the right to it has ended.
    async fn end_unwanted(
        &self,
        run: &JobRun,
        organization_id: OrganizationId,
        track_id: TrackId,
    ) -> Result<(), JobError> {
        match self.catalog.import(track_id).await? {
            Some(import) if import.has_ended() => {
                self.fail_import(run, organization_id, track_id, ENDED).await
            }
            _ => self.finish(&run.claimed).await,
        }
    }

    /// Ends an import that would fail again on a retry.
    async fn fail_import(
        &self,
        run: &JobRun,
        organization_id: OrganizationId,
        track_id: TrackId,
        reason: &str,
    ) -> Result<(), JobError> {
        let tx = self.begin_batch(run).await?;
        imports::fail(&tx, &self.ambient, organization_id, track_id, reason).await?;
        super::runner::finish(&run.claimed, tx).await
    }

    /// Records on the track why an import is retried.
    async fn retry_import(
        &self,
        run: &JobRun,
        import: &Import,
        arriving: &Arriving,
        failure: ThirdPartyFailure,
    ) -> Result<(), JobError> {
        let tx = self.begin_batch(run).await?;
        if let Some(mut track) = tx.track(import.organization_id, import.track_id).await?
            && track.status == TrackStatus::Initialized
        {
            let host = &import.host;
            track.status_reason = Some(format!("the import from {host} will be tried again: {failure}"));
            tx.update_track(&track).await?;
        }
        tx.commit().await?;
        self.catalog.note_import_progress(import.track_id, 0, None, arriving.spent()).await?;
        Err(failure.into())
    }
}
