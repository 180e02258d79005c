//! Metrics, spans and traces of a node.
//!
//! Each metric function records one kind of event under a fixed metric, with labels that take few values: no ids,
//! organizations, paths or texts of clients. [`FAMILIES`] lists every metric that a node exports, with its meaning.
//!
//! Nothing is recorded before [`turn_on`] is called. Events on the path of each delivered object go into the counters
//! of [`shards`], which cost a few nanoseconds. All others go through the `metrics` facade, to the recorder that the
//! program has installed.

mod cache;
mod connections;
mod events;
mod families;
mod labels;
mod last_seen;
mod recording;
mod shards;
mod spans;
mod traces;

pub use cache::Cache;
pub use connections::{OpenConnection, RunningUpload};
pub use events::{
    began_transaction, declare, displaced, dropped_spans, ended_job, failed_job, gave_up_job, imported,
    left_out_listeners, lost_lease, ordered_certificate, ran_process, requested, sent_webhook, transcribed,
    used_store,
};
pub use families::{FAMILIES, Family, Kind, buckets};
pub use labels::{Budget, JobOutcome, Outcome, Protocol, Purpose, StoreOperation, StoreOutcome};
pub use last_seen::{found_stored_usage, key_list_age, oldest_usage_millis, read_key_list, waits_with_usage};
pub use recording::{Stopwatch, is_on};
pub use shards::{
    DELIVERY_BUCKETS, DeliveryTimes, LookupCount, Totals, answered, answered_at_once, looked_up, received,
    sent,
};
pub use spans::{ArrivedRequest, job_span, note_failure, note_organization, note_track, request_span};
pub use traces::{Tracer, continue_trace, current_trace, is_tracing, trace_with};

/// Records everything from now on, until the process ends.
pub fn turn_on() {
    recording::set_on();
    last_seen::begin();
}
