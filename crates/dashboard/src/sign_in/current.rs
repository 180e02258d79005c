//! Who is signed in, for pages that stay open while somebody signs in again.

use axum::Json;
use serde::Serialize;

use crate::session::SignedIn;

/// What a page needs to go on.
#[derive(Debug, Serialize)]
pub(super) struct CurrentSession {
    person_id: String,
    /// For its forms and scripts, in place of the one that it was opened with.
    form_secret: String,
}

/// The session of the browser; 401 where nobody is signed in.
pub(super) async fn session(signed_in: SignedIn) -> Json<CurrentSession> {
    let person_id = signed_in.person().id.to_string();
    Json(CurrentSession { person_id, form_secret: signed_in.form_secret() })
}
