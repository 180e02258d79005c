//! Storing and recording sources that were fetched.

use bytes::Bytes;
use futures::{Stream, StreamExt};
use tonearm_blobs::Stored;
use tonearm_catalog::{CatalogError, Transaction};
use tonearm_domain::{ObjectKey, Track, sanitise_file_name};
use tonearm_outbound::FetchError;

use super::Uploads;
use super::accept_source::{BodyError, UploadTerms, record_source};
use crate::admission::quota_claim::QuotaClaim;
use crate::admission::quotas;
use crate::imports::ImportError;

/// A file that was fetched and stored, but that no row names yet.
pub(crate) struct Arrived {
    pub(crate) key: ObjectKey,
    pub(crate) stored: Stored,
    pub(crate) claim: QuotaClaim,
    /// The name that the server gives it.
    pub(crate) file_name: Option<String>,
}

impl Uploads {
    /// Streams a file that is being fetched into the store. On failure, nothing is left behind.
    pub(crate) async fn store_fetched<S>(
        &self,
        track: &Track,
        body: S,
        size: Option<u64>,
        file_name: Option<String>,
    ) -> Result<Arrived, ImportError>
    where
        S: Stream<Item = Result<Bytes, FetchError>> + Send + Unpin,
    {
        self.admission.require_space()?;
        let allowance = quotas::source_allowance(&self.catalog, track.organization_id, size, 0).await?;
        let body = self.keep_waited_for(track, body.map(|chunk| chunk.map_err(BodyError::from)));
        let terms = UploadTerms { size, ..UploadTerms::default() };
        let (key, stored, claim) = self.store_source(track, body, terms, allowance).await?;
        Ok(Arrived { key, stored, claim, file_name })
    }

    /// Records a fetched file as the source of its track. Returns `false` if the track already has a source or is no
    /// longer to be imported.
    pub(crate) async fn record_fetched(
        &self,
        tx: &Transaction,
        mut track: Track,
        arrived: &Arrived,
    ) -> Result<bool, CatalogError> {
        let import = tx.import(track.id).await?.filter(|import| !import.has_ended());
        let Some(import) = import else { return Ok(false) };
        let Ok(status) = track.accept_source() else { return Ok(false) };
        track.status = status;
        if let Some(name) = arrived.file_name.as_ref().filter(|_| !import.is_named) {
            track.file_name = sanitise_file_name(name);
            track.file_name_original = Some(name.clone());
        }
        record_source(tx, &self.ambient, &mut track, &arrived.key, &arrived.stored).await?;
        arrived.claim.release(tx).await?;
        Ok(true)
    }
}
