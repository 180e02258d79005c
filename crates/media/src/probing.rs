//! Finds out what a file holds.

use std::path::Path;

use crate::entry::Entry;
use crate::error::MediaError;
use crate::glance::{self, HeaderScan};
use crate::limits::RunScope;
use crate::media::Media;
use crate::probe::{self, Probe};
use crate::process::Invocation;
use crate::{args, wav_header};

impl Media {
    /// What a file holds. Returns [`MediaError::NotAudio`] if it holds no sound that can be decoded.
    ///
    /// This is quick, and does not wait for a permit of the encoders.
    pub async fn probe(&self, input: &Path, scope: &RunScope) -> Result<Probe, MediaError> {
        let (input, size) = self.open(input).await?;
        if scope.cancel.is_cancelled() {
            return Err(MediaError::Cancelled);
        }
        if let Some(probe) = wav_header::read(&input, size).await? {
            return Ok(probe);
        }
        let glance = HeaderScan::at(&input, size).await?;
        let answer = match self.run_ffprobe(&input, size, glance.entry, scope).await {
            Ok(probe) if glance.entry.is_some() || glance.is_beginning || !probe.is_bare() => {
                return Ok(probe.with(glance, glance.entry));
            }
            answer @ (Ok(_) | Err(MediaError::NotAudio(_) | MediaError::Failed(_))) => answer,
            Err(error) => return Err(error),
        };
        // The file begins with something other than sound.
        match glance::search(&input).await? {
            Some(entry) => {
                let found = self.run_ffprobe(&input, size, Some(entry), scope).await;
                Ok(found?.with(glance, Some(entry)))
            }
            None => answer.map(|probe| probe.with(glance, None)),
        }
    }

    async fn run_ffprobe(
        &self,
        input: &Path,
        size: u64,
        entry: Option<Entry>,
        scope: &RunScope,
    ) -> Result<Probe, MediaError> {
        let permits = self.memory_permit(scope).await?;
        let invocation = Invocation {
            permits: Some(permits),
            limits: self.config().limits.of(scope.tier, 0.0, size),
            ..self.probing(input.to_owned(), args::probe_args(input, entry), scope)
        };
        Probe::from_json(&invocation.run(&scope.cancel, probe::read_answer).await?)
    }
}
