//! Levels of an hour of sound. References: ffmpeg decoding the same to nothing, and what the audiowaveform tool took.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Result, ensure};
use tonearm_domain::LevelsSettings;
use tonearm_fixtures::audio::{Signal, WavSpec, write_wav};
use tonearm_media::{Media, MediaConfig, RunScope};

use crate::plan::Plan;
use crate::report::{Goal, Row, Unit};

/// Milliseconds that audiowaveform took for an hour of WAV on a machine of two cores.
const AUDIOWAVEFORM_MS: f64 = 1000.0;

pub(super) async fn run(plan: &Plan) -> Result<Vec<Row>> {
    let folder = tempfile::tempdir()?;
    let (wav, mp3) = (folder.path().join("sound.wav"), folder.path().join("sound.mp3"));
    let seconds = plan.sound_seconds * 12.0;
    write_wav(
        &WavSpec { seconds, signal: Signal::Noise { seed: 1, amplitude: 0.3 }, ..WavSpec::default() },
        &wav,
    )?;
    ffmpeg(&wav, &["-b:a", "128k", "-y"], Some(&mp3))?;
    let media = Media::new(MediaConfig::find());
    let mut rows = Vec::new();
    for (name, input) in [("MP3", &mp3), ("WAV", &wav)] {
        let (mut own, mut reference) = (Vec::new(), Vec::new());
        for _ in 0..plan.rounds {
            own.push(levels(&media, input).await?);
            reference.push(ffmpeg(input, &["-f", "null"], None)?);
        }
        let figures = (crate::plan::median(own), crate::plan::median(reference));
        let is_hour = seconds >= 3600.0;
        let goal = match name {
            "MP3" => Some(Goal::AtMost(1.1)),
            // What was measured of an hour says nothing of less.
            _ => is_hour.then_some(Goal::Within(AUDIOWAVEFORM_MS)),
        };
        rows.push(Row {
            name: format!("levels of {seconds} s of {name}"),
            unit: Unit::Milliseconds,
            figures: (figures.0 * 1e3, figures.1 * 1e3),
            reference: "ffmpeg, decoding to nothing",
            goal,
        });
    }
    Ok(rows)
}

/// Seconds to probe and measure a sound.
async fn levels(media: &Media, input: &Path) -> Result<f64> {
    let begun = Instant::now();
    let scope = RunScope::default();
    let probe = media.probe(input, &scope).await?;
    media.analyse(input, &probe, &[LevelsSettings::default()], &scope, None).await?;
    Ok(begun.elapsed().as_secs_f64())
}

/// Seconds that ffmpeg takes.
fn ffmpeg(input: &Path, args: &[&str], output: Option<&Path>) -> Result<f64> {
    let begun = Instant::now();
    let ran = Command::new("ffmpeg")
        .args(["-nostdin", "-hide_banner", "-loglevel", "error", "-i"])
        .arg(input)
        .args(args)
        .arg(output.unwrap_or(Path::new("-")))
        .output()?;
    ensure!(ran.status.success(), "ffmpeg: {}", String::from_utf8_lossy(&ran.stderr));
    Ok(begun.elapsed().as_secs_f64())
}
