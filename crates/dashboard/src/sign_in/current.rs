//! The current session, for pages that stay open while a person signs in again.

use axum::Json;
use serde::Serialize;

use crate::session::SignedIn;

/// The data that an open page needs to continue.
#[derive(Debug, Serialize)]
pub(super) struct CurrentSession {
    person_id: String,
    /// The form secret for its forms and scripts, which replaces the one that the page was opened with.
    form_secret: String,
}

/// The session of the browser; 401 if no person is signed in.
pub(super) async fn session(signed_in: SignedIn) -> Json<CurrentSession> {
    let person_id = signed_in.person().id.to_string();
    Json(CurrentSession { person_id, form_secret: signed_in.form_secret() })
}
