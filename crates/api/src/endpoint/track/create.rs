//! `POST /v1/track`

use axum::extract::State;
use serde::{Deserialize, Serialize};
use tonearm_domain::{CollectionId, Colour, CreatorId, Metadata, Palette, Text, TrackId};
use tonearm_service::{CreateTrack, Library};
use utoipa::ToSchema;

use crate::error::ApiError;
use crate::extract::{Body, ManageKey, required};
use crate::openapi::NotBlank;
use crate::request_id::CurrentRequest;
use crate::shapes::{Answer, ReducedTrack, UploadDescriptors};

/// A track to create, on its own or in an upload session.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = track::create::Fields)]
pub(crate) struct CreateTrackBody {
    /// Required unless the key is limited to a collection.
    collection_id: Option<CollectionId>,
    /// Required unless `source_url` is given. An imported file is otherwise called what its server calls it, else what its URL
    /// ends with.
    #[schema(value_type = NotBlank<1000>, required = false)]
    file_name: Option<Text<1000>>,
    /// An `http` or `https` URL from which the file is imported, or `s3://bucket/key` for a bucket for which the organization has
    /// credentials. See docs/importing.md.
    #[schema(value_type = Option<NotBlank<8000>>)]
    source_url: Option<Text<8000>>,
    creator_id: Option<CreatorId>,
    /// Your own id for it. It is never interpreted.
    organization_index: Option<Text<1000>>,
    metadata: Option<Metadata>,
    #[schema(default = true)]
    is_cover_overridable: Option<bool>,
    #[schema(default = true)]
    is_theme_overridable: Option<bool>,
    /// What players show. Default: the title tag of the file, otherwise its name.
    player_title: Option<Text<1000>>,
    /// The line below. Default: the artist tag of the file, otherwise that of the collection or organization.
    player_subtitle: Option<Text<1000>>,
    /// Default: a colour of the cover.
    player_color: Option<Colour>,
    /// Overrides the colours found in covers.
    theme: Option<Palette>,
}

impl CreateTrackBody {
    /// `file_name` is the name of the required field, for error messages.
    pub(crate) fn into_track(self, file_name: &'static str) -> Result<CreateTrack, ApiError> {
        let (file_name, source_url) = file_or_url(file_name, self.file_name, self.source_url)?;
        Ok(CreateTrack {
            collection_id: self.collection_id,
            file_name,
            source_url,
            creator_id: self.creator_id,
            organization_index: self.organization_index.map(Into::into),
            metadata: self.metadata.unwrap_or_default(),
            is_cover_overridable: self.is_cover_overridable,
            is_theme_overridable: self.is_theme_overridable,
            player_title: self.player_title.map(Into::into),
            player_subtitle: self.player_subtitle.map(Into::into),
            player_colour: self.player_color,
            theme: self.theme,
        })
    }
}

/// The name of a file and the URL that it is imported from. At least one of them is required. `field` is the name of
/// the file name's field, for error messages.
pub(crate) fn file_or_url(
    field: &'static str,
    file_name: Option<Text<1000>>,
    source_url: Option<Text<8000>>,
) -> Result<(String, Option<String>), ApiError> {
    let file_name = match source_url {
        Some(_) => file_name.map(Into::into).unwrap_or_default(),
        None => required(field, file_name)?.into(),
    };
    Ok((file_name, source_url.map(Into::into)))
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = track::create::Created)]
pub(crate) struct Created {
    track_id: TrackId,
    track: ReducedTrack,
    #[serde(flatten)]
    uploads: UploadDescriptors,
}

/// Creates a track and returns URLs for uploading its file and its cover. With `source_url`, the file is imported in the
/// background; if a file is uploaded to the upload URL first, that file is used.
#[utoipa::path(
    post,
    path = "/track",
    tag = "Tracks",
    operation_id = "create_track",
    request_body(content = CreateTrackBody, example = json!({
 "collection_id": "019a0c3e-7d51-7c64-9d0b-2f4f6c1f8a10",
 "file_name": "dawn.wav",
 "player_title": "Dawn",
 "organization_index": "rec-0042",
 })),
    responses((status = 200, body = Answer<Created>, description = "The track, and the URLs for uploading its file and its cover.")),
    security(("api_key" = [])),
)]
pub(crate) async fn create(
    ManageKey(caller): ManageKey,
    request: CurrentRequest,
    State(library): State<Library>,
    Body(body): Body<CreateTrackBody>,
) -> Result<Answer<Created>, ApiError> {
    let (track, handles) = library.create_track(&caller, body.into_track("file_name")?).await?;
    tonearm_telemetry::note_track(track.track.id);
    Ok(Answer::traced(
        request,
        Created {
            track_id: track.track.id,
            track: ReducedTrack::new(track, library.links()),
            uploads: handles.into(),
        },
    ))
}
