//! Play sessions opened on a collection of 20 tracks. Reference: a server that answers with one word.

use anyhow::Result;
use serde_json::json;

use super::beside_hello;
use crate::plan::Plan;
use crate::report::Row;
use crate::stage::Stage;
use crate::wrk::Request;

const TRACKS: usize = 20;

pub(super) async fn run(plan: &Plan) -> Result<Vec<Row>> {
    let stage = Stage::open().await?;
    stage.fill(TRACKS).await?;
    let body = json!({"collection_id": stage.collection_id});
    let opening = stage.authorized(Request::post("/v1/play_session/collection", &body));
    beside_hello(plan, "play-session", &stage, vec![opening])
}
