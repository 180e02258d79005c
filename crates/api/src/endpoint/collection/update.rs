//! `PUT /v1/collection/{collection_id}`

use axum::extract::State;
use serde::Deserialize;
use tonearm_domain::{CollectionId, Colour, CreatorId, Metadata, Patch, Text};
use tonearm_service::{Library, UpdateCollection};

use super::read::Found;
use crate::ApiError;
use crate::extract::{Body, ManageKey, PathId};
use crate::request_id::CurrentRequest;
use crate::shapes::Answer;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Fields {
    title: Patch<Text<1000>>,
    creator_id: Patch<CreatorId>,
    organization_index: Patch<Text<1000>>,
    metadata: Patch<Metadata>,
    is_cover_overridable: Patch<bool>,
    is_theme_overridable: Patch<bool>,
    player_color: Patch<Colour>,
    player_subtitle: Patch<Text<1000>>,
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
            player_subtitle: fields.player_subtitle.map(Into::into),
        }
    }
}

/// Changes the fields that the body has.
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
