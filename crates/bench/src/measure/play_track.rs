//! Tracks of a play session looked up. Reference: a server that answers with one word.

use anyhow::Result;
use serde_json::json;

use super::beside_hello;
use crate::plan::Plan;
use crate::report::Row;
use crate::stage::{Stage, text};
use crate::wrk::Request;

const TRACKS: usize = 20;

pub(super) async fn run(plan: &Plan) -> Result<Vec<Row>> {
    let stage = Stage::open().await?;
    let tracks = stage.fill(TRACKS).await?;
    let body = json!({"collection_id": stage.collection_id});
    let session = stage.client.post("/v1/play_session/collection", &body).await.ok();
    let session_id = text(&session, "/play_session_id")?;
    let lookups = tracks.iter().map(|track| Request::get(format!("/v1/play/{session_id}/{track}"))).collect();
    beside_hello(plan, "play-track", &stage, lookups)
}
