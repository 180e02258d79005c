//! The context in which the files of one track are made.

use std::path::Path;

use tonearm_domain::{Source, Track};
use tonearm_media::{Probe, TagOverrides};

use super::file_progress::FileProgress;
use super::limits::Limits;
use super::local_source::LocalSource;
use super::stop::Stop;
use crate::processing::job_error::JobError;
use crate::processing::runner::{JobRun, Processing};

/// The context in which the files of one track are made.
pub(super) struct RunContext<'a> {
    /// The run whose lease covers everything that is recorded.
    pub(super) run: &'a JobRun,
    pub(super) track: Track,
    pub(super) local: LocalSource,
    /// What the headers claim.
    pub(super) probe: Probe,
    /// The limits for processes that start from now on.
    pub(super) limits: Limits,
    pub(super) board: FileProgress,
    /// Whether files are played as soon as they are ready.
    pub(super) is_early: bool,
    /// Whether nothing is recorded before everything is made.
    pub(super) is_staged: bool,
}

impl RunContext<'_> {
    /// The same context, with nothing recorded before everything is made.
    pub(super) fn staged(self) -> Self {
        Self { is_staged: true, ..self }
    }

    /// The source as a local file.
    pub(super) fn input(&self) -> &Path {
        &self.local.path
    }

    /// A folder for temporary files, removed with this value.
    pub(super) fn scratch(&self) -> &Path {
        self.local.scratch.path()
    }

    /// The title and artist that files with tags contain instead of the source's.
    pub(super) fn words(&self) -> TagOverrides<'_> {
        TagOverrides {
            title: self.track.player_title.as_deref(),
            artist: self.track.player_subtitle.as_deref(),
        }
    }
}

impl Processing {
    /// Fetches the source, unless it already is a local file, and probes it.
    pub(super) async fn open_run_context<'a>(
        &self,
        run: &'a JobRun,
        track: Track,
        source: &Source,
        limits: Limits,
        board: FileProgress,
    ) -> Result<RunContext<'a>, Stop> {
        let local = self.local_source(source, "track-").await?;
        let probe = |scope| {
            let path = &local.path;
            async move { self.media.probe(path, &scope).await }
        };
        let mut probe = match self.within(&limits, run, &track, probe).await {
            Ok(probe) => probe,
            Err(Stop::Job(error)) => return Err(error.into()),
            Err(stop) => {
                self.confirm_blame(&local, &limits.scope()).await?;
                return Err(stop);
            }
        };
        self.require_duration(probe.declared_seconds())?;
        probe.info.size = Some(source.size);
        let organization = self.catalog.organization(track.organization_id).await?;
        let is_early = organization.is_some_and(|organization| organization.is_early_sound);
        Ok(RunContext { run, track, local, probe, limits, board, is_early, is_staged: false })
    }

    /// Checks whether a failure may be blamed on the file: see [`Processing::confirm_blame`].
    pub(super) async fn may_blame(&self, context: &RunContext<'_>) -> Result<(), JobError> {
        self.confirm_blame(&context.local, &context.limits.scope()).await
    }
}
