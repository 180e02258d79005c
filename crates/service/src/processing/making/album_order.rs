//! Sorting the tracks of an upload session in the order of their albums.

use tonearm_catalog::UploadedAlbum;
use tonearm_domain::{Track, TrackInfo};

use crate::processing::job_error::JobError;
use crate::processing::runner::Processing;

impl Processing {
    /// Puts a track that was uploaded in a session into its place among the tracks of the same session and album.
    /// Nobody sets the order of such tracks, and it is not returned to their uploader, whereas clients that create
    /// tracks one by one choose the order. Tracks without an album stay where they are.
    ///
    /// This happens before any file of the track is made, and again if the job starts over, so it is never skipped.
    pub(super) async fn put_in_order(&self, track: &Track, info: &TrackInfo) -> Result<(), JobError> {
        let (Some(session), Some(place)) = (track.upload_session_id, info.album_place()) else {
            return Ok(());
        };
        let tx = self.catalog.begin().await?;
        if !tx.put_album_place(track.organization_id, track.id, &place).await? {
            return Ok(());
        }
        tx.commit().await?;
        let album = UploadedAlbum { collection: track.collection_id, session, album: &place.album };
        // It usually is, as files are sent in their order. Then nothing is locked.
        if !self.catalog.album_is_in_order(album).await? {
            let tx = self.catalog.begin().await?;
            tx.put_album_in_order(album).await?;
            tx.commit().await?;
        }
        Ok(())
    }
}
