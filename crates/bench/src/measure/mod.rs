//! The measurements, one file each.

mod backlog;
mod beside;
mod capacity;
mod cold;
mod download;
mod fairness;
mod hosted;
mod http2;
mod latency;
mod levels;
mod list;
mod listeners;
mod metrics;
mod objects;
mod pages;
mod play_session;
mod play_track;
mod process;
mod range;
mod redirect;
mod rude;
mod scale;
mod start;
mod upload;
mod uploads;

use anyhow::Result;
use clap::ValueEnum;

use crate::h2load::Answered;
use crate::plan::{Plan, Sides};
use crate::reference::{Bare, BareServer};
use crate::report::{Goal, Row, Unit};
use crate::stage::Stage;
use crate::wrk::{self, Load, Request, Sample};

/// What can be measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Benchmark {
    Upload,
    Uploads,
    Download,
    Range,
    Metrics,
    Http2,
    Latency,
    Rude,
    Whole,
    Small,
    Cold,
    Listeners,
    PlaySession,
    PlayTrack,
    Redirect,
    List,
    Pages,
    Start,
    Process,
    Levels,
    Backlog,
    Beside,
    Fairness,
    Scale,
    Capacity,
}

impl Benchmark {
    /// The benchmarks that run by default.
    pub(crate) const USUAL: &[Self] = &[
        Self::Upload,
        Self::Uploads,
        Self::Download,
        Self::Range,
        Self::Metrics,
        Self::Http2,
        Self::Latency,
        Self::Rude,
        Self::Whole,
        Self::Small,
        Self::Cold,
        Self::Listeners,
        Self::PlaySession,
        Self::PlayTrack,
        Self::Redirect,
        Self::List,
        Self::Pages,
        Self::Start,
        Self::Process,
        Self::Levels,
        Self::Backlog,
        Self::Beside,
        Self::Fairness,
        Self::Capacity,
    ];

    pub(crate) async fn run(self, plan: &Plan) -> Result<Vec<Row>> {
        match self {
            Self::Upload => upload::run(plan).await,
            Self::Uploads => uploads::run(plan).await,
            Self::Download => download::run(plan).await,
            Self::Range => range::run(plan).await,
            Self::Metrics => metrics::run(plan).await,
            Self::Http2 => http2::run(plan).await,
            Self::Latency => latency::run(plan).await,
            Self::Rude => rude::run(plan).await,
            Self::Whole => objects::large(plan).await,
            Self::Small => objects::small(plan).await,
            Self::Cold => cold::run(plan).await,
            Self::Listeners => listeners::run(plan).await,
            Self::PlaySession => play_session::run(plan).await,
            Self::PlayTrack => play_track::run(plan).await,
            Self::Redirect => redirect::run(plan).await,
            Self::List => list::run(plan).await,
            Self::Pages => pages::run(plan).await,
            Self::Start => start::run(plan).await,
            Self::Process => process::run(plan).await,
            Self::Levels => levels::run(plan).await,
            Self::Backlog => backlog::run(plan).await,
            Self::Beside => beside::run(plan).await,
            Self::Fairness => fairness::run(plan).await,
            Self::Scale => scale::run(plan).await,
            Self::Capacity => capacity::run(plan).await,
        }
    }
}

/// Concurrent connections that call the API.
const CALLERS: u32 = 16;

/// Bytes in a megabyte.
const MEGABYTE: f64 = 1e6;

/// Returns a function that builds the rows of a benchmark, one per property.
fn rows_beside(name: &str, reference: &'static str) -> impl Fn(&str, Unit, (f64, f64), Option<Goal>) -> Row {
    move |property, unit, figures, goal| {
        let name = format!("{name}: {property}");
        Row { name, unit, figures, reference, goal }
    }
}

/// Speed and 99th percentile of calls, compared with a reference.
fn rows_of_load(name: &str, sides: &Sides<Sample>, reference: &'static str, goal: Option<Goal>) -> Vec<Row> {
    let row = rows_beside(name, reference);
    vec![
        row("speed", Unit::RequestsPerSecond, sides.medians(|s| s.requests_per_second), goal),
        row("99th percentile", Unit::Milliseconds, sides.medians(|s| s.p99_ms), None),
    ]
}

/// Speed, median and 99th percentile of h2load's requests, compared with a reference.
fn rows_of_answers(
    name: &str,
    sides: &Sides<Answered>,
    reference: &'static str,
    speed: Option<Goal>,
    p99: Option<Goal>,
) -> Vec<Row> {
    let row = rows_beside(name, reference);
    vec![
        row("speed", Unit::RequestsPerSecond, sides.medians(|s| s.requests_per_second), speed),
        row("median", Unit::Milliseconds, sides.medians(|s| s.p50_ms), None),
        row("99th percentile", Unit::Milliseconds, sides.medians(|s| s.p99_ms), p99),
    ]
}

/// Calls of the API, compared with calls of a server that answers everything with one word.
fn beside_hello(plan: &Plan, name: &str, stage: &Stage, requests: Vec<Request>) -> Result<Vec<Row>> {
    let hello = BareServer::start(Bare::Hello, stage.folder())?;
    let tonearm = Load { base_url: stage.url(), connections: CALLERS, requests };
    let reference = Load { base_url: hello.url().to_owned(), ..tonearm.clone() };
    let sides = wrk::compare(plan, &tonearm, &reference)?;
    Ok(rows_of_load(name, &sides, "hello by axum", None))
}
