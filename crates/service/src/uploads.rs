//! Taking bytes in.

mod accept_cover;
mod accept_source;
mod import;
mod in_flight;
mod upload_session;

use tonearm_blobs::Blobs;
use tonearm_catalog::Catalog;
use tonearm_domain::Ambient;
use tonearm_media::Pictures;

use crate::imports::Imports;
use crate::links::Links;
use crate::refusal::Refusal;
use crate::space::Space;

pub(crate) use import::{Arrived, ImportTrouble};

pub use accept_source::{AcceptedUpload, UploadTerms};
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
    space: Space,
    pictures: Pictures,
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
            space: Space::default(),
            pictures: Pictures::default(),
            imports: None,
        }
    }

    /// The same, taking nothing in where there is too little free space.
    pub fn with_space(self, space: Space) -> Self {
        Self { space, ..self }
    }

    /// The same, having covers decoded under these terms of confinement.
    pub fn with_pictures(self, pictures: Pictures) -> Self {
        Self { pictures, ..self }
    }

    /// The same, importing the files of new tracks where that is asked for.
    pub fn with_imports(self, imports: Imports) -> Self {
        Self { imports: Some(imports), ..self }
    }

    /// Refuses where there is too little free space. Worth asking before a body is read.
    pub async fn require_space(&self) -> Result<(), Refusal> {
        self.space.require().await
    }
}
