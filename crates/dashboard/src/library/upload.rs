//! Endpoints for the page's script during an upload.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use tonearm_domain::{CollectionId, TrackId, UploadSessionId};
use tonearm_service::{CreateTrack, CreateUploadSession, Refusal};

use super::listed::status_label;
use crate::app::Dashboard;
use crate::error::{PageError, script_error};
use crate::form::Fields;
use crate::path::PathId;
use crate::session::{Editor, Member, Viewer};
use crate::text;

/// The URL for the bytes of a new track, and the session to name in the next request.
#[derive(Debug, Serialize)]
pub(super) struct Begun {
    track_id: String,
    upload_session_id: String,
    upload_url: String,
}

/// Why no track was created, as a sentence that the script shows beside the file.
pub(super) struct ScriptError(PageError);

impl<E: Into<PageError>> From<E> for ScriptError {
    fn from(error: E) -> Self {
        Self(error.into())
    }
}

impl IntoResponse for ScriptError {
    fn into_response(self) -> Response {
        let (status, message) = self.0.into_sentence();
        script_error(status, &message)
    }
}

/// Creates a track for a file. The script uploads its bytes to the URL in the response, like any other client.
pub(super) async fn begin(
    State(app): State<Dashboard>,
    member: Member<Editor>,
    id: Result<PathId<CollectionId>, PageError>,
    fields: Fields,
) -> Result<Json<Begun>, ScriptError> {
    let PathId(collection_id) = id?;
    let session = match named_session(&app, &member, collection_id, fields.text("session")).await? {
        Some(session) => session,
        None => open_session(&app, &member, collection_id).await?,
    };
    let create = CreateTrack {
        collection_id: Some(collection_id),
        file_name: fields.text("file_name").to_owned(),
        ..CreateTrack::default()
    };
    let (view, handles) = app.library.create_track_in(&member.caller(), Some(session), create).await?;
    Ok(Json(Begun {
        track_id: view.track.id.to_string(),
        upload_session_id: session.to_string(),
        upload_url: handles.track.upload_url,
    }))
}

/// Files that are sent together form one upload session, so that they are ordered as on their albums.
pub(super) async fn open_session(
    app: &Dashboard,
    member: &Member<Editor>,
    collection_id: CollectionId,
) -> Result<UploadSessionId, Refusal> {
    let create = CreateUploadSession { collection_id: Some(collection_id), ..CreateUploadSession::default() };
    let created = app.uploads.create_upload_session(&member.caller(), create).await?;
    Ok(created.view.session.id)
}

/// The session that a page opened before, while it is valid.
async fn named_session(
    app: &Dashboard,
    member: &Member<Editor>,
    collection_id: CollectionId,
    name: &str,
) -> Result<Option<UploadSessionId>, Refusal> {
    let Ok(id) = name.parse() else { return Ok(None) };
    let session = match app.uploads.upload_session(id).await {
        Ok(view) => view.session,
        Err(refusal) if refusal.is_failure() => return Err(refusal),
        Err(_) => return Ok(None),
    };
    let is_own = session.organization_id == member.organization.id && session.collection_id == collection_id;
    Ok(is_own.then_some(session.id))
}

/// The progress of a track.
#[derive(Debug, Serialize)]
pub(super) struct TrackState {
    status: String,
    tone: &'static str,
    is_open: bool,
    reason: Option<String>,
}

pub(super) async fn state(
    State(app): State<Dashboard>,
    member: Member<Viewer>,
    PathId(id): PathId<TrackId>,
) -> Result<Json<TrackState>, PageError> {
    let view = app.library.track(&member.caller(), id).await?;
    let (status, tone, is_open) = status_label(view.track.status, view.is_importing);
    let status = status.to_string();
    let reason = view.track.status_reason.as_deref().map(text::reason);
    Ok(Json(TrackState { status, tone, is_open, reason }))
}
