//! Collections and tracks.

mod collection;
mod collections;
mod colours;
mod facts;
mod file_tags;
mod files;
mod listed;
mod live;
mod paging;
mod replacement;
mod selection;
mod share;
mod share_form;
mod start;
mod track;
mod track_page;
mod track_usage;
mod tracks;
mod transcribing;
mod transcript;
mod trash;
mod upload;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::routing::{get, post};

use crate::app::Dashboard;
use crate::purpose::ends;

pub(crate) use colours::{Shades, sent_colour};
pub(crate) use start::first as first_steps;

/// Routes below an organization's address.
pub(crate) fn routes() -> Router<Dashboard> {
    Router::new()
        .route("/library", get(collections::page).merge(post(collections::create)))
        .route("/collections/{collection_id}", get(collection::page).merge(post(collection::save)))
        .route("/collections/{collection_id}/delete", ends(collection::delete))
        .route("/collections/{collection_id}/cover", post(collection::save_cover))
        .route("/collections/{collection_id}/cover/remove", ends(collection::remove_cover))
        .route("/collections/{collection_id}/uploads", post(upload::begin))
        .route("/collections/{collection_id}/imports", post(collection::import))
        .route("/collections/{collection_id}/restore", post(trash::restore_collection))
        .route("/start", get(start::page).merge(post(start::name)))
        .route("/start/{collection_id}", get(start::tracks))
        .route("/start/{collection_id}/link", post(start::share))
        .route("/collections/{collection_id}/share", get(share::page).merge(post(share::create)))
        .route(
            "/collections/{collection_id}/share/{api_key_id}/revoke",
            get(share::to_page).merge(ends(share::revoke)),
        )
        .route("/tracks/{track_id}/share", get(share::page).merge(post(share::create)))
        .route("/tracks/{track_id}/share/{api_key_id}/revoke", get(share::to_page).merge(ends(share::revoke)))
        .route("/trash", get(trash::page))
        .route("/progress", get(live::progress))
        .route("/colours", get(colours::companions))
        .route("/tracks", get(tracks::page))
        .route("/collections/{collection_id}/files", post(files::take).layer(DefaultBodyLimit::disable()))
        .route("/tracks/{track_id}", get(track::page).merge(post(track::save)))
        .route("/tracks/{track_id}/state.json", get(upload::state))
        .route("/tracks/{track_id}/player.json", get(track::data))
        .route("/tracks/{track_id}/original", get(track::original))
        .route("/tracks/{track_id}/source", post(replacement::begin))
        .route("/tracks/{track_id}/source.json", get(replacement::state))
        .route("/tracks/{track_id}/source/file", post(replacement::take).layer(DefaultBodyLimit::disable()))
        .route("/tracks/{track_id}/source/cancel", ends(replacement::cancel))
        .route("/tracks/{track_id}/source/undo", post(replacement::undo))
        .route("/tracks/{track_id}/transcript", get(transcript::page).merge(post(transcript::save)))
        .route("/tracks/{track_id}/transcribe", post(transcript::transcribe))
        .route("/tracks/{track_id}/captions.vtt", get(transcript::captions))
        .route("/tracks/{track_id}/cover", post(track::save_cover))
        .route("/tracks/{track_id}/cover/reset", ends(track::reset_cover))
        .route("/tracks/{track_id}/row", get(tracks::row))
        .route("/tracks/{track_id}/delete", ends(track::delete))
        .route("/tracks/{track_id}/restore", post(trash::restore_track))
        .route("/tracks/{track_id}/retry", post(track::retry))
        .route("/collections/{collection_id}/order", post(selection::reorder))
        .route("/selection", get(selection::leave).merge(ends(selection::choose)))
        .route("/selection/move", get(selection::leave).merge(post(selection::move_to)))
        .route("/selection/position", get(selection::leave).merge(post(selection::move_to_position)))
        .route("/selection/titles", get(selection::leave).merge(post(selection::retitle)))
        .route("/selection/cover", get(selection::leave).merge(post(selection::set_cover)))
        .route("/undo/{undo_id}", post(selection::undo))
}
