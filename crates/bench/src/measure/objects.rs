//! Files fetched whole by many clients at once, with signed URLs. Reference: nginx with `secure_link` and the same
//! files.

use anyhow::Result;
use tonearm_fixtures::audio::{Signal, WavSpec, wav};

use super::hosted::{FileAddress, Hosted, noise_of};
use super::rows_of_load;
use crate::plan::Plan;
use crate::report::{Goal, Row};
use crate::wrk::{self, Load, Request};

/// Files of 10 MB.
pub(super) async fn large(plan: &Plan) -> Result<Vec<Row>> {
    beside_files(plan, "whole", &noise_of(10e6), 16).await
}

/// Files of 3 KB, the size of covers and levels.
pub(super) async fn small(plan: &Plan) -> Result<Vec<Row>> {
    let signal = Signal::Noise { seed: 1, amplitude: 0.3 };
    let sound = wav(&WavSpec { seconds: 0.2, sample_rate: 8000, channels: 1, bits: 16, signal });
    beside_files(plan, "small", &sound, 64).await
}

async fn beside_files(plan: &Plan, name: &'static str, sound: &[u8], connections: u32) -> Result<Vec<Row>> {
    let hosted = Hosted::start(sound).await?;
    hosted.are_right(None, sound).await?;
    let load = |place: &FileAddress| Load {
        base_url: place.base_url.clone(),
        connections,
        requests: vec![Request::get(&place.path)],
    };
    let sides = wrk::compare(plan, &load(&hosted.tonearm), &load(&hosted.reference))?;
    Ok(rows_of_load(name, &sides, hosted.files.name(), Some(Goal::AtLeast(1.0))))
}
