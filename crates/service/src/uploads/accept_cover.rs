//! Accepting the cover of a track, a collection or the organization.

use bytes::Bytes;
use tonearm_catalog::{Transaction, spawn_in_request};
use tonearm_domain::{
    AuditAction, Cover, CoverOrigin, CoverOwner, EventKind, ObjectKey, OrganizationId, Origin, ShortId,
    ThemeColour,
};
use tonearm_media::MediaError;

use super::Uploads;
use super::accept_source::refuse_put;
use crate::admission::quotas;
use crate::audit::{self, AuditedAction};
use crate::caller::Caller;
use crate::library::{covers, derived};
use crate::refusal::{Refusal, Resource, record_again_if_victim};
use crate::removal::remove_unnamed;
use crate::request_turns::{own_turn_of, turn_of};
use crate::track_view::TrackParents;
use crate::webhooks::events;

impl Uploads {
    /// The largest cover, in bytes.
    pub fn max_cover_bytes(&self) -> u64 {
        self.limits.max_cover_bytes
    }

    /// Refuses a cover of something that does not exist, or if there is too little disk space or quota for it. Call it
    /// before reading the body. `announced` is the announced size.
    pub async fn begin_cover(
        &self,
        organization_id: OrganizationId,
        owner: CoverOwner,
        announced: Option<u64>,
    ) -> Result<(), Refusal> {
        let _turn = turn_of(organization_id).await?;
        self.cover_folder(organization_id, owner).await?;
        self.require_room_for_cover(organization_id, announced).await
    }

    /// Makes a cover from a picture, in every size, and puts it to use with the colours found in it. The original
    /// picture is stored too.
    pub async fn accept_cover(
        &self,
        origin: Origin,
        organization_id: OrganizationId,
        owner: CoverOwner,
        picture: Bytes,
    ) -> Result<(), Refusal> {
        self.check_picture(&picture)?;
        let turn = own_turn_of(organization_id).await?;
        self.require_room_for_cover(organization_id, Some(picture.len() as u64)).await?;
        let folder = self.cover_folder(organization_id, owner).await?;
        drop(turn);
        let cut = self.pictures.covers(organization_id, picture.clone()).await.map_err(refuse_picture)?;
        let cover = Cover { version: self.ambient.short_id(), origin: CoverOrigin::Uploaded };
        let original = cover.original_key(organization_id, folder, cut.content_type);
        let objects = covers::objects((organization_id, folder), cover, &picture, &cut);
        let uploads = self.clone();
        // In a task of its own: what it claims is used or given back, even if the client goes away.
        let keep = spawn_in_request(async move {
            quotas::claim_covers(&uploads.catalog, &uploads.ambient, organization_id, &objects).await?;
            let used = async {
                uploads.blobs.put_bytes(&original, picture).await.map_err(refuse_put)?;
                covers::store(&uploads.blobs, organization_id, folder, cover, &cut.images)
                    .await
                    .map_err(refuse_put)?;
                let record = || uploads.use_cover(origin, organization_id, owner, cover, cut.theme.clone());
                record_again_if_victim(&uploads.ambient, record).await
            };
            let used = used.await;
            uploads.remove_unused_covers(&used, objects).await;
            used
        });
        keep.await.unwrap_or_else(|error| Err(Refusal::Internal(error.into())))
    }

    /// Removes the objects of covers that are not used, which then count no longer: only if it is certain that no row names
    /// them. Otherwise they are removed when they no longer count.
    pub(super) async fn remove_unused_covers<T>(
        &self,
        used: &Result<T, Refusal>,
        objects: Vec<(ObjectKey, u64)>,
    ) {
        if matches!(used, Ok(_) | Err(Refusal::UnknownOutcome(_))) {
            return;
        }
        let objects: Vec<_> = objects.into_iter().map(|(key, _)| key).collect();
        let removed = async {
            remove_unnamed::<Refusal>(&self.catalog, &self.blobs, objects.clone()).await?;
            let tx = self.catalog.begin().await?;
            tx.forget_replaced_objects(&objects).await?;
            Ok::<_, Refusal>(tx.commit().await?)
        };
        if let Err(error) = removed.await {
            tracing::warn!(%error, "could not remove the objects of a cover that is not used");
        }
    }

    /// Refuses a picture that is empty or too large.
    pub(super) fn check_picture(&self, picture: &Bytes) -> Result<(), Refusal> {
        if picture.is_empty() {
            return Err(Refusal::invalid("file", "is empty; send a JPEG, PNG, WebP or GIF picture"));
        }
        if picture.len() as u64 > self.limits.max_cover_bytes {
            return Err(Refusal::TooLarge { limit: self.limits.max_cover_bytes });
        }
        Ok(())
    }

    /// Makes the organization's cover from a picture. It applies to everything in the organization that has none.
    pub async fn set_organization_cover(&self, caller: &Caller, picture: Bytes) -> Result<(), Refusal> {
        caller.require_whole_organization()?;
        self.accept_cover(caller.origin, caller.organization_id, CoverOwner::Organization, picture).await
    }

    /// The folder of a cover's files.
    async fn cover_folder(
        &self,
        organization_id: OrganizationId,
        owner: CoverOwner,
    ) -> Result<ShortId, Refusal> {
        let (folder, noun) = match owner {
            CoverOwner::Track(id) => {
                (self.catalog.track(organization_id, id).await?.map(|track| track.index), Resource::Track)
            }
            CoverOwner::Collection(id) => (
                self.catalog.collection(organization_id, id).await?.map(|collection| collection.folder),
                Resource::Collection,
            ),
            CoverOwner::Organization => (
                self.catalog.organization(organization_id).await?.map(|organization| organization.folder),
                Resource::Organization,
            ),
        };
        folder.ok_or(Refusal::NotFound(noun))
    }

    async fn use_cover(
        &self,
        origin: Origin,
        organization_id: OrganizationId,
        owner: CoverOwner,
        cover: Cover,
        theme: Vec<ThemeColour>,
    ) -> Result<(), Refusal> {
        let tx = self.catalog.begin().await?;
        tx.admit_records(organization_id).await?;
        self.put_to_use(&tx, organization_id, owner, cover, theme).await?;
        covers::queue_rest(&tx, &self.ambient, organization_id, owner).await?;
        let (action, subject_id) = match owner {
            CoverOwner::Track(id) => (AuditAction::TrackCover, id.uuid()),
            CoverOwner::Collection(id) => (AuditAction::CollectionCover, id.uuid()),
            CoverOwner::Organization => (AuditAction::OrganizationCover, organization_id.uuid()),
        };
        let done = AuditedAction { action, subject_id, title: "" };
        audit::record_of(&tx, &self.ambient, Some(organization_id), origin, done).await?;
        tx.commit().await?;
        Ok(())
    }
}

impl Uploads {
    async fn put_to_use(
        &self,
        tx: &Transaction,
        organization_id: OrganizationId,
        owner: CoverOwner,
        cover: Cover,
        theme: Vec<ThemeColour>,
    ) -> Result<(), Refusal> {
        let ambient = &self.ambient;
        match owner {
            CoverOwner::Track(id) => {
                let mut track =
                    tx.track(organization_id, id).await?.ok_or(Refusal::NotFound(Resource::Track))?;
                let parents = TrackParents::in_transaction(tx, organization_id, track.collection_id).await?;
                let parents = parents.ok_or(Refusal::NotFound(Resource::Collection))?;
                let before = parents.inputs(&track);
                (track.cover, track.theme.found) = (Some(cover), theme);
                tx.update_track(&track).await?;
                derived::track_changed(tx, ambient, &track, (&before, &parents.inputs(&track))).await?;
            }
            CoverOwner::Collection(id) => {
                let found = tx.collection(organization_id, id).await?;
                let before = found.ok_or(Refusal::NotFound(Resource::Collection))?;
                let mut after = before.clone();
                (after.cover, after.theme.found) = (Some(cover), theme);
                tx.update_collection(&after).await?;
                events::collection_changed(tx, ambient, EventKind::CollectionUpdated, &after).await?;
                derived::collection_changed(tx, ambient, (&before, &after)).await?;
            }
            CoverOwner::Organization => {
                let found = tx.organization(organization_id).await?;
                let before = found.ok_or(Refusal::NotFound(Resource::Organization))?;
                let mut after = before.clone();
                (after.cover, after.theme.found) = (Some(cover), theme);
                tx.update_organization(&after).await?;
                derived::organization_changed(tx, ambient, (&before, &after)).await?;
            }
        }
        Ok(())
    }
}

pub(super) fn refuse_picture(error: MediaError) -> Refusal {
    match error {
        MediaError::Unsupported(reason) | MediaError::LimitHit(reason) => Refusal::invalid("file", reason),
        // The same picture can be sent again after the outage.
        MediaError::Outage(..) => Refusal::Unavailable(error.into()),
        other => Refusal::Internal(other.into()),
    }
}
