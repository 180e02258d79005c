//! The recorder behind the facade.

use std::sync::OnceLock;

use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder, PrometheusHandle};
use tonearm_domain::Job;
use tonearm_telemetry::{FAMILIES, Kind, buckets};

/// One for the whole process: nodes in one process count together, as the facade has one recorder.
static INSTALLED: OnceLock<PrometheusHandle> = OnceLock::new();

/// Turns metrics on, before anything happens that is to be counted.
pub(crate) fn begin() {
    if INSTALLED.get().is_some() {
        return;
    }
    match install() {
        Ok(handle) => {
            // Another node may have been quicker; its handle is of the recorder that is in use.
            if INSTALLED.set(handle).is_ok() {
                tonearm_telemetry::turn_on();
                tonearm_telemetry::declare(&Job::KINDS);
            }
        }
        Err(error) => tracing::error!(%error, "could not set up metrics; some will be missing"),
    }
}

/// What was recorded, in the text format.
pub(super) fn render() -> String {
    INSTALLED.get().map(PrometheusHandle::render).unwrap_or_default()
}

/// Sums up what histograms were given since the last time. Until then they keep each value, also where nobody asks.
pub(super) fn sum_up() {
    if let Some(handle) = INSTALLED.get() {
        handle.run_upkeep();
    }
}

#[derive(Debug, thiserror::Error)]
enum InstallError {
    #[error(transparent)]
    Build(#[from] BuildError),
    #[error("the process has another recorder already")]
    Taken,
}

fn install() -> Result<PrometheusHandle, InstallError> {
    let mut builder = PrometheusBuilder::new();
    for family in FAMILIES.iter().filter(|family| family.kind == Kind::Histogram) {
        builder =
            builder.set_buckets_for_metric(Matcher::Full(family.name.to_owned()), buckets(family.name))?;
    }
    let recorder = builder.build_recorder();
    let handle = recorder.handle();
    ::metrics::set_global_recorder(recorder).map_err(|_| InstallError::Taken)?;
    for family in FAMILIES {
        match family.kind {
            Kind::Counter => ::metrics::describe_counter!(family.name, family.help),
            Kind::Gauge => ::metrics::describe_gauge!(family.name, family.help),
            Kind::Histogram => ::metrics::describe_histogram!(family.name, family.help),
        }
    }
    Ok(handle)
}
