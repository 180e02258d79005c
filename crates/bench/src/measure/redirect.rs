//! Share links followed to their signed URL. Reference: a server that answers with one word.

use anyhow::Result;

use super::beside_hello;
use crate::plan::Plan;
use crate::report::Row;
use crate::stage::Stage;
use crate::wrk::Request;

const TRACKS: usize = 20;

pub(super) async fn run(plan: &Plan) -> Result<Vec<Row>> {
    let stage = Stage::open().await?;
    let tracks = stage.fill(TRACKS).await?;
    let key = stage.share_key("hq")?;
    let links = tracks.iter().map(|track| Request::get(format!("/v1/stream/{track}/{key}"))).collect();
    beside_hello(plan, "redirect", &stage, links)
}
