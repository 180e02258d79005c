//! `PUT /v1/organization/{organization_id}`

use axum::extract::State;
use serde::Deserialize;
use tonearm_domain::{Colour, OrganizationId, Patch, Text, ThemeColour};
use tonearm_service::{Library, UpdateOrganization};

use super::read::Found;
use crate::ApiError;
use crate::extract::{Body, ManageKey, PathId};
use crate::request_id::CurrentRequest;
use crate::shapes::Answer;

/// `webhook_url` is not among them: it is set in the dashboard.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Fields {
    name: Patch<Text<200>>,
    theme: Patch<Vec<ThemeColour>>,
    is_theme_overridable: Patch<bool>,
    is_cover_overridable: Patch<bool>,
    player_color: Patch<Colour>,
    player_subtitle: Patch<Text<1000>>,
}

impl From<Fields> for UpdateOrganization {
    fn from(fields: Fields) -> Self {
        Self {
            name: fields.name.map(Into::into),
            theme: fields.theme,
            is_theme_overridable: fields.is_theme_overridable,
            is_cover_overridable: fields.is_cover_overridable,
            player_colour: fields.player_color,
            player_subtitle: fields.player_subtitle.map(Into::into),
            ..Self::default()
        }
    }
}

/// Changes the fields that the body has.
pub(crate) async fn update(
    ManageKey(caller): ManageKey,
    PathId(id): PathId<OrganizationId>,
    request: CurrentRequest,
    State(library): State<Library>,
    Body(fields): Body<Fields>,
) -> Result<Answer<Found>, ApiError> {
    let view = library.update_organization(&caller, id, fields.into()).await?;
    Ok(Answer::traced(request, view.into()))
}
