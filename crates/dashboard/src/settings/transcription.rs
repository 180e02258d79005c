//! Transcription: who writes the words down.

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use tonearm_service::{SetTranscription, TranscriptionView};

use crate::app::Dashboard;
use crate::error::PageError;
use crate::flash::Flash;
use crate::form::{Fields, Problems};
use crate::page::{Frame, Section, render, render_with};
use crate::session::{Member, Owner};

#[derive(Template)]
#[template(path = "settings/transcription.html")]
struct TranscriptionPage {
    frame: Frame,
    is_enabled: bool,
    is_set: bool,
    has_key: bool,
    base_url: String,
    model: String,
    language: String,
    problems: Problems,
}

pub(super) async fn page(State(app): State<Dashboard>, member: Member<Owner>) -> Result<Response, PageError> {
    let view = app.transcriptions.settings(&member.caller()).await?;
    Ok(render(&TranscriptionPage::of(&member, view)))
}

/// A key that is left empty stays; the box beside it removes it.
pub(super) async fn save(
    State(app): State<Dashboard>,
    member: Member<Owner>,
    fields: Fields,
) -> Result<Response, PageError> {
    let typed = fields.text("key");
    let key = if fields.is_ticked("removes_key") {
        Some(String::new())
    } else {
        Some(typed.to_owned()).filter(|key| !key.is_empty())
    };
    let set = SetTranscription {
        base_url: fields.text("base_url").to_owned(),
        key,
        model: fields.text("model").to_owned(),
        language: Some(fields.text("language").to_owned()).filter(|code| !code.is_empty()),
    };
    let caller = member.caller();
    match app.transcriptions.set(&caller, set).await {
        Ok(()) => Ok(Flash::Saved.then(&member.path("/transcription"))),
        Err(refusal) => {
            let problems = Problems::of(refusal)?;
            let view = app.transcriptions.settings(&caller).await?;
            let page = TranscriptionPage {
                base_url: fields.text("base_url").to_owned(),
                model: fields.text("model").to_owned(),
                language: fields.text("language").to_owned(),
                problems,
                ..TranscriptionPage::of(&member, view)
            };
            Ok(render_with(StatusCode::UNPROCESSABLE_ENTITY, &page))
        }
    }
}

pub(super) async fn switch(
    State(app): State<Dashboard>,
    member: Member<Owner>,
    fields: Fields,
) -> Result<Response, PageError> {
    app.transcriptions.enable(&member.caller(), fields.text("to") == "on").await?;
    Ok(Flash::Saved.then(&member.path("/transcription")))
}

impl TranscriptionPage {
    fn of(member: &Member<Owner>, view: TranscriptionView) -> Self {
        Self {
            frame: member.frame("Transcription", Section::Transcription),
            is_enabled: view.is_enabled,
            is_set: view.base_url.is_some(),
            has_key: view.has_key,
            base_url: view.base_url.unwrap_or_default(),
            model: view.model.unwrap_or_default(),
            language: view.language.unwrap_or_default(),
            problems: Problems::default(),
        }
    }
}
