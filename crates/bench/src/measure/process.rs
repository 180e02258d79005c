//! From the end of an upload to a track that plays. Reference: ffmpeg, run by hand for the same variants.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use tonearm_fixtures::audio::{Signal, WavSpec, wav};

use crate::http;
use crate::plan::{Plan, Sides, median};
use crate::report::{Goal, Row, Unit};
use crate::stage::Stage;

/// What ffmpeg is told between the input and the output to make what a new organization's variants hold: hq, lq,
/// preview, and the samples that levels are taken from.
const ENCODERS: [&str; 4] = [
    "-c:a libmp3lame -b:a 256k -f mp3",
    "-c:a libmp3lame -b:a 96k -f mp3",
    "-t 30 -c:a libmp3lame -b:a 128k -f mp3",
    "-c:a pcm_f32le -f f32le",
];

/// Seconds of the short sound.
const VOICE_NOTE: f64 = 3.0;

/// Seconds that processing took.
struct Compared {
    /// On the clock, of both sides.
    wall: Sides<f64>,
    /// Of the cores' time, of ffmpeg run by hand.
    cpu: Vec<f64>,
}

pub(super) async fn run(plan: &Plan) -> Result<Vec<Row>> {
    let stage = Stage::open().await?;
    let song = compare(&stage, plan, &sound(plan.sound_seconds), &ENCODERS).await?;
    let note = compare(&stage, plan, &sound(VOICE_NOTE), &ENCODERS[..1]).await?;
    let cores = std::thread::available_parallelism()?.get() as f64;
    let milliseconds = |seconds: (f64, f64)| (seconds.0 * 1e3, seconds.1 * 1e3);
    let row = |name: String, figures, reference, goal| Row {
        name,
        unit: Unit::Milliseconds,
        figures: milliseconds(figures),
        reference,
        goal,
    };
    let (tonearm, one_core) = song.wall.medians(|wall| *wall);
    let all_cores = median(song.cpu) / cores;
    let length = plan.sound_seconds;
    Ok(vec![
        row(
            format!("process, {length} s of sound, to all cores"),
            (tonearm, all_cores),
            "CPU time of ffmpeg over all cores",
            Some(Goal::AtMost(1.15)),
        ),
        row(
            format!("process, {length} s of sound, to one core"),
            (tonearm, one_core),
            "ffmpeg, one variant after another",
            Some(Goal::AtMost(1.0 / 1.7)),
        ),
        row(
            format!("process, {VOICE_NOTE} s of sound"),
            note.wall.medians(|wall| *wall),
            "one run of ffmpeg",
            Some(Goal::AtMost(2.0)),
        ),
    ])
}

fn sound(seconds: f64) -> Vec<u8> {
    wav(&WavSpec { seconds, signal: Signal::Noise { seed: 1, amplitude: 0.3 }, ..WavSpec::default() })
}

/// Processes the same sound both ways in turns.
async fn compare(stage: &Stage, plan: &Plan, sound: &[u8], encoders: &[&str]) -> Result<Compared> {
    let input = stage.folder().join("sound.wav");
    std::fs::write(&input, sound)?;
    let mut wall = Sides { tonearm: Vec::new(), reference: Vec::new() };
    let mut cpu = Vec::new();
    for _ in 0..plan.rounds {
        wall.tonearm.push(process(stage, sound).await?);
        let begun = Instant::now();
        cpu.push(encode(&input, &stage.folder().join("encoded"), encoders)?);
        wall.reference.push(begun.elapsed().as_secs_f64());
    }
    Ok(Compared { wall, cpu })
}

/// Seconds from the end of the upload to `ready`.
async fn process(stage: &Stage, sound: &[u8]) -> Result<f64> {
    let (track_id, url) = stage.create_track("sound.wav").await?;
    let reply = http::put(&url, sound, sound.len() as u64)?;
    ensure!(reply.status == 200, "the upload was answered with {}", reply.status);
    let uploaded = Instant::now();
    stage.wait_until_ready(&track_id).await?;
    Ok(uploaded.elapsed().as_secs_f64())
}

/// Runs ffmpeg once for each encoder, one after another; returns the seconds of CPU time.
fn encode(input: &Path, output: &Path, encoders: &[&str]) -> Result<f64> {
    let mut cpu = 0.0;
    for encoder in encoders {
        let ran = Command::new("ffmpeg")
            .args(["-nostdin", "-hide_banner", "-benchmark", "-y", "-i"])
            .arg(input)
            .args(encoder.split(' '))
            .arg(output)
            .output()?;
        let said = String::from_utf8_lossy(&ran.stderr);
        ensure!(ran.status.success(), "ffmpeg ended with {}: {said}", ran.status);
        cpu += parse_cpu(&said).with_context(|| format!("ffmpeg does not tell its CPU time: {said}"))?;
    }
    Ok(cpu)
}

/// Seconds in user and system mode, from the line that `-benchmark` adds.
fn parse_cpu(said: &str) -> Option<f64> {
    let line = said.lines().find_map(|line| line.strip_prefix("bench: utime="))?;
    let mut words = line.split(' ');
    let user = words.next()?;
    let system = words.next()?.strip_prefix("stime=")?;
    let seconds = |word: &str| word.strip_suffix('s')?.parse::<f64>().ok();
    Some(seconds(user)? + seconds(system)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpu_time_is_found_in_what_ffmpeg_says() {
        let said = "size=     940kB time=00:00:30.04 bitrate= 256.4kbits/s speed=59.6x\n\
                    bench: utime=0.493s stime=0.012s rtime=0.505s\nbench: maxrss=55952kB\n";
        assert_eq!(parse_cpu(said), Some(0.505));
        assert_eq!(parse_cpu("bench: maxrss=55952kB"), None);
    }
}
