//! Public pages: what a share link shows, the same inside a frame, and the player data of both.
//!
//! Whatever the link's key does not open, for whatever reason, is the same page that says there is nothing.

mod captions;
mod collection;
mod cover;
mod download;
mod page;
mod policy;
mod refused;
mod snippet;
mod track;

use axum::Router;
use axum::middleware::from_fn;
use axum::routing::get;
use tonearm_service::Playback;
use tower_http::compression::CompressionLayer;

use crate::{embed, text};

pub(crate) use snippet::{Look, Size, Snippets, Theme};

/// What the public pages work with. Cheap to clone.
#[derive(Clone)]
pub struct PublicPages {
    /// Knows what a share link opens.
    pub playback: Playback,
    /// Where people reach the service, without a trailing slash.
    pub public_url: String,
}

/// `/share/…` and `/embed/…`, to be merged with other routers. None of it takes a cookie.
pub fn public_routes(pages: PublicPages) -> Router {
    Router::new()
        .merge(embed::routes())
        .route("/share/{first}", get(collection::page))
        .route("/share/{first}/{share_key}", get(track::page))
        .route("/share/{first}/{share_key}/cover", get(cover::redirect))
        .route("/share/{first}/{share_key}/download", get(download::redirect))
        .route("/embed/{first}", get(collection::framed))
        .route("/embed/{first}/player.json", get(collection::data))
        .route("/embed/{first}/{share_key}", get(track::framed))
        .route("/embed/{first}/{share_key}/player.json", get(track::data))
        .route("/embed/{first}/{share_key}/captions.vtt", get(captions::captions))
        .layer(from_fn(text::negotiate))
        .layer(CompressionLayer::new())
        .with_state(pages)
}
