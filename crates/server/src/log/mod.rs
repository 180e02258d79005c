//! Where log lines go: standard error, as text for people or as JSON for machines. If traces are exported, spans are
//! recorded for them too.

mod json;
mod text;

use std::io::IsTerminal;

use opentelemetry_sdk::trace::SdkTracer;
use tracing::Subscriber;
use tracing_subscriber::fmt::format;
use tracing_subscriber::fmt::format::JsonFields;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, fmt, registry};

use crate::traces;
use json::FlatJson;
use text::TextFields;

/// Starts logging, and recording spans with `tracer`. Fails with a message of one line if the filter does not parse.
pub fn start(filter: &str, json: bool, tracer: Option<SdkTracer>) -> Result<(), String> {
    let filter = EnvFilter::try_new(filter).map_err(|error| format!("log.filter: {error}"))?;
    let started = match tracer {
        Some(tracer) => registry().with(traces::layer(tracer)).with(lines(filter, json)).try_init(),
        None => registry().with(lines(filter, json)).try_init(),
    };
    // Already started, as in tests that run several nodes: the first one's settings stay.
    drop(started);
    Ok(())
}

/// The layer that writes log lines.
fn lines<S>(filter: EnvFilter, json: bool) -> Box<dyn Layer<S> + Send + Sync>
where
    S: Subscriber + for<'span> LookupSpan<'span> + Send + Sync + 'static,
{
    let lines = fmt::layer::<S>()
        .with_writer(std::io::stderr)
        .with_ansi(!json && std::io::stderr().is_terminal())
        // They would go to standard error too, and panic there.
        .log_internal_errors(false);
    if json {
        return lines.fmt_fields(JsonFields::new()).event_format(FlatJson).with_filter(filter).boxed();
    }
    let format = format().with_target(false);
    lines.fmt_fields(TextFields).event_format(format).with_filter(filter).boxed()
}
