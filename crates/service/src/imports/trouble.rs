//! Why an import failed.

use tonearm_blobs::BlobError;
use tonearm_catalog::CatalogError;
use tonearm_outbound::FetchError;

use crate::refusal::Refusal;

/// Why an import failed.
pub(crate) enum ImportError {
    /// The file could not be fetched, or may not be stored.
    Fetch(FetchError),
    /// The database failed.
    Catalog(CatalogError),
    /// The object store failed.
    Store(BlobError),
    /// Another part of the service failed.
    Own(Refusal),
}

impl From<FetchError> for ImportError {
    fn from(error: FetchError) -> Self {
        Self::Fetch(error)
    }
}

impl From<CatalogError> for ImportError {
    fn from(error: CatalogError) -> Self {
        Self::Catalog(error)
    }
}

impl From<Refusal> for ImportError {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Interrupted(source) => match source.downcast::<FetchError>() {
                Ok(error) => Self::Fetch(*error),
                // Fewer bytes arrived than were announced.
                Err(source) => Self::Fetch(FetchError::StartOver(source.to_string())),
            },
            Refusal::TooLarge { limit } => {
                Self::Fetch(FetchError::Final(format!("the file is larger than the limit of {limit} bytes")))
            }
            Refusal::QuotaExceeded(exceeded) => Self::Fetch(FetchError::Final(exceeded.to_string())),
            Refusal::Invalid { field: "body", .. } => {
                Self::Fetch(FetchError::Final("the file is empty".to_owned()))
            }
            // `Unavailable` alone does not distinguish the store from the database.
            Refusal::Unavailable(source) => match source.downcast::<BlobError>() {
                Ok(error) => Self::Store(*error),
                Err(source) => Self::Own(Refusal::Unavailable(source)),
            },
            other => Self::Own(other),
        }
    }
}
