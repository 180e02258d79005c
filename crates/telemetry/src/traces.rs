//! The current position in a trace, to be passed on to jobs, webhooks and other servers.
//!
//! The program installs a [`Tracer`]. Without one, nothing is in a trace, and a check costs one load.

use std::sync::OnceLock;

use tonearm_domain::TraceContext;
use tracing::Span;

static TRACER: OnceLock<Box<dyn Tracer>> = OnceLock::new();

/// Records traces.
pub trait Tracer: Send + Sync {
    /// The span that is entered on this thread. `None` outside of all spans.
    fn current(&self) -> Option<TraceContext>;

    /// Makes a span the child of one that was begun elsewhere. It must not have been entered yet.
    fn continue_from(&self, span: &Span, parent: TraceContext);
}

/// Installs a tracer until the process ends. The first tracer stays.
pub fn trace_with(tracer: Box<dyn Tracer>) {
    // A tracer that was installed before stays.
    drop(TRACER.set(tracer));
}

/// Whether there are traces.
pub fn is_tracing() -> bool {
    TRACER.get().is_some()
}

/// The current position in a trace, to be passed on.
pub fn current_trace() -> Option<TraceContext> {
    TRACER.get()?.current()
}

/// Makes a new span continue the trace that caused it. Without one, it begins a trace of its own.
pub fn continue_trace(span: &Span, parent: Option<TraceContext>) {
    if let (Some(tracer), Some(parent)) = (TRACER.get(), parent) {
        tracer.continue_from(span, parent);
    }
}
