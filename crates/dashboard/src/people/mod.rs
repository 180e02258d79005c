//! The people who may sign in, for administrators.

mod account;

use askama::Template;
use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::{get, post};
use serde::Deserialize;
use tonearm_domain::SearchWords;

use crate::app::Dashboard;
use crate::error::PageError;
use crate::page::{Frame, Section, render};
use crate::paging::{CursorQuery, PageLinks, query_string};
use crate::path::Query;
use crate::purpose::ends;
use crate::session::Administrator;
use crate::t;

/// Rows per page.
const ROWS: u32 = 50;

pub(crate) fn routes() -> Router<Dashboard> {
    let pages = Router::new()
        .route("/", get(page))
        .route("/{person_id}", get(account::page))
        .route("/{person_id}/disable", ends(account::disable))
        .route("/{person_id}/enable", post(account::enable))
        .route("/{person_id}/remove", ends(account::remove))
        .route("/{person_id}/end-sessions", ends(account::end_sessions))
        .route("/{person_id}/reset-password", post(account::reset_password))
        .route("/{person_id}/reset-second-factor", ends(account::reset_second_factor))
        .route("/{person_id}/identities/{identity_id}/unlink", ends(account::unlink))
        .route("/{person_id}/administrator", ends(account::set_administrator));
    Router::new().nest("/people", pages)
}

#[derive(Template)]
#[template(path = "people/people.html")]
struct PeoplePage {
    frame: Frame,
    q: String,
    rows: Vec<PersonRow>,
    links: PageLinks,
}

struct PersonRow {
    id: String,
    name: String,
    email: String,
    created_at: String,
    is_administrator: bool,
    is_active: bool,
    is_self: bool,
}

#[derive(Deserialize)]
struct PeopleQuery {
    #[serde(default)]
    q: String,
    #[serde(flatten)]
    cursor: CursorQuery,
}

async fn page(
    State(app): State<Dashboard>,
    administrator: Administrator,
    Query(query): Query<PeopleQuery>,
) -> Result<Response, PageError> {
    let words = SearchWords::parse(&query.q);
    let page = app.people.person_page(words.as_ref(), query.cursor.cursor(), ROWS).await?;
    let links = PageLinks::of(&page, |direction, person| {
        query_string(&[("q", &query.q), (direction, &person.id.to_string())])
    });
    let own = administrator.signed_in.person().id;
    let rows = page.rows.into_iter().map(|person| PersonRow {
        id: person.id.to_string(),
        is_self: person.id == own,
        is_active: person.is_active(),
        is_administrator: person.is_administrator,
        email: person.email.to_string(),
        created_at: person.created_at.to_string(),
        name: person.name,
    });
    let frame = administrator.signed_in.frame(t("people-title"), Section::People);
    let rows = rows.collect();
    Ok(render(&PeoplePage { frame, rows, links, q: query.q }))
}
