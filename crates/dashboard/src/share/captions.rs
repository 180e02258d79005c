//! The captions of a share link, for the player.

use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use http::header::{ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL, CONTENT_TYPE};

use super::PublicPages;
use super::refused::Refused;

pub(super) async fn captions(
    State(pages): State<PublicPages>,
    Path((track_id, key)): Path<(String, String)>,
) -> Response {
    let Ok(id) = track_id.parse() else { return Refused::NOTHING.json() };
    match pages.playback.shared_captions(id, &key).await {
        Ok(captions) => {
            let headers = [
                (CONTENT_TYPE, "text/vtt; charset=utf-8"),
                (CACHE_CONTROL, "no-store"),
                (ACCESS_CONTROL_ALLOW_ORIGIN, "*"),
            ];
            (headers, captions).into_response()
        }
        Err(refusal) => Refused::from(refusal).json(),
    }
}
