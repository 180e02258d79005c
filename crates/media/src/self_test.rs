//! Checks that the tools still work, with a sound that is known to be good.

use std::path::Path;

use tonearm_domain::{Outage, RecipeKind, Transcode};

use crate::error::MediaError;
use crate::limits::RunScope;
use crate::media::Media;
use crate::render::Output;
use crate::{args, probe};

/// Samples per second of the known sound.
const RATE: u32 = 8000;
/// How many samples it has: half a second.
const SAMPLES: u32 = RATE / 2;

impl Media {
    /// Probes and encodes a short sound that is known to be good, in a folder of its own inside `scratch`.
    ///
    /// Called before a file is blamed for a failure. Returns [`MediaError::Outage`] if the tools fail on this sound as
    /// well.
    pub async fn self_test(&self, scratch: &Path, scope: &RunScope) -> Result<(), MediaError> {
        match self.try_known_sound(scratch, scope).await {
            Err(MediaError::NotAudio(_) | MediaError::Failed(_) | MediaError::LimitHit(_)) => {
                let sentence = "ffmpeg does not work: it fails on a file that is known to be good.";
                Err(MediaError::Outage(Outage::Tools, sentence.to_owned()))
            }
            other => other,
        }
    }

    async fn try_known_sound(&self, scratch: &Path, scope: &RunScope) -> Result<(), MediaError> {
        let folder = tempfile::Builder::new().prefix("self-test-").tempdir_in(scratch)?;
        let input = std::path::absolute(folder.path().join("known.wav"))?;
        tokio::fs::write(&input, known_wav()).await?;
        // Uses ffprobe itself, because plain WAV files are otherwise probed without it.
        let invocation = self.probing(input.clone(), args::probe_args(&input, None), scope);
        let probe = probe::Probe::from_json(&invocation.run(&scope.cancel, probe::read_answer).await?)?;
        let kind = RecipeKind::Transcode(Transcode::default());
        let seconds = f64::from(SAMPLES) / f64::from(RATE);
        let output = Output::of(&kind, seconds)?;
        self.render(&input, &probe, seconds, output, folder.path(), scope, None).await?;
        Ok(())
    }
}

/// A triangle wave of 500 Hz: mono, 16 bits a sample, as RIFF WAVE.
fn known_wav() -> Vec<u8> {
    let data_len = SAMPLES * 2;
    let mut wav = Vec::with_capacity(44 + data_len as usize);
    wav.extend_from_slice(b"RIFF");
    wav.extend_from_slice(&(36 + data_len).to_le_bytes());
    wav.extend_from_slice(b"WAVEfmt ");
    wav.extend_from_slice(&16_u32.to_le_bytes());
    wav.extend_from_slice(&1_u16.to_le_bytes());
    wav.extend_from_slice(&1_u16.to_le_bytes());
    wav.extend_from_slice(&RATE.to_le_bytes());
    wav.extend_from_slice(&(RATE * 2).to_le_bytes());
    wav.extend_from_slice(&2_u16.to_le_bytes());
    wav.extend_from_slice(&16_u16.to_le_bytes());
    wav.extend_from_slice(b"data");
    wav.extend_from_slice(&data_len.to_le_bytes());
    for sample in 0..SAMPLES {
        let phase = i16::try_from(sample % 16).unwrap_or_default();
        let height = if phase < 8 { phase - 4 } else { 12 - phase };
        wav.extend_from_slice(&(height * 4000).to_le_bytes());
    }
    wav
}
