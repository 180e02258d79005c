//! Resolves the durable names of tracks, on nodes with a catalog.

use futures::FutureExt;
use futures::future::BoxFuture;
use tonearm_catalog::Catalog;
use tonearm_domain::{OrganizationId, ShortId, TrackManifest};
use tonearm_edge::{ManifestSource, SourceError};

/// The manifests of tracks as the catalog has them.
pub(crate) struct CatalogManifests(pub(crate) Catalog);

impl ManifestSource for CatalogManifests {
    fn manifest(
        &self,
        organization_id: OrganizationId,
        folder: ShortId,
    ) -> BoxFuture<'_, Result<Option<TrackManifest>, SourceError>> {
        async move { Ok(Some(self.0.manifest(organization_id, folder).await?)) }.boxed()
    }
}
