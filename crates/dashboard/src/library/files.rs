//! Files uploaded by a form, without a script.

use std::error::Error;

use axum::extract::multipart::Field;
use axum::extract::{Multipart, State};
use axum::response::Response;
use futures::TryStreamExt;
use tonearm_domain::{CollectionId, SourceSlot, UploadSessionId};
use tonearm_service::{CreateTrack, UploadTerms};

use super::upload::open_session;
use crate::app::Dashboard;
use crate::error::PageError;
use crate::flash::Flash;
use crate::form::FileForm;
use crate::path::PathId;
use crate::picture::broken;
use crate::session::{Editor, Member};

/// Creates a track for each file while it is received.
pub(super) async fn take(
    State(app): State<Dashboard>,
    member: Member<Editor>,
    PathId(id): PathId<CollectionId>,
    form: FileForm,
) -> Result<Response, PageError> {
    form.read(|form| take_all(&app, &member, id, form)).await?;
    Ok(Flash::FilesTaken.then(&member.path(&format!("/collections/{id}"))))
}

async fn take_all(
    app: &Dashboard,
    member: &Member<Editor>,
    id: CollectionId,
    mut form: Multipart,
) -> Result<(), PageError> {
    let mut session = None;
    while let Some(field) = form.next_field().await.map_err(broken)? {
        // If no file was chosen, browsers send one file without a name.
        let named = field.file_name().filter(|name| !name.is_empty()).map(str::to_owned);
        if let Some(name) = named {
            let session = match session {
                Some(session) => session,
                None => *session.insert(open_session(app, member, id).await?),
            };
            take_one(app, member, (id, session), name, field).await?;
        }
    }
    session.map(|_| ()).ok_or(PageError::BadForm)
}

/// If a file cannot be accepted, its track is not kept.
async fn take_one(
    app: &Dashboard,
    member: &Member<Editor>,
    (collection_id, session): (CollectionId, UploadSessionId),
    file_name: String,
    field: Field<'_>,
) -> Result<(), PageError> {
    let caller = member.caller();
    let create = CreateTrack { collection_id: Some(collection_id), file_name, ..CreateTrack::default() };
    let track = app.library.create_track_in(&caller, Some(session), create).await?.0.track.id;
    let bytes = field.map_err(Box::<dyn Error + Send + Sync>::from);
    let taken = app
        .uploads
        .accept_source(
            caller.origin,
            SourceSlot::of_track(member.organization.id, track),
            bytes,
            UploadTerms::default(),
        )
        .await;
    if taken.is_err() {
        app.library.delete_track(&caller, track).await?;
    }
    taken?;
    Ok(())
}
