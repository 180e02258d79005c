//! 64 KiB from anywhere in a file of 10 MB, with signed URLs. Reference: nginx with `secure_link` and the same file.

use std::fs;

use anyhow::{Context, Result, ensure};
use tonearm_fixtures::audio::{Signal, WavSpec, wav};

use super::rows_of_load;
use crate::noise;
use crate::plan::Plan;
use crate::reference::FileServer;
use crate::report::{Goal, Row};
use crate::stage::Stage;
use crate::wrk::{self, Load, Request};

const FILE_BYTES: f64 = 10e6;

const RANGE_BYTES: u64 = 64 * 1024;

/// Players at once.
const CONNECTIONS: u32 = 64;

/// Offsets that are asked for in turn.
const OFFSETS: usize = 1000;

pub(super) async fn run(plan: &Plan) -> Result<Vec<Row>> {
    let signal = Signal::Noise { seed: 1, amplitude: 0.3 };
    let sound = wav(&WavSpec { seconds: FILE_BYTES / (44_100.0 * 4.0), signal, ..WavSpec::default() });
    let root = tempfile::tempdir()?;
    fs::write(root.path().join("sound.wav"), &sound)?;
    let stage = Stage::open().await?;
    let track_id = stage.upload("sound.wav", &sound).await?;
    let url = stage.original(&track_id).await?;
    let path = url.strip_prefix(&stage.url()).context("files are served where the API is")?;
    let files = FileServer::start(root.path())?;

    let offsets = noise::numbers_below(sound.len() as u64 - RANGE_BYTES, OFFSETS);
    let load = |base_url: &str, path: &str| Load {
        base_url: base_url.to_owned(),
        connections: CONNECTIONS,
        requests: offsets.iter().map(|offset| ranged(path, *offset)).collect(),
    };
    let tonearm = load(&stage.url(), path);
    let reference = load(files.url(), &files.path("sound.wav"));
    for (base_url, path) in [(stage.url(), path), (files.url().to_owned(), &files.path("sound.wav"))] {
        is_right(&stage, &format!("{base_url}{path}"), offsets[0], &sound).await?;
    }
    let sides = wrk::compare(plan, &tonearm, &reference)?;
    Ok(rows_of_load("range", &sides, files.name(), Some(Goal::AtLeast(1.0))))
}

fn ranged(path: &str, offset: u64) -> Request {
    Request::get(path).with("Range", format!("bytes={}", range(offset)))
}

/// First and last byte.
fn range(offset: u64) -> String {
    format!("{offset}-{}", offset + RANGE_BYTES - 1)
}

/// That the server answers with the very bytes, before it is asked how fast.
async fn is_right(stage: &Stage, url: &str, offset: u64, sound: &[u8]) -> Result<()> {
    let answer = stage.client.get_range(url, &range(offset)).await;
    ensure!(answer.status == 206, "{url} answers with {}", answer.status);
    let expected = &sound[offset as usize..][..RANGE_BYTES as usize];
    ensure!(answer.bytes == expected, "{url} answers with other bytes");
    Ok(())
}
