//! A track with what it takes from the levels above it.

use tonearm_catalog::Catalog;
use tonearm_domain::{
    Collection, CollectionId, Organization, OrganizationId, PlayerColours, ThemeColour, Track,
    resolve_player_colour,
};

use crate::{Noun, Refusal};

/// A track with its resolved player colours.
#[derive(Debug, Clone)]
pub struct TrackView {
    /// The track.
    pub track: Track,
    /// The colour that counts for it, with its companions.
    pub colours: PlayerColours,
}

/// The levels above a track, which decide what of its own counts.
pub(crate) struct Surroundings {
    pub(crate) organization: Organization,
    pub(crate) collection: Collection,
}

impl Surroundings {
    pub(crate) async fn of(
        catalog: &Catalog,
        organization_id: OrganizationId,
        collection_id: CollectionId,
    ) -> Result<Self, Refusal> {
        let organization =
            catalog.organization(organization_id).await?.ok_or(Refusal::NotFound(Noun::Organization))?;
        let collection = catalog
            .collection(organization_id, collection_id)
            .await?
            .ok_or(Refusal::NotFound(Noun::Collection))?;
        Ok(Self { organization, collection })
    }

    pub(crate) fn view(&self, track: Track) -> TrackView {
        let colour = resolve_player_colour(
            (self.organization.player_colour, self.organization.is_theme_overridable),
            (self.collection.player_colour, self.collection.is_theme_overridable),
            track.player_colour,
            (ThemeColour::most_vibrant(&track.theme), track.is_theme_overridable),
        );
        TrackView { track, colours: colour.companions() }
    }
}
