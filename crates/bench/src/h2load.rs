//! Load over HTTP/1.1 or HTTP/2, with TLS or without, by h2load.

use std::io::Write as _;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use crate::plan::{Plan, Sides};

/// Requests that are sent over and over.
#[derive(Debug, Clone)]
pub(crate) struct Load {
    /// Asked for in turn.
    pub(crate) urls: Vec<String>,
    pub(crate) connections: u32,
    /// Requests at once on each connection.
    pub(crate) streams: u32,
    /// The value of `Range`.
    pub(crate) range: String,
    pub(crate) protocol: Protocol,
}

/// What is spoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Protocol {
    Http1,
    Http2,
}

/// What came of a load.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Answered {
    pub(crate) requests_per_second: f64,
    /// Milliseconds within which half of all were answered.
    pub(crate) p50_ms: f64,
    /// Milliseconds within which 99 % were answered.
    pub(crate) p99_ms: f64,
}

impl Load {
    /// Warms up, then measures. An answer above 399 or a broken connection is an error.
    pub(crate) fn run(&self, plan: &Plan) -> Result<Answered> {
        let mut urls = tempfile::NamedTempFile::new()?;
        for url in &self.urls {
            writeln!(urls, "{url}")?;
        }
        let log = tempfile::NamedTempFile::new()?;
        let seconds = |duration: Duration| duration.as_secs().max(1).to_string();
        let output = Command::new("h2load")
            .args(["--duration", &seconds(plan.measured), "--warm-up-time", &seconds(plan.warm_up)])
            .args([
                "--clients",
                &self.connections.to_string(),
                "--max-concurrent-streams",
                &self.streams.to_string(),
            ])
            .args(["--header", &format!("range: bytes={}", self.range)])
            .args(match self.protocol {
                Protocol::Http1 => &["--h1"][..],
                Protocol::Http2 => &[],
            })
            .arg("--input-file")
            .arg(urls.path())
            .arg("--log-file")
            .arg(log.path())
            .output()
            .context("h2load cannot be run; install Debian's package nghttp2-client")?;
        let stdout = String::from_utf8_lossy(&output.stdout);
        let requests_per_second = speed(&stdout).with_context(|| {
            format!("h2load printed {stdout:?} {:?}", String::from_utf8_lossy(&output.stderr))
        })?;
        // Those that were under way when the time was over.
        let unfinished = (self.connections * self.streams) as usize;
        let mut micros = times(&std::fs::read_to_string(log.path())?, unfinished)?;
        micros.sort_unstable();
        let percentile = |percent: usize| {
            let micros = micros.get(micros.len() * percent / 100).context("h2load logged no answer")?;
            Ok::<_, anyhow::Error>(*micros as f64 / 1e3)
        };
        Ok(Answered { requests_per_second, p50_ms: percentile(50)?, p99_ms: percentile(99)? })
    }
}

/// Measures both loads in turns.
pub(crate) fn compare(plan: &Plan, tonearm: &Load, reference: &Load) -> Result<Sides<Answered>> {
    plan.alternate(|| tonearm.run(plan), || reference.run(plan))
}

/// Requests a second.
fn speed(stdout: &str) -> Option<f64> {
    let line = stdout.lines().find_map(|line| line.strip_prefix("finished in "))?;
    line.split(", ").nth(1)?.strip_suffix(" req/s")?.parse().ok()
}

/// Microseconds of each answer: a line of the log has its begin, its status and its time.
/// So many may have no answer, with -1 or 0 for a status.
fn times(log: &str, unfinished: usize) -> Result<Vec<u64>> {
    let (mut times, mut failed) = (Vec::new(), 0);
    for line in log.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let [_, status, micros] = fields[..] else { continue };
        if matches!(status, "-1" | "0") {
            failed += 1;
            continue;
        }
        ensure!(matches!(status, "200" | "206"), "h2load was answered with {status}");
        times.push(micros.parse()?);
    }
    ensure!(failed <= unfinished, "{failed} requests of h2load failed");
    Ok(times)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_found_in_what_h2load_says() {
        let stdout =
            "starting benchmark...\n\nfinished in 6.01s, 8079.60 req/s, 505.84MB/s\nrequests: 40398 total";
        assert_eq!(speed(stdout), Some(8079.60));
        assert_eq!(speed("finished"), None);
        assert_eq!(times("1\t206\t900\n2\t206\t1100\n3\t-1\t5\n", 1).unwrap(), [900, 1100]);
        assert!(times("1\t403\t900\n", 1).is_err());
        assert!(times("1\t-1\t5\n2\t-1\t5\n", 1).is_err());
    }
}
