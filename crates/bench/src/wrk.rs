//! Load by wrk.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use crate::plan::{Plan, Sides};

/// Threads of wrk.
const THREADS: u32 = 2;

/// How the line of figures begins.
const MARK: &str = "measured ";

/// Runs before the requests: each thread begins elsewhere in the list.
const SCRIPT_BEGIN: &str = "\
local threads = 0
function setup(thread)
  thread:set(\"nth\", threads * 97)
  threads = threads + 1
end
local requests = {}
function init(args)
";

/// Runs after the requests.
const SCRIPT_END: &str = "\
end
function request()
  nth = nth % #requests + 1
  return requests[nth]
end
function done(summary, latency, all)
  local e = summary.errors
  io.write(string.format(\"\\nmeasured %d %d %d %d\\n\", summary.duration, summary.requests,
    e.connect + e.read + e.write + e.timeout + e.status, latency:percentile(99)))
end
";

/// One request.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    method: &'static str,
    path: String,
    headers: Vec<(&'static str, String)>,
    body: Option<String>,
}

impl Request {
    pub(crate) fn get(path: impl Into<String>) -> Self {
        Self { method: "GET", path: path.into(), headers: Vec::new(), body: None }
    }

    pub(crate) fn post(path: impl Into<String>, body: &serde_json::Value) -> Self {
        let request = Self { method: "POST", body: Some(body.to_string()), ..Self::get(path) };
        request.with("Content-Type", "application/json")
    }

    pub(crate) fn with(mut self, header: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((header, value.into()));
        self
    }
}

/// Requests that are sent over and over.
#[derive(Debug, Clone)]
pub(crate) struct Load {
    /// Scheme and host.
    pub(crate) base_url: String,
    pub(crate) connections: u32,
    /// Sent in turn, again and again.
    pub(crate) requests: Vec<Request>,
}

/// What came of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Sample {
    pub(crate) requests_per_second: f64,
    /// Milliseconds within which 99 % were answered.
    pub(crate) p99_ms: f64,
}

impl Load {
    /// Warms up, then measures. An answer above 399 or a broken connection is an error.
    pub(crate) fn run(&self, plan: &Plan) -> Result<Sample> {
        let mut script = tempfile::NamedTempFile::with_suffix(".lua")?;
        script.write_all(self.script().as_bytes())?;
        self.wrk(script.path(), plan.warm_up)?;
        self.wrk(script.path(), plan.measured)
    }

    fn wrk(&self, script: &std::path::Path, duration: Duration) -> Result<Sample> {
        // wrk counts in whole seconds.
        let seconds = duration.as_secs().max(1);
        let output = Command::new("wrk")
            .args(["--threads", &THREADS.to_string()])
            .args(["--connections", &self.connections.to_string()])
            .args(["--duration", &format!("{seconds}s"), "--script"])
            .args([script.as_os_str(), self.base_url.as_ref()])
            .output()
            .context("wrk cannot be run; install Debian's package wrk")?;
        let stdout = String::from_utf8_lossy(&output.stdout);
        let sample = parse(&stdout).with_context(|| {
            format!("wrk printed {stdout:?} and {:?}", String::from_utf8_lossy(&output.stderr))
        })?;
        ensure!(sample.failed == 0, "{} of the requests to {} failed", sample.failed, self.base_url);
        Ok(sample.figures)
    }

    fn script(&self) -> String {
        let mut script = SCRIPT_BEGIN.to_owned();
        for request in &self.requests {
            let headers: String = request
                .headers
                .iter()
                .map(|(name, value)| format!("[{name:?}]={}, ", quoted(value)))
                .collect();
            let body = request.body.as_deref().map_or("nil".to_owned(), quoted);
            writeln!(
                script,
                "  requests[#requests + 1] = wrk.format({:?}, {}, {{{headers}}}, {body})",
                request.method,
                quoted(&request.path)
            )
            .expect("a String takes any text");
        }
        script + SCRIPT_END
    }
}

/// Lua's long form of a text, in which nothing but its end has a meaning.
fn quoted(text: &str) -> String {
    format!("[==[{text}]==]")
}

/// Measures both loads in turns.
pub(crate) fn compare(plan: &Plan, tonearm: &Load, reference: &Load) -> Result<Sides<Sample>> {
    plan.alternate(|| tonearm.run(plan), || reference.run(plan))
}

#[derive(Debug, PartialEq)]
struct Parsed {
    figures: Sample,
    failed: u64,
}

/// The line that the script's `done` writes: microseconds, requests, failures, 99th percentile in microseconds.
fn parse(output: &str) -> Option<Parsed> {
    let line = output.lines().find_map(|line| line.strip_prefix(MARK))?;
    let numbers: Vec<u64> = line.split(' ').map(str::parse).collect::<Result<_, _>>().ok()?;
    let [micros, requests, failed, p99] = numbers.try_into().ok()?;
    (micros > 0).then(|| Parsed {
        figures: Sample {
            requests_per_second: requests as f64 / (micros as f64 / 1e6),
            p99_ms: p99 as f64 / 1e3,
        },
        failed,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_found_in_what_wrk_says() {
        let stdout = "Running 2s test @ http://127.0.0.1:1\n  2 threads and 16 connections\n\
                    Requests/sec:  50000.00\n\nmeasured 2000000 100000 3 1250\n";
        let figures = Sample { requests_per_second: 50_000.0, p99_ms: 1.25 };
        assert_eq!(parse(stdout), Some(Parsed { figures, failed: 3 }));
    }

    #[test]
    fn what_wrk_does_not_say_is_not_found() {
        for stdout in ["", "unable to connect", "measured 0 0 0 0", "measured 1 2 3", "measured 1 2 3 four"] {
            assert_eq!(parse(stdout), None, "{stdout:?}");
        }
    }

    #[test]
    fn scripts_hold_every_request() {
        let load = Load {
            base_url: "http://127.0.0.1:1".to_owned(),
            connections: 1,
            requests: vec![
                Request::get("/a?b=\"c\"").with("Range", "bytes=0-1"),
                Request::post("/d", &serde_json::json!({"e": "f"})),
            ],
        };
        let script = load.script();
        assert!(
            script.contains(r#"wrk.format("GET", [==[/a?b="c"]==], {["Range"]=[==[bytes=0-1]==], }, nil)"#)
        );
        assert!(script.contains(r#"{["Content-Type"]=[==[application/json]==], }, [==[{"e":"f"}]==])"#));
    }
}
