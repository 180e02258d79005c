//! Ten thousand listeners who take next to nothing of what they asked for, and the memory that costs. Reference: nginx.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use rustix::process::{Resource, getrlimit, setrlimit};
use tonearm_fixtures::audio::{Signal, WavSpec, wav};

use super::MEGABYTE;
use crate::memory;
use crate::plan::{Plan, Sides};
use crate::reference::FileServer;
use crate::report::{Goal, Row, Unit};
use crate::stage::Stage;

/// More than the buffers of a connection hold.
const FILE_BYTES: f64 = 10e6;

/// What each listener takes, once at the beginning and once when all are there.
const SIP: usize = 1024;

/// When nothing is left to do for those who wait.
const SETTLED: Duration = Duration::from_secs(2);

/// Files that this process has open beside the connections.
const OTHER_FILES: u64 = 200;

/// A server with all listeners connected. Memory is in megabytes.
struct Seen {
    memory: f64,
    /// How long somebody else waits for a whole file meanwhile.
    other_ms: f64,
}

pub(super) async fn run(plan: &Plan) -> Result<Vec<Row>> {
    allow_open_files(plan.listeners)?;
    let signal = Signal::Noise { seed: 1, amplitude: 0.3 };
    let sound = wav(&WavSpec { seconds: FILE_BYTES / (44_100.0 * 4.0), signal, ..WavSpec::default() });
    let root = tempfile::tempdir()?;
    fs::write(root.path().join("sound.wav"), &sound)?;
    let stage = Stage::open().await?;
    let track_id = stage.upload("sound.wav", &sound).await?;
    let url = stage.original(&track_id).await?;
    let path = url.strip_prefix(&stage.url()).context("files are served where the API is")?;
    let files = FileServer::start(root.path())?;
    let sides = Sides {
        tonearm: vec![listen(plan, &stage.url(), path, &stage.processes())?],
        reference: vec![listen(plan, files.url(), &files.path("sound.wav"), &files.processes())?],
    };
    let row = |property: &str, unit, figures, goal| Row {
        name: format!("listeners, {}: {property}", plan.listeners),
        unit,
        figures,
        reference: files.name(),
        goal,
    };
    Ok(vec![
        row("memory", Unit::Megabytes, sides.medians(|s| s.memory), Some(Goal::Within(200.0))),
        row("10 MB for somebody else", Unit::Milliseconds, sides.medians(|s| s.other_ms), None),
    ])
}

fn listen(plan: &Plan, base_url: &str, path: &str, processes: &[u32]) -> Result<Seen> {
    let host = base_url.strip_prefix("http://").with_context(|| format!("{base_url} is no http URL"))?;
    let request = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n");
    let mut listeners = Vec::with_capacity(plan.listeners);
    for _ in 0..plan.listeners {
        let mut socket = TcpStream::connect(host)?;
        socket.set_read_timeout(Some(Duration::from_secs(60)))?;
        socket.write_all(request.as_bytes())?;
        listeners.push(socket);
    }
    let mut sip = [0; SIP];
    for round in 0..2 {
        for socket in &mut listeners {
            socket.read_exact(&mut sip)?;
            ensure!(round > 0 || sip.starts_with(b"HTTP/1.1 200 "), "a listener was refused");
        }
    }
    std::thread::sleep(SETTLED);
    let memory = memory::resident(processes)? as f64 / MEGABYTE;
    let begun = Instant::now();
    let reply = crate::http::get(&format!("{base_url}{path}"))?;
    ensure!(reply.status == 200 && reply.body_bytes as f64 > FILE_BYTES * 0.99, "the file did not come");
    Ok(Seen { memory, other_ms: begun.elapsed().as_secs_f64() * 1e3 })
}

/// Each connection is an open file.
fn allow_open_files(connections: usize) -> Result<()> {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    setrlimit(Resource::Nofile, limit)?;
    let needed = connections as u64 + OTHER_FILES;
    ensure!(
        limit.maximum.is_none_or(|most| most >= needed),
        "only {} files may be open; allow {needed} with `ulimit -Hn`",
        limit.maximum.unwrap_or_default()
    );
    Ok(())
}
