//! `PUT /v1/collection/{collection_id}`

use axum::extract::State;
use serde::Deserialize;
use tonearm_domain::{CollectionId, Colour, CreatorId, Metadata, Palette, Patch, Text};
use tonearm_service::{Library, UpdateCollection};
use utoipa::ToSchema;

use super::read::Found;
use crate::error::ApiError;
use crate::extract::{Body, ManageKey, PathId, Sent};
use crate::openapi::not_blank;
use crate::request_id::CurrentRequest;
use crate::shapes::Answer;

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = collection::update::Fields)]
pub(crate) struct Fields {
    #[serde(default)]
    #[schema(schema_with = not_blank::<1000>)]
    title: Patch<Text<1000>>,
    #[serde(default)]
    #[schema(value_type = Option<CreatorId>)]
    creator_id: Patch<CreatorId>,
    #[serde(default)]
    #[schema(value_type = Option<Text<1000>>)]
    organization_index: Patch<Text<1000>>,
    #[serde(default)]
    #[schema(value_type = Option<Metadata>)]
    metadata: Patch<Metadata>,
    #[serde(default)]
    #[schema(value_type = Option<bool>)]
    is_cover_overridable: Patch<bool>,
    #[serde(default)]
    #[schema(value_type = Option<bool>)]
    is_theme_overridable: Patch<bool>,
    #[serde(default)]
    #[schema(value_type = Option<Colour>)]
    player_color: Patch<Colour>,
    #[serde(default)]
    #[schema(value_type = Option<Text<1000>>)]
    player_subtitle: Patch<Text<1000>>,
    /// Overrides the colours found in covers; null restores them.
    #[serde(default)]
    #[schema(value_type = Option<Palette>)]
    theme: Patch<Palette>,
    /// Only a record that is sent back has it; its value is passed over.
    #[serde(default)]
    #[schema(ignore)]
    player_color_light: Sent,
}

impl From<Fields> for UpdateCollection {
    fn from(fields: Fields) -> Self {
        Self {
            title: fields.title.map(Into::into),
            creator_id: fields.creator_id,
            organization_index: fields.organization_index.map(Into::into),
            metadata: fields.metadata,
            is_cover_overridable: fields.is_cover_overridable,
            is_theme_overridable: fields.is_theme_overridable,
            player_colour: fields.player_color,
            theme: fields.theme,
            is_record: fields.player_color_light.0,
            player_subtitle: fields.player_subtitle.map(Into::into),
        }
    }
}

/// Updates the given fields of a collection.
///
/// You can send back a whole record as it was returned: derived colours in it are not saved as if you had set them.
#[utoipa::path(
    put,
    path = "/collection/{collection_id}",
    tag = "Collections",
    operation_id = "update_collection",
    params(("collection_id" = CollectionId, Path)),
    request_body(content = Fields, example = json!({ "title": "Field recordings, revised", "player_color": null })),
    responses((status = 200, body = Answer<Found>, description = "The updated collection.")),
    security(("api_key" = [])),
)]
pub(crate) async fn update(
    ManageKey(caller): ManageKey,
    PathId(collection_id): PathId<CollectionId>,
    request: CurrentRequest,
    State(library): State<Library>,
    Body(fields): Body<Fields>,
) -> Result<Answer<Found>, ApiError> {
    let collection = library.update_collection(&caller, collection_id, fields.into()).await?.into();
    Ok(Answer::traced(request, Found { collection_id, collection }))
}
