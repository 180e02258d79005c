//! The last page of a long collection. Reference: its first page.

use std::time::{Duration, Instant};

use anyhow::Result;

use super::{CALLERS, rows_of_load};
use crate::plan::Plan;
use crate::report::{Goal, Row};
use crate::stage::Stage;
use crate::wrk::{self, Load, Request};

/// Number of tracks in one page.
const LIMIT: usize = 50;

/// Number of tracks that are always created. The others are created only if these took at most this long.
const FEW: (usize, Duration) = (2000, Duration::from_secs(4));

pub(super) async fn run(plan: &Plan) -> Result<Vec<Row>> {
    let stage = Stage::open().await?;
    let count = make_tracks(&stage, plan.tracks).await?;
    let page = |offset: usize| {
        let path = format!("/v1/collection/{}/track?limit={LIMIT}&offset={offset}", stage.collection_id);
        let requests = vec![stage.authorized(Request::get(path))];
        Load { base_url: stage.url(), connections: CALLERS, requests }
    };
    let sides = wrk::compare(plan, &page(count - 4 * LIMIT), &page(0))?;
    let name = format!("list, {} of {count}", count - 4 * LIMIT);
    Ok(rows_of_load(&name, &sides, "its first page", Some(Goal::AtLeast(0.8))))
}

/// Creates all tracks, or only [`FEW`] on a slow machine. Returns the number of tracks.
async fn make_tracks(stage: &Stage, all: usize) -> Result<usize> {
    let (few, patience) = FEW;
    let begun = Instant::now();
    let first = all.min(few);
    stage.create_tracks(first).await?;
    if begun.elapsed() > patience {
        return Ok(first);
    }
    stage.create_tracks(all - first).await?;
    Ok(all)
}
