//! The transcript of a track: editing it as WebVTT, downloading it, and transcribing again.

use askama::Template;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use serde::Deserialize;
use tonearm_domain::{LeftOut, TrackId};
use tonearm_service::{EditTranscript, Refusal, Transcript};

use crate::app::Dashboard;
use crate::error::PageError;
use crate::flash::Flash;
use crate::form::{Fields, Problems};
use crate::page::{Frame, Section, render, render_with};
use crate::path::{PathId, Query};
use crate::session::{Editor, Member, Viewer};
use crate::text::{Message, t};

#[derive(Template)]
#[template(path = "library/transcript.html")]
struct TranscriptPage {
    frame: Frame,
    id: String,
    title: String,
    captions: String,
    language: String,
    version: String,
    edited_at: Option<String>,
    /// Whether a provider can transcribe the track.
    may_transcribe: bool,
    /// What of the text that was saved is not kept: lines, and what is missing there.
    left_out: Vec<(Message, String)>,
    problems: Problems,
}

/// The most lines that are shown.
const MOST_LEFT_OUT: usize = 20;

pub(super) async fn page(
    State(app): State<Dashboard>,
    member: Member<Editor>,
    PathId(id): PathId<TrackId>,
) -> Result<Response, PageError> {
    Ok(render(&TranscriptPage::of(&app, &member, id).await?))
}

pub(super) async fn save(
    State(app): State<Dashboard>,
    member: Member<Editor>,
    PathId(id): PathId<TrackId>,
    fields: Fields,
) -> Result<Response, PageError> {
    let edit = edit_of(&fields);
    let refusal = match app.library.edit_transcript(&member.caller(), id, edit.clone()).await {
        Ok(left_out) if left_out.is_empty() => {
            return Ok(Flash::Saved.then(&member.path(&format!("/tracks/{id}"))));
        }
        Ok(left_out) => {
            let page = TranscriptPage::of(&app, &member, id).await?;
            return Ok(render(&TranscriptPage { left_out: in_words(left_out), ..page }));
        }
        Err(refusal) => refusal,
    };
    let status = match refusal {
        Refusal::Conflict { .. } => StatusCode::CONFLICT,
        _ => StatusCode::UNPROCESSABLE_ENTITY,
    };
    let page = TranscriptPage::of(&app, &member, id).await?;
    let (captions, language) = (edit.captions, edit.language);
    Ok(render_with(status, &TranscriptPage { captions, language, problems: Problems::of(refusal)?, ..page }))
}

fn in_words(left_out: Vec<LeftOut>) -> Vec<(Message, String)> {
    let more = left_out.len().saturating_sub(MOST_LEFT_OUT);
    let line = |part: LeftOut| (t("track-captions-line").with("line", part.line), part.text);
    let lines = left_out.into_iter().take(MOST_LEFT_OUT).map(line);
    lines.chain((more > 0).then(|| (t("track-captions-more").with("count", more), String::new()))).collect()
}

/// The fields of the form. A file replaces the text.
fn edit_of(fields: &Fields) -> EditTranscript {
    let text = match fields.raw("file") {
        "" => fields.raw("captions"),
        file => file,
    };
    let language = fields.text("language").to_owned();
    EditTranscript { captions: text.to_owned(), language, version: fields.raw("version").to_owned() }
}

pub(super) async fn transcribe(
    State(app): State<Dashboard>,
    member: Member<Editor>,
    PathId(id): PathId<TrackId>,
    fields: Fields,
) -> Result<Response, PageError> {
    // Only the page of the transcript warns that edits are replaced.
    app.transcriptions.retry(&member.caller(), id, fields.is_ticked("overwrite")).await?;
    Ok(Flash::TranscriptionQueued.then(&member.path(&format!("/tracks/{id}"))))
}

#[derive(Deserialize)]
pub(super) struct CaptionsQuery {
    /// Whether it is downloaded as a file.
    download: Option<String>,
}

pub(super) async fn captions(
    State(app): State<Dashboard>,
    member: Member<Viewer>,
    PathId(id): PathId<TrackId>,
    Query(query): Query<CaptionsQuery>,
) -> Result<Response, PageError> {
    let captions = app.playback.own_captions(&member.caller(), id).await?;
    let headers = [(CONTENT_TYPE, "text/vtt; charset=utf-8")];
    let mut response = (headers, captions).into_response();
    if query.download.is_some() {
        let saved = http::HeaderValue::from_static("attachment; filename=\"captions.vtt\"");
        response.headers_mut().insert(CONTENT_DISPOSITION, saved);
    }
    Ok(response)
}

impl TranscriptPage {
    async fn of(app: &Dashboard, member: &Member<Editor>, id: TrackId) -> Result<Self, PageError> {
        let caller = member.caller();
        let view = app.library.track(&caller, id).await?;
        let Transcript { captions, language, edited_at, version } =
            app.library.transcript(&caller, id).await?;
        let settings = app.transcriptions.settings(&caller).await?;
        Ok(Self {
            frame: member.frame(t("track-transcript"), Section::Library),
            id: id.to_string(),
            title: view.title,
            captions,
            language: language.unwrap_or_default(),
            version,
            edited_at: edited_at.map(|at| at.to_string()),
            may_transcribe: settings.base_url.is_some() && view.track.status.is_playable(),
            left_out: Vec::new(),
            problems: Problems::default(),
        })
    }
}
