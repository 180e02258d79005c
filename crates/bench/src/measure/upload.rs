//! One large upload, and the memory that it takes. Reference: a server that only hashes, writes and syncs.

use std::time::Instant;

use anyhow::{Result, ensure};

use super::MEGABYTE;
use crate::plan::{Plan, Sides};
use crate::reference::{Bare, BareServer};
use crate::report::{Goal, Row, Unit};
use crate::stage::Stage;
use crate::{http, memory, noise};

/// Size of the block that is sent repeatedly. No component compresses or deduplicates it.
const BLOCK_BYTES: usize = 1 << 20;

const REFERENCE: &str = "hash and write by axum";

/// The figures of one upload. Memory is in bytes.
struct UploadFigures {
    megabytes_per_second: f64,
    memory_before: u64,
    memory_peak: u64,
}

pub(super) async fn run(plan: &Plan) -> Result<Vec<Row>> {
    let stage = Stage::open().await?;
    let sink = BareServer::start(Bare::Sink, stage.folder())?;
    let sink_url = format!("{}/upload", sink.url());
    let block = noise::bytes(BLOCK_BYTES);
    let mut sides = Sides { tonearm: Vec::new(), reference: Vec::new() };
    for _ in 0..plan.rounds {
        let (track_id, url) = stage.create_track("noise.bin").await?;
        sides.tonearm.push(send(&url, &block, plan.upload_bytes, stage.processes())?);
        // Waits until the file is rejected as not being audio, and deletes it, so that neither happens during the
        // reference's turn.
        stage.client.settled(&track_id).await;
        stage.client.delete(&format!("/v1/track/{track_id}")).await.ok();
        sides.reference.push(send(&sink_url, &block, plan.upload_bytes, sink.processes())?);
    }
    Ok(rows(&sides))
}

fn send(url: &str, block: &[u8], size: u64, processes: Vec<u32>) -> Result<UploadFigures> {
    let memory_before = memory::resident(&processes)?;
    let watch = memory::Watch::start(processes);
    let begun = Instant::now();
    let reply = http::put(url, block, size)?;
    let megabytes_per_second = size as f64 / MEGABYTE / begun.elapsed().as_secs_f64();
    ensure!(reply.status == 200, "the upload was answered with {}", reply.status);
    Ok(UploadFigures { megabytes_per_second, memory_before, memory_peak: watch.peak() })
}

/// Memory before the first upload, when the server is fresh, and the maximum during any upload.
fn rows(sides: &Sides<UploadFigures>) -> Vec<Row> {
    let before = |uploads: &[UploadFigures]| {
        uploads.first().map_or(f64::NAN, |first| first.memory_before as f64 / MEGABYTE)
    };
    let peak = |uploads: &[UploadFigures]| {
        uploads
            .iter()
            .map(|upload| upload.memory_peak)
            .max()
            .map_or(f64::NAN, |bytes| bytes as f64 / MEGABYTE)
    };
    let row = |property: &str, unit, figures, goal| Row {
        name: format!("upload: {property}"),
        unit,
        figures,
        reference: REFERENCE,
        goal,
    };
    vec![
        row(
            "speed",
            Unit::MegabytesPerSecond,
            sides.medians(|t| t.megabytes_per_second),
            Some(Goal::AtLeast(0.9)),
        ),
        row("memory before", Unit::Megabytes, (before(&sides.tonearm), before(&sides.reference)), None),
        row("memory at its peak", Unit::Megabytes, (peak(&sides.tonearm), peak(&sides.reference)), None),
    ]
}
