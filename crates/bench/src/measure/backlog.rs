//! Many tracks processed at once. References: ffmpeg run by hand for the same files on all cores, and the memory that
//! the service may use.

use std::time::Instant;

use anyhow::{Result, ensure};
use tonearm_fixtures::audio::{Signal, WavSpec, wav};

use super::process::by_hand;
use crate::http;
use crate::memory::Watch;
use crate::plan::Plan;
use crate::report::{Goal, Row, Unit};
use crate::stage::{Stage, distinct};

/// Lengths in seconds, each used for one track in three.
const LENGTHS: [f64; 3] = [3.0, 20.0, 90.0];

/// Tracks that are waiting to be processed.
pub(super) struct Backlog {
    tracks: Vec<String>,
}

impl Backlog {
    /// Uploads `count` sounds.
    pub(super) async fn upload(stage: &Stage, count: usize) -> Result<Self> {
        let sounds = LENGTHS.map(sound);
        let mut tracks = Vec::new();
        for number in 0..count {
            let (id, url) = stage.create_track(&format!("{number}.wav")).await?;
            let sound = distinct(&sounds[number % sounds.len()], number);
            let reply = http::put(&url, &sound, sound.len() as u64)?;
            ensure!(reply.status == 200, "the upload was answered with {}", reply.status);
            tracks.push(id);
        }
        Ok(Self { tracks })
    }

    /// Whether the last track is ready.
    pub(super) async fn is_done(&self, stage: &Stage) -> Result<bool> {
        match self.tracks.last() {
            Some(last) => stage.is_ready(last).await,
            None => Ok(true),
        }
    }
}

fn sound(seconds: f64) -> Vec<u8> {
    wav(&WavSpec { seconds, signal: Signal::Noise { seed: 1, amplitude: 0.3 }, ..WavSpec::default() })
}

pub(super) async fn run(plan: &Plan) -> Result<Vec<Row>> {
    let stage = Stage::open().await?;
    let count = plan.backlog;
    let memory = Watch::start(stage.processes());
    let begun = Instant::now();
    let backlog = Backlog::upload(&stage, count).await?;
    for id in &backlog.tracks {
        stage.wait_until_ready(id).await?;
    }
    let per_minute = count as f64 * 60.0 / begun.elapsed().as_secs_f64();
    let memory = memory.peak() as f64 / 1e6;

    let mut cpu = 0.0;
    let input = stage.folder().join("sound.wav");
    for seconds in LENGTHS {
        std::fs::write(&input, sound(seconds))?;
        cpu += by_hand(&input, seconds, stage.folder())?.cpu;
    }
    let cores = std::thread::available_parallelism()?.get() as f64;
    let bound = 60.0 * cores * LENGTHS.len() as f64 / cpu;
    let row = |name: &str, unit, figures, reference, goal| Row {
        name: format!("backlog of {count} tracks: {name}"),
        unit,
        figures,
        reference,
        goal,
    };
    Ok(vec![
        row(
            "tracks per minute",
            Unit::PerMinute,
            (per_minute, bound),
            "ffmpeg by hand, all cores busy all the time",
            Some(Goal::AtLeast(0.8)),
        ),
        row(
            "peak memory of the service",
            Unit::Megabytes,
            (memory, 300.0),
            "what it may take",
            Some(Goal::AtMost(1.0)),
        ),
    ])
}
