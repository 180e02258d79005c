//! Waiting until tracks are processed.

use std::collections::HashSet;
use std::time::Duration;

use tokio::time::Instant;
use tonearm_client::{Client, ClientError, TrackQuery, TrackRecord};
use tonearm_domain::{CollectionId, TrackId, TrackStatus};

use super::report::{Kind, ReportEntry};
use super::stop::Stop;
use super::text::shown_text;

/// How often the service is asked.
const EVERY: Duration = Duration::from_secs(1);

/// How long no track at all may be finished before we stop waiting.
const PATIENCE: Duration = Duration::from_secs(6 * 3600);

/// Tracks of one page.
const PAGE: u32 = 200;

/// What became of a track.
pub(in crate::cli) enum Settled {
    /// It can be played.
    Playable(TrackStatus),
    /// It cannot, and why.
    Failed(TrackStatus, String),
    /// It is not known.
    Unknown(String),
}

impl Settled {
    /// What is reported of a track once it is known.
    pub(in crate::cli) fn into_entry(self, entry: ReportEntry) -> ReportEntry {
        let failed =
            |reason: String| ReportEntry { kind: Kind::Failed, ..entry.clone() }.because(shown_text(&reason));
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

/// Waits for tracks of a collection, and tells of each as soon as its status is final.
pub(in crate::cli) async fn settle(
    client: &Client,
    collection: CollectionId,
    mut pending: HashSet<TrackId>,
    stop: &Stop,
    mut on_settled: impl FnMut(TrackId, Settled),
) {
    let mut since = Instant::now();
    while !pending.is_empty() {
        let before = pending.len();
        let looked = stop.unless_left(look(client, collection, &mut pending, &mut on_settled)).await;
        let problem = match looked {
            None => Some("stopped before it was processed".to_owned()),
            Some(Err(error)) => Some(error.to_string()),
            Some(Ok(())) if pending.len() < before => {
                since = Instant::now();
                None
            }
            Some(Ok(())) if since.elapsed() > PATIENCE => Some(format!(
                "not processed, and neither was any other in {} hours",
                PATIENCE.as_secs() / 3600
            )),
            Some(Ok(())) => None,
        };
        if let Some(problem) = problem {
            pending.drain().for_each(|id| on_settled(id, Settled::Unknown(problem.clone())));
        } else if !pending.is_empty() {
            stop.unless_left(tokio::time::sleep(EVERY)).await;
        }
    }
}

/// Reads which tracks of the collection are unfinished, and asks for each of ours that is not among them.
async fn look(
    client: &Client,
    collection: CollectionId,
    pending: &mut HashSet<TrackId>,
    on_settled: &mut impl FnMut(TrackId, Settled),
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
            Ok(track) => Settled::of(track),
            Err(error) if error.status() == Some(404) => {
                Some(Settled::Unknown("the track was deleted".to_owned()))
            }
            Err(error) => return Err(error),
        };
        if let Some(settled) = settled {
            pending.remove(&id);
            on_settled(id, settled);
        }
    }
    Ok(())
}
