//! Moving the selected tracks within their collection: to a position, or by dragging their rows.

use std::num::NonZeroU32;

use askama::Template;
use axum::Json;
use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use serde::Serialize;
use tonearm_domain::{CollectionId, TrackId};
use tonearm_service::{Refusal, Reordering, Repositioned, SelectedTracks};

use super::selected::{Selection, done, selected};
use crate::app::Dashboard;
use crate::error::PageError;
use crate::flash::Flash;
use crate::form::{Fields, Problems};
use crate::library::upload::ScriptError;
use crate::page::{Frame, Section, render_with};
use crate::path::PathId;
use crate::session::{Editor, Member};
use crate::text::{Message, t};

/// The form for the new position of tracks in their collection.
#[derive(Template)]
#[template(path = "library/move_to_position.html")]
pub(super) struct PositionPage {
    frame: Frame,
    selection: Selection,
    position: String,
    hint: Message,
    problems: Problems,
}

/// Moves tracks within their collection.
pub(in crate::library) async fn move_to_position(
    State(app): State<Dashboard>,
    member: Member<Editor>,
    fields: Fields,
) -> Result<Response, PageError> {
    let selection = Selection::of(&app, &member, &fields).await?;
    let collection = selection.list.ok_or(PageError::BadForm)?;
    let moved = match position_of(&fields) {
        None => Err(Refusal::invalid("position", t("library-position-number").to_string())),
        Some(position) => {
            app.library.move_to_position(&member.caller(), collection, &selection.tracks, position).await
        }
    };
    match moved {
        Ok(Repositioned { changed, preceding }) => {
            // The page that begins with the moved tracks, or the first page.
            let query = preceding.map(|track| format!("?after={track}")).unwrap_or_default();
            Ok(done(&member, &format!("{}{query}", selection.back()), Flash::TracksMoved, changed))
        }
        Err(refusal @ Refusal::Invalid { .. }) => {
            let mut page = PositionPage::of(&app, &member, selection).await?;
            fields.text("position").clone_into(&mut page.position);
            page.problems = Problems::of(refusal)?;
            Ok(render_with(StatusCode::UNPROCESSABLE_ENTITY, &page))
        }
        Err(refusal) => Err(refusal.into()),
    }
}

/// The position in a form: chosen by a button, or entered as a number.
fn position_of(fields: &Fields) -> Option<NonZeroU32> {
    match fields.text("to") {
        "start" => Some(NonZeroU32::MIN),
        "end" => Some(NonZeroU32::MAX),
        _ => fields.text("position").parse().ok(),
    }
}

/// How to undo a reordering.
#[derive(Debug, Serialize)]
pub(in crate::library) struct Reordered {
    /// The path of the undo form, below the dashboard.
    undo: Option<String>,
}

/// Puts tracks in the order that a script shows.
pub(in crate::library) async fn reorder(
    State(app): State<Dashboard>,
    member: Member<Editor>,
    id: Result<PathId<CollectionId>, PageError>,
    fields: Fields,
) -> Result<Json<Reordered>, ScriptError> {
    let PathId(id) = id?;
    let ids = |name: &'static str| -> Result<SelectedTracks, PageError> {
        let ids: Result<Vec<TrackId>, _> = fields.all(name).map(str::parse).collect();
        selected(ids.map_err(|_| PageError::BadForm)?)
    };
    let reordering = Reordering::new(ids("before")?, ids("after")?)?;
    let changed = app.library.reorder_tracks(&member.caller(), id, reordering).await?;
    Ok(Json(Reordered { undo: changed.undo.map(|id| member.path(&format!("/undo/{id}"))) }))
}

impl PositionPage {
    pub(super) async fn of(
        app: &Dashboard,
        member: &Member<Editor>,
        selection: Selection,
    ) -> Result<Self, PageError> {
        let collection = selection.list.ok_or(PageError::BadForm)?;
        let count = app.library.track_count(&member.caller(), collection).await?;
        Ok(Self {
            frame: member.frame(selection.counted("library-move-count"), Section::Library),
            selection,
            position: String::new(),
            hint: t("library-position-hint").with("count", count),
            problems: Problems::default(),
        })
    }
}
