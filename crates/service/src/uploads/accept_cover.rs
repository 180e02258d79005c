//! A track's cover arrives.

use bytes::Bytes;
use tonearm_domain::{Cover, CoverOrigin, OrganizationId, TrackId};
use tonearm_media::MediaError;

use super::Uploads;
use super::accept_source::refuse_put;
use crate::{Noun, Refusal, covers};

impl Uploads {
    /// Most bytes of a cover.
    pub fn max_cover_bytes(&self) -> u64 {
        self.limits.max_cover_bytes
    }

    /// Makes a track's cover from a picture, in every size, and puts it to use.
    pub async fn accept_cover(
        &self,
        organization_id: OrganizationId,
        track_id: TrackId,
        picture: Bytes,
    ) -> Result<(), Refusal> {
        if picture.is_empty() {
            return Err(Refusal::invalid("file", "is empty; send a JPEG, PNG, WebP or GIF picture"));
        }
        let track =
            self.catalog.track(organization_id, track_id).await?.ok_or(Refusal::NotFound(Noun::Track))?;
        let images = covers::cut(picture).await.map_err(|error| match error {
            MediaError::Unsupported(reason) | MediaError::LimitHit(reason) => {
                Refusal::invalid("file", reason)
            }
            other => Refusal::Internal(other.into()),
        })?;
        let cover = Cover { version: self.ambient.short_id(), origin: CoverOrigin::Uploaded };
        covers::store(&self.blobs, organization_id, track.index, cover, images).await.map_err(refuse_put)?;
        let tx = self.catalog.begin().await?;
        let mut track = tx.track(organization_id, track_id).await?.ok_or(Refusal::NotFound(Noun::Track))?;
        track.cover = Some(cover);
        tx.update_track(&track).await?;
        tx.commit().await?;
        Ok(())
    }
}
