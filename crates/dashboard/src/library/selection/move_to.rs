//! Moving the selected tracks to another collection.

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use tonearm_domain::{CollectionSort, Cursor, PageQuery, SearchWords};

use super::{Selection, done, list_of};
use crate::app::Dashboard;
use crate::error::PageError;
use crate::flash::Flash;
use crate::form::{Choice, Fields, Problems};
use crate::library::collection::collection_id;
use crate::page::{Frame, Section, render, render_with};
use crate::session::{Editor, Member};
use crate::text::t;

/// Collections that are offered at once.
const MOST_OFFERED: u32 = 20;

/// Where tracks are to be moved.
#[derive(Template)]
#[template(path = "library/move.html")]
pub(super) struct MovePage {
    frame: Frame,
    selection: Selection,
    find: String,
    collections: Vec<Choice>,
    has_more: bool,
    problems: Problems,
}

pub(in crate::library) async fn move_to(
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
            problems: Problems::default(),
        })
    }
}
