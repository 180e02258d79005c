//! Deleted items that can be restored.

use std::str::FromStr;

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use tonearm_domain::{Collection, CollectionId, Cursor, Page, Timestamp, Total, Track, TrackId, Trashed};

use super::paging::Rows;
use crate::app::Dashboard;
use crate::error::PageError;
use crate::flash::Flash;
use crate::page::{Frame, Section, render};
use crate::paging::{PageLinks, query_string};
use crate::path::{PathId, Query};
use crate::session::{Editor, Member};
use crate::text::{Message, t};

/// Rows of a list per page.
const PER_PAGE: u32 = 50;

#[derive(Template)]
#[template(path = "library/trash.html")]
struct TrashPage {
    frame: Frame,
    lists: Vec<List>,
}

/// One of the two lists. Each is paginated separately.
struct List {
    heading: Message,
    kind: Kind,
    rows: Vec<Row>,
    links: PageLinks,
}

/// The part of addresses that names a list.
type Kind = &'static str;

const COLLECTIONS: Kind = "collections";
const TRACKS: Kind = "tracks";

struct Row {
    id: String,
    title: String,
    deleted_at: Timestamp,
    gone_at: Timestamp,
}

/// The cursors of the lists: `tracks-after=ID`, `collections-before=ID` and so on. Invalid values count as missing.
struct TrashQuery(Vec<(String, String)>);

impl TrashQuery {
    fn cursor<Id: FromStr>(&self, kind: Kind) -> Cursor<Id> {
        let row = |direction| {
            let name = format!("{kind}-{direction}");
            self.0.iter().find(|(parameter, _)| *parameter == name).and_then(|(_, id)| id.parse().ok())
        };
        let before = || row("before").map(Cursor::Before);
        row("after").map(Cursor::After).or_else(before).unwrap_or_default()
    }

    /// The query for another page of a list, which keeps the page of the other list.
    fn query_to(&self, kind: Kind, direction: &'static str, row: &Row) -> String {
        let other = if kind == TRACKS { COLLECTIONS } else { TRACKS };
        let kept = [format!("{other}-after"), format!("{other}-before")];
        let kept = self.0.iter().filter(|(name, _)| kept.contains(name));
        let kept = kept.map(|(name, id)| (name.as_str(), id.as_str()));
        let name = format!("{kind}-{direction}");
        query_string(&kept.chain([(name.as_str(), row.id.as_str())]).collect::<Vec<_>>())
    }

    fn list<T>(&self, kind: Kind, heading: Message, page: Page<Trashed<T>>) -> List
    where
        Row: From<Trashed<T>>,
    {
        let page = page.map(Row::from);
        let links = PageLinks::of(&page, |direction, row| self.query_to(kind, direction, row));
        List { heading, kind, rows: page.rows, links }
    }
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
            title: track.shown_title().to_owned(),
            deleted_at: trashed.deleted_at,
            gone_at: trashed.restorable_until,
        }
    }
}

pub(super) async fn page(
    State(app): State<Dashboard>,
    member: Member<Editor>,
    Query(parameters): Query<Vec<(String, String)>>,
) -> Result<Response, PageError> {
    let (caller, parameters) = (member.caller(), TrashQuery(parameters));
    let collections =
        app.library.trashed_collections(&caller, parameters.cursor(COLLECTIONS), PER_PAGE).await?;
    let tracks = app.library.trashed_tracks(&caller, parameters.cursor(TRACKS), PER_PAGE).await?;
    let with_tracks = match collections.total {
        Total::Exactly(number) => t("library-trash-collections").with("count", number),
        Total::MoreThan(number) => t("library-trash-more-collections").with("count", number),
    };
    let alone = Rows::Tracks.count_message(tracks.total, false);
    let lists =
        [parameters.list(COLLECTIONS, with_tracks, collections), parameters.list(TRACKS, alone, tracks)];
    Ok(render(&TrashPage {
        frame: member.frame(t("library-deleted-items"), Section::Library),
        lists: lists.into_iter().filter(|list| !list.rows.is_empty()).collect(),
    }))
}

pub(super) async fn restore_track(
    State(app): State<Dashboard>,
    member: Member<Editor>,
    PathId(id): PathId<TrackId>,
) -> Result<Response, PageError> {
    app.library.restore_track(&member.caller(), id).await?;
    Ok(Flash::Restored.then(&member.path(&format!("/tracks/{id}"))))
}

pub(super) async fn restore_collection(
    State(app): State<Dashboard>,
    member: Member<Editor>,
    PathId(id): PathId<CollectionId>,
) -> Result<Response, PageError> {
    app.library.restore_collection(&member.caller(), id).await?;
    Ok(Flash::Restored.then(&member.path(&format!("/collections/{id}"))))
}
