//! Every metric of a node.

/// The type of a metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A sum that only grows.
    Counter,
    /// A value that goes up and down.
    Gauge,
    /// Counts of values by their size.
    Histogram,
}

impl Kind {
    /// The type as in the text format.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::Gauge => "gauge",
            Self::Histogram => "histogram",
        }
    }
}

/// A metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Family {
    /// Its name.
    pub name: &'static str,
    /// Its type.
    pub kind: Kind,
    /// The names of its labels.
    pub labels: &'static [&'static str],
    /// What it means, in a sentence.
    pub help: &'static str,
}

const fn family(
    kind: Kind,
    name: &'static str,
    labels: &'static [&'static str],
    help: &'static str,
) -> Family {
    Family { name, kind, labels, help }
}

/// Every metric that a node exports, in the order of the documentation.
pub const FAMILIES: &[Family] = &[
    family(
        Kind::Counter,
        "tonearm_http_requests_total",
        &["route", "status"],
        "Requests that were answered. The route is its pattern, \"delivery\" for objects, or \"unknown\".",
    ),
    family(
        Kind::Histogram,
        "tonearm_http_request_duration_seconds",
        &["surface", "route", "status"],
        "Time until the head of a response is ready; without objects. The surface is the part of the service that the route belongs to.",
    ),
    family(Kind::Gauge, "tonearm_http_connections", &["protocol", "tls"], "Open connections."),
    family(Kind::Gauge, "tonearm_uploads_in_flight", &[], "Upload requests that are being answered."),
    family(Kind::Counter, "tonearm_received_bytes_total", &[], "Bytes of request bodies that have arrived."),
    family(
        Kind::Counter,
        "tonearm_budget_displacements_total",
        &["budget"],
        "Times that bodies, unread responses or pictures were ended, because their sender or reader held most of the memory and others needed it.",
    ),
    family(
        Kind::Histogram,
        "tonearm_delivery_duration_seconds",
        &[],
        "Time until the head of a response for an object is ready. Repeated URLs are counted in the first bucket without being timed.",
    ),
    family(
        Kind::Counter,
        "tonearm_delivered_bytes_total",
        &[],
        "Bytes of objects that were handed to connections.",
    ),
    family(
        Kind::Counter,
        "tonearm_cache_requests_total",
        &["cache", "result"],
        "Lookups in caches, by result: hit or miss.",
    ),
    family(
        Kind::Gauge,
        "tonearm_signing_key_list_age_seconds",
        &[],
        "Time since the list of live signing keys was last read; before that, since the start.",
    ),
    family(
        Kind::Gauge,
        "tonearm_jobs",
        &["class", "kind", "state"],
        "Jobs in the database, of all nodes: queued, waiting, running or failed. At most 20,000 are counted per queue and state.",
    ),
    family(
        Kind::Gauge,
        "tonearm_job_oldest_age_seconds",
        &["class", "kind", "state"],
        "Time since the oldest of these jobs was due, began to wait, or failed.",
    ),
    family(
        Kind::Gauge,
        "tonearm_job_counts_up",
        &[],
        "Whether the jobs could be counted: 1, or 0 if the database failed or was too slow.",
    ),
    family(
        Kind::Histogram,
        "tonearm_job_duration_seconds",
        &["kind", "outcome"],
        "Time that runs of jobs took on this node: finished, failed or stopped.",
    ),
    family(
        Kind::Counter,
        "tonearm_job_failures_total",
        &["kind", "cause"],
        "Failed runs of jobs: the unavailable part, third_party, or worker_died.",
    ),
    family(
        Kind::Counter,
        "tonearm_jobs_given_up_total",
        &["kind"],
        "Jobs that failed permanently on this node and are not retried.",
    ),
    family(
        Kind::Counter,
        "tonearm_job_leases_lost_total",
        &[],
        "Leases that a worker of this node lost while it ran the job.",
    ),
    family(
        Kind::Histogram,
        "tonearm_media_process_duration_seconds",
        &["purpose"],
        "Wall-clock time of child processes such as ffmpeg.",
    ),
    family(
        Kind::Counter,
        "tonearm_webhook_attempts_total",
        &["outcome"],
        "Webhook requests: success, retry or failure (given up).",
    ),
    family(
        Kind::Counter,
        "tonearm_transcription_requests_total",
        &["outcome"],
        "Requests to transcription providers: success, retry or failure.",
    ),
    family(
        Kind::Counter,
        "tonearm_imports_total",
        &["outcome"],
        "Attempts to import a file from a URL: success, retry or failure.",
    ),
    family(
        Kind::Gauge,
        "tonearm_database_connections",
        &["pool", "state"],
        "Connections to the database: in_use or idle.",
    ),
    family(Kind::Gauge, "tonearm_database_connections_max", &["pool"], "Connections that a pool may have."),
    family(
        Kind::Histogram,
        "tonearm_database_wait_seconds",
        &[],
        "Time until a transaction begins: waiting for a connection and, with SQLite, for other writers.",
    ),
    family(Kind::Counter, "tonearm_database_statements_total", &[], "SQL statements that were run."),
    family(
        Kind::Histogram,
        "tonearm_store_operation_duration_seconds",
        &["operation", "outcome"],
        "Duration of object store operations: for a put, including the time its bytes take to arrive; for a get, until the first byte can be read. Cancelled operations timed out, or their caller disconnected.",
    ),
    family(
        Kind::Counter,
        "tonearm_trace_spans_dropped_total",
        &[],
        "Spans of traces that were not exported: the collector did not take them, or there were too many.",
    ),
    family(
        Kind::Gauge,
        "tonearm_usage_oldest_unstored_age_seconds",
        &[],
        "Age of the oldest usage that is counted and not yet in the database; 0 if there is none.",
    ),
    family(
        Kind::Counter,
        "tonearm_listeners_uncounted_total",
        &["reason"],
        "Deliveries without a listen, because there were too many listeners: network (of one address or IPv6 /64) or full (of the node).",
    ),
    family(
        Kind::Gauge,
        "tonearm_disk_free_bytes",
        &["place"],
        "Free bytes on the file system of the data folder, the database or the store. If several share a file system, only the first is listed.",
    ),
    family(Kind::Gauge, "tonearm_disk_size_bytes", &["place"], "Size of this file system."),
    family(
        Kind::Gauge,
        "tonearm_certificate_expiry_timestamp_seconds",
        &["source"],
        "Expiry of the TLS certificate, in seconds since the Unix epoch: of the one from files, or of the one obtained by ACME.",
    ),
    family(
        Kind::Counter,
        "tonearm_certificate_orders_total",
        &["outcome"],
        "ACME certificate orders completed on this node: success or failure.",
    ),
    family(
        Kind::Gauge,
        "tonearm_backup_last_success_timestamp_seconds",
        &[],
        "When the last backup was complete, in seconds since the Unix epoch; absent before the first. The same on all nodes.",
    ),
    family(
        Kind::Gauge,
        "tonearm_build_info",
        &["version"],
        "Always 1. The label has the version of the program.",
    ),
    family(Kind::Counter, "process_cpu_seconds_total", &[], "User and system CPU time of the process."),
    family(Kind::Gauge, "process_resident_memory_bytes", &[], "Resident memory of the process."),
    family(Kind::Gauge, "process_virtual_memory_bytes", &[], "Virtual memory of the process."),
    family(Kind::Gauge, "process_open_fds", &[], "Open file descriptors."),
    family(Kind::Gauge, "process_max_fds", &[], "File descriptors that the process may open."),
    family(Kind::Gauge, "process_threads", &[], "Threads of the process."),
    family(
        Kind::Gauge,
        "process_start_time_seconds",
        &[],
        "Start of the process, in seconds since the Unix epoch.",
    ),
];

/// The upper limits of the buckets of a histogram that is recorded through the facade.
pub fn buckets(name: &str) -> &'static [f64] {
    match name {
        // Few buckets, because each route and status has a series for each.
        "tonearm_http_request_duration_seconds" => &[0.005, 0.025, 0.1, 0.5, 2.0, 10.0],
        "tonearm_job_duration_seconds" => &[0.1, 1.0, 10.0, 60.0, 600.0, 3600.0],
        "tonearm_media_process_duration_seconds" => &[0.1, 0.5, 2.0, 10.0, 60.0, 300.0, 1800.0],
        "tonearm_database_wait_seconds" => &[0.001, 0.005, 0.025, 0.1, 0.5, 2.0, 10.0, 30.0],
        "tonearm_store_operation_duration_seconds" => &[0.005, 0.025, 0.1, 0.5, 2.0, 10.0, 60.0],
        _ => &crate::DELIVERY_BUCKETS,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_the_conventions() {
        for Family { name, kind, help, .. } in FAMILIES {
            assert_eq!(name.ends_with("_total"), *kind == Kind::Counter, "{name}");
            assert!(*kind != Kind::Histogram || name.ends_with("_seconds"), "{name}");
            assert!(name.starts_with("tonearm_") || name.starts_with("process_"), "{name}");
            assert!(help.ends_with('.'), "{name}");
            assert!(buckets(name).is_sorted(), "{name}");
        }
    }
}
