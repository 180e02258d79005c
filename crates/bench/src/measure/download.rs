//! A large file fetched whole, by one client at a time, and the memory that this takes. Reference: nginx.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use tonearm_fixtures::audio::{Signal, WavSpec, wav};

use super::MEGABYTE;
use super::hosted::Hosted;
use crate::plan::Plan;
use crate::report::{Goal, Row, Unit};
use crate::{http, memory};

/// Sound of the highest quality: a file with many bytes that is quickly processed.
const SOUND: WavSpec = WavSpec {
    seconds: 0.0,
    sample_rate: 192_000,
    channels: 2,
    bits: 32,
    signal: Signal::Noise { seed: 1, amplitude: 0.3 },
};

const BYTES_PER_SECOND: f64 = 192_000.0 * 2.0 * 4.0;

/// The result of downloads. Memory is in megabytes.
struct Fetched {
    megabytes_per_second: f64,
    memory_peak: f64,
}

pub(super) async fn run(plan: &Plan) -> Result<Vec<Row>> {
    let sound = wav(&WavSpec { seconds: plan.download_bytes as f64 / BYTES_PER_SECOND, ..SOUND });
    let size = sound.len() as u64;
    let hosted = Hosted::start(&sound).await?;
    drop(sound);
    let (url, files_url) = (hosted.tonearm.url(), hosted.reference.url());

    let fetch_both = |url: &str, processes| {
        fetch(url, size, plan.warm_up, Vec::new())?;
        fetch(url, size, plan.measured, processes)
    };
    let sides = plan.alternate(
        || fetch_both(&url, hosted.stage.processes()),
        || fetch_both(&files_url, hosted.files.processes()),
    )?;
    let row = |property: &str, unit, figures, goal| Row {
        name: format!("download: {property}"),
        unit,
        figures,
        reference: hosted.files.name(),
        goal,
    };
    Ok(vec![
        row(
            "speed",
            Unit::MegabytesPerSecond,
            sides.medians(|f| f.megabytes_per_second),
            Some(Goal::AtLeast(0.8)),
        ),
        row("memory at its peak", Unit::Megabytes, sides.medians(|f| f.memory_peak), None),
    ])
}

/// Fetches a file of `size` bytes repeatedly, at least once.
fn fetch(url: &str, size: u64, duration: Duration, processes: Vec<u32>) -> Result<Fetched> {
    let watch = memory::Watch::start(processes);
    let begun = Instant::now();
    let mut fetched = 0;
    while fetched == 0 || begun.elapsed() < duration {
        let reply = http::get(url)?;
        ensure!(reply.status == 200, "the download was answered with {}", reply.status);
        ensure!(reply.body_bytes == size, "{} bytes came instead of {size}", reply.body_bytes);
        fetched += size;
    }
    let megabytes_per_second = fetched as f64 / MEGABYTE / begun.elapsed().as_secs_f64();
    Ok(Fetched { megabytes_per_second, memory_peak: watch.peak() as f64 / MEGABYTE })
}
