//! What the making of one track's files works with.

use std::path::{Path, PathBuf};

use tonearm_domain::{Source, Track};
use tonearm_media::{LimitTier, MediaError, Probe, RunScope};

use super::board::Board;
use super::{JobError, Processing};

/// What the making of one track's files works with.
pub(super) struct Workbench {
    pub(super) track: Track,
    pub(super) source: Source,
    /// The source as a local file.
    pub(super) input: PathBuf,
    /// A folder for files in the making, removed with it.
    pub(super) scratch: tempfile::TempDir,
    /// What the headers claim.
    pub(super) probe: Probe,
    pub(super) scope: RunScope,
    pub(super) board: Board,
    /// Whether files are played as soon as they are there.
    pub(super) is_early: bool,
}

/// Why the making of a track's files ended early.
pub(super) enum Stop {
    /// The source as a whole is at fault, or the media tools are.
    Source(MediaError),
    /// The run is.
    Job(JobError),
}

impl<E: Into<JobError>> From<E> for Stop {
    fn from(error: E) -> Self {
        Self::Job(error.into())
    }
}

impl Workbench {
    /// The same, with larger limits.
    pub(super) fn larger_scope(&self) -> RunScope {
        RunScope { cancel: self.scope.cancel.clone(), tier: LimitTier::Fallback }
    }
}

impl Processing {
    /// Fetches the source, where it is not a local file anyway, and looks into it. [`MediaError::NotAudio`] where it
    /// is gone.
    pub(super) async fn open_workbench(
        &self,
        track: Track,
        source: Source,
        scope: RunScope,
        board: Board,
    ) -> Result<Workbench, Stop> {
        let scratch = tempfile::Builder::new().prefix("track-").tempdir_in(&self.scratch)?;
        let Some(input) = self.local_source(&source, scratch.path()).await? else {
            let reason = "the uploaded file is no longer in the store".to_owned();
            return Err(Stop::Source(MediaError::NotAudio(reason)));
        };
        let mut probe = self.media.probe(&input, &scope).await.map_err(Stop::Source)?;
        probe.info.size = Some(source.size);
        let organization = self.catalog.organization(track.organization_id).await?;
        let is_early = organization.is_some_and(|organization| organization.is_early_sound);
        Ok(Workbench { track, source, input, scratch, probe, scope, board, is_early })
    }

    /// The source as a local file: in place where the store is a folder, else fetched. None where it is gone.
    pub(super) async fn local_source(
        &self,
        source: &Source,
        scratch: &Path,
    ) -> Result<Option<PathBuf>, JobError> {
        if let Some(path) = self.blobs.local_path(&source.key) {
            return Ok(tokio::fs::try_exists(&path).await?.then_some(path));
        }
        let path = scratch.join("source");
        Ok(self.blobs.fetch_to(&source.key, &path).await?.then_some(path))
    }
}
