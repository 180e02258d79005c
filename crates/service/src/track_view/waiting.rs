//! Explains why the processing of tracks is stalled, and how far imports have progressed.

use tonearm_catalog::{Catalog, CatalogError};
use tonearm_domain::{TrackId, TrackStatus};

use super::TrackView;

/// Sets the status reason of tracks whose processing waits for an unavailable part of the service, and marks tracks
/// that are being imported.
pub(crate) async fn explain<'a>(
    catalog: &Catalog,
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
    for view in &mut open {
        if let Some((outage, _)) = waiting.get(&view.track.id) {
            view.track.status_reason = Some(outage.sentence().to_owned());
        }
    }
    Ok(())
}
