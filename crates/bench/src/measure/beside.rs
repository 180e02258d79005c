//! Ranges of 64 KiB while 200 tracks are processed. Reference: the same ranges while no track is processed.

use anyhow::{Result, ensure};

use super::backlog::Backlog;
use super::hosted::{FILE_BYTES, Hosted, RANGE, URLS, noise_of};
use super::rows_of_answers;
use crate::h2load::{Load, Protocol};
use crate::plan::{Plan, Sides};
use crate::report::{Goal, Row};

const CONNECTIONS: u32 = 8;

pub(super) async fn run(plan: &Plan) -> Result<Vec<Row>> {
    let hosted = Hosted::start(&noise_of(FILE_BYTES)).await?;
    let base_url = hosted.stage.url();
    let paths = hosted.signed_paths(URLS).await?;
    let load = Load {
        urls: paths.iter().map(|path| format!("{base_url}{path}")).collect(),
        connections: CONNECTIONS,
        streams: 1,
        range: RANGE.to_owned(),
        protocol: Protocol::Http1,
    };
    let mut sides = Sides { tonearm: Vec::new(), reference: Vec::new() };
    for _ in 0..plan.rounds {
        sides.reference.push(load.run(plan)?);
    }
    let backlog = Backlog::upload(&hosted.stage, plan.backlog).await?;
    for _ in 0..plan.rounds {
        sides.tonearm.push(load.run(plan)?);
    }
    ensure!(!backlog.is_done(&hosted.stage).await?, "the tracks were processed too soon");
    let name = format!("delivery beside {} tracks in processing", plan.backlog);
    Ok(rows_of_answers(&name, &sides, "the same on an idle node", None, Some(Goal::AtMost(3.0))))
}
