//! Reading the state of an upload, and locking it for writing.

use std::time::Duration;

use futures::stream;
use tonearm_catalog::UploadLease;
use tonearm_domain::{LeaseId, Origin, PieceError, SourceSlot, Upload, UploadId};
use tracing::Instrument as _;

use super::holders::Hold;
use super::{LEASE_SECONDS, UploadPiece, UploadRefusal};
use crate::admission::quota_claim::QuotaClaim;
use crate::refusal::{Refusal, Resource};
use crate::uploads::Uploads;

/// How often to check whether another node has stopped.
const LEASE_POLL_PERIOD: Duration = Duration::from_millis(500);
/// How many times to check. Together, this is longer than a node takes to notice.
const LEASE_POLLS: usize = 16;

/// Exclusive access to an upload among the requests of all nodes.
pub(super) struct HeldUpload {
    pub(super) upload: Upload,
    pub(super) lease: LeaseId,
    pub(super) hold: Hold,
    /// The bytes of the parts that it joins. They count until they are removed.
    pub(super) joined: u64,
    /// What has arrived and is not recorded yet.
    pub(super) claim: Option<QuotaClaim>,
}

impl HeldUpload {
    /// The bytes that are counted in the quota already.
    pub(super) fn counted(&self) -> u64 {
        let claimed = self.claim.as_ref().map_or(0, QuotaClaim::claimed);
        self.upload.offset.saturating_add(self.joined).saturating_add(claimed)
    }
}

/// The state of an upload to the upload URL of a track.
#[derive(Debug, Clone)]
pub enum UrlUpload {
    /// Bytes are missing.
    Open(Box<Upload>),
    /// It is complete, with this number of bytes.
    Complete(u64),
}

impl Uploads {
    /// An upload, with an offset from which it can be continued: a request that is still sending is stopped.
    pub async fn upload(&self, id: UploadId) -> Result<Upload, UploadRefusal> {
        let known = self.unexpired_upload(id).await?;
        if !known.is_receiving() {
            return Ok(known);
        }
        let held = self.hold_upload(id).await?;
        self.catalog.release_upload(id, held.lease).await?;
        Ok(held.upload)
    }

    /// The same for a sender who takes an upload with all of its bytes for complete: one whose last request has ended without
    /// completing it, as with its node, is completed.
    pub async fn settled_upload(&self, origin: Origin, id: UploadId) -> Result<Upload, UploadRefusal> {
        let upload = self.upload(id).await?;
        self.complete_if_whole(origin, upload).await
    }

    /// Completes an upload if nothing of it is missing. Goes on if the caller goes away.
    pub(super) async fn complete_if_whole(
        &self,
        origin: Origin,
        upload: Upload,
    ) -> Result<Upload, UploadRefusal> {
        if !upload.is_receiving() || !upload.has_all() || upload.offset == 0 {
            return Ok(upload);
        }
        let (uploads, id) = (self.clone(), upload.id);
        let piece = UploadPiece {
            offset: upload.offset,
            size: Some(0),
            length: upload.length,
            is_last: true,
            check: None,
            on_durable: None,
            body: stream::empty(),
        };
        let work = async move { uploads.append(origin, id, piece).await };
        match tokio::spawn(work.in_current_span()).await {
            Ok(Ok(progress)) => Ok(progress.upload),
            // Another request completed it meanwhile.
            Ok(Err(UploadRefusal::Piece(PieceError::Complete))) => self.unexpired_upload(id).await,
            // Nothing was missing, so another request took the upload over, or publishing failed.
            Ok(Err(UploadRefusal::Interrupted(_))) => Err(UploadRefusal::Locked),
            Ok(Err(refusal)) => Err(refusal),
            Err(error) => Err(Refusal::Internal(error.into()).into()),
        }
    }

    /// The state of the upload to the upload URL of a track, if the URL was used for a resumable upload.
    pub async fn upload_to_url(&self, slot: SourceSlot) -> Result<UrlUpload, UploadRefusal> {
        let SourceSlot { organization_id, track_id, replacement_id } = slot;
        let track =
            self.catalog.track(organization_id, track_id).await?.ok_or(Refusal::NotFound(Resource::Track))?;
        let source = match replacement_id {
            None => track.source,
            Some(id) => {
                let found = self.catalog.replacement(organization_id, track_id).await?;
                let replacement = found.filter(|it| it.id == id).ok_or_else(UploadRefusal::not_found)?;
                replacement.source
            }
        };
        if let Some(source) = source {
            return Ok(UrlUpload::Complete(source.size));
        }
        let upload = self.catalog.upload_to_url(slot).await?;
        let upload = upload.ok_or_else(UploadRefusal::not_found)?;
        Ok(UrlUpload::Open(Box::new(self.upload(upload.id).await?)))
    }

    pub(super) async fn unexpired_upload(&self, id: UploadId) -> Result<Upload, UploadRefusal> {
        let upload = self.catalog.upload(id).await?.ok_or_else(UploadRefusal::not_found)?;
        if upload.is_expired_at(self.ambient.now()) { Err(UploadRefusal::Gone) } else { Ok(upload) }
    }

    /// Locks an upload for writing, and returns it with its current offset.
    pub(super) async fn hold_upload(&self, id: UploadId) -> Result<HeldUpload, UploadRefusal> {
        let hold = self.holders.hold(id).await.ok_or(UploadRefusal::Locked)?;
        let lease = self.ambient.credential_id();
        for attempt in 0..LEASE_POLLS {
            if attempt > 0 {
                tokio::time::sleep(LEASE_POLL_PERIOD).await;
            }
            let now = self.ambient.now();
            let until = now.plus_seconds(LEASE_SECONDS);
            if self.catalog.lease_upload(id, lease, now, until).await? == UploadLease::Held {
                return match self.unexpired_upload(id).await {
                    Ok(upload) => Ok(HeldUpload { upload, lease, hold, joined: 0, claim: None }),
                    Err(refusal) => {
                        self.catalog.release_upload(id, lease).await?;
                        Err(refusal)
                    }
                };
            }
            // An upload that does not exist cannot be leased.
            self.unexpired_upload(id).await?;
        }
        Err(UploadRefusal::Locked)
    }
}
