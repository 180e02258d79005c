//! Endpoints for the page's script during an upload.

use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::header::CONTENT_TYPE;
use serde::Serialize;
use sha2::{Digest, Sha256};
use tonearm_domain::{CollectionId, TrackId, UploadSessionId};
use tonearm_service::{
    AttemptOutcome, CreateTrack, CreateUploadSession, IdempotentRequest, Refusal, RequestAttempt,
    without_turn,
};

use super::listed::status_label;
use crate::app::Dashboard;
use crate::error::{PageError, script_error};
use crate::form::Fields;
use crate::path::PathId;
use crate::session::{Editor, Member, Viewer};
use crate::text;

/// The longest key of a request.
const LONGEST_KEY: usize = 100;

/// How long a repeated request waits for the first one. If that ended with its connection, its claim ends sooner.
const LONGEST_WAIT: Duration = Duration::from_secs(25);

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

/// Creates a track for a file. The script uploads its bytes to the URL in the response, like any other client. If the
/// response is lost, the script repeats the request with the same key, and gets the same track.
pub(super) async fn begin(
    State(app): State<Dashboard>,
    member: Member<Editor>,
    id: Result<PathId<CollectionId>, PageError>,
    fields: Fields,
) -> Result<Response, ScriptError> {
    let PathId(collection_id) = id?;
    let (key, file_name) = (fields.text("key"), fields.text("file_name"));
    let session = named_session(&app, &member, collection_id, fields.text("session")).await?;
    let work = created(&app, &member, collection_id, session, file_name);
    // The script of the previous version sends no key.
    if key.is_empty() {
        return Ok(json(work.await?));
    }
    if key.len() > LONGEST_KEY {
        return Err(PageError::BadForm.into());
    }
    let token = &member.signed_in.session.token;
    let request = IdempotentRequest {
        caller: token.hash(),
        organization_id: member.organization.id,
        key: key.to_owned(),
        fingerprint: Sha256::digest(format!("{collection_id} {file_name}")).into(),
    };
    let credential = token.reveal();
    let first = app.repeats.begin(&request, &credential, LONGEST_WAIT);
    let body = match Box::pin(without_turn(first)).await?? {
        RequestAttempt::Again(kept) => kept,
        RequestAttempt::First(claim) => {
            let work = async {
                let answer = work.await;
                AttemptOutcome { kept: answer.as_ref().ok().cloned(), answer }
            };
            Box::pin(app.repeats.work(&claim, &credential, work)).await??
        }
    };
    Ok(json(body))
}

fn json(body: Vec<u8>) -> Response {
    ([(CONTENT_TYPE, "application/json")], body).into_response()
}

/// Creates a track, and a session unless there is one. Returns the response.
async fn created(
    app: &Dashboard,
    member: &Member<Editor>,
    collection_id: CollectionId,
    session: Option<UploadSessionId>,
    file_name: &str,
) -> Result<Vec<u8>, Refusal> {
    let session = match session {
        Some(session) => session,
        None => open_session(app, member, collection_id).await?,
    };
    let create = CreateTrack {
        collection_id: Some(collection_id),
        file_name: file_name.to_owned(),
        ..CreateTrack::default()
    };
    let (view, handles) = app.library.create_track_in(&member.caller(), Some(session), create).await?;
    let begun = Begun {
        track_id: view.track.id.to_string(),
        upload_session_id: session.to_string(),
        upload_url: handles.track.upload_url,
    };
    serde_json::to_vec(&begun).map_err(|error| Refusal::Internal(error.into()))
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
    // Uploads in a session end with the right of whoever opened it.
    let is_own = session.person_id == Some(member.signed_in.person().id)
        && session.organization_id == member.organization.id
        && session.collection_id == collection_id;
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
