//! What is done with the tracks that are selected in a list, and the way back.

use askama::Template;
use axum::Json;
use axum::extract::multipart::MultipartRejection;
use axum::extract::{Multipart, Path, State};
use axum::response::{Redirect, Response};
use http::StatusCode;
use serde::Serialize;
use tonearm_domain::{CollectionId, CollectionSort, Cursor, PageQuery, SearchWords, TrackId, UndoId};
use tonearm_service::{Changed, NewTitle, Refusal, Reordering, SelectedTracks};

use super::collection::collection_id;
use super::upload::ScriptError;
use crate::app::Dashboard;
use crate::error::PageError;
use crate::flash::Flash;
use crate::form::{Choice, Fields, Problems};
use crate::page::{Frame, Section, render, render_with};
use crate::picture::picture_of_tracks;
use crate::session::{Editor, Member};
use crate::text::{Message, t};

/// Collections that are offered at once.
const MOST_OFFERED: u32 = 20;

/// Where tracks are to be moved.
#[derive(Template)]
#[template(path = "library/move.html")]
struct MovePage {
    frame: Frame,
    back: String,
    list: String,
    tracks: Vec<String>,
    find: String,
    collections: Vec<Choice>,
    has_more: bool,
    problems: Problems,
}

/// The titles of tracks, to be changed.
#[derive(Template)]
#[template(path = "library/retitle.html")]
struct RetitlePage {
    frame: Frame,
    back: String,
    list: String,
    rows: Vec<TitleRow>,
    problems: Problems,
}

/// A picture that is to be the cover of tracks.
#[derive(Template)]
#[template(path = "library/set_cover.html")]
struct CoverPage {
    frame: Frame,
    back: String,
    list: String,
    tracks: Vec<String>,
    problems: Problems,
}

struct TitleRow {
    id: TrackId,
    /// What players show.
    shown: String,
    /// What was set.
    title: String,
}

/// The tracks that a form names, and the list that it was sent from.
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
        "cover" => Ok(render(&CoverPage::of(&member, &selection))),
        "retitle" => Ok(render(&RetitlePage::of(&app, &member, &selection).await?)),
        _ => Err(PageError::BadForm),
    }
}

pub(super) async fn move_to(
    State(app): State<Dashboard>,
    member: Member<Editor>,
    fields: Fields,
) -> Result<Response, PageError> {
    let selection = Selection::of(&fields)?;
    let find = fields.text("find").to_owned();
    let target = fields.text("collection");
    if target.is_empty() || fields.is_ticked("search") {
        let mut page = MovePage::of(&app, &member, selection, find).await?;
        if !fields.is_ticked("search") {
            page.problems.add("collection", &t("library-choose-collection").to_string());
            return Ok(render_with(StatusCode::UNPROCESSABLE_ENTITY, &page));
        }
        return Ok(render(&page));
    }
    let target = collection_id(target)?;
    let changed = app.library.move_tracks(&member.caller(), &selection.tracks, target).await?;
    Ok(done(&member, &list_of(Some(target)), Flash::TracksMoved, changed))
}

pub(super) async fn retitle(
    State(app): State<Dashboard>,
    member: Member<Editor>,
    fields: Fields,
) -> Result<Response, PageError> {
    let selection = Selection::of(&fields)?;
    let titles: Vec<&str> = fields.all("title").collect();
    if titles.len() != selection.tracks.ids().len() {
        return Err(PageError::BadForm);
    }
    let pairs = selection.tracks.ids().iter().zip(&titles);
    let wanted = pairs.map(|(id, title)| NewTitle { id: *id, title: Some((*title).to_owned()) }).collect();
    match app.library.retitle_tracks(&member.caller(), wanted).await {
        Ok(changed) => Ok(done(&member, &selection.back(), Flash::TracksRetitled, changed)),
        Err(refusal @ Refusal::Invalid { .. }) => {
            let mut page = RetitlePage::of(&app, &member, &selection).await?;
            for (row, title) in page.rows.iter_mut().zip(titles) {
                title.clone_into(&mut row.title);
            }
            page.problems = Problems::of(refusal)?;
            Ok(render_with(StatusCode::UNPROCESSABLE_ENTITY, &page))
        }
        Err(refusal) => Err(refusal.into()),
    }
}

/// Makes a picture the cover of all selected tracks.
pub(super) async fn set_cover(
    State(app): State<Dashboard>,
    member: Member<Editor>,
    form: Result<Multipart, MultipartRejection>,
) -> Result<Response, PageError> {
    let (fields, picture) = picture_of_tracks(form.map_err(|_| PageError::BadForm)?).await?;
    let selection = Selection::of(&fields)?;
    match app.uploads.cover_tracks(&member.caller(), &selection.tracks, picture).await {
        Ok(changed) => Ok(done(&member, &selection.back(), Flash::TracksCovered, changed)),
        Err(refusal @ Refusal::Invalid { .. }) => {
            let page = CoverPage { problems: Problems::of(refusal)?, ..CoverPage::of(&member, &selection) };
            Ok(render_with(StatusCode::UNPROCESSABLE_ENTITY, &page))
        }
        Err(refusal) => Err(refusal.into()),
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

/// What takes an order back.
#[derive(Debug, Serialize)]
pub(super) struct Reordered {
    /// Where, below the dashboard, it is taken back with a form.
    undo: Option<String>,
}

/// Puts tracks in the order in which a script shows them.
pub(super) async fn reorder(
    State(app): State<Dashboard>,
    member: Member<Editor>,
    Path((_, id)): Path<(String, String)>,
    fields: Fields,
) -> Result<Json<Reordered>, ScriptError> {
    let ids = |name: &'static str| -> Result<SelectedTracks, PageError> {
        let ids: Result<Vec<TrackId>, _> = fields.all(name).map(str::parse).collect();
        selected(ids.map_err(|_| PageError::BadForm)?)
    };
    let reordering = Reordering::new(ids("before")?, ids("after")?)?;
    let changed = app.library.reorder_tracks(&member.caller(), collection_id(&id)?, reordering).await?;
    Ok(Json(Reordered { undo: changed.undo.map(|id| member.path(&format!("/undo/{id}"))) }))
}

impl MovePage {
    async fn of(
        app: &Dashboard,
        member: &Member<Editor>,
        selection: Selection,
        find: String,
    ) -> Result<Self, PageError> {
        let query = PageQuery {
            words: SearchWords::parse(&find),
            sort: CollectionSort::Title,
            cursor: Cursor::First,
            limit: MOST_OFFERED,
        };
        let page = app.library.collection_page(&member.caller(), &query).await?;
        let offered = page.rows.into_iter().map(|view| view.collection);
        let offered = offered.filter(|collection| Some(collection.id) != selection.list);
        Ok(Self {
            frame: member.frame(selection.counted("library-move-count"), Section::Library),
            back: selection.back(),
            list: selection.list(),
            tracks: selection.tracks.ids().iter().map(ToString::to_string).collect(),
            find,
            collections: offered
                .map(|collection| Choice::new(collection.id.to_string(), collection.title, false))
                .collect(),
            has_more: page.has_after,
            problems: Problems::default(),
        })
    }
}

impl CoverPage {
    fn of(member: &Member<Editor>, selection: &Selection) -> Self {
        Self {
            frame: member.frame(selection.counted("library-set-cover-count"), Section::Library),
            back: selection.back(),
            list: selection.list(),
            tracks: selection.tracks.ids().iter().map(ToString::to_string).collect(),
            problems: Problems::default(),
        }
    }
}

impl RetitlePage {
    async fn of(app: &Dashboard, member: &Member<Editor>, selection: &Selection) -> Result<Self, PageError> {
        let tracks = app.library.selected_tracks(&member.caller(), &selection.tracks).await?;
        let row = |track: tonearm_domain::Track| TitleRow {
            id: track.id,
            shown: track.shown_title().to_owned(),
            title: track.player_title.unwrap_or_default(),
        };
        Ok(Self {
            frame: member.frame(selection.counted("library-retitle-count"), Section::Library),
            back: selection.back(),
            list: selection.list(),
            rows: tracks.into_iter().map(row).collect(),
            problems: Problems::default(),
        })
    }
}
