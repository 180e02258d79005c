//! Organizations.

use serde::Serialize;
use tonearm_domain::{OrganizationId, ThemeColour};
use tonearm_service::OrganizationView;
use utoipa::ToSchema;

use super::Colours;

/// The record of an organization.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct OrganizationRecord {
    id: OrganizationId,
    name: String,
    theme: Vec<ThemeColour>,
    is_theme_overridable: bool,
    is_cover_overridable: bool,
    #[serde(flatten)]
    colours: Colours,
    player_subtitle: String,
    /// Set it in the dashboard, or with `/v1/webhook`.
    #[schema(read_only)]
    webhook_url: Option<String>,
}

impl From<OrganizationView> for OrganizationRecord {
    fn from(OrganizationView { organization, colours }: OrganizationView) -> Self {
        Self {
            id: organization.id,
            name: organization.name,
            theme: organization.theme.colours().to_vec(),
            is_theme_overridable: organization.is_theme_overridable,
            is_cover_overridable: organization.is_cover_overridable,
            colours: colours.into(),
            player_subtitle: organization.player_subtitle,
            webhook_url: organization.webhook_url,
        }
    }
}
