//! What the making of one track's files works with.

use std::path::Path;

use tonearm_domain::{Source, Track};
use tonearm_media::{LimitTier, Probe, RunScope};

use super::board::Board;
use super::local_source::LocalSource;
use super::stop::Stop;
use super::{JobError, JobRun, Processing};

/// What the making of one track's files works with.
pub(super) struct Workbench<'a> {
    /// The run whose lease covers everything that is recorded.
    pub(super) run: &'a JobRun,
    pub(super) track: Track,
    pub(super) local: LocalSource,
    /// What the headers claim.
    pub(super) probe: Probe,
    pub(super) scope: RunScope,
    pub(super) board: Board,
    /// Whether files are played as soon as they are there.
    pub(super) is_early: bool,
}

impl Workbench<'_> {
    /// The source as a local file.
    pub(super) fn input(&self) -> &Path {
        &self.local.path
    }

    /// A folder for files in the making, removed with the workbench.
    pub(super) fn scratch(&self) -> &Path {
        self.local.scratch.path()
    }

    /// The same, with larger limits.
    pub(super) fn larger_scope(&self) -> RunScope {
        RunScope { tier: LimitTier::Fallback, ..self.scope.clone() }
    }
}

impl Processing {
    /// Fetches the source, where it is not a local file anyway, and looks into it.
    pub(super) async fn open_workbench<'a>(
        &self,
        run: &'a JobRun,
        track: Track,
        source: &Source,
        scope: RunScope,
        board: Board,
    ) -> Result<Workbench<'a>, Stop> {
        let local = self.local_source(source, "track-").await?;
        let mut probe = match self.media.probe(&local.path, &scope).await.map_err(Stop::from) {
            Ok(probe) => probe,
            Err(Stop::Job(error)) => return Err(error.into()),
            Err(stop) => {
                self.confirm_blame(&local, &scope).await?;
                return Err(stop);
            }
        };
        probe.info.size = Some(source.size);
        let organization = self.catalog.organization(track.organization_id).await?;
        let is_early = organization.is_some_and(|organization| organization.is_early_sound);
        Ok(Workbench { run, track, local, probe, scope, board, is_early })
    }

    /// Asked before a failure becomes a verdict on the file: see [`Processing::confirm_blame`].
    pub(super) async fn may_blame(&self, bench: &Workbench<'_>) -> Result<(), JobError> {
        self.confirm_blame(&bench.local, &bench.scope).await
    }
}
