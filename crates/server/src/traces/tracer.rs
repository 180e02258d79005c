//! Connects the current position in a trace with OpenTelemetry.

use opentelemetry::Context;
use opentelemetry::trace::{SpanContext, SpanId, TraceContextExt, TraceFlags, TraceId, TraceState};
use tonearm_domain::TraceContext;
use tonearm_telemetry::Tracer;
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt;

/// Spans are recorded by the layer of `tracing-opentelemetry`, which activates the context of each span that is entered.
pub(super) struct OpenTelemetry;

impl Tracer for OpenTelemetry {
    fn current(&self) -> Option<TraceContext> {
        Context::map_current(|context| {
            let span = context.span();
            let own = span.span_context();
            TraceContext::new(own.trace_id().to_bytes(), own.span_id().to_bytes(), own.is_sampled())
        })
    }

    fn continue_from(&self, span: &Span, parent: TraceContext) {
        let parent = SpanContext::new(
            TraceId::from_bytes(parent.trace_id()),
            SpanId::from_bytes(parent.span_id()),
            TraceFlags::default().with_sampled(parent.is_sampled()),
            true,
            TraceState::NONE,
        );
        // Fails if the span is not recorded, and then there is nothing to do.
        drop(span.set_parent(Context::new().with_remote_span_context(parent)));
    }
}
