//! Uploads of sources and covers.

mod accept_cover;
mod accept_source;
mod cover_tracks;
mod import;
mod in_flight;
mod receiving;
mod resumable;
mod undo_replacement;
mod upload_session;

use std::sync::Arc;

use tonearm_blobs::Blobs;
use tonearm_catalog::Catalog;
use tonearm_domain::{Ambient, OrganizationId, Shares};
use tonearm_media::Pictures;

use self::receiving::Receiving;
pub(crate) use self::resumable::remove_upload_bytes;
use self::resumable::{Holders, MOST_JOINS};
use crate::admission::Admission;
use crate::admission::quotas::{self, QuotaAllowance};
use crate::delivery::Links;
use crate::imports::Imports;
use crate::refusal::Refusal;

pub(crate) use import::Arrived;

pub use accept_source::{AcceptedUpload, UploadTerms};
pub use receiving::{LoadedPicture, ReceiveTerms, ReceivedFile};
pub use resumable::{
    BeginUpload, OnDurable, PieceCheck, Progress as UploadProgress, Sha256Check, UploadPermit, UploadPiece,
    UploadRefusal, UrlUpload,
};
pub use upload_session::{CreateUploadSession, CreatedUploadSession, SessionTrack, UploadSessionView};

/// The size limits of uploads.
#[derive(Debug, Clone, Copy)]
pub struct UploadLimits {
    /// The maximum size of a source, in bytes.
    pub max_source_bytes: u64,
    /// The maximum size of a cover, in bytes.
    pub max_cover_bytes: u64,
}

/// Accepts uploads of sources and covers, by signed URL and in upload sessions.
#[derive(Clone)]
pub struct Uploads {
    catalog: Catalog,
    blobs: Blobs,
    ambient: Ambient,
    links: Links,
    limits: UploadLimits,
    admission: Admission,
    pictures: Pictures,
    holders: Arc<Holders>,
    /// By organization.
    joins: Shares,
    imports: Option<Imports>,
    receiving: Receiving,
}

impl Uploads {
    /// Creates the upload use cases for a catalog and a store.
    pub fn new(catalog: Catalog, blobs: Blobs, ambient: Ambient, links: Links, limits: UploadLimits) -> Self {
        Self {
            catalog,
            blobs,
            ambient,
            links,
            limits,
            admission: Admission::default(),
            pictures: Pictures::default(),
            holders: Arc::default(),
            joins: Shares::new(MOST_JOINS),
            imports: None,
            receiving: Receiving::default(),
        }
    }

    /// Sets the rules by which uploads are admitted.
    pub fn with_admission(self, admission: Admission) -> Self {
        Self { admission, ..self }
    }

    /// Sets how covers are decoded, including the sandbox.
    pub fn with_pictures(self, pictures: Pictures) -> Self {
        Self { pictures, ..self }
    }

    /// Enables imports for new tracks that request one.
    pub fn with_imports(self, imports: Imports) -> Self {
        Self { imports: Some(imports), ..self }
    }

    /// The maximum size of a source, in bytes.
    pub fn max_source_bytes(&self) -> u64 {
        self.limits.max_source_bytes
    }

    async fn require_room_for_cover(
        &self,
        organization_id: OrganizationId,
        bytes: Option<u64>,
    ) -> Result<(), Refusal> {
        self.admission.require_space()?;
        quotas::admit_cover(&self.catalog, organization_id, bytes.unwrap_or(1)).await
    }

    /// Refuses a source if no uploads are admitted, or if it would exceed the organization's quotas. Returns the number
    /// of bytes it may have. `counted` are the bytes of it that are counted already. Call it before reading the body. The final decision is made in the transaction that
    /// records the source (see [`quotas::admit_stored`]).
    pub(crate) async fn require_room(
        &self,
        organization_id: OrganizationId,
        announced: Option<u64>,
        counted: u64,
    ) -> Result<QuotaAllowance, Refusal> {
        self.admission.require(organization_id).await?;
        quotas::source_allowance(&self.catalog, organization_id, announced, counted).await
    }
}
