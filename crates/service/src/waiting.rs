//! Why tracks in the making do not get on at present.

use tonearm_catalog::{Catalog, CatalogError};
use tonearm_domain::{Track, TrackId};

/// Gives tracks whose processing waits for a part of the service that as the reason of their status.
pub(crate) async fn explain<'a>(
    catalog: &Catalog,
    tracks: impl IntoIterator<Item = &'a mut Track>,
) -> Result<(), CatalogError> {
    let mut processing: Vec<&mut Track> =
        tracks.into_iter().filter(|track| track.status.is_processing()).collect();
    let ids: Vec<TrackId> = processing.iter().map(|track| track.id).collect();
    let waiting = catalog.waiting_jobs_of_tracks(&ids).await?;
    for track in &mut processing {
        if let Some((outage, _)) = waiting.get(&track.id) {
            track.status_reason = Some(outage.sentence().to_owned());
        }
    }
    Ok(())
}
