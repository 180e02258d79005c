//! Taking bytes in.

mod accept_cover;
mod accept_source;
mod cover_tracks;
mod import;
mod in_flight;
mod resumable;
mod upload_session;

use std::sync::Arc;

use tokio::sync::Semaphore;
use tonearm_blobs::Blobs;
use tonearm_catalog::Catalog;
use tonearm_domain::{Ambient, OrganizationId};
use tonearm_media::Pictures;

pub(crate) use self::resumable::remove_upload;
use self::resumable::{Holders, MOST_JOINS};
use crate::admission::Admission;
use crate::admission::quotas::{self, QuotaAllowance};
use crate::delivery::Links;
use crate::imports::Imports;
use crate::refusal::Refusal;

pub(crate) use import::Arrived;

pub use accept_source::{AcceptedUpload, UploadTerms};
pub use resumable::{
    BeginUpload, OnDurable, PieceCheck, Progress as UploadProgress, Sha256Check, UploadPermit, UploadPiece,
    UploadRefusal, UrlUpload,
};
pub use upload_session::{CreateUploadSession, CreatedUploadSession, SessionTrack, UploadSessionView};

/// How much is taken in.
#[derive(Debug, Clone, Copy)]
pub struct UploadLimits {
    /// Most bytes of a source.
    pub max_source_bytes: u64,
    /// Most bytes of a cover.
    pub max_cover_bytes: u64,
}

/// Takes sources and covers in, by signed URL and in upload sessions.
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
    joins: Arc<Semaphore>,
    imports: Option<Imports>,
}

impl Uploads {
    /// Over a catalog and a store.
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
            joins: Arc::new(Semaphore::new(MOST_JOINS)),
            imports: None,
        }
    }

    /// The same, taking nothing in that is not admitted.
    pub fn with_admission(self, admission: Admission) -> Self {
        Self { admission, ..self }
    }

    /// The same, having covers decoded under these terms of confinement.
    pub fn with_pictures(self, pictures: Pictures) -> Self {
        Self { pictures, ..self }
    }

    /// The same, importing the files of new tracks where that is asked for.
    pub fn with_imports(self, imports: Imports) -> Self {
        Self { imports: Some(imports), ..self }
    }

    /// Most bytes of a source.
    pub fn max_source_bytes(&self) -> u64 {
        self.limits.max_source_bytes
    }

    /// Refuses a cover for which there is no space or no room in the organization's quota. Worth asking before a body is
    /// read; `bytes` are those that are announced or there.
    pub async fn require_room_for_cover(
        &self,
        organization_id: OrganizationId,
        bytes: Option<u64>,
    ) -> Result<(), Refusal> {
        self.admission.require_space().await?;
        quotas::admit_cover(&self.catalog, organization_id, bytes.unwrap_or(1)).await
    }

    /// Refuses a source where no uploads are admitted, or where the organization's quotas have no room for it; gives the bytes
    /// that it may have. Worth asking before a body is read. What is decided in the end is asked again in the transaction that
    /// records the source (see [`quotas::admit_stored`]).
    pub(crate) async fn require_room(
        &self,
        organization_id: OrganizationId,
        announced: Option<u64>,
    ) -> Result<QuotaAllowance, Refusal> {
        self.admission.require(organization_id).await?;
        quotas::source_allowance(&self.catalog, organization_id, announced).await
    }
}
