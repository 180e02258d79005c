//! A track with the settings that it inherits from its collection and its organization.

pub(crate) mod waiting;

use std::sync::Arc;

use tonearm_catalog::{Catalog, CatalogError, Transaction};
use tonearm_domain::{
    Collection, CollectionId, Colour, Inputs, Organization, OrganizationId, PlacedCover, PlayerColours,
    Track, TrackSummary, resolve_cover, resolve_player_colour,
};

use crate::refusal::{Refusal, Resource};

/// A track with its resolved player colours and cover.
#[derive(Debug, Clone)]
pub struct TrackView {
    /// The track.
    pub track: Track,
    /// Whether its source is being imported. `false` unless the import was looked up.
    pub is_importing: bool,
    /// Its player colour, which may be inherited, and the colours derived from it.
    pub colours: PlayerColours,
    /// The cover that players show: its own or an inherited one.
    pub cover: Option<PlacedCover>,
    /// The title that players show: the one that was set, or a derived one.
    pub title: String,
    /// The line under the title: the one that was set, or a derived one.
    pub subtitle: Option<String>,
}

/// The short form of a track with its resolved player colours.
#[derive(Debug, Clone)]
pub struct TrackSummaryView {
    /// The track.
    pub track: TrackSummary,
    /// Its player colour, which may be inherited, and the colours derived from it.
    pub colours: PlayerColours,
    /// The title that players show: the one that was set, or a derived one.
    pub title: String,
    /// The line under the title: the one that was set, or a derived one.
    pub subtitle: Option<String>,
}

/// The organization and the collection of a track. They decide which of its own settings apply.
pub(crate) struct TrackParents {
    pub(crate) organization: Arc<Organization>,
    pub(crate) collection: Arc<Collection>,
}

impl TrackParents {
    pub(crate) async fn of(
        catalog: &Catalog,
        organization_id: OrganizationId,
        collection_id: CollectionId,
    ) -> Result<Self, Refusal> {
        let organization =
            catalog.organization(organization_id).await?.ok_or(Refusal::NotFound(Resource::Organization))?;
        let collection = catalog
            .collection(organization_id, collection_id)
            .await?
            .ok_or(Refusal::NotFound(Resource::Collection))?;
        Ok(Self { organization: Arc::new(organization), collection: Arc::new(collection) })
    }

    /// Reads them in a transaction. Returns `None` if they were deleted meanwhile.
    pub(crate) async fn in_transaction(
        tx: &Transaction,
        organization_id: OrganizationId,
        collection_id: CollectionId,
    ) -> Result<Option<Self>, CatalogError> {
        let organization = tx.organization_as_it_is(organization_id).await?;
        let collection = tx.collection_as_it_is(organization_id, collection_id).await?;
        Ok(Self::both(organization, collection))
    }

    /// The same for a track that this transaction deletes, which a damaged row of its collection does not keep alive.
    pub(crate) async fn of_deleted(tx: &Transaction, track: &Track) -> Result<Option<Self>, CatalogError> {
        let organization = tx.organization_as_it_is(track.organization_id).await?;
        let collection = tx.collection_to_end(track.organization_id, track.collection_id).await?;
        Ok(Self::both(organization, collection))
    }

    fn both(organization: Option<Organization>, collection: Option<Collection>) -> Option<Self> {
        let (organization, collection) = organization.zip(collection)?;
        Some(Self { organization: Arc::new(organization), collection: Arc::new(collection) })
    }

    pub(crate) fn view(&self, track: Track) -> TrackView {
        TrackView {
            title: track.shown_title().to_owned(),
            subtitle: track.shown_subtitle(&self.collection, &self.organization).map(ToOwned::to_owned),
            colours: self.colours(track.player_colour, track.vibrant_colour()),
            cover: resolve_cover(&self.organization, &self.collection, &track),
            is_importing: false,
            track,
        }
    }

    pub(crate) fn view_summary(&self, track: TrackSummary) -> TrackSummaryView {
        TrackSummaryView {
            colours: self.colours(track.player_colour, track.vibrant_colour()),
            title: track.shown_title().to_owned(),
            subtitle: track.shown_subtitle(&self.collection, &self.organization).map(ToOwned::to_owned),
            track,
        }
    }

    /// The present values of what the derived things of a track are made from.
    pub(crate) fn inputs(&self, track: &Track) -> Inputs {
        let (organization, collection) = (&self.organization, &self.collection);
        let view = self.view(track.clone());
        Inputs {
            colour: view.colours.base,
            takes_cover: organization.is_cover_overridable
                && collection.is_cover_overridable
                && track.is_cover_overridable,
            takes_theme: organization.is_theme_overridable
                && collection.is_theme_overridable
                && track.is_theme_overridable,
            picture: view.cover,
        }
    }

    fn colours(&self, own: Option<Colour>, vibrant: Option<Colour>) -> PlayerColours {
        let colour = resolve_player_colour(
            (self.organization.player_colour, self.organization.is_theme_overridable),
            (self.collection.colour(), self.collection.is_theme_overridable),
            own,
            (vibrant, true),
        );
        colour.companions()
    }
}
