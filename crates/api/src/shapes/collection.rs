//! Collections.

use serde::Serialize;
use tonearm_domain::{CollectionId, CreatorId, Metadata, OrganizationId, ThemeColour};
use tonearm_service::CollectionView;
use utoipa::ToSchema;

use super::Colours;

/// The record of a collection.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CollectionRecord {
    id: CollectionId,
    organization_id: OrganizationId,
    creator_id: Option<CreatorId>,
    organization_index: Option<String>,
    title: String,
    metadata: Metadata,
    theme: Vec<ThemeColour>,
    is_cover_overridable: bool,
    is_theme_overridable: bool,
    /// The collection's own colours, or null.
    #[serde(flatten)]
    colours: Colours,
    player_subtitle: Option<String>,
}

impl From<CollectionView> for CollectionRecord {
    fn from(CollectionView { collection, colours }: CollectionView) -> Self {
        Self {
            id: collection.id,
            organization_id: collection.organization_id,
            creator_id: collection.creator_id,
            organization_index: collection.organization_index,
            title: collection.title,
            metadata: collection.metadata,
            theme: collection.theme.colours().to_vec(),
            is_cover_overridable: collection.is_cover_overridable,
            is_theme_overridable: collection.is_theme_overridable,
            colours: colours.into(),
            player_subtitle: collection.player_subtitle,
        }
    }
}
