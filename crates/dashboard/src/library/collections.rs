//! All collections.

use askama::Template;
use axum::extract::{Query, State};
use axum::response::{IntoResponse, Redirect, Response};
use http::StatusCode;
use serde::Deserialize;
use tonearm_domain::{Page, Role};
use tonearm_service::CreateCollection;

use crate::Dashboard;
use crate::error::PageError;
use crate::form::{Fields, Problems};
use crate::page::{Frame, Section, render, render_with};
use crate::session::{Editor, Member, Viewer};

/// Collections on a page.
const PER_PAGE: i64 = 48;

#[derive(Template)]
#[template(path = "library/library.html")]
struct LibraryPage {
    frame: Frame,
    may_edit: bool,
    collections: Vec<Card>,
    total: u64,
    pages: Pages,
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

/// Which page of a list.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Asked {
    page: Option<u32>,
}

/// The way to the pages before and after.
pub(super) struct Pages {
    pub(super) before: Option<u32>,
    pub(super) after: Option<u32>,
}

impl Asked {
    /// The page, from 1.
    pub(super) fn number(&self) -> u32 {
        self.page.unwrap_or(1).max(1)
    }

    pub(super) fn window(&self, per_page: i64) -> Page {
        Page::new(Some(per_page), Some(i64::from(self.number() - 1) * per_page)).unwrap_or_default()
    }

    pub(super) fn pages(&self, total: u64, per_page: i64) -> Pages {
        let number = self.number();
        Pages {
            before: (number > 1).then(|| number - 1),
            after: (u64::from(number) * per_page.unsigned_abs() < total).then_some(number + 1),
        }
    }
}

pub(super) async fn page(
    State(app): State<Dashboard>,
    member: Member<Viewer>,
    Query(asked): Query<Asked>,
) -> Result<Response, PageError> {
    Ok(render(&LibraryPage::of(&app, &member, &asked).await?))
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
                ..LibraryPage::of(&app, &member, &Asked::default()).await?
            };
            Ok(render_with(StatusCode::UNPROCESSABLE_ENTITY, &page))
        }
    }
}

impl LibraryPage {
    async fn of<R>(app: &Dashboard, member: &Member<R>, asked: &Asked) -> Result<Self, PageError> {
        let (total, collections) = app.library.collections(&member.caller(), asked.window(PER_PAGE)).await?;
        let card = |view: tonearm_service::CollectionView| {
            let collection = view.collection;
            Card {
                id: collection.id.to_string(),
                cover: app.links.collection_cover(&collection),
                colour: view.colours.map(|colours| colours.base.to_string()),
                initial: collection
                    .title
                    .chars()
                    .next()
                    .map(|c| c.to_uppercase().collect())
                    .unwrap_or_default(),
                title: collection.title,
            }
        };
        Ok(Self {
            frame: member.frame("Library", Section::Library),
            may_edit: member.role >= Role::Editor,
            collections: collections.into_iter().map(card).collect(),
            pages: asked.pages(total, PER_PAGE),
            total,
            title: String::new(),
            problems: Problems::default(),
        })
    }
}
