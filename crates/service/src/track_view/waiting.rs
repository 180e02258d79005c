//! Explains why the processing of tracks is stalled, and how far imports have progressed.

use std::collections::HashSet;

use tonearm_catalog::{Catalog, CatalogError};
use tonearm_domain::{Timestamp, TrackId, TrackStatus};

use super::TrackView;

/// What is said of a track whose job waits until workers have done others.
pub(crate) const WAITS_FOR_ITS_TURN: &str = "Waiting for its turn; other files are being processed.";

/// Until then, a job is about to begin.
const SOON_SECONDS: i64 = 5;

/// The tracks among these that wait for their turn.
pub(crate) async fn queued(
    catalog: &Catalog,
    now: Timestamp,
    tracks: &[TrackId],
) -> Result<HashSet<TrackId>, CatalogError> {
    catalog.queued_tracks(tracks, now.plus_seconds(-SOON_SECONDS)).await
}

/// Sets the status reason of tracks whose processing waits for an unavailable part of the service or for its turn, and
/// marks tracks that are being imported.
pub(crate) async fn explain<'a>(
    catalog: &Catalog,
    now: Timestamp,
    views: impl IntoIterator<Item = &'a mut TrackView>,
) -> Result<(), CatalogError> {
    let mut open: Vec<&mut TrackView> =
        views.into_iter().filter(|view| !view.track.status.is_final()).collect();
    let ids = |is_wanted: fn(&TrackView) -> bool, open: &[&mut TrackView]| -> Vec<TrackId> {
        open.iter().filter(|view| is_wanted(view)).map(|view| view.track.id).collect()
    };
    let initialized = ids(|view| view.track.status == TrackStatus::Initialized, &open);
    let imports = catalog.imports_of_tracks(&initialized).await?;
    for view in &mut open {
        let Some(import) = imports.get(&view.track.id) else { continue };
        view.is_importing = true;
        // Until bytes arrive, the failure of the last run is more informative.
        if import.received > 0 || view.track.status_reason.is_none() {
            view.track.status_reason = Some(import.sentence());
        }
    }
    let busy = ids(|view| view.is_importing || view.track.status.is_processing(), &open);
    let waiting = catalog.waiting_jobs_of_tracks(&busy).await?;
    let queued = queued(catalog, now, &busy).await?;
    for view in &mut open {
        if let Some((outage, _)) = waiting.get(&view.track.id) {
            view.track.status_reason = Some(outage.sentence().to_owned());
        } else if queued.contains(&view.track.id) {
            view.track.status_reason.get_or_insert_with(|| WAITS_FOR_ITS_TURN.to_owned());
        }
    }
    Ok(())
}
