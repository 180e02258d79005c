//! Ranges from a node whose metrics are on. Reference: a node whose metrics are off.

use anyhow::Result;

use super::hosted::{FILE_BYTES, Hosted, noise_of};
use super::{range, rows_of_load};
use crate::plan::Plan;
use crate::report::{Goal, Row};
use crate::wrk;

/// How many times as many rounds as usual are measured, so that a difference of one percent is visible.
const MORE_ROUNDS: usize = 4;

pub(super) async fn run(plan: &Plan) -> Result<Vec<Row>> {
    let sound = noise_of(FILE_BYTES);
    let (mut measured, bare) = (Hosted::start(&sound).await?, Hosted::start(&sound).await?);
    measured.stage.restart_with("TONEARM_METRICS_LISTEN", "127.0.0.1:0").await;
    measured.tonearm.base_url = measured.stage.url();
    let offsets = range::offsets(&sound);
    let (first, last) = range::ends(offsets[0]);
    for hosted in [&measured, &bare] {
        hosted.are_right(Some(&range::value(offsets[0])), &sound[first..=last]).await?;
    }
    let plan = Plan { rounds: plan.rounds * MORE_ROUNDS, ..plan.clone() };
    let [with, without] = [&measured, &bare].map(|hosted| range::load(&hosted.tonearm, &offsets));
    let sides = wrk::compare(&plan, &with, &without)?;
    Ok(rows_of_load("range, with metrics", &sides, "without metrics", Some(Goal::AtLeast(0.99))))
}
