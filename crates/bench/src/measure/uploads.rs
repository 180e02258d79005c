//! Uploads with each method: large and small, one and eight at once, in one request and with both protocols for
//! resumable uploads. The node has no workers, which would otherwise process files during the next upload. Reference: a
//! server that only hashes, writes and syncs.

use std::sync::Mutex;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use super::MEGABYTE;
use crate::plan::Plan;
use crate::reference::{Bare, BareServer};
use crate::report::{Goal, Row, Unit};
use crate::stage::Stage;
use crate::{http, noise};

const BLOCK_BYTES: usize = 1 << 20;

/// The upload method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum UploadMethod {
    Put,
    /// `PUT` with `Upload-Complete: ?1`.
    Resumable,
    /// `POST`, then `PATCH` with the whole file.
    Tus,
}

/// Files of one size, uploaded over a number of concurrent connections.
struct Case {
    name: &'static str,
    method: UploadMethod,
    files: usize,
    size: u64,
    connections: usize,
}

pub(super) async fn run(plan: &Plan) -> Result<Vec<Row>> {
    let mut stage = Stage::open().await?;
    stage.restart_with("TONEARM_ROLES", "api").await;
    let sink = BareServer::start(Bare::Sink, stage.folder())?;
    let block = noise::bytes(BLOCK_BYTES);
    let (large, small) = (plan.upload_bytes / 8, plan.small_uploads);
    let case = |name, method, files, size, connections| Case { name, method, files, size, connections };
    let mut rows = Vec::new();
    for case in [
        case("large, 1 at once", UploadMethod::Put, 1, large, 1),
        case("large, 8 at once", UploadMethod::Put, 8, large, 8),
        case("1 MiB, 1 at once", UploadMethod::Put, small, 1 << 20, 1),
        case("1 MiB, 8 at once", UploadMethod::Put, small, 1 << 20, 8),
        case("large, resumable", UploadMethod::Resumable, 1, large, 1),
        case("large, tus", UploadMethod::Tus, 1, large, 1),
    ] {
        rows.push(compare(plan, &stage, &sink, &block, &case).await?);
    }
    Ok(rows)
}

async fn compare(plan: &Plan, stage: &Stage, sink: &BareServer, block: &[u8], case: &Case) -> Result<Row> {
    let (mut tonearm, mut reference) = (Vec::new(), Vec::new());
    for _ in 0..plan.rounds {
        let mut urls = Vec::new();
        for _ in 0..case.files {
            urls.push(stage.create_track("noise.bin").await?.1);
        }
        tonearm.push(case.measure(urls, |url| case.upload(&stage.url(), url, block))?);
        let urls = (0..case.files).map(|number| format!("{}/upload-{number}", sink.url())).collect();
        reference.push(case.measure(urls, |url| http::put(url, block, case.size))?);
        stage.remove_sources()?;
    }
    let figures = (crate::plan::median(tonearm), crate::plan::median(reference));
    let name = format!("uploads: {}", case.name);
    let goal = Some(Goal::AtLeast(0.9));
    Ok(Row { name, unit: Unit::MegabytesPerSecond, figures, reference: "hash and write by axum", goal })
}

impl Case {
    /// Megabytes per second of all files together.
    fn measure(&self, urls: Vec<String>, send: impl Fn(&str) -> Result<http::Reply> + Sync) -> Result<f64> {
        let (urls, begun) = (Mutex::new(urls), Instant::now());
        let next = || urls.lock().map(|mut urls| urls.pop()).unwrap_or_default();
        let work = || {
            while let Some(url) = next() {
                let reply = send(&url)?;
                ensure!(matches!(reply.status, 200 | 204), "the upload was answered with {}", reply.status);
            }
            Ok(())
        };
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..self.connections).map(|_| scope.spawn(work)).collect();
            threads.into_iter().try_for_each(|thread| thread.join().expect("nothing in it panics"))
        })?;
        Ok(self.files as f64 * self.size as f64 / MEGABYTE / begun.elapsed().as_secs_f64())
    }

    fn upload(&self, service: &str, url: &str, block: &[u8]) -> Result<http::Reply> {
        match self.method {
            UploadMethod::Put => http::put(url, block, self.size),
            UploadMethod::Resumable => http::send("PUT", url, "Upload-Complete: ?1\r\n", block, self.size),
            UploadMethod::Tus => {
                let (size, url) = (self.size, BASE64_STANDARD.encode(url));
                let lines = format!(
                    "Tus-Resumable: 1.0.0\r\nUpload-Length: {size}\r\nUpload-Metadata: upload_url {url}\r\n"
                );
                let begun = http::send("POST", &format!("{service}/upload/tus"), &lines, block, 0)?;
                let location = begun.location.context("an upload by tus has a location")?;
                let lines = "Tus-Resumable: 1.0.0\r\nContent-Type: application/offset+octet-stream\r\n\
                             Upload-Offset: 0\r\n";
                http::send("PATCH", &location, lines, block, size)
            }
        }
    }
}
