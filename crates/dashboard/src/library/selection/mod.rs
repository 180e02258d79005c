//! What is done with the tracks that are selected in a list, and the way back.

mod cover;
mod move_to;
mod position;
mod retitle;

use axum::extract::{Path, State};
use axum::response::{Redirect, Response};
use tonearm_domain::{CollectionId, TrackId, UndoId};
use tonearm_service::{Changed, Refusal, SelectedTracks};

use self::cover::CoverPage;
use self::move_to::MovePage;
use self::position::PositionPage;
use self::retitle::RetitlePage;
use crate::app::Dashboard;
use crate::error::PageError;
use crate::flash::Flash;
use crate::form::Fields;
use crate::page::render;
use crate::session::{Editor, Member};
use crate::text::{Message, t};

pub(super) use cover::set_cover;
pub(super) use move_to::move_to;
pub(super) use position::{move_to_position, reorder};
pub(super) use retitle::retitle;

/// The tracks that a form names, and the list that it was sent from. Templates have it as `selection`.
struct Selection {
    tracks: SelectedTracks,
    list: Option<CollectionId>,
}

impl Selection {
    fn of(fields: &Fields) -> Result<Self, PageError> {
        let ids: Result<Vec<TrackId>, _> = fields.all("track").map(str::parse).collect();
        let tracks = selected(ids.map_err(|_| PageError::BadForm)?)?;
        Ok(Self { tracks, list: fields.text("list").parse().ok() })
    }

    /// The list, below an organization's address.
    fn back(&self) -> String {
        list_of(self.list)
    }

    fn list(&self) -> String {
        self.list.map(|id| id.to_string()).unwrap_or_default()
    }

    /// A message with the number of tracks.
    fn counted(&self, id: &'static str) -> Message {
        t(id).with("count", self.tracks.ids().len())
    }
}

/// Refuses an empty or too large selection with a sentence of its own.
fn selected(ids: Vec<TrackId>) -> Result<SelectedTracks, PageError> {
    SelectedTracks::new(ids).map_err(|refusal| match refusal {
        Refusal::Invalid { message, .. } => PageError::Selection(message),
        other => other.into(),
    })
}

fn list_of(collection: Option<CollectionId>) -> String {
    collection.map_or_else(|| "/tracks".to_owned(), |id| format!("/collections/{id}"))
}

/// Sends the browser back to a list, with a button that takes the change back.
fn done(member: &Member<Editor>, back: &str, flash: Flash, changed: Changed) -> Response {
    let address = member.path(back);
    match changed {
        Changed { undo: Some(id), .. } => flash.then_undo(&address, id.uuid()),
        Changed { count: 0, .. } => Flash::NothingChanged.then(&address),
        Changed { .. } => flash.then(&address),
    }
}

/// The address of an answer, opened by itself: what was selected is not known there.
pub(super) async fn leave(member: Member<Editor>) -> Redirect {
    Redirect::to(&member.path("/tracks"))
}

/// The first step of each action.
pub(super) async fn choose(
    State(app): State<Dashboard>,
    member: Member<Editor>,
    fields: Fields,
) -> Result<Response, PageError> {
    let selection = Selection::of(&fields)?;
    match fields.text("action") {
        "delete" => {
            let changed = app.library.delete_tracks(&member.caller(), &selection.tracks).await?;
            Ok(done(&member, &selection.back(), Flash::TracksDeleted, changed))
        }
        "move" => Ok(render(&MovePage::of(&app, &member, selection, String::new()).await?)),
        "position" => Ok(render(&PositionPage::of(&app, &member, selection).await?)),
        "cover" => Ok(render(&CoverPage::of(&member, selection))),
        "retitle" => Ok(render(&RetitlePage::of(&app, &member, selection).await?)),
        _ => Err(PageError::BadForm),
    }
}

/// Takes a change back.
pub(super) async fn undo(
    State(app): State<Dashboard>,
    member: Member<Editor>,
    Path((_, id)): Path<(String, String)>,
) -> Result<Response, PageError> {
    let id: UndoId = id.parse().map_err(|_| PageError::NoPage)?;
    let undone = app.library.undo(&member.caller(), id).await?;
    Ok(Flash::Undone.then(&member.path(&list_of(undone.collection_id))))
}
