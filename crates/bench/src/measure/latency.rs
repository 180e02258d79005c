//! Latency of single ranges of 64 KiB over HTTP/1.1, TLS and HTTP/2, on an idle machine and beside the service's
//! encoders, with 200 different signed URLs. Reference: nginx with `secure_link`, the same file and the same encoders
//! beside it.

use anyhow::{Result, bail, ensure};
use tonearm_fixtures::audio::{WavSpec, wav};

use super::hosted::{FILE_BYTES, Hosted, RANGE, URLS, noise_of};
use super::rows_of_answers;
use crate::h2load::{self, Load, Protocol};
use crate::plan::Plan;
use crate::reference::FileServer;
use crate::report::{Goal, Row};
use crate::stage::Stage;

const CONNECTIONS: [u32; 2] = [8, 64];

/// Number of sounds that are encoded during the measurements.
const ENCODED: usize = 24;

/// Length of each sound in seconds: long enough for the encoders to run until the measurements end.
const ENCODED_SECONDS: f64 = 2400.0;

pub(super) async fn run(plan: &Plan) -> Result<Vec<Row>> {
    let mut rows = over_all_protocols(plan, "idle", async |_| Ok(())).await?;
    rows.extend(over_all_protocols(plan, "beside encoders", keep_encoders_busy).await?);
    Ok(rows)
}

async fn over_all_protocols(
    plan: &Plan,
    beside: &str,
    prepare: impl AsyncFnOnce(&Stage) -> Result<()>,
) -> Result<Vec<Row>> {
    let mut hosted = Hosted::start(&noise_of(FILE_BYTES)).await?;
    let FileServer::Nginx(nginx) = &hosted.files else {
        bail!("latency is measured beside nginx; install Debian's package nginx-light");
    };
    let plain = nginx.signed_urls(hosted.name(), URLS);
    let over_tls = nginx.signed_urls_over_tls(hosted.name(), URLS);
    let paths = hosted.signed_paths(URLS).await?;
    let at = |base_url: &str| paths.iter().map(|path| format!("{base_url}{path}")).collect::<Vec<_>>();
    let (chain, key) = (nginx.certificate().chain.clone(), nginx.certificate().key.clone());

    prepare(&hosted.stage).await?;
    let name = |protocol: &str| format!("{protocol}, {beside}");
    let mut rows = measure(plan, &name("HTTP/1.1"), Protocol::Http1, &at(&hosted.stage.url()), &plain)?;
    // Encoding that is interrupted by the restart continues after it.
    let url = hosted.stage.restart_with_tls(&chain, &key).await?;
    for (protocol, spoken) in [("TLS", Protocol::Http1), ("HTTP/2", Protocol::Http2)] {
        rows.extend(measure(plan, &name(protocol), spoken, &at(&url), &over_tls)?);
    }
    Ok(rows)
}

fn measure(
    plan: &Plan,
    name: &str,
    protocol: Protocol,
    tonearm: &[String],
    nginx: &[String],
) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for connections in CONNECTIONS {
        let load = |urls: &[String]| Load {
            urls: urls.to_vec(),
            connections,
            streams: 1,
            range: RANGE.to_owned(),
            protocol,
        };
        let sides = h2load::compare(plan, &load(tonearm), &load(nginx))?;
        let name = format!("latency, {name}, {connections} connections");
        rows.extend(rows_of_answers(&name, &sides, "nginx", None, Some(Goal::AtMost(1.0))));
    }
    Ok(rows)
}

/// Uploads sounds whose processing takes longer than the measurements.
async fn keep_encoders_busy(stage: &Stage) -> Result<()> {
    let sound =
        wav(&WavSpec { seconds: ENCODED_SECONDS, sample_rate: 16_000, channels: 1, ..WavSpec::default() });
    for number in 0..ENCODED {
        let (_, url) = stage.create_track(&format!("long {number}.wav")).await?;
        let reply = crate::http::put(&url, &sound[..], sound.len() as u64)?;
        ensure!(reply.status == 200, "the upload was answered with {}", reply.status);
    }
    Ok(())
}
