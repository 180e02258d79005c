//! Files fetched whole by many at once, with signed URLs. Reference: nginx with `secure_link` and the same files.

use std::fs;

use anyhow::{Context, Result, ensure};
use tonearm_fixtures::audio::{Signal, WavSpec, wav};

use super::rows_of_load;
use crate::plan::Plan;
use crate::reference::FileServer;
use crate::report::{Goal, Row};
use crate::stage::Stage;
use crate::wrk::{self, Load, Request};

const NOISE: Signal = Signal::Noise { seed: 1, amplitude: 0.3 };

/// 10 MB.
pub(super) async fn large(plan: &Plan) -> Result<Vec<Row>> {
    let sound = wav(&WavSpec { seconds: 10e6 / (44_100.0 * 4.0), signal: NOISE, ..WavSpec::default() });
    beside_files(plan, "whole", &sound, 16).await
}

/// 3 KB, as covers and levels are.
pub(super) async fn small(plan: &Plan) -> Result<Vec<Row>> {
    let sound = wav(&WavSpec { seconds: 0.2, sample_rate: 8000, channels: 1, bits: 16, signal: NOISE });
    beside_files(plan, "small", &sound, 64).await
}

async fn beside_files(plan: &Plan, name: &'static str, sound: &[u8], connections: u32) -> Result<Vec<Row>> {
    let root = tempfile::tempdir()?;
    fs::write(root.path().join("sound.wav"), sound)?;
    let stage = Stage::open().await?;
    let track_id = stage.upload("sound.wav", sound).await?;
    let url = stage.original(&track_id).await?;
    let path = url.strip_prefix(&stage.url()).context("files are served where the API is")?;
    let files = FileServer::start(root.path())?;
    let load = |base_url: &str, path: &str| Load {
        base_url: base_url.to_owned(),
        connections,
        requests: vec![Request::get(path)],
    };
    let tonearm = load(&stage.url(), path);
    let reference = load(files.url(), &files.path("sound.wav"));
    for url in [url.clone(), format!("{}{}", files.url(), files.path("sound.wav"))] {
        let answer = stage.client.get(&url).await;
        ensure!(answer.status == 200 && answer.bytes == sound, "{url} does not answer with the file");
    }
    let sides = wrk::compare(plan, &tonearm, &reference)?;
    Ok(rows_of_load(name, &sides, files.name(), Some(Goal::AtLeast(1.0))))
}
