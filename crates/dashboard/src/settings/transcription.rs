//! Transcription settings: the provider.

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use tonearm_domain::Patch;
use tonearm_service::{ProviderTest, SetTranscription, TranscriptionView};

use crate::amount::decimal;
use crate::app::Dashboard;
use crate::edited::Edited;
use crate::error::PageError;
use crate::flash::Flash;
use crate::form::{Fields, Problems};
use crate::page::{Frame, Section, render, render_with};
use crate::refusal_text::sentence;
use crate::session::{Member, Owner};
use crate::text::{t, translate};

#[derive(Template)]
#[template(path = "settings/transcription.html")]
struct TranscriptionPage {
    frame: Frame,
    is_enabled: bool,
    is_set: bool,
    has_key: bool,
    base_url: Edited<String>,
    model: Edited<String>,
    language: Edited<String>,
    failures: Vec<FailureRow>,
    /// The result of testing the provider: whether it succeeded, and a sentence.
    tested: Option<(bool, String)>,
    problems: Problems,
}

struct FailureRow {
    track_id: String,
    title: Option<String>,
    reason: String,
    at: String,
    is_retried: bool,
}

pub(super) async fn page(State(app): State<Dashboard>, member: Member<Owner>) -> Result<Response, PageError> {
    let view = app.transcriptions.settings(&member.caller()).await?;
    Ok(render(&TranscriptionPage::of(&app, &member, view).await?))
}

/// An empty key field keeps the key; the checkbox beside it removes it.
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
    // A key is for the server that the form shows.
    let base_url = match fields.opened_with::<String>("base_url") {
        Some(from) if key.is_some() => Patch::Change { from, to: Some(fields.text("base_url").to_owned()) },
        _ => fields.text_change("base_url"),
    };
    let set = SetTranscription {
        base_url,
        key,
        model: fields.text_change("model"),
        language: fields.text_change("language"),
    };
    let caller = member.caller();
    match app.transcriptions.set(&caller, set).await {
        Ok(()) => Ok(Flash::Saved.then(&member.path("/transcription"))),
        Err(refusal) => {
            let mut problems = Problems::of(refusal)?;
            let view = app.transcriptions.settings(&caller).await?;
            let page = TranscriptionPage::of(&app, &member, view).await?;
            let page = TranscriptionPage {
                base_url: page.base_url.sent("base_url", &fields, &mut problems),
                model: page.model.sent("model", &fields, &mut problems),
                language: page.language.sent("language", &fields, &mut problems),
                problems,
                ..page
            };
            Ok(render_with(page.problems.status(), &page))
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

/// Sends a second of sound to the provider, and shows the result.
pub(super) async fn test(State(app): State<Dashboard>, member: Member<Owner>) -> Result<Response, PageError> {
    let caller = member.caller();
    let tested = match app.transcriptions.test(&caller).await? {
        ProviderTest::Answered { after, words } => {
            let id = if words.is_empty() { "transcription-silent" } else { "transcription-heard" };
            let seconds = decimal(after.as_secs_f64());
            (true, t(id).with("seconds", seconds).with("words", words).into())
        }
        ProviderTest::Failed(reason) => {
            let failed = t("transcription-test-failed").with("reason", translate(&reason));
            (false, sentence(&failed.to_string()))
        }
    };
    let view = app.transcriptions.settings(&caller).await?;
    let page = TranscriptionPage::of(&app, &member, view).await?;
    Ok(render(&TranscriptionPage { tested: Some(tested), ..page }))
}

impl TranscriptionPage {
    async fn of(app: &Dashboard, member: &Member<Owner>, view: TranscriptionView) -> Result<Self, PageError> {
        let failures = app.transcriptions.recent_failures(&member.caller()).await?;
        let failures = failures.into_iter().map(|failure| FailureRow {
            track_id: failure.track_id.to_string(),
            title: failure.title,
            reason: sentence(&failure.reason),
            at: failure.at.to_string(),
            is_retried: failure.is_retried,
        });
        Ok(Self {
            frame: member.frame(t("base-transcription"), Section::Transcription),
            is_enabled: view.is_enabled,
            is_set: view.base_url.is_some(),
            has_key: view.has_key,
            base_url: Edited::new(view.base_url),
            model: Edited::new(view.model),
            language: Edited::new(view.language),
            failures: failures.collect(),
            tested: None,
            problems: Problems::default(),
        })
    }
}
