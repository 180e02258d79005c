//! What transcription needs of a sound: parts of it in the form that speech models take, and places to cut at.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tonearm_telemetry::Purpose;

use crate::error::MediaError;
use crate::limits::RunScope;
use crate::media::{Media, fresh_folder};
use crate::permits::Permits;
use crate::probe::Probe;
use crate::process::Invocation;
use crate::render::{Reading, Window};
use crate::{args, quiet, render};

impl Media {
    /// Encodes a part of the sound, from one second to another, for speech models: a small mono MP3 in a fresh folder
    /// inside `scratch`.
    pub async fn speech(
        &self,
        input: &Path,
        probe: &Probe,
        window: Window,
        scratch: &Path,
        scope: &RunScope,
    ) -> Result<PathBuf, MediaError> {
        let (permit, (input, size)) = (self.encoder_permit(scope).await?, self.open(input).await?);
        let mut result = Err(MediaError::no_sound());
        for &reading in render::readings(window, probe) {
            result =
                self.encode_speech(&permit, (&input, size), probe, window, reading, scratch, scope).await;
            if !matches!(result, Err(MediaError::NotAudio(_) | MediaError::Failed(_))) {
                break;
            }
        }
        result
    }

    /// Runs [`Media::speech`] with one way of reading.
    #[expect(clippy::too_many_arguments, reason = "each is another thing")]
    async fn encode_speech(
        &self,
        permit: &Arc<Permits>,
        (input, size): (&Path, u64),
        probe: &Probe,
        window: Window,
        reading: Reading,
        scratch: &Path,
        scope: &RunScope,
    ) -> Result<PathBuf, MediaError> {
        let seconds = window.1 - window.0;
        let folder = fresh_folder(scratch).await?;
        let path = folder.path().join("speech.mp3");
        let args = args::speech_args(input, &path, probe, window, reading);
        let invocation = Invocation {
            permits: Some(Arc::clone(permit)),
            input: Some(input.to_owned()),
            folder: Some(folder.path().to_owned()),
            purpose: Purpose::Speech,
            otherwise: "The audio could not be prepared for transcription.",
            ..self.ffmpeg(args, scope, probe.duration, size)
        };
        let written = invocation.run(&scope.cancel, move |out| render::follow(out, seconds, None)).await?;
        render::check_output(&path, written > 0).await?;
        let _ = folder.keep();
        Ok(path)
    }

    /// The middle of the quietest moment between two seconds of the sound, for cutting there; `None` if less than a
    /// pause of 0.3 s is decoded.
    pub async fn quiet_moment(
        &self,
        input: &Path,
        probe: &Probe,
        window: Window,
        scope: &RunScope,
    ) -> Result<Option<f64>, MediaError> {
        let permit = self.encoder_permit(scope).await?;
        let (input, size) = self.open(input).await?;
        let args = args::mono_args(&input, probe, window, quiet::RATE);
        let invocation = Invocation {
            permits: Some(permit),
            input: Some(input),
            purpose: Purpose::Speech,
            otherwise: "The audio could not be decoded.",
            ..self.ffmpeg(args, scope, probe.duration, size)
        };
        let found = invocation.run(&scope.cancel, quiet::listen).await?;
        Ok(found.map(|seconds| window.0 + seconds))
    }
}
