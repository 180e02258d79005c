//! Random ranges of 64 KiB in a file of 10 MB over HTTP/2 and TLS, with 200 different signed URLs. Reference: nginx
//! with `secure_link` and the same file.

use anyhow::{Result, bail, ensure};

use super::hosted::{FILE_BYTES, Hosted, RANGE, URLS, noise_of};
use super::rows_of_answers;
use crate::h2load::{self, Load, Protocol};
use crate::plan::Plan;
use crate::reference::FileServer;
use crate::report::{Goal, Row};

/// Connections, and concurrent requests on each.
const CLIENTS: [(u32, u32); 2] = [(16, 8), (64, 1)];

pub(super) async fn run(plan: &Plan) -> Result<Vec<Row>> {
    let mut hosted = Hosted::start(&noise_of(FILE_BYTES)).await?;
    let FileServer::Nginx(nginx) = &hosted.files else {
        bail!("HTTP/2 is measured beside nginx; install Debian's package nginx-light");
    };
    let reference = nginx.signed_urls_over_tls(hosted.name(), URLS);
    let paths = hosted.signed_paths(URLS).await?;
    let certificate = nginx.certificate();
    let base_url = hosted.stage.restart_with_tls(&certificate.chain, &certificate.key).await?;
    let tonearm: Vec<String> = paths.iter().map(|path| format!("{base_url}{path}")).collect();
    ensure!(!tonearm.is_empty() && !reference.is_empty(), "there are no URLs");
    let mut rows = Vec::new();
    for (connections, streams) in CLIENTS {
        let load = |urls: &[String]| Load {
            urls: urls.to_vec(),
            connections,
            streams,
            range: RANGE.to_owned(),
            protocol: Protocol::Http2,
        };
        let sides = h2load::compare(plan, &load(&tonearm), &load(&reference))?;
        let name = format!("http2, {connections} × {streams}");
        rows.extend(rows_of_answers(&name, &sides, "nginx", Some(Goal::AtLeast(1.0)), None));
    }
    Ok(rows)
}
