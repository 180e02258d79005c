//! The cover at a permanent address, for link previews of other services.

use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http::header::{CACHE_CONTROL, LOCATION};

use super::refused::Refused;
use super::{PublicPages, policy::Framing};

pub(super) async fn redirect(
    State(pages): State<PublicPages>,
    Path((track_id, key)): Path<(String, String)>,
) -> Response {
    let Ok(id) = track_id.parse() else { return Refused::NOTHING.page(Framing::Refused) };
    let shared = match pages.playback.shared_track(id, &key).await {
        Ok(shared) => shared,
        Err(refusal) => return Refused::from(refusal).page(Framing::Refused),
    };
    match shared.cover.into_iter().last() {
        Some(image) => (StatusCode::FOUND, [(LOCATION, image.url), (CACHE_CONTROL, "no-store".to_owned())])
            .into_response(),
        None => Refused::NOTHING.page(Framing::Refused),
    }
}
