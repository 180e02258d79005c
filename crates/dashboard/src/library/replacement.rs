//! Replacing the source of a track: by a script, which shows progress, or by a form.

use std::error::Error;

use axum::Json;
use axum::extract::{Multipart, State};
use axum::response::Response;
use futures::TryStreamExt;
use serde::Serialize;
use tonearm_domain::{Replacement, ReplacementId, ReplacementState, SourceSlot, TrackId};
use tonearm_service::{Refusal, Resource, UploadTerms};

use super::upload::ScriptError;
use crate::app::Dashboard;
use crate::error::PageError;
use crate::flash::Flash;
use crate::form::{Fields, FileForm};
use crate::path::PathId;
use crate::picture::broken;
use crate::session::{Editor, Member, Viewer};
use crate::text;

/// The URL for the bytes of the new source.
#[derive(Debug, Serialize)]
pub(super) struct Begun {
    upload_url: String,
}

/// The progress of a replacement, for people.
#[derive(Debug, Serialize)]
pub(super) struct ReplacementProgress {
    pub(super) id: ReplacementId,
    /// `waiting`, `processing`, `completed` or `failed`.
    pub(super) state: &'static str,
    pub(super) reason: Option<String>,
    /// Whether it can be cancelled.
    pub(super) is_open: bool,
    /// Whether it can be undone.
    pub(super) is_undoable: bool,
    /// The name of the file that the track had before, while that is kept.
    #[serde(skip)]
    pub(super) former_name: Option<String>,
}

impl From<Replacement> for ReplacementProgress {
    fn from(replacement: Replacement) -> Self {
        let is_open = replacement.is_open();
        let reason = replacement.reason.as_deref().map(text::reason);
        let former =
            replacement.former_file_name.filter(|_| replacement.state == ReplacementState::Completed);
        Self {
            id: replacement.id,
            state: replacement.state.as_str(),
            reason,
            is_open,
            is_undoable: former.is_some(),
            former_name: former.filter(|name| !name.is_empty()),
        }
    }
}

/// Signs a URL for the page's script, which uploads the file there like other clients.
pub(super) async fn begin(
    State(app): State<Dashboard>,
    member: Member<Editor>,
    id: Result<PathId<TrackId>, PageError>,
    fields: Fields,
) -> Result<Json<Begun>, ScriptError> {
    let PathId(id) = id?;
    let name = Some(fields.text("file_name").to_owned()).filter(|name| !name.is_empty());
    let (_, upload) = app.library.replace_source(&member.caller(), id, name).await?;
    Ok(Json(Begun { upload_url: upload.upload_url }))
}

/// The progress of the last replacement.
pub(super) async fn state(
    State(app): State<Dashboard>,
    member: Member<Viewer>,
    PathId(id): PathId<TrackId>,
) -> Result<Json<ReplacementProgress>, PageError> {
    Ok(Json(app.library.replacement(&member.caller(), id).await?.into()))
}

pub(super) async fn cancel(
    State(app): State<Dashboard>,
    member: Member<Editor>,
    PathId(id): PathId<TrackId>,
) -> Result<Response, PageError> {
    app.library.cancel_replacement(&member.caller(), id, None).await?;
    Ok(Flash::ReplacementCancelled.then(&member.path(&format!("/tracks/{id}"))))
}

pub(super) async fn undo(
    State(app): State<Dashboard>,
    member: Member<Editor>,
    PathId(id): PathId<TrackId>,
    fields: Fields,
) -> Result<Response, PageError> {
    let undone = fields.text("replacement").parse().map_err(|_| PageError::BadForm)?;
    app.uploads.undo_replacement(&member.caller(), id, undone).await?;
    Ok(Flash::ReplacementUndone.then(&member.path(&format!("/tracks/{id}"))))
}

/// Receives the new source from a form, without a script.
pub(super) async fn take(
    State(app): State<Dashboard>,
    member: Member<Editor>,
    PathId(id): PathId<TrackId>,
    form: FileForm,
) -> Result<Response, PageError> {
    form.read(|form| take_one(&app, &member, id, form)).await?;
    Ok(Flash::ReplacementTaken.then(&member.path(&format!("/tracks/{id}"))))
}

async fn take_one(
    app: &Dashboard,
    member: &Member<Editor>,
    id: TrackId,
    mut form: Multipart,
) -> Result<(), PageError> {
    while let Some(field) = form.next_field().await.map_err(broken)? {
        let named = field.file_name().filter(|name| !name.is_empty()).map(str::to_owned);
        let Some(name) = named else { continue };
        let caller = member.caller();
        let (replacement, _) = app.library.replace_source(&caller, id, Some(name)).await?;
        let slot = SourceSlot {
            replacement_id: Some(replacement.id),
            ..SourceSlot::of_track(member.organization.id, id)
        };
        let bytes = field.map_err(Box::<dyn Error + Send + Sync>::from);
        let taken = app.uploads.accept_source(caller.origin, slot, bytes, UploadTerms::default()).await;
        if let Err(refusal) = taken {
            // Nothing of it was stored, so the replacement must not wait for more bytes.
            match app.library.cancel_replacement(&caller, id, Some(replacement.id)).await {
                // Another one may have taken its place.
                Ok(()) | Err(Refusal::NotFound(_)) => {}
                Err(error) => return Err(error.into()),
            }
            return Err(refusal.into());
        }
        return Ok(());
    }
    Err(PageError::BadForm)
}

/// The last replacement of a track, for its page, while something can be done about it.
pub(super) async fn shown_progress<R>(
    app: &Dashboard,
    member: &Member<R>,
    id: TrackId,
) -> Result<Option<ReplacementProgress>, PageError> {
    match app.library.replacement(&member.caller(), id).await {
        Ok(replacement)
            if matches!(replacement.state, ReplacementState::Waiting | ReplacementState::Completed)
                && replacement.expires_at <= app.ambient.now() =>
        {
            Ok(None)
        }
        Ok(replacement) => Ok(Some(replacement.into())),
        Err(Refusal::NotFound(Resource::Replacement)) => Ok(None),
        Err(refusal) => Err(refusal.into()),
    }
}
