//! `PUT /v1/collection/{collection_id}`

use axum::extract::State;
use serde::Deserialize;
use tonearm_domain::{CollectionId, Colour, CreatorId, Metadata, Palette, Patch, Text};
use tonearm_service::{Library, UpdateCollection};
use utoipa::ToSchema;

use super::read::CollectionResponse;
use crate::error::ApiError;
use crate::extract::{Body, ManageKey, PathId, Sent, record};
use crate::openapi::NotBlank;
use crate::request_id::CurrentRequest;
use crate::shapes::Answer;

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = collection::update::Fields)]
pub(crate) struct UpdateCollectionBody {
    /// The title, which players show for shared collections.
    #[serde(default)]
    #[schema(value_type = NotBlank<1000>, required = false)]
    title: Patch<Text<1000>>,
    #[serde(default)]
    #[schema(value_type = Option<CreatorId>)]
    creator_id: Patch<CreatorId>,
    /// Your own id for it. It is never interpreted.
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
    /// Only a record that is sent back has these.
    #[serde(default)]
    #[schema(ignore)]
    player_color_light: Sent,
    #[serde(default)]
    #[schema(ignore)]
    player_color_dark: Sent,
}

impl From<UpdateCollectionBody> for UpdateCollection {
    fn from(body: UpdateCollectionBody) -> Self {
        Self {
            title: body.title.map(Into::into),
            creator_id: body.creator_id,
            organization_index: body.organization_index.map(Into::into),
            metadata: body.metadata,
            is_cover_overridable: body.is_cover_overridable,
            is_theme_overridable: body.is_theme_overridable,
            player_colour: body.player_color,
            theme: body.theme,
            record: record(body.player_color, [&body.player_color_light, &body.player_color_dark]),
            player_subtitle: body.player_subtitle.map(Into::into),
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
    request_body(content = UpdateCollectionBody, example = json!({ "title": "Field recordings, revised", "player_color": null })),
    responses((status = 200, body = Answer<CollectionResponse>, description = "The updated collection.")),
    security(("api_key" = [])),
)]
pub(crate) async fn update(
    ManageKey(caller): ManageKey,
    PathId(collection_id): PathId<CollectionId>,
    request: CurrentRequest,
    State(library): State<Library>,
    Body(body): Body<UpdateCollectionBody>,
) -> Result<Answer<CollectionResponse>, ApiError> {
    let collection = library.update_collection(&caller, collection_id, body.into()).await?.into();
    Ok(Answer::traced(request, CollectionResponse { collection_id, collection }))
}
