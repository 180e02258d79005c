//! Several complete parts become the source of a track.

use std::collections::HashSet;

use futures::{Stream, StreamExt, TryStreamExt, stream};
use tonearm_blobs::Blobs;
use tonearm_domain::{ObjectKey, Origin, Upload, UploadId, UploadKind, UploadState};

use super::beginning::{BeginUpload, UploadPermit};
use super::{Progress, UploadRefusal};
use crate::refusal::Refusal;
use crate::uploads::Uploads;
use crate::uploads::accept_source::{BodyError, SourceSlot, UploadTerms};

/// Parts that are joined at most.
const MOST_PARTS: usize = 1000;

impl Uploads {
    /// Joins complete parts, in this order, to the source of a track. The parts are removed.
    pub async fn join_uploads(
        &self,
        origin: Origin,
        permit: UploadPermit,
        parts: &[UploadId],
        begin: BeginUpload,
    ) -> Result<Progress, UploadRefusal> {
        if !(1..=MOST_PARTS).contains(&parts.len()) {
            let message = format!("must name 1 to {MOST_PARTS} partial uploads");
            return Err(Refusal::invalid("Upload-Concat", message).into());
        }
        if parts.iter().collect::<HashSet<_>>().len() < parts.len() {
            return Err(Refusal::invalid("Upload-Concat", "must not name a partial upload twice").into());
        }
        let mut objects = Vec::with_capacity(parts.len());
        for &id in parts {
            objects.push(self.complete_part(id).await?);
        }
        let length = objects.iter().fold(0_u64, |sum, (_, size)| sum.saturating_add(*size));
        let limit = self.limits.max_source_bytes;
        if length > limit {
            return Err(Refusal::TooLarge { limit }.into());
        }
        if let Some((part, _)) = objects.first() {
            self.require_room(part.organization_id, Some(length)).await?;
        }
        let target = self.target(permit, begin.kind).await?;
        // Parts of others are not told apart from ones that do not exist.
        let organization_id = target.organization_id;
        if objects.iter().any(|(key, _)| key.organization_id != organization_id) {
            return Err(UploadRefusal::not_found());
        }
        let track_id = target.track_id.ok_or_else(UploadRefusal::not_found)?;
        let terms = UploadTerms { size: Some(length), sha256: begin.sha256, md5: None };
        let keys = objects.into_iter().map(|(key, _)| key).collect();
        let body = joined(self.blobs.clone(), keys);
        let accepted =
            self.accept_source(origin, SourceSlot::of_track(organization_id, track_id), body, terms).await?;
        let now = self.ambient.now();
        let upload = Upload {
            id: self.ambient.credential_id(),
            organization_id,
            track_id: Some(track_id),
            kind: UploadKind::Tus,
            state: UploadState::Complete,
            folder: target.folder,
            version: self.ambient.short_id(),
            length: Some(length),
            offset: length,
            sha256: begin.sha256,
            metadata: begin.metadata,
            draft: String::new(),
            object: None,
            created_at: now,
            expires_at: Upload::expiry(now, now),
        };
        let tx = self.catalog.begin().await?;
        tx.insert_upload(&upload).await?;
        for &id in parts {
            tx.expire_upload(id, now).await?;
        }
        tx.commit().await?;
        Ok(Progress { upload, accepted: Some(accepted) })
    }

    async fn complete_part(&self, id: UploadId) -> Result<(ObjectKey, u64), UploadRefusal> {
        let part = self.known_upload(id).await?;
        match part.object {
            Some(object) if part.kind == UploadKind::Partial => Ok((object, part.offset)),
            _ => {
                let message = "must name complete partial uploads; send the missing bytes first";
                Err(Refusal::invalid("Upload-Concat", message).into())
            }
        }
    }
}

/// The bytes of the objects one after the other.
fn joined(
    blobs: Blobs,
    keys: Vec<ObjectKey>,
) -> impl Stream<Item = Result<bytes::Bytes, BodyError>> + Send + Unpin {
    let bodies = stream::iter(keys).then(move |key| {
        let blobs = blobs.clone();
        async move {
            let body = blobs.get(&key, None).await?;
            let body = body.ok_or("a part of the upload is not in the object store any more")?;
            Ok::<_, BodyError>(body.stream.map_err(BodyError::from))
        }
    });
    Box::pin(bodies.try_flatten())
}
