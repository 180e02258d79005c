//! `PUT /v1/track/{track_id}`

use axum::extract::State;
use serde::{Deserialize, Serialize};
use tonearm_domain::{CollectionId, Colour, CreatorId, Metadata, Palette, Patch, Text, TrackId};
use tonearm_service::{Library, UpdateTrack};
use utoipa::ToSchema;

use crate::error::ApiError;
use crate::extract::{Body, ManageKey, PathId, Sent, record};
use crate::request_id::CurrentRequest;
use crate::shapes::{Answer, ReducedTrack};

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = track::update::Fields)]
pub(crate) struct UpdateTrackBody {
    /// Moves the track to the end of another collection.
    #[serde(default)]
    #[schema(value_type = CollectionId, required = false)]
    collection_id: Patch<CollectionId>,
    #[serde(default)]
    #[schema(value_type = Option<CreatorId>)]
    creator_id: Patch<CreatorId>,
    /// Your own id for it. It is never interpreted.
    #[serde(default)]
    #[schema(value_type = Option<Text<1000>>)]
    organization_index: Patch<Text<1000>>,
    /// Alias of `player_title`, which takes precedence if both are given.
    #[serde(default)]
    #[schema(value_type = Option<Text<1000>>)]
    title: Patch<Text<1000>>,
    #[serde(default)]
    #[schema(value_type = Option<Metadata>)]
    metadata: Patch<Metadata>,
    #[serde(default)]
    #[schema(value_type = Option<bool>)]
    is_cover_overridable: Patch<bool>,
    #[serde(default)]
    #[schema(value_type = Option<bool>)]
    is_theme_overridable: Patch<bool>,
    /// What players show; null for the title tag of the file, otherwise its name.
    #[serde(default)]
    #[schema(value_type = Option<Text<1000>>)]
    player_title: Patch<Text<1000>>,
    /// The line below; null for the artist tag of the file, otherwise that of the collection or organization.
    #[serde(default)]
    #[schema(value_type = Option<Text<1000>>)]
    player_subtitle: Patch<Text<1000>>,
    #[serde(default)]
    #[schema(value_type = Option<Colour>)]
    player_color: Patch<Colour>,
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
    /// Only a full record has it, whose texts are those that were set.
    #[serde(default)]
    #[schema(ignore)]
    shown_title: Sent,
}

impl From<UpdateTrackBody> for UpdateTrack {
    fn from(body: UpdateTrackBody) -> Self {
        let title = match body.player_title {
            Patch::Keep => body.title,
            given => given,
        };
        Self {
            collection_id: body.collection_id,
            creator_id: body.creator_id,
            organization_index: body.organization_index.map(Into::into),
            metadata: body.metadata,
            is_cover_overridable: body.is_cover_overridable,
            is_theme_overridable: body.is_theme_overridable,
            player_title: title.map(Into::into),
            player_subtitle: body.player_subtitle.map(Into::into),
            player_colour: body.player_color,
            theme: body.theme,
            has_own_texts: body.shown_title.is_there(),
            record: record(body.player_color, [&body.player_color_light, &body.player_color_dark]),
        }
    }
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = track::update::Updated)]
pub(crate) struct Updated {
    track_id: TrackId,
    track: ReducedTrack,
}

/// Updates the given fields of a track.
///
/// You can send back a whole record as it was returned, also by a list: derived colours and texts in it are not saved as if
/// you had set them. What is not among the fields below, such as `transcription`, is ignored.
///
/// With another `collection_id`, the track is moved. Its id, its files, and the share links and keys for this one track remain
/// valid. A key that is limited to a collection cannot move tracks.
#[utoipa::path(
    put,
    path = "/track/{track_id}",
    tag = "Tracks",
    operation_id = "update_track",
    params(("track_id" = TrackId, Path)),
    request_body(content = UpdateTrackBody, example = json!({ "player_title": "Dawn chorus", "organization_index": null })),
    responses((status = 200, body = Answer<Updated>, description = "The updated track.")),
    security(("api_key" = [])),
)]
pub(crate) async fn update(
    ManageKey(caller): ManageKey,
    PathId(track_id): PathId<TrackId>,
    request: CurrentRequest,
    State(library): State<Library>,
    Body(body): Body<UpdateTrackBody>,
) -> Result<Answer<Updated>, ApiError> {
    let track = library.update_track(&caller, track_id, body.into()).await?;
    let track = ReducedTrack::new(track, library.links());
    Ok(Answer::traced(request, Updated { track_id, track }))
}
