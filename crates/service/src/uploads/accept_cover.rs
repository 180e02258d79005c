//! A track's cover arrives.

use bytes::Bytes;
use tonearm_domain::{Cover, CoverOrigin, OrganizationId, TrackId};
use tonearm_media::CoverError;

use super::Uploads;
use super::accept_source::refuse_put;
use crate::{Noun, Refusal};

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
        let images = self.media.covers(picture).await.map_err(|error| match error {
            CoverError::Invalid(reason) => Refusal::invalid("file", reason),
            CoverError::Internal(source) => Refusal::Internal(source),
        })?;
        let cover = Cover { version: self.ambient.short_id(), origin: CoverOrigin::Uploaded };
        for image in images {
            let key = cover.key(organization_id, track.index, image.size);
            self.blobs.put_bytes(&key, image.jpeg).await.map_err(refuse_put)?;
        }
        let tx = self.catalog.begin().await?;
        let mut track = tx.track(organization_id, track_id).await?.ok_or(Refusal::NotFound(Noun::Track))?;
        track.cover = Some(cover);
        tx.update_track(&track).await?;
        tx.commit().await?;
        Ok(())
    }
}
