//! The page of one shared track.

use askama::Template;
use axum::Json;
use axum::extract::{Path, Query, State};
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http::header::{ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL};
use tonearm_domain::CoverSize;
use tonearm_service::{SharedTrack, SharedWords};

use super::PublicPages;
use super::page::answer;
use super::policy::{Framing, colours};
use super::refused::Refused;
use super::snippet::{EmbedOptions, Snippets, Theme, ThemeQuery};
use crate::embed::{PartData, PlayerData, SourceData, TrackData, address, covers};
use crate::visit::RequestVisit;

#[derive(Template)]
#[template(path = "share/track.html")]
struct TrackPage {
    public_url: String,
    /// The path after `/share/` and `/embed/`.
    path: String,
    stream: String,
    content_type: &'static str,
    stylesheet: String,
    script: String,
    copy_script: String,
    style: String,
    title: String,
    subtitle: Option<String>,
    cover: Option<String>,
    icon: Option<String>,
    seconds: u64,
    words: Option<SharedWords>,
    /// The path of all tracks of the key, if it gives access to more than this one.
    siblings: Option<String>,
    snippets: Snippets,
    is_downloadable: bool,
}

#[derive(Template)]
#[template(path = "embed/track.html")]
struct FramedTrack {
    path: String,
    stream: String,
    stylesheet: String,
    script: String,
    style: String,
    title: String,
    subtitle: Option<String>,
    cover: Option<String>,
    theme: Theme,
}

/// A shared track with the key in its link.
struct Opened {
    shared: SharedTrack,
    key: String,
}

async fn open(pages: &PublicPages, track_id: &str, key: String) -> Result<Opened, Refused> {
    let id = track_id.parse().map_err(|_| Refused::NOTHING)?;
    let shared = pages.playback.shared_track(id, &key).await?;
    Ok(Opened { shared, key })
}

pub(super) async fn page(
    State(pages): State<PublicPages>,
    Path((track_id, key)): Path<(String, String)>,
) -> Response {
    let Ok(id) = track_id.parse() else { return Refused::NOTHING.page(Framing::Refused) };
    let (shared, words) = match pages.playback.shared_track_with_words(id, &key).await {
        Ok(found) => found,
        Err(refusal) => return Refused::from(refusal).page(Framing::Refused),
    };
    let opened = Opened { shared, key };
    let style = opened.style();
    let origin = opened.shared.delivery_origin.clone();
    let page = opened.into_page(words, pages.public_url, style.clone());
    answer(StatusCode::OK, &page, &style, &origin, Framing::Refused)
}

pub(super) async fn framed(
    State(pages): State<PublicPages>,
    Path((track_id, key)): Path<(String, String)>,
    visit: RequestVisit,
    Query(query): Query<ThemeQuery>,
) -> Response {
    let opened = match open(&pages, &track_id, key).await {
        Ok(opened) => opened,
        Err(refused) => return refused.page(Framing::Open),
    };
    let id = opened.shared.view.track.id;
    if let Err(refusal) = pages.playback.visit_frame(id, &opened.key, &visit.counted()).await {
        return Refused::from(refusal).page(Framing::Open);
    }
    let style = opened.style();
    let origin = opened.shared.delivery_origin.clone();
    let page = FramedTrack {
        path: opened.path(),
        stream: opened.stream(),
        stylesheet: address("share.css"),
        script: address("player.js"),
        style: style.clone(),
        cover: opened.cover(CoverSize::Regular),
        title: opened.shared.view.title,
        subtitle: opened.shared.view.subtitle,
        theme: query.theme(),
    };
    answer(StatusCode::OK, &page, &style, &origin, Framing::Open)
}

pub(super) async fn data(
    State(pages): State<PublicPages>,
    Path((track_id, key)): Path<(String, String)>,
) -> Response {
    let opened = match open(&pages, &track_id, key).await {
        Ok(opened) => opened,
        Err(refused) => return refused.json(),
    };
    let track = opened.into_data();
    let data = PlayerData { ok: true, title: None, tracks: Vec::new(), next: None, track: Some(track) };
    ([(CACHE_CONTROL, "no-store"), (ACCESS_CONTROL_ALLOW_ORIGIN, "*")], Json(data)).into_response()
}

/// The player data of a shared track.
pub(super) fn data_of(shared: SharedTrack, key: String) -> TrackData {
    Opened { shared, key }.into_data()
}

impl Opened {
    fn path(&self) -> String {
        format!("{}/{}", self.shared.view.track.id, self.key)
    }

    /// The stream URL of the share link: each request redirects to a new signed URL.
    fn stream(&self) -> String {
        format!("/v1/stream/{}", self.path())
    }

    fn style(&self) -> String {
        colours(Some(self.shared.view.colours))
    }

    fn cover(&self, size: CoverSize) -> Option<String> {
        self.shared.cover.iter().find(|image| image.size == size).map(|image| image.url.clone())
    }

    fn into_page(self, words: Option<SharedWords>, public_url: String, style: String) -> TrackPage {
        let (path, stream) = (self.path(), self.stream());
        // Drawn placeholders have no large size.
        let cover = self.cover(CoverSize::Large).or_else(|| self.cover(CoverSize::Regular));
        let icon = self.cover(CoverSize::Icon);
        let SharedTrack { view, content_type, has_siblings, is_downloadable, .. } = self.shared;
        let (title, subtitle) = (view.title, view.subtitle);
        TrackPage {
            snippets: Snippets::new(&public_url, &path, &title, EmbedOptions::for_track()),
            is_downloadable,
            siblings: has_siblings.then(|| format!("/share/{}", self.key)),
            stylesheet: address("share.css"),
            script: address("player.js"),
            copy_script: address("copy.js"),
            content_type: content_type.mime(),
            seconds: view.track.duration.round() as u64,
            words,
            public_url,
            path,
            stream,
            style,
            title,
            subtitle,
            cover,
            icon,
        }
    }

    fn into_data(self) -> TrackData {
        let (path, stream) = (self.path(), self.stream());
        let shared = self.shared;
        let colours = shared.view.colours;
        let part = PartData::of(&shared.part);
        let captions = shared.has_words.then(|| format!("/embed/{path}/captions.vtt"));
        TrackData {
            chapters: PartData::chapters(part.as_ref(), shared.view.track.info.chapters),
            id: shared.view.track.id.to_string(),
            title: shared.view.title,
            subtitle: shared.view.subtitle,
            duration: shared.view.track.duration,
            player_color: colours.base,
            player_color_light: colours.light,
            player_color_dark: colours.dark,
            cover: covers(&shared.cover),
            part,
            sources: vec![SourceData {
                url: stream,
                content_type: shared.content_type.mime(),
                label: String::new(),
            }],
            captions,
            levels: shared.levels,
        }
    }
}
