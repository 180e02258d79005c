//! What the page's script asks for while it uploads.

use axum::Json;
use axum::extract::{Path, State};
use serde::Serialize;
use tonearm_service::CreateTrack;

use super::collection::collection_id;
use super::listed::said;
use super::track::track_id;
use crate::Dashboard;
use crate::error::PageError;
use crate::form::Fields;
use crate::session::{Editor, Member, Viewer};

/// Where the bytes of a new track go.
#[derive(Debug, Serialize)]
pub(super) struct Begun {
    track_id: String,
    upload_url: String,
}

/// Makes a track for a file; its bytes go to the address in the answer, as those of any other client.
pub(super) async fn begin(
    State(app): State<Dashboard>,
    member: Member<Editor>,
    Path((_, id)): Path<(String, String)>,
    fields: Fields,
) -> Result<Json<Begun>, PageError> {
    let create = CreateTrack {
        collection_id: Some(collection_id(&id)?),
        file_name: fields.text("file_name").to_owned(),
        ..CreateTrack::default()
    };
    let (view, handles) = app.library.create_track(&member.caller(), create).await?;
    Ok(Json(Begun { track_id: view.track.id.to_string(), upload_url: handles.track.upload_url }))
}

/// How far a track is.
#[derive(Debug, Serialize)]
pub(super) struct TrackState {
    status: &'static str,
    tone: &'static str,
    is_open: bool,
    reason: Option<String>,
}

pub(super) async fn state(
    State(app): State<Dashboard>,
    member: Member<Viewer>,
    Path((_, id)): Path<(String, String)>,
) -> Result<Json<TrackState>, PageError> {
    let track = app.library.track(&member.caller(), track_id(&id)?).await?.track;
    let (status, tone, is_open) = said(track.status);
    Ok(Json(TrackState { status, tone, is_open, reason: track.status_reason }))
}
