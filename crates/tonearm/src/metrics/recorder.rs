//! The recorder behind the `metrics` facade.

use std::sync::OnceLock;

use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder, PrometheusHandle};
use tonearm_domain::Job;
use tonearm_telemetry::{FAMILIES, Kind, buckets};

/// The recorder of the whole process. The facade has one recorder, so nodes in the same process count together.
static INSTALLED: OnceLock<PrometheusHandle> = OnceLock::new();

/// Turns metrics on. Must be called before anything that is counted happens.
pub(crate) fn begin() {
    if INSTALLED.get().is_some() {
        return;
    }
    match install() {
        Ok(handle) => {
            // Another node may have been faster. Its handle belongs to the recorder in use.
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

/// Sums up the values that histograms recorded since the last call. Until then they keep each value, even if metrics
/// are never requested.
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
