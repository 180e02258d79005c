//! Giving a key a new secret while the old one still works.

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use tonearm_domain::{ApiKeyId, KeyOverlap};

use super::keys::{managed, shown_title};
use crate::app::Dashboard;
use crate::error::PageError;
use crate::flash::Flash;
use crate::form::{Choice, Fields};
use crate::page::{Frame, Section, render};
use crate::path::PathId;
use crate::session::{Editor, Member};
use crate::text::t;

#[derive(Template)]
#[template(path = "settings/rotated_key.html")]
struct RotatedKeyPage {
    frame: Frame,
    title: String,
    key: String,
    old_until: Option<String>,
}

/// The choices for how long an old secret stays valid: some of the allowed hours.
pub(super) fn overlaps() -> Vec<Choice> {
    let usual = KeyOverlap::default().hours();
    let choices = [
        (0, t("key-overlap-none")),
        (1, t("key-overlap-hours").with("count", 1)),
        (24, t("key-overlap-hours").with("count", 24)),
        (7 * 24, t("key-overlap-days").with("count", 7)),
        (KeyOverlap::MOST_HOURS, t("key-overlap-days").with("count", 30)),
    ];
    choices
        .into_iter()
        .map(|(hours, label)| Choice::new(hours.to_string(), String::from(label), hours == usual))
        .collect()
}

pub(super) async fn rotate(
    State(app): State<Dashboard>,
    member: Member<Editor>,
    PathId(id): PathId<ApiKeyId>,
    fields: Fields,
) -> Result<Response, PageError> {
    managed(&app, &member, id).await?;
    let overlap: KeyOverlap = fields.text("overlap").parse().map_err(|_| PageError::BadForm)?;
    let rotated = app.library.rotate_key(&member.caller(), id, overlap).await?;
    Ok(render(&RotatedKeyPage {
        frame: member.frame(t("key-rotated"), Section::Keys),
        title: shown_title(&rotated.key),
        key: rotated.text.reveal().to_owned(),
        old_until: rotated.old_until.map(|at| at.to_string()),
    }))
}

pub(super) async fn end_old(
    State(app): State<Dashboard>,
    member: Member<Editor>,
    PathId(id): PathId<ApiKeyId>,
) -> Result<Response, PageError> {
    managed(&app, &member, id).await?;
    app.library.end_old_secret(&member.caller(), id).await?;
    Ok(Flash::OldSecretEnded.then(&member.path("/keys")))
}
