//! All collections.

use askama::Template;
use axum::extract::State;
use axum::response::{IntoResponse, Redirect, Response};
use http::StatusCode;
use tonearm_domain::{CollectionId, CollectionSort, Role};
use tonearm_service::CreateCollection;

use super::collection::initial;
use super::paging::{ListQuery, Paging, Rows};
use crate::app::Dashboard;
use crate::error::PageError;
use crate::form::{Fields, Problems};
use crate::page::{Frame, Section, render, render_with};
use crate::path::Query;
use crate::session::{Editor, Member, Viewer};
use crate::text::t;

/// Collections per page.
const PER_PAGE: u32 = 48;

#[derive(Template)]
#[template(path = "library/library.html")]
struct LibraryPage {
    frame: Frame,
    may_edit: bool,
    collections: Vec<Card>,
    paging: Paging,
    title: String,
    problems: Problems,
}

/// A collection as a card.
struct Card {
    id: String,
    title: String,
    cover: Option<String>,
    colour: Option<String>,
    initial: String,
}

pub(super) async fn page(
    State(app): State<Dashboard>,
    member: Member<Viewer>,
    Query(list): Query<ListQuery>,
) -> Result<Response, PageError> {
    Ok(render(&LibraryPage::of(&app, &member, &list).await?))
}

pub(super) async fn create(
    State(app): State<Dashboard>,
    member: Member<Editor>,
    fields: Fields,
) -> Result<Response, PageError> {
    let create = CreateCollection { title: fields.text("title").to_owned(), ..CreateCollection::default() };
    match app.library.create_collection(&member.caller(), create).await {
        Ok((view, _)) => {
            Ok(Redirect::to(&member.path(&format!("/collections/{}", view.collection.id))).into_response())
        }
        Err(refusal) => {
            let page = LibraryPage {
                title: fields.text("title").to_owned(),
                problems: Problems::of(refusal)?,
                ..LibraryPage::of(&app, &member, &ListQuery::default()).await?
            };
            Ok(render_with(StatusCode::UNPROCESSABLE_ENTITY, &page))
        }
    }
}

impl LibraryPage {
    async fn of<R>(app: &Dashboard, member: &Member<R>, list: &ListQuery) -> Result<Self, PageError> {
        let query = list.page_query::<CollectionSort, CollectionId>(PER_PAGE);
        let page = app.library.collection_page(&member.caller(), &query).await?;
        let paging =
            list.paging(&query, &page, |_| true, (Rows::Collections, |view| view.collection.id.to_string()));
        let card = |view: tonearm_service::CollectionView| {
            let collection = view.collection;
            Card {
                id: collection.id.to_string(),
                cover: app.links.collection_cover(&collection),
                colour: view.colours.map(|colours| colours.base.to_string()),
                initial: initial(&collection.title),
                title: collection.title,
            }
        };
        Ok(Self {
            frame: member.frame(t("library-heading"), Section::Library),
            may_edit: member.role >= Role::Editor,
            collections: page.rows.into_iter().map(card).collect(),
            paging,
            title: String::new(),
            problems: Problems::default(),
        })
    }
}
