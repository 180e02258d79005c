//! The file of a share link, for download, if the link allows it.

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
    match pages.playback.shared_download(id, &key).await {
        Ok(url) => {
            (StatusCode::FOUND, [(LOCATION, url), (CACHE_CONTROL, "no-store".to_owned())]).into_response()
        }
        Err(refusal) => Refused::from(refusal).page(Framing::Refused),
    }
}
