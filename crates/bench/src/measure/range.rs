//! 64 KiB from anywhere in a file of 10 MB, with signed URLs. Reference: nginx with `secure_link` and the same file.

use anyhow::Result;

use super::hosted::{FILE_BYTES, FileAddress, Hosted, noise_of};
use super::rows_of_load;
use crate::noise;
use crate::plan::Plan;
use crate::report::{Goal, Row};
use crate::wrk::{self, Load, Request};

const RANGE_BYTES: u64 = 64 * 1024;

/// Players at once.
const CONNECTIONS: u32 = 64;

/// Offsets that are asked for in turn.
const OFFSETS: usize = 1000;

pub(super) async fn run(plan: &Plan) -> Result<Vec<Row>> {
    let sound = noise_of(FILE_BYTES);
    let hosted = Hosted::start(&sound).await?;
    let offsets = noise::numbers_below(sound.len() as u64 - RANGE_BYTES, OFFSETS);
    let first = offsets[0] as usize;
    hosted.are_right(Some(&range(offsets[0])), &sound[first..][..RANGE_BYTES as usize]).await?;
    let load = |place: &FileAddress| Load {
        base_url: place.base_url.clone(),
        connections: CONNECTIONS,
        requests: offsets.iter().map(|offset| ranged(&place.path, *offset)).collect(),
    };
    let sides = wrk::compare(plan, &load(&hosted.tonearm), &load(&hosted.reference))?;
    Ok(rows_of_load("range", &sides, hosted.files.name(), Some(Goal::AtLeast(1.0))))
}

fn ranged(path: &str, offset: u64) -> Request {
    Request::get(path).with("Range", format!("bytes={}", range(offset)))
}

/// First and last byte.
fn range(offset: u64) -> String {
    format!("{offset}-{}", offset + RANGE_BYTES - 1)
}
