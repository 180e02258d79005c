//! Where spans wait that have ended: a queue with a bound. Whoever ends a span never waits.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use opentelemetry::Context;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::trace::{Span, SpanData, SpanProcessor};
use tokio::sync::mpsc;
use tokio::sync::mpsc::{Receiver, Sender};

/// Most spans that wait; a few MB.
const MOST_WAITING: usize = 4096;

/// Takes spans that have ended. What does not fit is dropped and counted.
#[derive(Debug)]
pub(super) struct Queue {
    spans: Sender<SpanData>,
    dropped: Dropped,
}

/// How many spans were not exported.
#[derive(Debug, Clone, Default)]
pub(super) struct Dropped(Arc<AtomicU64>);

impl Dropped {
    pub(super) fn add(&self, count: u64) {
        self.0.fetch_add(count, Ordering::Relaxed);
        tonearm_telemetry::dropped_spans(count);
    }

    /// How many there were since this was last asked.
    pub(super) fn take(&self) -> u64 {
        self.0.swap(0, Ordering::Relaxed)
    }
}

impl Queue {
    pub(super) fn new() -> (Self, Receiver<SpanData>, Dropped) {
        let (spans, waiting) = mpsc::channel(MOST_WAITING);
        let dropped = Dropped::default();
        (Self { spans, dropped: dropped.clone() }, waiting, dropped)
    }
}

impl SpanProcessor for Queue {
    fn on_start(&self, _: &mut Span, _: &Context) {}

    fn on_end(&self, span: SpanData) {
        if span.span_context.is_sampled() && self.spans.try_send(span).is_err() {
            self.dropped.add(1);
        }
    }

    // What waits is sent by the task that exports, which is told when the process ends.
    fn force_flush(&self) -> OTelSdkResult {
        Ok(())
    }

    fn shutdown_with_timeout(&self, _: Duration) -> OTelSdkResult {
        Ok(())
    }
}
