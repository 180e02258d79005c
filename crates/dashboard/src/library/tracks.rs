//! The tracks of all collections.

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use serde::Deserialize;
use tonearm_domain::{Role, TrackId, TrackSort};
use tonearm_service::TrackCard;

use super::listed::{PER_PAGE, Row, RowRights};
use super::paging::{ListQuery, Paging, Rows};
use crate::app::Dashboard;
use crate::error::PageError;
use crate::page::{Frame, Section, render};
use crate::path::{PathId, Query};
use crate::session::{Member, Viewer};
use crate::text::t;

#[derive(Template)]
#[template(path = "library/tracks.html")]
struct TracksPage {
    frame: Frame,
    tracks: Vec<Row>,
    paging: Paging,
    may_edit: bool,
}

/// One row, to update an open page.
#[derive(Template)]
#[template(path = "library/row.html")]
struct RowPart {
    frame: Frame,
    track: Row,
}

#[derive(Deserialize)]
pub(super) struct RowQuery {
    /// Whether it shows the title of its collection.
    named: Option<String>,
    /// Whether its list can be reordered.
    movable: Option<String>,
}

pub(super) async fn row(
    State(app): State<Dashboard>,
    member: Member<Viewer>,
    PathId(id): PathId<TrackId>,
    Query(query): Query<RowQuery>,
) -> Result<Response, PageError> {
    let caller = member.caller();
    let view = app.library.track(&caller, id).await?;
    let collection = match query.named {
        Some(_) => Some(app.library.collection(&caller, view.track.collection_id).await?.collection.title),
        None => None,
    };
    let card = app.playback.cards(vec![view]).await?.pop().ok_or(PageError::NoPage)?;
    let frame = member.frame("", Section::Library);
    let may_edit = member.role >= Role::Editor;
    let rights = RowRights { may_edit, is_movable: may_edit && query.movable.is_some() };
    Ok(render(&RowPart { frame, track: Row { collection, ..Row::from(card) }.with(rights) }))
}

pub(super) async fn page(
    State(app): State<Dashboard>,
    member: Member<Viewer>,
    Query(list): Query<ListQuery>,
) -> Result<Response, PageError> {
    let mut query = list.page_query::<TrackSort, TrackId>(PER_PAGE);
    query.sort = query.sort.across_collections();
    let tracks = app.library.track_page(&member.caller(), None, &query).await?;
    let offered = |sort| sort != TrackSort::Order;
    let paging = list.paging(&query, &tracks.page, offered, (Rows::Tracks, |view| view.track.id.to_string()));
    let cards = app.playback.cards(tracks.page.rows).await?;
    let may_edit = member.role >= Role::Editor;
    let row = |card: TrackCard| {
        let collection = tracks.titles.get(&card.view.track.collection_id).cloned();
        Row { collection, ..Row::from(card) }.with(RowRights { may_edit, is_movable: false })
    };
    Ok(render(&TracksPage {
        frame: member.frame(t("library-all-tracks"), Section::Library),
        tracks: cards.into_iter().map(row).collect(),
        paging,
        may_edit,
    }))
}
