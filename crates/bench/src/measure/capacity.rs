//! The figures that the model of docs/scaling.md uses: CPU time per hour of sound, memory per connection, statements
//! per play. Reference: the figures in the document.

use std::io::Write as _;
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use bytes::Bytes;
use serde_json::json;
use tonearm_blobs::Blobs;
use tonearm_fixtures::S3Server;
use tonearm_fixtures::audio::{Signal, WavSpec, wav};
use tonearm_signing::{DeliveryTerms, Secrets, UrlSigner};

use super::cold::{self, EdgeNode};
use super::listeners;
use crate::model::{self, Parameter};
use crate::plan::Plan;
use crate::report::{Goal, Row};
use crate::stage::{Stage, text};
use crate::{http, memory, noise};

/// The time after which all earlier work is finished.
const SETTLED: Duration = Duration::from_secs(3);

/// How long the statements of an idle node are counted.
const IDLE: Duration = Duration::from_secs(10);

/// Requests of each kind, sent one after another.
const REQUESTS: usize = 500;

/// Added to each limit, because statements of the node's own upkeep come in bursts.
const TOLERANCE: f64 = 0.05;

/// A counter in `/metrics`: SQL statements.
const STATEMENTS: &str = "tonearm_database_statements_total";

/// A counter in `/metrics`: reads from the store.
const STORE_GETS: &str = "tonearm_store_operation_duration_seconds_count{operation=\"get\"";

/// 256 kbit/s.
const HQ_BYTES_PER_SECOND: f64 = 32_000.0;

pub(super) async fn run(plan: &Plan) -> Result<Vec<Row>> {
    let mut rows = vec![row(model::PROCESSING, processing(plan, None).await?)];
    for (parameter, recipe) in SINGLE_RECIPES {
        rows.push(row(parameter, processing(plan, Some(recipe)).await?));
    }
    rows.extend(connections(plan).await?);
    rows.extend(statements().await?);
    rows.extend(store_requests(plan).await?);
    Ok(rows)
}

fn row(parameter: Parameter, measured: f64) -> Row {
    Row {
        name: format!("capacity: {}", parameter.name),
        unit: parameter.unit,
        figures: (measured, parameter.value),
        reference: "docs/scaling.md",
        goal: Some(Goal::Within(parameter.value * parameter.factor + TOLERANCE)),
    }
}

/// The default recipes that encode sound. A track with none of them would not be ready.
const SINGLE_RECIPES: [(Parameter, &str); 3] =
    [(model::HQ, "hq"), (model::LQ, "lq"), (model::PREVIEW, "preview")];

/// CPU time in seconds that the service and its encoders use for an hour of sound, with all default recipes or only one
/// of them.
async fn processing(plan: &Plan, only: Option<&str>) -> Result<f64> {
    let stage = Stage::open().await?;
    let others = SINGLE_RECIPES.into_iter().map(|(_, recipe)| recipe).chain(["levels"]);
    for recipe in others.filter(|recipe| only.is_some_and(|only| only != *recipe)) {
        stage.command(&["recipe", "remove", "--org", stage.organization_id(), recipe])?;
    }
    let seconds = plan.sound_seconds;
    let signal = Signal::Noise { seed: 1, amplitude: 0.3 };
    let sound = wav(&WavSpec { seconds, signal, ..WavSpec::default() });
    let process = *stage.processes().first().context("the service runs")?;
    let before = cpu_seconds(process)?;
    stage.upload("noise.wav", &sound).await?;
    thread::sleep(SETTLED);
    Ok((cpu_seconds(process)? - before) * 3600.0 / seconds)
}

/// CPU time in seconds of a process and of its children that have ended.
fn cpu_seconds(process: u32) -> Result<f64> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat"))?;
    let (_, fields) = stat.rsplit_once(')').context("/proc tells no name")?;
    // Fields 14 to 17 (proc_pid_stat(5)). The first field after the name is field 3.
    let ticks: u64 =
        fields.split_ascii_whitespace().skip(11).take(4).map(str::parse::<u64>).sum::<Result<_, _>>()?;
    Ok(ticks as f64 / rustix::param::clock_ticks_per_second() as f64)
}

/// Memory of a node, of an idle connection and of a listener.
async fn connections(plan: &Plan) -> Result<Vec<Row>> {
    listeners::allow_open_files(plan.listeners)?;
    let stage = Stage::open().await?;
    thread::sleep(SETTLED);
    let idle = memory::resident(&stage.processes())? as f64;
    let address = stage.url().strip_prefix("http://").context("the service speaks HTTP")?.parse()?;
    let open: Vec<TcpStream> =
        (0..plan.listeners).map(|_| listeners::connect(address)).collect::<Result<_>>()?;
    // When the last connection is answered, all have been accepted.
    let mut last = open.last().context("there are connections")?;
    last.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")?;
    thread::sleep(SETTLED);
    let connected = memory::resident(&stage.processes())? as f64;
    drop(open);
    let listening = listeners::memory_of_listeners(plan).await?;
    let each = |more: f64| more / plan.listeners as f64 / 1e3;
    Ok(vec![
        row(model::IDLE_NODE, idle / 1e6),
        row(model::CONNECTION, each(connected - idle)),
        row(model::LISTENER, each(listening * 1e6 - idle)),
    ])
}

/// Statements of sessions, of track lookups, and of ranges, without those of the node's own upkeep.
async fn statements() -> Result<Vec<Row>> {
    let mut stage = Stage::open().await?;
    let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
    stage.restart_with("TONEARM_METRICS_LISTEN", &port.to_string()).await;
    let tracks = stage.fill(20).await?;
    let counter = Counter { url: format!("http://{port}/metrics"), name: STATEMENTS };
    thread::sleep(SETTLED);
    let (before, began) = (counter.read()?, Instant::now());
    thread::sleep(IDLE);
    let own = (counter.read()? - before) / began.elapsed().as_secs_f64();
    let body = json!({"collection_id": stage.collection_id});
    let session = stage.client.post("/v1/play_session/collection", &body).await.ok();
    let id = text(&session, "/play_session_id")?.to_owned();
    let sessions = counter.each(own, async |_| {
        stage.client.post("/v1/play_session/collection", &body).await.ok();
        Ok(())
    });
    let sessions = sessions.await?;
    let lookups = counter.each(own, async |_| {
        stage.client.get(&format!("/v1/play/{id}/{}", tracks[0])).await.ok();
        Ok(())
    });
    let lookups = lookups.await?;
    let original = stage.original(&tracks[0]).await?;
    let ranges = counter.each(own, async |_| {
        ensure!(http::get(&original)?.status == 200, "the file did not come");
        Ok(())
    });
    let ranges = ranges.await?;
    Ok(vec![row(model::SESSION, sessions), row(model::TRACK, lookups), row(model::RANGE, ranges)])
}

/// Requests to a bucket for an hour of `hq`, extrapolated from a file of a quarter of an hour that is read twice from
/// beginning to end.
async fn store_requests(plan: &Plan) -> Result<Vec<Row>> {
    let (folder, ambient) = (tempfile::tempdir()?, tonearm::ambient::system());
    let bucket = S3Server::start();
    let key = cold::new_key(&ambient);
    let seconds = plan.sound_seconds * 3.0;
    let content = Bytes::from(noise::bytes((HQ_BYTES_PER_SECOND * seconds) as usize));
    Blobs::open(&bucket.url().parse()?).await?.put_bytes(&key, content).await?;
    let signer = UrlSigner::new(Secrets::parse(cold::SECRET)?);
    let path = signer.sign_delivery(&key, DeliveryTerms::default(), ambient.now());
    let metrics = format!("127.0.0.1:{}", TcpListener::bind("127.0.0.1:0")?.local_addr()?.port());
    let settings = [("TONEARM_METRICS_LISTEN", metrics.as_str())];
    let mut node = EdgeNode::start_with(folder.path(), &bucket.url(), &settings).await?;
    let counter = Counter { url: format!("http://{metrics}/metrics"), name: STORE_GETS };
    let mut hours = [0.0; 2];
    for requests in &mut hours {
        let before = counter.read()?;
        node.read(&path)?;
        *requests = (counter.read()? - before) * 3600.0 / seconds;
    }
    Ok(vec![row(model::COLD_HOUR, hours[0]), row(model::CACHED_HOUR, hours[1])])
}

/// A counter of a node.
struct Counter {
    url: String,
    name: &'static str,
}

impl Counter {
    fn read(&self) -> Result<f64> {
        let mut answer = String::new();
        let mut socket =
            TcpStream::connect(self.url.trim_start_matches("http://").trim_end_matches("/metrics"))?;
        socket.write_all(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")?;
        std::io::Read::read_to_string(&mut socket, &mut answer)?;
        // A counter with labels is absent until it has counted something.
        let read = parse_counter(&answer, self.name).or_else(|| self.name.contains('{').then_some(0.0));
        read.with_context(|| format!("{} does not tell {}", self.url, self.name))
    }

    /// Statements per request, without the node's own statements, of which there are `own` per second.
    async fn each(&self, own: f64, mut request: impl AsyncFnMut(usize) -> Result<()>) -> Result<f64> {
        let (before, began) = (self.read()?, Instant::now());
        for number in 0..REQUESTS {
            request(number).await?;
        }
        let more = self.read()? - before - own * began.elapsed().as_secs_f64();
        Ok((more / REQUESTS as f64).max(0.0))
    }
}

/// The sum of the lines that begin with this name and, if it includes any, these labels.
fn parse_counter(metrics: &str, name: &str) -> Option<f64> {
    let values = metrics.lines().filter(|line| line.starts_with(name));
    let values = values.map(|line| line.rsplit_once(' ').and_then(|(_, value)| value.parse::<f64>().ok()));
    values.reduce(|sum, value| Some(sum? + value?)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_counter_of_statements_is_read() {
        let metrics = format!("# TYPE {STATEMENTS} counter\n{STATEMENTS} 42\nother 1\n");
        assert_eq!(parse_counter(&metrics, STATEMENTS), Some(42.0));
        assert_eq!(parse_counter("other 1\n", STATEMENTS), None);
        let labelled = format!("{STORE_GETS},outcome=\"ok\"}} 3\n{STORE_GETS},outcome=\"failed\"}} 1\n");
        assert_eq!(parse_counter(&labelled, STORE_GETS), Some(4.0));
    }

    #[test]
    fn the_time_of_this_process_is_read() {
        assert!(cpu_seconds(std::process::id()).unwrap() >= 0.0);
    }
}
