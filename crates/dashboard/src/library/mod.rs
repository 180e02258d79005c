//! Collections and tracks.

use askama::Template;
use axum::Router;
use axum::response::Response;
use axum::routing::get;

use crate::Dashboard;
use crate::page::{Frame, Section, render};
use crate::session::{Member, Viewer};

/// Below an organization's address.
pub(crate) fn routes() -> Router<Dashboard> {
    Router::new().route("/library", get(library))
}

#[derive(Template)]
#[template(path = "library/library.html")]
struct LibraryPage {
    frame: Frame,
}

async fn library(member: Member<Viewer>) -> Response {
    render(&LibraryPage { frame: member.frame("Library", Section::Library) })
}
