//! Collections and tracks.

mod collection;
mod collections;
mod colours;
mod file_tags;
mod files;
mod listed;
mod live;
mod paging;
mod selection;
mod track;
mod tracks;
mod trash;
mod upload;
mod waveform;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::routing::{get, post};

use crate::app::Dashboard;

pub(crate) use colours::Shades;

/// Below an organization's address.
pub(crate) fn routes() -> Router<Dashboard> {
    Router::new()
        .route("/library", get(collections::page).post(collections::create))
        .route("/collections/{collection_id}", get(collection::page).post(collection::save))
        .route("/collections/{collection_id}/delete", post(collection::delete))
        .route("/collections/{collection_id}/cover", post(collection::save_cover))
        .route("/collections/{collection_id}/uploads", post(upload::begin))
        .route("/collections/{collection_id}/imports", post(collection::import))
        .route("/collections/{collection_id}/restore", post(trash::restore_collection))
        .route("/trash", get(trash::page))
        .route("/progress", get(live::progress))
        .route("/colours", get(colours::companions))
        .route("/tracks", get(tracks::page))
        .route("/collections/{collection_id}/files", post(files::take).layer(DefaultBodyLimit::disable()))
        .route("/tracks/{track_id}", get(track::page).post(track::save))
        .route("/tracks/{track_id}/state.json", get(upload::state))
        .route("/tracks/{track_id}/player.json", get(track::data))
        .route("/tracks/{track_id}/cover", post(track::save_cover))
        .route("/tracks/{track_id}/row", get(tracks::row))
        .route("/tracks/{track_id}/delete", post(track::delete))
        .route("/tracks/{track_id}/restore", post(trash::restore_track))
        .route("/tracks/{track_id}/retry", post(track::retry))
        .route("/collections/{collection_id}/order", post(selection::reorder))
        .route("/selection", post(selection::choose))
        .route("/selection/move", post(selection::move_to))
        .route("/selection/titles", post(selection::retitle))
        .route("/undo/{undo_id}", post(selection::undo))
}
