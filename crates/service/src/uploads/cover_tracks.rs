//! Setting one cover for many tracks.

use bytes::Bytes;
use futures::{StreamExt as _, TryStreamExt as _};
use tonearm_catalog::spawn_in_request;
use tonearm_domain::{
    AuditAction, Cover, CoverOrigin, CoverOwner, CoveredTrack, Derived, Input, ObjectKey, OrganizationId,
    Track, UndoableChange,
};
use tonearm_signal::Covers;

use super::Uploads;
use super::accept_cover::refuse_picture;
use super::accept_source::refuse_put;
use crate::admission::quotas;
use crate::audit::{self, AuditedAction};
use crate::caller::Caller;
use crate::library::selected::{Changed, SelectedTracks, keep_undo, lock};
use crate::library::{covers, derived};
use crate::refusal::{Refusal, record_again_if_victim};

/// The number of tracks whose files are stored at the same time.
const AT_ONCE: usize = 4;

/// A cover that is stored for a track, and not yet in use.
struct Stored {
    cover: Cover,
    /// With their sizes in bytes.
    objects: Vec<(ObjectKey, u64)>,
}

impl Uploads {
    /// Makes a cover from a picture and puts it to use for all selected tracks, or for none of them. Each track gets
    /// its own files.
    pub async fn cover_tracks(
        &self,
        caller: &Caller,
        selected: &SelectedTracks,
        picture: Bytes,
    ) -> Result<Changed, Refusal> {
        self.check_picture(&picture)?;
        let organization_id = caller.organization_id;
        let bytes = (picture.len() as u64).saturating_mul(selected.ids().len() as u64);
        self.require_room_for_cover(organization_id, Some(bytes)).await?;
        let tracks = {
            let tx = self.catalog.begin().await?;
            let tracks = lock(&tx, caller, selected).await?;
            tx.commit().await?;
            tracks
        };
        let cut = self.pictures.covers(organization_id, picture.clone()).await.map_err(refuse_picture)?;
        let planned: Vec<Stored> = tracks.iter().map(|track| self.planned(track, &cut, &picture)).collect();
        let objects: Vec<_> = planned.iter().flat_map(|stored| stored.objects.clone()).collect();
        let (uploads, caller, selected) = (self.clone(), caller.clone(), selected.clone());
        // In a task of its own: what it claims is used or given back, even if the client goes away.
        let keep = spawn_in_request(async move {
            quotas::claim_covers(&uploads.catalog, &uploads.ambient, organization_id, &objects).await?;
            let used = async {
                // Collected, since the compiler cannot prove that a closure over borrowed pairs is `Send`.
                let mut storing = Vec::with_capacity(tracks.len());
                for (track, plan) in tracks.iter().zip(&planned) {
                    storing.push(uploads.store(organization_id, track, plan, &cut, &picture));
                }
                futures::stream::iter(storing).buffer_unordered(AT_ONCE).try_collect::<()>().await?;
                let record = || uploads.use_covers(&caller, &selected, &planned, &cut);
                record_again_if_victim(&uploads.ambient, record).await
            };
            let used = used.await;
            uploads.remove_unused_covers(&used, objects).await;
            used
        });
        keep.await.unwrap_or_else(|error| Err(Refusal::Internal(error.into())))
    }

    fn planned(&self, track: &Track, cut: &Covers, picture: &Bytes) -> Stored {
        let cover = Cover { version: self.ambient.short_id(), origin: CoverOrigin::Uploaded };
        let place = (track.organization_id, track.index);
        Stored { cover, objects: covers::objects(place, cover, picture, cut) }
    }

    async fn store(
        &self,
        organization_id: OrganizationId,
        track: &Track,
        plan: &Stored,
        cut: &Covers,
        picture: &Bytes,
    ) -> Result<(), Refusal> {
        let original = plan.cover.original_key(organization_id, track.index, cut.content_type);
        self.blobs.put_bytes(&original, picture.clone()).await.map_err(refuse_put)?;
        covers::store(&self.blobs, organization_id, track.index, plan.cover, &cut.images)
            .await
            .map_err(refuse_put)
    }

    async fn use_covers(
        &self,
        caller: &Caller,
        selected: &SelectedTracks,
        stored: &[Stored],
        cut: &Covers,
    ) -> Result<Changed, Refusal> {
        let tx = self.catalog.begin().await?;
        let mut covered = Vec::new();
        let things = Derived::from_inputs(&[Input::Colour, Input::Picture]);
        // In the same order as before.
        for (mut track, stored) in lock(&tx, caller, selected).await?.into_iter().zip(stored) {
            let before = track.cover.replace(stored.cover);
            let colours = std::mem::replace(&mut track.theme.found, cut.theme.clone());
            tx.update_track(&track).await?;
            derived::queue(&tx, &self.ambient, caller.organization_id, &[track.id], &things).await?;
            covers::queue_rest(&tx, &self.ambient, caller.organization_id, CoverOwner::Track(track.id))
                .await?;
            let subject_id = track.id.uuid();
            let done = AuditedAction { action: AuditAction::TrackCover, subject_id, title: &track.file_name };
            audit::record(&tx, &self.ambient, caller, done).await?;
            covered.push(CoveredTrack { id: track.id, before, colours, after: stored.cover.version });
        }
        let count = covered.len();
        let undo = keep_undo(&tx, &self.ambient, caller, UndoableChange::Covers { tracks: covered }).await?;
        tx.commit().await?;
        Ok(Changed { count, undo })
    }
}
