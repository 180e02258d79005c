//! Levels, loudness and true peak of an hour of sound. References: ffmpeg decoding the same file without output and, if
//! it is installed, audiowaveform, which measures levels only.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Result, ensure};
use tonearm_domain::LevelsSettings;
use tonearm_fixtures::audio::{Signal, WavSpec, transcode, write_wav};
use tonearm_media::{Media, MediaConfig, RunScope};

use crate::plan::{Plan, Sides};
use crate::report::{Goal, Row, Unit};

/// The source files by extension, with the arguments for ffmpeg to create them.
const ENCODED: [(&str, &str); 4] = [
    ("mp3", "-b:a 128k"),
    ("m4a", "-c:a aac -b:a 128k"),
    ("opus", "-c:a libopus -b:a 96k"),
    ("flac", "-c:a flac"),
];

pub(super) async fn run(plan: &Plan) -> Result<Vec<Row>> {
    let folder = tempfile::tempdir()?;
    let wav = folder.path().join("sound.wav");
    let seconds = plan.sound_seconds * 12.0;
    write_wav(
        &WavSpec { seconds, signal: Signal::Noise { seed: 1, amplitude: 0.3 }, ..WavSpec::default() },
        &wav,
    )?;
    let media = Media::new(MediaConfig::find());
    let mut rows = Vec::new();
    for (extension, how) in ENCODED {
        let input = wav.with_extension(extension);
        transcode(&wav, &input, &how.split(' ').collect::<Vec<_>>()).await;
        let goal = (extension == "mp3").then_some(Goal::AtMost(1.08));
        rows.push(compare(plan, &media, &input, DECODING, goal).await?);
    }
    rows.push(compare(plan, &media, &wav, DECODING, None).await?);
    if Command::new(AUDIOWAVEFORM.program).arg("--version").output().is_ok() {
        rows.push(compare(plan, &media, &wav, AUDIOWAVEFORM, Some(Goal::AtMost(1.0))).await?);
    }
    Ok(rows)
}

/// A program to compare with.
#[derive(Clone, Copy)]
struct Reference {
    name: &'static str,
    program: &'static str,
    /// The arguments before and after the input.
    around: [&'static str; 2],
}

const DECODING: Reference = Reference {
    name: "ffmpeg, decoding to nothing",
    program: "ffmpeg",
    around: ["-nostdin -hide_banner -loglevel error -i", "-f null -"],
};

const AUDIOWAVEFORM: Reference = Reference {
    name: "audiowaveform, levels only",
    program: "audiowaveform",
    around: ["-q -i", "-o /dev/null --output-format dat -z 256 -b 8"],
};

/// Measures a sound with both programs alternately.
async fn compare(
    plan: &Plan,
    media: &Media,
    input: &Path,
    reference: Reference,
    goal: Option<Goal>,
) -> Result<Row> {
    let mut sides = Sides { tonearm: Vec::new(), reference: Vec::new() };
    for _ in 0..plan.rounds {
        sides.tonearm.push(levels(media, input).await?);
        let [before, behind] = reference.around.map(|words| words.split(' '));
        let mut command = Command::new(reference.program);
        sides.reference.push(run_to_end(command.args(before).arg(input).args(behind))?);
    }
    let name = input.extension().unwrap_or_default().to_string_lossy().to_uppercase();
    Ok(Row {
        name: format!("levels of {} s of {name}", plan.sound_seconds * 12.0),
        unit: Unit::Milliseconds,
        figures: sides.medians(|seconds| seconds * 1e3),
        reference: reference.name,
        goal,
    })
}

/// Seconds it takes to probe and measure a sound.
async fn levels(media: &Media, input: &Path) -> Result<f64> {
    let begun = Instant::now();
    let scope = RunScope::default();
    let probe = media.probe(input, &scope).await?;
    media.analyse(input, &probe, &[LevelsSettings::default()], &scope, None).await?;
    Ok(begun.elapsed().as_secs_f64())
}

/// Seconds it takes to run a program.
fn run_to_end(command: &mut Command) -> Result<f64> {
    let begun = Instant::now();
    let ran = command.output()?;
    ensure!(ran.status.success(), "{command:?}: {}", String::from_utf8_lossy(&ran.stderr));
    Ok(begun.elapsed().as_secs_f64())
}
