//! Time from starting the service over an empty folder to its first answer, and its memory when idle. References: the
//! time ffmpeg takes to print its version, and the memory of a server that answers with one word.

use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use tonearm_testkit::Program;

use super::MEGABYTE;
use crate::plan::{Plan, median};
use crate::reference::{Bare, BareServer};
use crate::report::{Goal, Row, Unit};
use crate::{http, memory, stage};

/// The time after which the start is completely finished.
const SETTLED: Duration = Duration::from_secs(3);

/// How long a start may take before the run fails.
const PATIENCE: Duration = Duration::from_secs(60);

pub(super) async fn run(plan: &Plan) -> Result<Vec<Row>> {
    let binary = stage::binary()?;
    let mut starts = Vec::new();
    let mut versions = Vec::new();
    for _ in 0..plan.starts {
        let folder = tempfile::tempdir()?;
        let mut program = Program::new(&binary, &folder.path().join("data"));
        starts.push(start(&mut program)?);
        program.kill();
        versions.push(print_version()?);
    }

    let folder = tempfile::tempdir()?;
    let mut program = Program::new(&binary, &folder.path().join("data"));
    start(&mut program)?;
    let hello = BareServer::start(Bare::Hello, folder.path())?;
    thread::sleep(SETTLED);
    let process = program.pid().context("the service runs")?;
    let idle = memory::resident(&[process])? as f64 / MEGABYTE;
    let hello_idle = memory::resident(&hello.processes())? as f64 / MEGABYTE;
    Ok(vec![
        Row {
            name: "start: time to the first answer".to_owned(),
            unit: Unit::Milliseconds,
            figures: (median(starts), median(versions)),
            reference: "ffmpeg -version",
            goal: Some(Goal::Within(200.0)),
        },
        Row {
            name: "start: idle memory".to_owned(),
            unit: Unit::Megabytes,
            figures: (idle, hello_idle),
            reference: "hello by axum",
            goal: Some(Goal::Within(40.0)),
        },
    ])
}

/// Milliseconds from starting the program to its first response with status 200.
fn start(program: &mut Program) -> Result<f64> {
    let url = format!("{}/healthz", program.url());
    let begun = Instant::now();
    program.spawn();
    while !http::get(&url).is_ok_and(|reply| reply.status == 200) {
        ensure!(begun.elapsed() < PATIENCE, "the service does not answer: {}", program.log());
        thread::sleep(Duration::from_millis(1));
    }
    Ok(begun.elapsed().as_secs_f64() * 1e3)
}

/// Milliseconds that ffmpeg takes to print its version.
fn print_version() -> Result<f64> {
    let begun = Instant::now();
    let status = Command::new("ffmpeg").arg("-version").stdout(Stdio::null()).status()?;
    ensure!(status.success(), "ffmpeg ended with {status}");
    Ok(begun.elapsed().as_secs_f64() * 1e3)
}
