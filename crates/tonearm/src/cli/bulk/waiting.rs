//! Waiting until tracks are processed.

use std::collections::HashSet;
use std::time::Duration;

use tokio::time::Instant;
use tonearm_client::{Client, ClientError, TrackQuery, TrackRecord};
use tonearm_domain::{CollectionId, TrackId, TrackStatus};

use super::report::{Outcome, ReportEntry};
use super::stop::Stop;
use super::text::shown_text;

/// How often the service is polled.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// How long to wait while no track reaches a final status.
const STALL_TIMEOUT: Duration = Duration::from_secs(6 * 3600);

/// Tracks per page.
const PAGE: u32 = 200;

/// The outcome of a track.
pub(in crate::cli) enum TrackOutcome {
    /// It can be played.
    Playable(TrackStatus),
    /// It cannot be played, with the reason.
    Failed(TrackStatus, String),
    /// Its status could not be read, or is not final yet.
    Unknown(String),
}

impl TrackOutcome {
    /// Adds the outcome to an entry of the report.
    pub(in crate::cli) fn into_entry(self, entry: ReportEntry) -> ReportEntry {
        let failed = |reason: String| {
            ReportEntry { outcome: Outcome::Failed, ..entry.clone() }.with_reason(shown_text(&reason))
        };
        match self {
            Self::Playable(status) => entry.with("track_status_id", status.as_str()),
            Self::Failed(status, reason) => failed(reason).with("track_status_id", status.as_str()),
            Self::Unknown(reason) => failed(reason),
        }
    }

    fn of(track: TrackRecord) -> Option<Self> {
        let status = track.track_status_id;
        if !status.is_final() {
            return None;
        }
        let reason = track.status_reason.unwrap_or_else(|| format!("its status is {status}"));
        Some(if status.is_playable() { Self::Playable(status) } else { Self::Failed(status, reason) })
    }
}

/// Waits for tracks of a collection, and calls `on_final` for each as soon as its status is final.
pub(in crate::cli) async fn wait_for_tracks(
    client: &Client,
    collection: CollectionId,
    mut pending: HashSet<TrackId>,
    stop: &Stop,
    mut on_final: impl FnMut(TrackId, TrackOutcome),
) {
    let mut since = Instant::now();
    while !pending.is_empty() {
        let before = pending.len();
        let polled = stop.unless_interrupted(poll(client, collection, &mut pending, &mut on_final)).await;
        let problem = match polled {
            None => Some("stopped before it was processed".to_owned()),
            Some(Err(error)) => Some(error.to_string()),
            Some(Ok(())) if pending.len() < before => {
                since = Instant::now();
                None
            }
            Some(Ok(())) if since.elapsed() > STALL_TIMEOUT => Some(format!(
                "not processed, and neither was any other in {} hours",
                STALL_TIMEOUT.as_secs() / 3600
            )),
            Some(Ok(())) => None,
        };
        if let Some(problem) = problem {
            pending.drain().for_each(|id| on_final(id, TrackOutcome::Unknown(problem.clone())));
        } else if !pending.is_empty() {
            stop.unless_interrupted(tokio::time::sleep(POLL_INTERVAL)).await;
        }
    }
}

/// Reads which tracks of the collection are unfinished, and the status of each pending track that is not among them.
async fn poll(
    client: &Client,
    collection: CollectionId,
    pending: &mut HashSet<TrackId>,
    on_final: &mut impl FnMut(TrackId, TrackOutcome),
) -> Result<(), ClientError> {
    let statuses = TrackStatus::ALL.into_iter().filter(|status| !status.is_final()).collect();
    let mut query = TrackQuery { statuses, limit: PAGE, ..TrackQuery::default() };
    let mut unfinished = HashSet::new();
    loop {
        let page = client.tracks(collection, &query).await?;
        unfinished.extend(page.tracks.iter().map(|track| track.id));
        match page.next_cursor {
            Some(next) => query.cursor = Some(next),
            None => break,
        }
    }
    let finished: Vec<TrackId> = pending.iter().filter(|id| !unfinished.contains(*id)).copied().collect();
    for id in finished {
        let settled = match client.track(id).await {
            Ok(track) => TrackOutcome::of(track),
            Err(error) if error.status() == Some(404) => {
                Some(TrackOutcome::Unknown("the track was deleted".to_owned()))
            }
            Err(error) => return Err(error),
        };
        if let Some(settled) = settled {
            pending.remove(&id);
            on_final(id, settled);
        }
    }
    Ok(())
}
