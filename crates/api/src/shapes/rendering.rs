//! The progress of rendering recipes for existing tracks.

use serde::Serialize;
use tonearm_domain::{Rendering, Timestamp};
use utoipa::ToSchema;

/// The progress of rendering a recipe for the tracks that existed when it was requested.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct RenderingRecord {
    /// From 0 to 100.
    #[schema(minimum = 0, maximum = 100)]
    percent: u8,
    /// Tracks that could be rendered when it was requested.
    total: u64,
    /// Tracks that are done, including those whose file was up to date or failed.
    done: u64,
    /// Tracks for which it failed.
    failed: u64,
    started_at: Timestamp,
    /// Null until the last track is done.
    finished_at: Option<Timestamp>,
}

impl From<Rendering> for RenderingRecord {
    fn from(rendering: Rendering) -> Self {
        Self {
            percent: rendering.percent(),
            total: rendering.total,
            done: rendering.done,
            failed: rendering.failed,
            started_at: rendering.started_at,
            finished_at: rendering.finished_at,
        }
    }
}
