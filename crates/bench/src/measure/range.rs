//! Random ranges of 64 KiB in a file of 10 MB, with signed URLs. Reference: nginx with `secure_link` and the same file.

use anyhow::Result;

use super::hosted::{FILE_BYTES, FileAddress, Hosted, noise_of};
use super::rows_of_load;
use crate::noise;
use crate::plan::Plan;
use crate::report::{Goal, Row};
use crate::wrk::{self, Load, Request};

const RANGE_BYTES: u64 = 64 * 1024;

/// Concurrent players.
const CONNECTIONS: u32 = 64;

/// Number of offsets that are requested in turn.
const OFFSETS: usize = 1000;

pub(super) async fn run(plan: &Plan) -> Result<Vec<Row>> {
    let sound = noise_of(FILE_BYTES);
    let hosted = Hosted::start(&sound).await?;
    let offsets = offsets(&sound);
    let (first, last) = ends(offsets[0]);
    hosted.are_right(Some(&value(offsets[0])), &sound[first..=last]).await?;
    let [tonearm, reference] = [&hosted.tonearm, &hosted.reference].map(|place| load(place, &offsets));
    let sides = wrk::compare(plan, &tonearm, &reference)?;
    Ok(rows_of_load("range", &sides, hosted.files.name(), Some(Goal::AtLeast(1.0))))
}

/// The offsets of the ranges.
pub(super) fn offsets(sound: &[u8]) -> Vec<u64> {
    noise::numbers_below(sound.len() as u64 - RANGE_BYTES, OFFSETS)
}

/// Ranges of a file, requested by many players.
pub(super) fn load(place: &FileAddress, offsets: &[u64]) -> Load {
    let ranged = |offset: &u64| Request::get(&place.path).with("Range", format!("bytes={}", value(*offset)));
    Load {
        base_url: place.base_url.clone(),
        connections: CONNECTIONS,
        requests: offsets.iter().map(ranged).collect(),
    }
}

/// The range at an offset, as in a `Range` header.
pub(super) fn value(offset: u64) -> String {
    let (first, last) = ends(offset);
    format!("{first}-{last}")
}

/// The first and the last byte of the range at an offset.
pub(super) fn ends(offset: u64) -> (usize, usize) {
    (offset as usize, (offset + RANGE_BYTES - 1) as usize)
}
