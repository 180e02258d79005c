//! The figures of docs/scaling.md that can be measured on one machine.

use crate::report::Unit;

/// A figure of the model in docs/scaling.md.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Parameter {
    /// The name of the row in the document.
    pub(crate) name: &'static str,
    pub(crate) value: f64,
    pub(crate) unit: Unit,
    /// The measured figure may be at most this many times the value, on a machine like that of docs/benchmarks.md.
    pub(crate) factor: f64,
}

const fn parameter(name: &'static str, value: f64, unit: Unit, factor: f64) -> Parameter {
    Parameter { name, value, unit, factor }
}

/// CPU time of Tonearm for all recipes of a new organization.
pub(crate) const PROCESSING: Parameter =
    parameter("CPU of processing, all default recipes", 105.0, Unit::SecondsPerHour, 1.5);
/// CPU time with a single recipe. Each figure includes the work that is done for every track.
pub(crate) const HQ: Parameter = parameter("CPU with `hq` only", 65.0, Unit::SecondsPerHour, 1.5);
pub(crate) const LQ: Parameter = parameter("CPU with `lq` only", 59.0, Unit::SecondsPerHour, 1.5);
pub(crate) const PREVIEW: Parameter = parameter("CPU with `preview` only", 13.0, Unit::SecondsPerHour, 1.5);
/// Resident memory of an idle node.
pub(crate) const IDLE_NODE: Parameter = parameter("memory of an idle node", 72.0, Unit::Megabytes, 1.5);
/// Additional memory for each connection that has requested a file and reads it slowly.
pub(crate) const LISTENER: Parameter = parameter("memory of a listener", 9.1, Unit::Kilobytes, 2.0);
/// Additional memory for each connection without a request.
pub(crate) const CONNECTION: Parameter = parameter("memory of an idle connection", 9.1, Unit::Kilobytes, 2.0);
/// Statements for a new play session of a collection whose tracks are listed once a second anyway.
pub(crate) const SESSION: Parameter = parameter("statements for a play session", 1.0, Unit::Statements, 1.5);
/// Statements for a track of a session within the second of the caches.
pub(crate) const TRACK: Parameter =
    parameter("statements for a track of a session", 0.0, Unit::Statements, 1.0);
/// Statements for a range of a file.
pub(crate) const RANGE: Parameter = parameter("statements for a range", 0.0, Unit::Statements, 1.0);

/// Requests to a bucket for an hour of `hq` that is not in any cache.
pub(crate) const COLD_HOUR: Parameter =
    parameter("store requests of a listener-hour, nothing cached", 110.0, Unit::StoreRequests, 1.1);
/// Requests to a bucket for an hour of `hq` that was delivered before.
pub(crate) const CACHED_HOUR: Parameter =
    parameter("store requests of a listener-hour, everything cached", 0.0, Unit::StoreRequests, 1.0);

/// All parameters.
#[cfg(test)]
const ALL: [Parameter; 12] = [
    PROCESSING,
    HQ,
    LQ,
    PREVIEW,
    IDLE_NODE,
    LISTENER,
    CONNECTION,
    SESSION,
    TRACK,
    RANGE,
    COLD_HOUR,
    CACHED_HOUR,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_document_has_the_same_figures() {
        let document = include_str!("../../../docs/scaling.md");
        for Parameter { name, value, unit, .. } in ALL {
            let row = format!("| {name} | {value} {} |", unit.as_str());
            assert!(document.contains(&row), "docs/scaling.md has no row {row}");
        }
    }
}
