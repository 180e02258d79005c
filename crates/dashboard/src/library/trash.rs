//! What was deleted and can be taken back.

use askama::Template;
use axum::extract::{Path, Query, State};
use axum::response::Response;
use tonearm_domain::{Collection, Timestamp, Track, TrackId, TrackSort, Trashed, shown_title};

use super::collection::collection_id;
use super::paging::{Asked, Paging};
use super::track::track_id;
use crate::Dashboard;
use crate::error::PageError;
use crate::flash::Flash;
use crate::page::{Frame, Section, render};
use crate::session::{Editor, Member};

/// Tracks on a page.
const PER_PAGE: u32 = 50;

#[derive(Template)]
#[template(path = "library/trash.html")]
struct TrashPage {
    frame: Frame,
    lists: Vec<List>,
    paging: Paging,
}

struct List {
    heading: &'static str,
    /// The part of addresses.
    kind: &'static str,
    rows: Vec<Row>,
}

struct Row {
    id: String,
    title: String,
    deleted_at: Timestamp,
    gone_at: Timestamp,
}

impl From<Trashed<Collection>> for Row {
    fn from(trashed: Trashed<Collection>) -> Self {
        Self {
            id: trashed.thing.id.to_string(),
            title: trashed.thing.title,
            deleted_at: trashed.deleted_at,
            gone_at: trashed.restorable_until,
        }
    }
}

impl From<Trashed<Track>> for Row {
    fn from(trashed: Trashed<Track>) -> Self {
        let track = trashed.thing;
        Self {
            id: track.id.to_string(),
            title: shown_title(track.player_title.as_deref(), &track.file_name).to_owned(),
            deleted_at: trashed.deleted_at,
            gone_at: trashed.restorable_until,
        }
    }
}

pub(super) async fn page(
    State(app): State<Dashboard>,
    member: Member<Editor>,
    Query(asked): Query<Asked>,
) -> Result<Response, PageError> {
    let caller = member.caller();
    let leaf = asked.leaf::<TrackSort, TrackId>(PER_PAGE);
    let tracks = app.library.trashed_tracks(&caller, leaf.place, PER_PAGE).await?;
    let id = |trashed: &Trashed<Track>| trashed.thing.id.to_string();
    let paging = asked.paging(&leaf, &tracks, |_| false, ("track", id));
    let collections = app.library.trashed_collections(&caller).await?;
    let lists = [
        List {
            heading: "Collections, with their tracks",
            kind: "collections",
            rows: collections.into_iter().map(Into::into).collect(),
        },
        List { heading: "Tracks", kind: "tracks", rows: tracks.rows.into_iter().map(Into::into).collect() },
    ];
    Ok(render(&TrashPage {
        frame: member.frame("Deleted", Section::Library),
        lists: lists.into_iter().filter(|list| !list.rows.is_empty()).collect(),
        paging,
    }))
}

pub(super) async fn restore_track(
    State(app): State<Dashboard>,
    member: Member<Editor>,
    Path((_, id)): Path<(String, String)>,
) -> Result<Response, PageError> {
    let id = track_id(&id)?;
    app.library.restore_track(&member.caller(), id).await?;
    Ok(Flash::Restored.then(&member.path(&format!("/tracks/{id}"))))
}

pub(super) async fn restore_collection(
    State(app): State<Dashboard>,
    member: Member<Editor>,
    Path((_, id)): Path<(String, String)>,
) -> Result<Response, PageError> {
    let id = collection_id(&id)?;
    app.library.restore_collection(&member.caller(), id).await?;
    Ok(Flash::Restored.then(&member.path(&format!("/collections/{id}"))))
}
