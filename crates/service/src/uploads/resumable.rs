//! Resumable uploads: bytes arrive in pieces, at any node, over hours.
//!
//! There is one writer at a time. Within a process, [`holders`] lets a later request stop the earlier one, whose
//! connection is probably dead. Between nodes, a lease on the row does the same. A piece is acknowledged once its bytes
//! are durable in the store and its row is committed.

mod appending;
mod beginning;
mod concatenating;
mod finishing;
mod holders;
mod lookup;
mod removing;

use bytes::Bytes;
use futures::Stream;
use sha2::{Digest, Sha256};
use tonearm_blobs::{BlobError, DraftError, DraftNames, DraftState};
use tonearm_catalog::CatalogError;
use tonearm_domain::{
    ContentType, ObjectFile, ObjectKey, PieceError, Upload, UploadId, UploadKind, VariantIndex,
};
use tonearm_media::sniff;

use super::Uploads;
use super::accept_source::{AcceptedUpload, BodyError};
use crate::refusal::{Refusal, Resource};

pub use beginning::{BeginUpload, UploadPermit};
pub(super) use concatenating::MOST_JOINS;
pub(super) use holders::Holders;
pub use lookup::UrlUpload;
pub(crate) use removing::remove_upload_bytes;

/// How long a lease on an upload lasts without renewal, in seconds.
const LEASE_SECONDS: i64 = 15;

/// A long piece is recorded after this many bytes, so that a process that dies loses no more than that.
const RECORDED_BYTES: u64 = 32 * 1024 * 1024;

/// Why an upload could not be begun, continued or removed.
#[derive(Debug, thiserror::Error)]
pub enum UploadRefusal {
    /// A refusal as in any other use case.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The piece does not continue the bytes already stored.
    #[error(transparent)]
    Piece(#[from] PieceError),
    /// The upload was given up, or its bytes are lost.
    #[error("the upload has expired or was removed; start a new one")]
    Gone,
    /// Another request is sending bytes.
    #[error("another request is sending bytes of this upload; try again shortly")]
    Locked,
    /// The piece was interrupted. The bytes that had arrived are stored.
    #[error("the request ended early; what had arrived is stored, continue from the offset of the upload")]
    Interrupted(#[source] BodyError),
    /// The piece does not match its announced digest.
    #[error("the piece does not match its checksum; nothing of it was stored, send it again")]
    Checksum,
}

impl From<CatalogError> for UploadRefusal {
    fn from(error: CatalogError) -> Self {
        Self::Refused(error.into())
    }
}

impl From<BlobError> for UploadRefusal {
    fn from(error: BlobError) -> Self {
        Self::Refused(error.into())
    }
}

impl From<DraftError> for UploadRefusal {
    fn from(error: DraftError) -> Self {
        match error {
            DraftError::InUse => Self::Locked,
            DraftError::Lost => Self::Gone,
            DraftError::Store(error) => error.into(),
        }
    }
}

impl UploadRefusal {
    fn not_found() -> Self {
        Self::Refused(Refusal::NotFound(Resource::Upload))
    }
}

/// Reads the bytes of a piece as they arrive, and compares their digest at the end.
pub trait PieceCheck: Send {
    /// Adds the next bytes to the digest.
    fn update(&mut self, bytes: &[u8]);
    /// Whether the bytes match the announced digest.
    fn matches(self: Box<Self>) -> bool;
}

/// A SHA-256 that a piece must have.
pub struct Sha256Check {
    digest: Sha256,
    expected: [u8; 32],
}

impl Sha256Check {
    /// The piece must have this digest.
    pub fn new(expected: [u8; 32]) -> Self {
        Self { digest: Sha256::new(), expected }
    }
}

impl PieceCheck for Sha256Check {
    fn update(&mut self, bytes: &[u8]) {
        self.digest.update(bytes);
    }

    fn matches(self: Box<Self>) -> bool {
        self.digest.finalize().as_slice() == self.expected
    }
}

/// A callback that receives the number of durable bytes.
pub type OnDurable = Box<dyn Fn(u64) + Send>;

/// Bytes that continue an upload.
pub struct UploadPiece<S> {
    /// The offset at which they begin.
    pub offset: u64,
    /// Their number (`Content-Length`).
    pub size: Option<u64>,
    /// The length of the whole upload, if the sender states it with this piece.
    pub length: Option<u64>,
    /// Whether they complete the upload, whatever its length.
    pub is_last: bool,
    /// The check that they must pass to be stored.
    pub check: Option<Box<dyn PieceCheck>>,
    /// Called with the offset up to which bytes are durable, each time it grows while more bytes are to come.
    pub on_durable: Option<OnDurable>,
    /// The bytes.
    pub body: S,
}

impl<S: Stream<Item = Result<Bytes, BodyError>>> UploadPiece<S> {
    /// The length of the whole upload, if this piece determines it.
    fn announced(&self) -> Option<u64> {
        let by_size = self.size.filter(|_| self.is_last).and_then(|size| self.offset.checked_add(size));
        self.length.or(by_size)
    }
}

/// The state of an upload after a piece.
#[derive(Debug, Clone)]
pub struct Progress {
    /// The upload.
    pub upload: Upload,
    /// The source that it became, if this piece completed it.
    pub accepted: Option<AcceptedUpload>,
}

impl Uploads {
    /// The URL at which an upload is continued with the tus protocol.
    pub fn tus_url(&self, id: UploadId) -> String {
        self.links.tus_upload(id)
    }

    fn draft_of(upload: &Upload) -> Result<DraftState, UploadRefusal> {
        match upload.draft.as_str() {
            "" => Ok(DraftState::default()),
            json => serde_json::from_str(json).map_err(|_| UploadRefusal::Gone),
        }
    }

    /// The object gets the same name as that of an upload in one piece.
    fn names_of(&self, upload: &Upload) -> DraftNames {
        let (organization_id, folder, version) = (upload.organization_id, upload.folder, upload.version);
        let key = move |label: &'static str, version, content_type| ObjectKey {
            organization_id,
            folder,
            file: ObjectFile { label: VariantIndex::from_static(label), version, content_type },
        };
        let label = if upload.kind == UploadKind::Partial { "upload_part" } else { "source" };
        let ambient = self.ambient.clone();
        DraftNames::new(
            move |head| key(label, version, sniff(head).unwrap_or(ContentType::Binary)),
            move || key("upload_tail", ambient.short_id(), ContentType::Binary),
        )
    }
}
