//! Traces: spans of requests, jobs and webhooks, which are sent to a collector (OpenTelemetry, OTLP over HTTP).
//!
//! Requests for objects do not use any of this: they have no spans.

mod export;
mod incoming;
mod queue;
mod settings;
mod tracer;

use std::sync::OnceLock;

use opentelemetry::trace::TracerProvider;
use opentelemetry::{Key, KeyValue};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{Sampler, SdkTracer, SdkTracerProvider};
use tracing::Level;
use tracing_subscriber::filter::{LevelFilter, filter_fn};
use tracing_subscriber::{Layer, Registry};

pub use export::{RunningExport, TraceExport};
pub(crate) use incoming::trace_of;
pub use settings::{TraceConfig, TraceHeaders};

const SERVICE_NAME: Key = Key::from_static_str("service.name");
const INSTANCE_ID: Key = Key::from_static_str("service.instance.id");

/// The share of traces that are recorded, once traces are exported.
static SAMPLE_RATIO: OnceLock<f64> = OnceLock::new();

/// Prepares the export of traces, if a collector is configured. Returns the tracer that records spans, and the exporter
/// that sends them once there is a runtime. `instance` identifies this process.
pub fn set_up(config: &TraceConfig, instance: String) -> Result<Option<(SdkTracer, TraceExport)>, String> {
    let Some(endpoint) = &config.endpoint else { return Ok(None) };
    let resource = resource(config, instance);
    let (queue, export) = export::prepare(config, endpoint, &resource)?;
    let sampler = Sampler::ParentBased(Box::new(Sampler::TraceIdRatioBased(config.sample_ratio)));
    let provider = SdkTracerProvider::builder()
        .with_span_processor(queue)
        .with_sampler(sampler)
        .with_resource(resource)
        .build();
    // The first setting stays: a process has one tracer.
    let _ = SAMPLE_RATIO.set(config.sample_ratio);
    tonearm_telemetry::trace_with(Box::new(tracer::OpenTelemetry));
    Ok(Some((provider.tracer("tonearm"), export)))
}

/// Records our own spans, without log lines.
pub(crate) fn layer(tracer: SdkTracer) -> impl Layer<Registry> + Send + Sync + 'static {
    let own_spans = filter_fn(|metadata| {
        metadata.is_span() && *metadata.level() <= Level::INFO && metadata.target().starts_with("tonearm")
    });
    tracing_opentelemetry::layer::<Registry>()
        .with_tracer(tracer)
        .with_location(false)
        .with_threads(false)
        .with_tracked_inactivity(false)
        .with_filter(own_spans.with_max_level_hint(LevelFilter::INFO))
}

/// The attributes of this process that are sent with its spans. The settings take precedence over `OTEL_SERVICE_NAME`
/// and `OTEL_RESOURCE_ATTRIBUTES`, and these over the defaults.
fn resource(config: &TraceConfig, instance: String) -> Resource {
    let detected = Resource::builder().build();
    let is_unnamed =
        detected.get(&SERVICE_NAME).is_none_or(|name| name.as_str().starts_with("unknown_service"));
    let mut attributes = vec![KeyValue::new("service.version", env!("CARGO_PKG_VERSION"))];
    if detected.get(&INSTANCE_ID).is_none() {
        attributes.push(KeyValue::new(INSTANCE_ID, instance));
    }
    match &config.service_name {
        Some(name) => attributes.push(KeyValue::new(SERVICE_NAME, name.clone())),
        None if is_unnamed => attributes.push(KeyValue::new(SERVICE_NAME, "tonearm")),
        None => {}
    }
    Resource::builder().with_attributes(attributes).build()
}
