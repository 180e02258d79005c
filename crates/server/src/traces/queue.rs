//! A bounded queue of spans that have ended. Code that ends a span never waits.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use opentelemetry::Context;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::trace::{Span, SpanData, SpanProcessor};
use tokio::sync::mpsc;
use tokio::sync::mpsc::{Receiver, Sender};

/// Maximum number of waiting spans; a few MB.
const MOST_WAITING: usize = 4096;

/// Takes spans that have ended. Spans that do not fit are dropped and counted.
#[derive(Debug)]
pub(super) struct Queue {
    spans: Sender<SpanData>,
    dropped: Dropped,
}

/// The number of spans that were not exported.
#[derive(Debug, Clone, Default)]
pub(super) struct Dropped(Arc<AtomicU64>);

impl Dropped {
    pub(super) fn add(&self, count: u64) {
        self.0.fetch_add(count, Ordering::Relaxed);
        tonearm_telemetry::dropped_spans(count);
    }

    /// Returns the number since the last call.
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

    // The export task sends the waiting spans, and is told when the process ends.
    fn force_flush(&self) -> OTelSdkResult {
        Ok(())
    }

    fn shutdown_with_timeout(&self, _: Duration) -> OTelSdkResult {
        Ok(())
    }
}
