//! A page of the tracks behind a share key.

use std::sync::Arc;

use tonearm_catalog::{Catalog, CatalogError};
use tonearm_domain::{CollectionId, OrganizationId, TrackId, VariantIndex};

use crate::track_view::{TrackParents, TrackSummaryView, TrackView};

/// Tracks on a page of a shared collection.
const PER_PAGE: usize = 1000;

/// Which tracks a page has.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct SharedPage {
    pub(crate) organization_id: OrganizationId,
    pub(crate) collection_id: CollectionId,
    /// The track that the key is limited to.
    pub(crate) only: Option<TrackId>,
    /// The variant that the key shares.
    pub(crate) variant: VariantIndex,
    /// The track that the page follows.
    pub(crate) after: Option<TrackId>,
}

/// A page of a shared collection.
#[derive(Debug, Clone)]
pub(crate) struct SharedList {
    pub(crate) title: String,
    pub(crate) subtitle: Option<String>,
    /// The first track of the page.
    pub(crate) first: Option<TrackView>,
    /// All tracks of the page, in their order.
    pub(crate) tracks: Vec<TrackSummaryView>,
    pub(crate) has_more: bool,
}

impl SharedList {
    /// Loads the page. Returns `None` if there is no such collection.
    pub(super) async fn load(catalog: &Catalog, page: &SharedPage) -> Result<Option<Self>, CatalogError> {
        let SharedPage { organization_id, collection_id, only, ref variant, after } = *page;
        let organization = catalog.organization(organization_id).await?;
        let collection = catalog.collection(organization_id, collection_id).await?;
        let Some((organization, collection)) = organization.zip(collection) else { return Ok(None) };
        let parents = TrackParents { organization: Arc::new(organization), collection: Arc::new(collection) };
        let (tracks, has_more) =
            catalog.shared_tracks(organization_id, collection_id, only, variant, (after, PER_PAGE)).await?;
        let first = match tracks.first() {
            Some(first) => catalog.track(organization_id, first.id).await?.map(|track| parents.view(track)),
            None => None,
        };
        Ok(Some(Self {
            title: parents.collection.title.clone(),
            subtitle: parents.collection.shown_subtitle(&parents.organization).map(ToOwned::to_owned),
            first,
            tracks: tracks.into_iter().map(|track| parents.view_summary(track)).collect(),
            has_more,
        }))
    }
}
