//! Sends spans to the collector, in batches, in the background.

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

/// Maximum number of spans in a request.
const BATCH: usize = 512;

/// How long a span waits for others to form a batch.
const GATHER_FOR: Duration = Duration::from_secs(2);

/// Timeout for a request to the collector.
const DEADLINE: Duration = Duration::from_secs(10);

/// Attempts to send a batch before it is dropped, and the pause between them.
const TRIES: u32 = 3;
const PAUSE: Duration = Duration::from_secs(5);

/// Minimum time between log lines about lost traces.
const COMPLAIN_EVERY: Duration = Duration::from_secs(600);

/// Timeout for sending the remaining spans when the process ends.
const LAST_PATIENCE: Duration = Duration::from_secs(3);

/// The exporter of spans, before it is started.
pub struct TraceExport {
    exporter: SpanExporter,
    waiting: Receiver<SpanData>,
    dropped: Dropped,
    endpoint: Url,
}

/// The running exporter of spans.
pub struct RunningExport {
    task: JoinHandle<()>,
    stop: CancellationToken,
}

/// The queue for spans that have ended, and the exporter that sends them.
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
        // Its pauses would block a thread; retries are implemented below.
        .with_retry_policy(RetryPolicy::disabled())
        .build()
        .map_err(|error| format!("tracing.otlp_endpoint: {error}"))?;
    exporter.set_resource(resource);
    let (queue, waiting, dropped) = Queue::new();
    Ok((queue, TraceExport { exporter, waiting, dropped, endpoint: endpoint.clone() }))
}

impl TraceExport {
    /// Starts to send spans, on the current runtime.
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
        // Spans that end from here on are dropped.
        self.waiting.close();
        let mut rest = Vec::new();
        while self.waiting.recv_many(&mut rest, BATCH).await > 0 {
            self.send(std::mem::take(&mut rest), &mut trouble, &stop).await;
        }
    }

    /// Waits for a span, and a while for others. Empty if the process ends, or if all senders of the queue are gone.
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

    /// Sends a batch, with retries, and drops it if all attempts fail.
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
    /// Sends the remaining spans, for a few seconds at most.
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

/// An outage of the collector. It is logged when it begins and ends, and from time to time in between.
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
