//! What is decided about an organization.

mod edit_key;
mod key_fields;
mod key_snippets;
mod keys;
mod members;
mod new_key;
mod organization;
mod reach;
mod recipes;
mod signing_keys;
mod transcription;

use axum::Router;
use axum::routing::{get, post};
use tonearm_domain::Recipe;

use crate::app::Dashboard;

/// Below an organization's address.
pub(crate) fn routes() -> Router<Dashboard> {
    Router::new()
        .route("/organization", get(organization::page).post(organization::save))
        .route("/organization/cover", post(organization::save_cover))
        .route("/keys", get(keys::page))
        .route("/keys/new", get(new_key::page).post(new_key::create))
        .route("/keys/{api_key_id}", get(edit_key::page).post(edit_key::save))
        .route("/keys/{api_key_id}/revoke", post(keys::revoke))
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

/// A recipe in a few words.
pub(crate) fn recipe_line(recipe: &Recipe) -> String {
    let Some(transcode) = recipe.kind.transcode() else {
        return format!("{} · {}", recipe.index, recipe.kind.recipe_type().title().to_lowercase());
    };
    let codec = match transcode.codec {
        tonearm_domain::Codec::Aac => "AAC",
        tonearm_domain::Codec::Mp3 => "MP3",
        tonearm_domain::Codec::Ogg => "Ogg Vorbis",
        tonearm_domain::Codec::Opus => "Opus",
        tonearm_domain::Codec::Flac => "FLAC",
        tonearm_domain::Codec::Wav => "WAV",
    };
    let rate = transcode.told_bitrate().map(|rate| format!(" {rate} kbit/s")).unwrap_or_default();
    let part = match recipe.kind.recipe_type() {
        tonearm_domain::RecipeType::Preview => ", part of the track",
        _ => "",
    };
    format!("{} · {codec}{rate}{part}", recipe.index)
}
