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

/// Routes below an organization's address.
pub(crate) fn routes() -> Router<Dashboard> {
    Router::new()
        .route("/organization", get(organization::page).post(organization::save))
        .route("/organization/cover", post(organization::save_cover))
        .route("/organization/cover/remove", post(organization::remove_cover))
        .route("/keys", get(keys::page))
        .route("/keys/new", get(new_key::page).post(new_key::create))
        .route("/keys/{api_key_id}", get(edit_key::page).post(edit_key::save))
        .route("/keys/{api_key_id}/revoke", post(keys::revoke))
        .route("/keys/{api_key_id}/rotate", post(rotate_key::rotate))
        .route("/keys/{api_key_id}/end-old", post(rotate_key::end_old))
        .route("/sessions", get(sessions::page))
        .route("/sessions/play/{session_handle}/end", post(sessions::end_play))
        .route("/sessions/upload/{session_handle}/end", post(sessions::end_upload))
        .route("/signing-keys", get(signing_keys::page).post(signing_keys::create))
        .route("/signing-keys/{signing_key_id}/revoke", post(signing_keys::revoke))
        .route("/variants", get(recipes::page).post(recipes::add))
        .route("/variants/{variant_id}/remove", post(recipes::remove))
        .route("/variants/{variant_id}/render", post(recipes::render_existing))
        .route("/transcription", get(transcription::page).post(transcription::save))
        .route("/transcription/test", post(transcription::test))
        .route("/transcription/switch", post(transcription::switch))
        .route("/members", get(members::page).post(members::invite))
        .route("/members/{person_id}/role", post(members::set_role))
        .route("/members/{person_id}/remove", post(members::remove))
        .route("/invitations/{invitation_id}/withdraw", post(members::withdraw))
}
