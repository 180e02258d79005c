//! Share links followed to their signed URL, with usage counted. Reference: nginx answering with a bare redirect or, if
//! it is not installed, a server that answers with one word.

use anyhow::{Result, ensure};

use super::{CALLERS, beside_hello, rows_of_load};
use crate::plan::Plan;
use crate::reference::FileServer;
use crate::report::{Goal, Row};
use crate::stage::Stage;
use crate::wrk::{self, Load, Request};

const TRACKS: usize = 20;

pub(super) async fn run(plan: &Plan) -> Result<Vec<Row>> {
    let stage = Stage::open().await?;
    let tracks = stage.fill(TRACKS).await?;
    let key = stage.share_key("hq")?;
    let links: Vec<_> =
        tracks.iter().map(|track| Request::get(format!("/v1/stream/{track}/{key}"))).collect();
    let folder = tempfile::tempdir()?;
    let FileServer::Nginx(nginx) = FileServer::start(folder.path())? else {
        return beside_hello(plan, "redirect", &stage, links);
    };
    let reference = Load {
        base_url: nginx.url().to_owned(),
        connections: CALLERS,
        requests: vec![Request::get(nginx.redirect_path())],
    };
    let answer = stage.client.get(&format!("{}{}", nginx.url(), nginx.redirect_path())).await;
    ensure!(answer.status == 302, "nginx answers with {}", answer.status);
    let tonearm = Load { base_url: stage.url(), requests: links, ..reference.clone() };
    let sides = wrk::compare(plan, &tonearm, &reference)?;
    Ok(rows_of_load("redirect", &sides, "a bare redirect by nginx", Some(Goal::AtLeast(0.35))))
}
