//! Sending spans to the collector, in batches, beside everything else.

use std::time::Duration;

use opentelemetry_otlp::{Protocol, RetryPolicy, SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{SpanData, SpanExporter as _};
use tokio::sync::mpsc::Receiver;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::CancellationToken;
use tonearm_outbound::install_tls_provider;
use url::Url;

use super::queue::{Dropped, Queue};
use super::settings::TraceConfig;

/// Most spans in a request.
const BATCH: usize = 512;

/// How long spans wait for others to be sent with.
const GATHER_FOR: Duration = Duration::from_secs(2);

/// How long a collector may take.
const DEADLINE: Duration = Duration::from_secs(10);

/// How often a batch is sent before it is dropped, and how long that is waited in between.
const TRIES: u32 = 3;
const PAUSE: Duration = Duration::from_secs(5);

/// How often at most it is said that traces are lost.
const COMPLAIN_EVERY: Duration = Duration::from_secs(600);

/// How long sending what is left may take when the process ends.
const LAST_PATIENCE: Duration = Duration::from_secs(3);

/// What sends spans, once it is started.
pub struct TraceExport {
    exporter: SpanExporter,
    waiting: Receiver<SpanData>,
    dropped: Dropped,
    endpoint: Url,
}

/// What sends spans.
pub struct RunningExport {
    task: JoinHandle<()>,
    stop: CancellationToken,
}

/// The queue that spans end in, and what sends what is in it.
pub(super) fn prepare(
    config: &TraceConfig,
    endpoint: &Url,
    resource: &Resource,
) -> Result<(Queue, TraceExport), String> {
    install_tls_provider();
    let client = reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .no_proxy()
        .timeout(DEADLINE)
        .user_agent(concat!("Tonearm/", env!("CARGO_PKG_VERSION")))
        .build()
        .map_err(|error| format!("tracing.otlp_endpoint: {error}"))?;
    let mut exporter = SpanExporter::builder()
        .with_http()
        .with_http_client(client)
        .with_endpoint(endpoint.as_str())
        .with_headers(config.headers.as_map().clone())
        .with_protocol(Protocol::HttpBinary)
        .with_timeout(DEADLINE)
        // Its pauses would keep a thread; ours are below.
        .with_retry_policy(RetryPolicy::disabled())
        .build()
        .map_err(|error| format!("tracing.otlp_endpoint: {error}"))?;
    exporter.set_resource(resource);
    let (queue, waiting, dropped) = Queue::new();
    Ok((queue, TraceExport { exporter, waiting, dropped, endpoint: endpoint.clone() }))
}

impl TraceExport {
    /// Sends from now on, on the runtime that this is called on.
    pub fn start(self) -> RunningExport {
        tracing::info!(endpoint = %self.endpoint, "traces are exported");
        let stop = CancellationToken::new();
        let task = tokio::spawn(self.send_all(stop.clone()));
        RunningExport { task, stop }
    }

    async fn send_all(mut self, stop: CancellationToken) {
        let mut trouble = Trouble::default();
        loop {
            let batch = self.gather(&stop).await;
            if batch.is_empty() {
                break;
            }
            self.send(batch, &mut trouble, &stop).await;
        }
        // What ends from here on is dropped.
        self.waiting.close();
        let mut rest = Vec::new();
        while self.waiting.recv_many(&mut rest, BATCH).await > 0 {
            self.send(std::mem::take(&mut rest), &mut trouble, &stop).await;
        }
    }

    /// Waits for a span, and a while for others. None where the process ends, or nobody is left who could end a span.
    async fn gather(&mut self, stop: &CancellationToken) -> Vec<SpanData> {
        let mut batch = Vec::new();
        tokio::select! {
            _ = self.waiting.recv_many(&mut batch, BATCH) => {}
            () = stop.cancelled() => return batch,
        }
        let until = Instant::now() + GATHER_FOR;
        while batch.len() < BATCH {
            let room = BATCH - batch.len();
            tokio::select! {
                received = self.waiting.recv_many(&mut batch, room) => if received == 0 { break },
                () = sleep_until(until) => break,
                () = stop.cancelled() => break,
            }
        }
        batch
    }

    /// Sends a batch, more than once if need be, and drops it in the end.
    async fn send(&self, batch: Vec<SpanData>, trouble: &mut Trouble, stop: &CancellationToken) {
        for attempt in 1..=TRIES {
            let problem = match timeout(DEADLINE, self.exporter.export(batch.clone())).await {
                Ok(Ok(())) => return trouble.end(&self.dropped),
                Ok(Err(error)) => error.to_string(),
                Err(_) => format!("no complete response within {} s", DEADLINE.as_secs()),
            };
            trouble.complain(&problem, &self.dropped);
            if attempt == TRIES || stop.run_until_cancelled(tokio::time::sleep(PAUSE)).await.is_none() {
                break;
            }
        }
        self.dropped.add(batch.len() as u64);
    }
}

impl RunningExport {
    /// Sends what is left, for a few seconds at most.
    pub async fn finish(mut self) {
        self.stop.cancel();
        match timeout(LAST_PATIENCE, &mut self.task).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::error!(%error, "the task that exports traces panicked"),
            Err(_) => {
                self.task.abort();
                tracing::warn!("the last traces were not exported in time");
            }
        }
    }
}

/// A collector that takes nothing. It is said at its beginning and end, and now and then in between.
#[derive(Default)]
struct Trouble {
    complained_at: Option<Instant>,
}

impl Trouble {
    fn complain(&mut self, problem: &str, dropped: &Dropped) {
        let now = Instant::now();
        if self.complained_at.is_none_or(|at| now.duration_since(at) >= COMPLAIN_EVERY) {
            self.complained_at = Some(now);
            tracing::warn!(problem, dropped_spans = dropped.take(), "could not export traces");
        }
    }

    fn end(&mut self, dropped: &Dropped) {
        if self.complained_at.take().is_some() {
            tracing::info!(dropped_spans = dropped.take(), "traces are exported again");
        }
    }
}
