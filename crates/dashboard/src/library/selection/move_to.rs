//! Moving the selected tracks to another collection.

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use tonearm_domain::{CollectionId, CollectionSort, Cursor, PageQuery, SearchWords};
use tonearm_service::CreateCollection;

use super::selected::{Selection, done, list_of};
use crate::app::Dashboard;
use crate::error::PageError;
use crate::flash::Flash;
use crate::form::{Choice, Fields, Problems};
use crate::page::{Frame, Section, render, render_with};
use crate::path::parse_id;
use crate::session::{Editor, Member};
use crate::text::t;

/// The most collections that are offered at once.
const MOST_OFFERED: u32 = 20;

/// The form to choose the collection that tracks are moved to.
#[derive(Template)]
#[template(path = "library/move.html")]
pub(super) struct MovePage {
    frame: Frame,
    selection: Selection,
    find: String,
    collections: Vec<Choice>,
    has_more: bool,
    /// The id of a collection to be created.
    new_id: CollectionId,
    /// The title of a collection to be created.
    title: String,
    problems: Problems,
}

pub(in crate::library) async fn move_to(
    State(app): State<Dashboard>,
    member: Member<Editor>,
    fields: Fields,
) -> Result<Response, PageError> {
    let selection = Selection::of(&app, &member, &fields).await?;
    let find = fields.text("find").to_owned();
    if fields.is_ticked("create") {
        let id = fields.text("new_id").parse().map_err(|_| PageError::BadForm)?;
        return move_to_new(&app, &member, selection, id, fields.text("title")).await;
    }
    let target = fields.text("collection");
    if target.is_empty() || fields.is_ticked("search") {
        let mut page = MovePage::of(&app, &member, selection, find).await?;
        if !fields.is_ticked("search") {
            page.problems.add("collection", &t("library-choose-collection").to_string());
            return Ok(render_with(StatusCode::UNPROCESSABLE_ENTITY, &page));
        }
        return Ok(render(&page));
    }
    let target = parse_id(target)?;
    let changed = app.library.move_tracks(&member.caller(), &selection.tracks, target).await?;
    Ok(done(&member, &list_of(Some(target)), Flash::TracksMoved, changed))
}

/// Moves the tracks to a new collection.
async fn move_to_new(
    app: &Dashboard,
    member: &Member<Editor>,
    selection: Selection,
    id: CollectionId,
    title: &str,
) -> Result<Response, PageError> {
    let create = CreateCollection { title: title.to_owned(), ..CreateCollection::default() };
    let library = &app.library;
    let moved = library.move_tracks_to_new_collection(&member.caller(), &selection.tracks, id, create).await;
    match moved {
        Ok(changed) => Ok(done(member, &list_of(Some(id)), Flash::TracksMoved, changed)),
        Err(refusal) => {
            let problems = Problems::of(refusal)?;
            let page = MovePage::of(app, member, selection, String::new()).await?;
            let page = MovePage { title: title.to_owned(), problems, ..page };
            Ok(render_with(StatusCode::UNPROCESSABLE_ENTITY, &page))
        }
    }
}

impl MovePage {
    pub(super) async fn of(
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
        let collections = offered
            .map(|collection| Choice::new(collection.id.to_string(), collection.title, false))
            .collect();
        Ok(Self {
            frame: member.frame(selection.counted("library-move-count"), Section::Library),
            selection,
            find,
            collections,
            has_more: page.has_after,
            new_id: app.ambient.record_id(),
            title: String::new(),
            problems: Problems::default(),
        })
    }
}
