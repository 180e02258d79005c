//! `PUT /v1/organization/{organization_id}`

use axum::extract::State;
use serde::Deserialize;
use tonearm_domain::{Colour, OrganizationId, Palette, Patch, Text};
use tonearm_service::{Library, UpdateOrganization};
use utoipa::ToSchema;

use super::read::OrganizationResponse;
use crate::error::ApiError;
use crate::extract::{Body, ManageKey, PathId, Sent, record};
use crate::openapi::NotBlank;
use crate::request_id::CurrentRequest;
use crate::shapes::Answer;

/// `webhook_url` cannot be set here, only in the dashboard.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = organization::update::Fields)]
pub(crate) struct UpdateOrganizationBody {
    /// The name, which people see in the dashboard.
    #[serde(default)]
    #[schema(value_type = NotBlank<200>, required = false)]
    name: Patch<Text<200>>,
    /// Overrides the colours found in the cover; null restores them.
    #[serde(default)]
    #[schema(value_type = Option<Palette>)]
    theme: Patch<Palette>,
    #[serde(default)]
    #[schema(value_type = Option<bool>)]
    is_theme_overridable: Patch<bool>,
    #[serde(default)]
    #[schema(value_type = Option<bool>)]
    is_cover_overridable: Patch<bool>,
    #[serde(default)]
    #[schema(value_type = Option<Colour>)]
    player_color: Patch<Colour>,
    #[serde(default)]
    #[schema(value_type = Option<Text<1000>>)]
    player_subtitle: Patch<Text<1000>>,
    /// Only a record that is sent back has these.
    #[serde(default)]
    #[schema(ignore)]
    player_color_light: Sent,
    #[serde(default)]
    #[schema(ignore)]
    player_color_dark: Sent,
}

impl From<UpdateOrganizationBody> for UpdateOrganization {
    fn from(body: UpdateOrganizationBody) -> Self {
        Self {
            name: body.name.map(Into::into),
            theme: body.theme,
            record: record(body.player_color, [&body.player_color_light, &body.player_color_dark]),
            is_theme_overridable: body.is_theme_overridable,
            is_cover_overridable: body.is_cover_overridable,
            player_colour: body.player_color,
            player_subtitle: body.player_subtitle.map(Into::into),
            ..Self::default()
        }
    }
}

/// Updates the given fields of the organization.
///
/// You can send back a whole record as it was returned: derived colours in it are not saved as if you had set them.
#[utoipa::path(
    put,
    path = "/organization/{organization_id}",
    tag = "Organizations",
    operation_id = "update_organization",
    params(("organization_id" = OrganizationId, Path)),
    request_body(content = UpdateOrganizationBody, example = json!({ "player_color": "#1a6b4c", "player_subtitle": "An archive" })),
    responses((status = 200, body = Answer<OrganizationResponse>, description = "The updated organization.")),
    security(("api_key" = [])),
)]
pub(crate) async fn update(
    ManageKey(caller): ManageKey,
    PathId(id): PathId<OrganizationId>,
    request: CurrentRequest,
    State(library): State<Library>,
    Body(body): Body<UpdateOrganizationBody>,
) -> Result<Answer<OrganizationResponse>, ApiError> {
    let view = library.update_organization(&caller, id, body.into()).await?;
    Ok(Answer::traced(request, view.into()))
}
