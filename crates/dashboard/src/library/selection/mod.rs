//! Actions on the tracks selected in a list, and their undo.

mod cover;
mod move_to;
mod position;
mod retitle;
mod selected;

use axum::extract::State;
use axum::response::{Redirect, Response};
use tonearm_domain::UndoId;

use self::cover::CoverPage;
use self::move_to::MovePage;
use self::position::PositionPage;
use self::retitle::RetitlePage;
use self::selected::{Selection, done, list_of};
use crate::app::Dashboard;
use crate::error::PageError;
use crate::flash::Flash;
use crate::form::Fields;
use crate::page::render;
use crate::path::PathId;
use crate::session::{Editor, Member};

pub(super) use cover::set_cover;
pub(super) use move_to::move_to;
pub(super) use position::{move_to_position, reorder};
pub(super) use retitle::retitle;

/// A form's address opened directly: the selection is not known there, so it redirects to the list.
pub(super) async fn leave(member: Member<Editor>) -> Redirect {
    Redirect::to(&member.path("/tracks"))
}

/// The first step of each action.
pub(super) async fn choose(
    State(app): State<Dashboard>,
    member: Member<Editor>,
    fields: Fields,
) -> Result<Response, PageError> {
    let selection = Selection::of(&app, &member, &fields).await?;
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

/// Undoes a change.
pub(super) async fn undo(
    State(app): State<Dashboard>,
    member: Member<Editor>,
    PathId(id): PathId<UndoId>,
) -> Result<Response, PageError> {
    let undone = app.library.undo(&member.caller(), id).await?;
    Ok(Flash::Undone.then(&member.path(&list_of(undone.collection_id))))
}
