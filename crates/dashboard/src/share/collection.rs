//! The page of a share key that is limited to a collection: all its tracks.

use askama::Template;
use axum::Json;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http::header::{ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL};
use serde::Deserialize;
use tonearm_domain::TrackId;
use tonearm_service::{Refusal, SharedCollection, TrackSummaryView};

use super::page::answer;
use super::policy::{Framing, colours};
use super::refused::Refused;
use super::snippet::{EmbedOptions, Snippets, Theme, ThemeQuery};
use super::{PublicPages, track};
use crate::amount::clock;
use crate::embed::{ListedTrack, PlayerData, address};
use crate::path::Query;

#[derive(Template)]
#[template(path = "share/collection.html")]
struct CollectionPage {
    public_url: String,
    key: String,
    stylesheet: String,
    script: String,
    copy_script: String,
    follow_script: String,
    style: String,
    title: String,
    subtitle: Option<String>,
    cover: Option<String>,
    tracks: Vec<Row>,
    pages: Pages,
    snippets: Snippets,
    is_downloadable: bool,
}

#[derive(Template)]
#[template(path = "embed/collection.html")]
struct FramedCollection {
    key: String,
    stylesheet: String,
    script: String,
    style: String,
    title: String,
    tracks: Vec<Row>,
    pages: Pages,
    theme: Theme,
}

/// The part of a long list that a page shows.
struct Pages {
    /// The query of this page's player data; empty on the first page.
    query: String,
    is_first: bool,
    /// The query of the next page.
    next: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct PageQuery {
    /// The id of the last track of the previous page. If it is not an id, the first page is shown.
    #[serde(default)]
    after: String,
    /// Whether the player data contains only the list, without a track to play.
    #[serde(default)]
    is_list: bool,
}

impl PageQuery {
    fn after(&self) -> Option<TrackId> {
        self.after.parse().ok()
    }
}

impl Pages {
    fn of(parameters: &PageQuery, shared: &SharedCollection) -> Self {
        let query = |track: TrackId| format!("?after={track}");
        Self {
            query: parameters.after().map(query).unwrap_or_default(),
            is_first: parameters.after().is_none(),
            next: next(shared).map(query),
        }
    }
}

/// The last track of this page, after which the next page begins.
fn next(shared: &SharedCollection) -> Option<TrackId> {
    shared.tracks().last().filter(|_| shared.has_more()).map(|view| view.track.id)
}

/// A track with a page of its own.
struct Row {
    path: String,
    title: String,
    length: String,
}

pub(super) async fn page(
    State(pages): State<PublicPages>,
    Path(key): Path<String>,
    Query(parameters): Query<PageQuery>,
) -> Response {
    let shared = match pages.playback.shared_collection(&key, parameters.after()).await {
        Ok(shared) => shared,
        Err(refusal) => return Refused::from(refusal).page(Framing::Refused),
    };
    let style = colours(shared.colours());
    let page = CollectionPage {
        snippets: Snippets::new(&pages.public_url, &key, shared.title(), EmbedOptions::for_list()),
        is_downloadable: shared.is_downloadable,
        public_url: pages.public_url,
        stylesheet: address("share.css"),
        script: address("player.js"),
        copy_script: address("copy.js"),
        follow_script: address("follow.js"),
        style: style.clone(),
        cover: shared.cover.as_ref().map(|image| image.url.clone()),
        tracks: rows(&shared, &key),
        pages: Pages::of(&parameters, &shared),
        title: shared.title().to_owned(),
        subtitle: shared.subtitle().map(ToOwned::to_owned),
        key,
    };
    answer(StatusCode::OK, &page, &style, &shared.delivery_origin, Framing::Refused)
}

pub(super) async fn framed(
    State(pages): State<PublicPages>,
    Path(key): Path<String>,
    Query(parameters): Query<PageQuery>,
    Query(query): Query<ThemeQuery>,
) -> Response {
    let shared = match pages.playback.shared_collection(&key, parameters.after()).await {
        Ok(shared) => shared,
        Err(refusal) => return Refused::from(refusal).page(Framing::Open),
    };
    let style = colours(shared.colours());
    let page = FramedCollection {
        stylesheet: address("share.css"),
        script: address("player.js"),
        style: style.clone(),
        tracks: rows(&shared, &key),
        pages: Pages::of(&parameters, &shared),
        title: shared.title().to_owned(),
        theme: query.theme(),
        key,
    };
    answer(StatusCode::OK, &page, &style, &shared.delivery_origin, Framing::Open)
}

pub(super) async fn data(
    State(pages): State<PublicPages>,
    Path(key): Path<String>,
    Query(parameters): Query<PageQuery>,
) -> Response {
    match player_data(&pages, &key, &parameters).await {
        Ok(data) => {
            ([(CACHE_CONTROL, "no-store"), (ACCESS_CONTROL_ALLOW_ORIGIN, "*")], Json(data)).into_response()
        }
        Err(refusal) => Refused::from(refusal).json(),
    }
}

/// A page of the list, with its first track ready to play unless only the list is requested.
async fn player_data(pages: &PublicPages, key: &str, parameters: &PageQuery) -> Result<PlayerData, Refusal> {
    let shared = pages.playback.shared_collection(key, parameters.after()).await?;
    let next = next(&shared).map(|track| format!("/embed/{key}/player.json?after={track}&is_list=true"));
    let track = match shared.tracks().first().filter(|_| !parameters.is_list) {
        Some(first) => {
            let opened = pages.playback.shared_track(first.track.id, key).await?;
            Some(track::data_of(opened, key.to_owned()))
        }
        None => None,
    };
    let listed = shared.tracks().iter().map(|summary| {
        let id = summary.track.id;
        ListedTrack {
            id: id.to_string(),
            title: summary.title.clone(),
            subtitle: summary.subtitle.clone(),
            duration: summary.track.duration,
            data: format!("/embed/{id}/{key}/player.json"),
        }
    });
    Ok(PlayerData { ok: true, title: Some(shared.title().to_owned()), tracks: listed.collect(), next, track })
}

fn rows(shared: &SharedCollection, key: &str) -> Vec<Row> {
    let row = |summary: &TrackSummaryView| Row {
        path: format!("{}/{key}", summary.track.id),
        title: summary.title.clone(),
        length: clock(summary.track.duration),
    };
    shared.tracks().iter().map(row).collect()
}
