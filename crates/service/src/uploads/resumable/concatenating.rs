//! Joining several complete parts to the source of a track.
//!
//! The whole is an upload like any other, whose bytes come from the parts: it has a lease, and it is recorded as it
//! grows. A request for the same parts, at any node, continues it or learns that it is complete.

use std::collections::HashSet;
use std::time::Duration;

use bytes::Bytes;
use futures::{Stream, StreamExt, TryStreamExt, stream};
use sha2::{Digest, Sha256};
use tonearm_blobs::{BlobError, Blobs};
use tonearm_domain::{CredentialId as _, ObjectKey, Origin, PieceError, Upload, UploadId, UploadKind};
use tracing::Instrument as _;

use super::beginning::{BeginUpload, UploadPermit};
use super::{Progress, UploadPiece, UploadRefusal};
use crate::refusal::Refusal;
use crate::uploads::Uploads;
use crate::uploads::accept_source::BodyError;

/// The most parts that are joined.
const MOST_PARTS: usize = 1000;

/// The most uploads that a process joins at once.
pub(crate) const MOST_JOINS: u64 = 16;

/// The longest time for which a process joins one upload. Completed work is kept, and the same request continues it.
const JOINED_WITHIN: Duration = Duration::from_secs(3600);

/// A complete part is no longer in the object store.
#[derive(Debug, thiserror::Error)]
#[error("a part of the upload is not in the object store any more")]
struct PartLost;

/// A complete part.
struct PartialUpload {
    upload: Upload,
    object: ObjectKey,
}

impl Uploads {
    /// Joins complete parts, in this order, to the source of a track. The parts are removed.
    ///
    /// Joining continues for at most an hour if the caller goes away. Another request for the same parts continues it,
    /// or returns the upload if it is complete.
    pub async fn join_uploads(
        &self,
        origin: Origin,
        permit: UploadPermit,
        parts: Vec<UploadId>,
        begin: BeginUpload,
    ) -> Result<Upload, UploadRefusal> {
        check_parts(&parts)?;
        let first = match parts.first() {
            Some(first) => self.catalog.upload(*first).await?,
            None => None,
        };
        let owner = first.map(|part| part.organization_id);
        let turn = self.joins.take(owner).ok_or(Refusal::Busy)?;
        let uploads = self.clone();
        let work = async move {
            let _turn = turn;
            let joined = Box::pin(uploads.join(origin, permit, &parts, begin));
            tokio::time::timeout(JOINED_WITHIN, joined).await.unwrap_or(Err(UploadRefusal::Locked))
        };
        let joined = tokio::spawn(work.in_current_span()).await;
        joined.unwrap_or_else(|error| Err(Refusal::Internal(error.into()).into()))
    }

    async fn join(
        &self,
        origin: Origin,
        permit: UploadPermit,
        ids: &[UploadId],
        begin: BeginUpload,
    ) -> Result<Upload, UploadRefusal> {
        let id = joined_upload_id(ids);
        let joined = self.join_parts(origin, id, permit.clone(), ids, begin.clone()).await;
        let upload = match joined {
            // Another request for the same parts may have completed it meanwhile, and used them up.
            Err(refusal @ (UploadRefusal::Gone | UploadRefusal::Piece(PieceError::Complete))) => {
                match self.catalog.upload(id).await? {
                    Some(known)
                        if !known.is_receiving() && self.is_same_request(&known, &permit, &begin).await? =>
                    {
                        self.unexpired_upload(id).await?
                    }
                    _ => return Err(refusal),
                }
            }
            joined => joined?,
        };
        let (now, tx) = (self.ambient.now(), self.catalog.begin().await?);
        for &part in ids {
            tx.expire_upload(part, now).await?;
        }
        tx.commit().await?;
        Ok(upload)
    }

    async fn join_parts(
        &self,
        origin: Origin,
        id: UploadId,
        permit: UploadPermit,
        ids: &[UploadId],
        begin: BeginUpload,
    ) -> Result<Upload, UploadRefusal> {
        let (upload, parts) = match self.catalog.upload(id).await? {
            // The parts are used up.
            Some(known) if !self.is_same_request(&known, &permit, &begin).await? => {
                return Err(UploadRefusal::Gone);
            }
            Some(known) if !known.is_receiving() => return self.unexpired_upload(id).await,
            Some(_) => match self.upload(id).await? {
                upload if upload.is_receiving() => (upload, self.complete_parts(origin, ids).await?),
                // Another request completed it meanwhile.
                upload => return Ok(upload),
            },
            None => self.begin_joining(origin, id, permit, ids, begin).await?,
        };
        let at = upload.offset;
        let size = upload.length.and_then(|length| length.checked_sub(at));
        let body = joined(self.blobs.clone(), parts, at);
        let (length, is_last) = (upload.length, true);
        let piece = UploadPiece { offset: at, size, length, is_last, check: None, on_durable: None, body };
        let joining = self.append_joined(origin, id, piece, upload.length.unwrap_or(0));
        let Progress { upload, .. } = joining.await.map_err(classify_interruption)?;
        Ok(upload)
    }

    /// Whether an upload was begun by the same request: for the same upload URL, or for a track that was created in the
    /// same upload session with the same metadata.
    async fn is_same_request(
        &self,
        known: &Upload,
        permit: &UploadPermit,
        begin: &BeginUpload,
    ) -> Result<bool, UploadRefusal> {
        match permit {
            UploadPermit::Track(slot) => Ok(known.slot() == Some(*slot)),
            UploadPermit::Session { id, .. } => {
                let Some(track_id) = known.track_id else { return Ok(false) };
                let track = self.catalog.track(known.organization_id, track_id).await?;
                let is_of_session = track.is_some_and(|track| track.upload_session_id == Some(*id));
                Ok(is_of_session && known.metadata == begin.metadata)
            }
        }
    }

    async fn begin_joining(
        &self,
        origin: Origin,
        id: UploadId,
        permit: UploadPermit,
        ids: &[UploadId],
        begin: BeginUpload,
    ) -> Result<(Upload, Vec<PartialUpload>), UploadRefusal> {
        let target = self.target(permit, UploadKind::Tus).await?;
        let organization_id = target.organization_id();
        // Uploads of other organizations look like uploads that do not exist.
        for &part in ids {
            if self.unexpired_upload(part).await?.organization_id != organization_id {
                return Err(UploadRefusal::not_found());
            }
        }
        let parts = self.complete_parts(origin, ids).await?;
        let length = parts.iter().fold(0_u64, |sum, part| sum.saturating_add(part.upload.offset));
        let limit = self.limits.max_source_bytes;
        if length > limit {
            return Err(Refusal::TooLarge { limit }.into());
        }
        self.require_room(organization_id, Some(length), length).await?;
        let begin = BeginUpload { kind: UploadKind::Tus, length: Some(length), ..begin };
        match self.insert_upload(id, target, begin).await {
            Ok(upload) => Ok((upload, parts)),
            // The same request began it meanwhile, perhaps at another node.
            Err(_) if self.catalog.upload(id).await?.is_some() => Err(UploadRefusal::Locked),
            Err(refusal) => Err(refusal),
        }
    }

    async fn complete_parts(
        &self,
        origin: Origin,
        ids: &[UploadId],
    ) -> Result<Vec<PartialUpload>, UploadRefusal> {
        let mut parts = Vec::with_capacity(ids.len());
        for &id in ids {
            let upload = self.unexpired_upload(id).await?;
            let upload = self.complete_if_whole(origin, upload).await?;
            match upload.object.clone() {
                Some(object) if upload.kind == UploadKind::Partial => {
                    parts.push(PartialUpload { upload, object })
                }
                _ => {
                    let message = "must name complete partial uploads; send the missing bytes first";
                    return Err(Refusal::invalid("Upload-Concat", message).into());
                }
            }
        }
        Ok(parts)
    }
}

fn check_parts(ids: &[UploadId]) -> Result<(), Refusal> {
    if !(1..=MOST_PARTS).contains(&ids.len()) {
        let message = format!("must name 1 to {MOST_PARTS} partial uploads");
        return Err(Refusal::invalid("Upload-Concat", message));
    }
    if ids.iter().collect::<HashSet<_>>().len() < ids.len() {
        return Err(Refusal::invalid("Upload-Concat", "must not name a partial upload twice"));
    }
    Ok(())
}

/// The id of the upload that these parts become. It is the same each time they are joined, and only clients that know
/// the ids of the parts can know it.
fn joined_upload_id(parts: &[UploadId]) -> UploadId {
    let mut digest = Sha256::new_with_prefix("the upload that these parts become");
    for part in parts {
        digest.update(part.uuid().as_bytes());
    }
    let mut id = [0; 16];
    id.copy_from_slice(&digest.finalize()[..16]);
    UploadId::from_random(id)
}

/// Classifies an interruption. The sender has already sent everything, so the cause is either a failure of the service
/// or another request for the same parts.
fn classify_interruption(refusal: UploadRefusal) -> UploadRefusal {
    match refusal {
        UploadRefusal::Interrupted(source) if source.is::<PartLost>() => UploadRefusal::Gone,
        UploadRefusal::Interrupted(source) if source.is::<BlobError>() => Refusal::Unavailable(source).into(),
        UploadRefusal::Interrupted(_) => UploadRefusal::Locked,
        refusal => refusal,
    }
}

/// The bytes of the parts in sequence, starting at an offset.
fn joined(
    blobs: Blobs,
    parts: Vec<PartialUpload>,
    from: u64,
) -> impl Stream<Item = Result<Bytes, BodyError>> + Send + Unpin {
    let mut skipped = from;
    let left = parts.into_iter().filter_map(move |part| {
        let size = part.upload.offset;
        let begin = skipped.min(size);
        skipped -= begin;
        (begin < size).then_some((part.object, begin..size))
    });
    let bodies = stream::iter(left).then(move |(key, range)| {
        let blobs = blobs.clone();
        async move {
            let body = blobs.get(&key, Some(range)).await?.ok_or(PartLost)?;
            Ok::<_, BodyError>(body.stream.map_err(BodyError::from))
        }
    });
    Box::pin(bodies.try_flatten())
}

#[cfg(test)]
mod tests {
    use tonearm_catalog::Catalog;
    use tonearm_domain::{NewUpload, OrganizationId, SourceSlot, UploadOpener};
    use tonearm_fixtures::TestDatabase;
    use tonearm_signing::{Secrets, UrlSigner};

    use super::*;
    use crate::{Library, Links, UploadLimits};

    /// The id of a part of an organization's upload.
    async fn part(uploads: &Uploads, organization_id: OrganizationId) -> UploadId {
        let new = NewUpload {
            id: uploads.ambient.credential_id(),
            organization_id,
            track_id: None,
            replacement_id: None,
            opener: UploadOpener::default(),
            kind: UploadKind::Partial,
            folder: uploads.ambient.short_id(),
            length: None,
            sha256: None,
            metadata: None,
        };
        let tx = uploads.catalog.begin().await.unwrap();
        tx.insert_upload(&Upload::begin(new.clone(), &uploads.ambient)).await.unwrap();
        tx.commit().await.unwrap();
        new.id
    }

    #[tokio::test]
    async fn an_organization_that_joins_many_uploads_leaves_places_to_others() {
        let database = TestDatabase::migrated_sqlite(tonearm_fixtures::migrate!()).await;
        let catalog = Catalog::connect(&database.url.parse().unwrap(), Default::default()).await.unwrap();
        let folder = tempfile::tempdir().unwrap();
        let url = format!("file://{}", folder.path().display());
        let blobs = Blobs::open(&url.parse().unwrap()).await.unwrap();
        let ambient = tonearm_fixtures::ambient().0;
        let (base, signer) = ("https://api.example.com", UrlSigner::new(Secrets::from_bytes([1; 32])));
        let links = Links::new(signer, ambient.clone(), base, base.parse().unwrap());
        let library = Library::new(catalog.clone(), ambient.clone(), links.clone());
        let limits = UploadLimits { max_source_bytes: 1 << 20, max_cover_bytes: 1 << 20 };
        let uploads = Uploads::new(catalog, blobs, ambient, links, limits);
        let join = async |organization_id| {
            let slot = SourceSlot::of_track(organization_id, uploads.ambient.record_id());
            let begin = BeginUpload { kind: UploadKind::Tus, length: None, sha256: None, metadata: None };
            let parts = vec![part(&uploads, organization_id).await];
            let permit = UploadPermit::Track(slot);
            uploads.join_uploads(Origin::uploader(None, None), permit, parts, begin).await.unwrap_err()
        };
        let one = library.create_organization("One").await.unwrap().organization.id;
        let other = library.create_organization("Other").await.unwrap().organization.id;
        let joining: Vec<_> = std::iter::from_fn(|| uploads.joins.take(Some(one))).collect();
        assert_eq!(joining.len() as u64, MOST_JOINS / 2);
        assert!(matches!(join(one).await, UploadRefusal::Refused(Refusal::Busy)));
        assert!(matches!(join(other).await, UploadRefusal::Refused(Refusal::NotFound(_))));
    }
}
