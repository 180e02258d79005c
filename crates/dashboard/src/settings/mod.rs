//! Settings of an organization.

mod edit_key;
mod key_fields;
mod key_snippets;
mod keys;
mod members;
mod new_key;
mod organization;
mod recipes;
mod rotate_key;
mod scope_choice;
mod sessions;
mod signing_keys;
mod transcription;

use axum::Router;
use axum::routing::{get, post};

use crate::app::Dashboard;
use crate::purpose::ends;

/// Routes below an organization's address.
pub(crate) fn routes() -> Router<Dashboard> {
    Router::new()
        .route("/organization", get(organization::page).merge(post(organization::save)))
        .route("/organization/cover", post(organization::save_cover))
        .route("/organization/cover/remove", ends(organization::remove_cover))
        .route("/keys", get(keys::page))
        .route("/keys/new", get(new_key::page).merge(post(new_key::create)))
        // It asks for room itself, unless it only narrows a right.
        .route("/keys/{api_key_id}", get(edit_key::page).merge(ends(edit_key::save)))
        .route("/keys/{api_key_id}/revoke", ends(keys::revoke))
        .route("/keys/{api_key_id}/rotate", post(rotate_key::rotate))
        .route("/keys/{api_key_id}/end-old", ends(rotate_key::end_old))
        .route("/sessions", get(sessions::page))
        .route("/sessions/play/{session_handle}/end", ends(sessions::end_play))
        .route("/sessions/upload/{session_handle}/end", ends(sessions::end_upload))
        .route("/signing-keys", get(signing_keys::page).merge(post(signing_keys::create)))
        .route("/signing-keys/{signing_key_id}/revoke", ends(signing_keys::revoke))
        .route("/variants", get(recipes::page).merge(post(recipes::add)))
        .route("/variants/{variant_id}/remove", ends(recipes::remove))
        .route("/variants/{variant_id}/render", post(recipes::render_existing))
        .route("/transcription", get(transcription::page).merge(post(transcription::save)))
        .route("/transcription/test", post(transcription::test))
        .route("/transcription/switch", post(transcription::switch))
        .route("/members", get(members::page).merge(post(members::invite)))
        .route("/members/{person_id}/role", ends(members::set_role))
        .route("/members/{person_id}/remove", ends(members::remove))
        .route("/invitations/{invitation_id}/withdraw", ends(members::withdraw))
}
