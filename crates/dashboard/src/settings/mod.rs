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
use axum::routing::get;

use crate::app::Dashboard;
use crate::purpose::{adds, ends};

/// Routes below an organization's address.
pub(crate) fn routes() -> Router<Dashboard> {
    Router::new()
        .route("/organization", get(organization::page).merge(adds(organization::save)))
        .route("/organization/cover", adds(organization::save_cover))
        .route("/organization/cover/remove", ends(organization::remove_cover))
        .route("/keys", get(keys::page))
        .route("/keys/new", get(new_key::page).merge(adds(new_key::create)))
        // It asks for room itself, unless it only narrows a right.
        .route("/keys/{api_key_id}", get(edit_key::page).merge(ends(edit_key::save)))
        .route("/keys/{api_key_id}/revoke", ends(keys::revoke))
        .route("/keys/{api_key_id}/rotate", adds(rotate_key::rotate))
        .route("/keys/{api_key_id}/end-old", ends(rotate_key::end_old))
        .route("/sessions", get(sessions::page))
        .route("/sessions/play/{session_handle}/end", ends(sessions::end_play))
        .route("/sessions/upload/{session_handle}/end", ends(sessions::end_upload))
        .route("/signing-keys", get(signing_keys::page).merge(adds(signing_keys::create)))
        .route("/signing-keys/{signing_key_id}/revoke", ends(signing_keys::revoke))
        .route("/variants", get(recipes::page).merge(adds(recipes::add)))
        .route("/variants/{variant_id}/remove", ends(recipes::remove))
        .route("/variants/{variant_id}/render", adds(recipes::render_existing))
        .route("/transcription", get(transcription::page).merge(adds(transcription::save)))
        .route("/transcription/test", adds(transcription::test))
        .route("/transcription/switch", adds(transcription::switch))
        .route("/members", get(members::page).merge(adds(members::invite)))
        .route("/members/{person_id}/role", ends(members::set_role))
        .route("/members/{person_id}/remove", ends(members::remove))
        .route("/invitations/{invitation_id}/withdraw", ends(members::withdraw))
}
