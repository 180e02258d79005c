//! One track: to hear, to edit, to delete.

use askama::Template;
use axum::Json;
use axum::extract::{Multipart, Path, State};
use axum::response::Response;
use http::StatusCode;
use tonearm_domain::{CoverOwner, FailedVariant, Role, TrackId};
use tonearm_service::{Playable, Refusal, Resource, UpdateTrack};

use super::collection::set_or_clear;
use super::colours::{ColourField, chosen_colour};
use super::file_tags::FileTags;
use super::listed::said_of;
use crate::amount::clock;
use crate::app::Dashboard;
use crate::embed::{self, PlayerData, SourceData, TrackData, covers};
use crate::error::PageError;
use crate::flash::Flash;
use crate::form::{Fields, Problems};
use crate::page::{Frame, Section, render, render_with};
use crate::picture::picture;
use crate::session::{Editor, Member, Viewer};

#[derive(Template)]
#[template(path = "library/track.html")]
struct TrackPage {
    frame: Frame,
    player_script: String,
    may_edit: bool,
    id: String,
    collection_id: String,
    title: String,
    subtitle: String,
    player_title: String,
    player_subtitle: String,
    organization_index: String,
    file_name: String,
    length: String,
    status: &'static str,
    tone: &'static str,
    is_open: bool,
    is_making: bool,
    is_playable: bool,
    is_truncated: bool,
    may_retry: bool,
    reason: Option<String>,
    cover: Option<String>,
    colour: ColourField,
    variants: Vec<VariantRow>,
    failed: Vec<FailedVariant>,
    transcription: Option<String>,
    language: String,
    told: FileTags,
    problems: Problems,
}

/// A variant to hear or to save.
struct VariantRow {
    index: String,
    content_type: &'static str,
    size: String,
    url: String,
    saving: String,
}

pub(super) fn track_id(text: &str) -> Result<TrackId, PageError> {
    text.parse().map_err(|_| PageError::Refused(Refusal::NotFound(Resource::Track)))
}

pub(super) async fn page(
    State(app): State<Dashboard>,
    member: Member<Viewer>,
    Path((_, id)): Path<(String, String)>,
) -> Result<Response, PageError> {
    Ok(render(&TrackPage::of(&app, &member, track_id(&id)?).await?))
}

pub(super) async fn save(
    State(app): State<Dashboard>,
    member: Member<Editor>,
    Path((_, id)): Path<(String, String)>,
    fields: Fields,
) -> Result<Response, PageError> {
    let id = track_id(&id)?;
    let Err(refusal) = change(&app, &member, id, &fields).await else {
        return Ok(Flash::Saved.then(&member.path(&format!("/tracks/{id}"))));
    };
    let problems = Problems::of(refusal)?;
    let page = TrackPage::of(&app, &member, id).await?;
    let page = TrackPage {
        player_title: fields.text("player_title").to_owned(),
        player_subtitle: fields.text("player_subtitle").to_owned(),
        organization_index: fields.text("organization_index").to_owned(),
        colour: page.colour.sent(&fields),
        problems,
        ..page
    };
    Ok(render_with(StatusCode::UNPROCESSABLE_ENTITY, &page))
}

async fn change(
    app: &Dashboard,
    member: &Member<Editor>,
    id: TrackId,
    fields: &Fields,
) -> Result<(), Refusal> {
    let update = UpdateTrack {
        player_title: set_or_clear(fields.text("player_title")),
        player_subtitle: set_or_clear(fields.text("player_subtitle")),
        organization_index: set_or_clear(fields.text("organization_index")),
        player_colour: chosen_colour(fields)?,
        ..UpdateTrack::default()
    };
    app.library.update_track(&member.caller(), id, update).await?;
    Ok(())
}

pub(super) async fn save_cover(
    State(app): State<Dashboard>,
    member: Member<Editor>,
    Path((_, id)): Path<(String, String)>,
    form: Multipart,
) -> Result<Response, PageError> {
    let id = track_id(&id)?;
    let picture = picture(form).await?;
    app.library.track(&member.caller(), id).await?;
    match app
        .uploads
        .accept_cover(member.caller().origin, member.organization.id, CoverOwner::Track(id), picture)
        .await
    {
        Ok(_) => Ok(Flash::CoverSaved.then(&member.path(&format!("/tracks/{id}")))),
        Err(refusal) => {
            let problems = Problems::of(refusal)?;
            let page = TrackPage { problems, ..TrackPage::of(&app, &member, id).await? };
            Ok(render_with(StatusCode::UNPROCESSABLE_ENTITY, &page))
        }
    }
}

pub(super) async fn delete(
    State(app): State<Dashboard>,
    member: Member<Editor>,
    Path((_, id)): Path<(String, String)>,
) -> Result<Response, PageError> {
    let deleted = app.library.delete_track(&member.caller(), track_id(&id)?).await?.track;
    let list = member.path(&format!("/collections/{}", deleted.collection_id));
    Ok(Flash::TrackDeleted.then_undo(&list, deleted.id.uuid()))
}

pub(super) async fn retry(
    State(app): State<Dashboard>,
    member: Member<Editor>,
    Path((_, id)): Path<(String, String)>,
    fields: Fields,
) -> Result<Response, PageError> {
    let id = track_id(&id)?;
    let only = match fields.text("variant") {
        "" => None,
        index => Some(index.parse().map_err(|_| PageError::Refused(Refusal::NotFound(Resource::Variant)))?),
    };
    app.library.retry_track(&member.caller(), id, only.as_ref()).await?;
    Ok(Flash::RetryQueued.then(&member.path(&format!("/tracks/{id}"))))
}

/// What the page's player plays.
pub(super) async fn data(
    State(app): State<Dashboard>,
    member: Member<Viewer>,
    Path((_, id)): Path<(String, String)>,
) -> Result<Json<PlayerData>, PageError> {
    let Playable { track: view, cover, levels, variants } =
        app.playback.audition(&member.caller(), track_id(&id)?).await?;
    let whole = variants.iter().filter(|variant| variant.key.file.content_type.mime().starts_with("audio/"));
    let whole = whole.filter(|variant| !matches!(variant.data, tonearm_domain::FileData::Preview { .. }));
    let sources = whole.map(|variant| SourceData {
        url: variant.url.clone(),
        content_type: variant.key.file.content_type.mime(),
        label: variant.file.recipe.index.to_string(),
    });
    let track = TrackData {
        id: view.track.id.to_string(),
        title: view.title,
        subtitle: view.subtitle,
        duration: view.track.duration,
        player_color: view.colours.base,
        player_color_light: view.colours.light,
        player_color_dark: view.colours.dark,
        cover: covers(&cover),
        chapters: view.track.info.chapters,
        part: None,
        sources: sources.collect(),
        levels,
    };
    Ok(Json(PlayerData { ok: true, title: None, tracks: Vec::new(), track: Some(track) }))
}

impl TrackPage {
    async fn of<R>(app: &Dashboard, member: &Member<R>, id: TrackId) -> Result<Self, PageError> {
        let Playable { track: view, cover, variants, .. } =
            app.playback.audition(&member.caller(), id).await?;
        let is_importing = view.is_importing;
        let (track, colours, title) = (view.track, view.colours, view.title);
        let (status, tone, is_open) = said_of(track.status, is_importing);
        let may_retry = member.role >= Role::Editor && app.library.may_retry(&track).await?;
        let failed = app.library.failed_variants(&track).await?;
        let rows = variants.iter().map(|variant| VariantRow {
            index: variant.file.recipe.index.to_string(),
            content_type: variant.key.file.content_type.mime(),
            size: megabytes(variant.size),
            url: variant.url.clone(),
            saving: app.playback.saving(variant),
        });
        Ok(Self {
            frame: member.frame(&title, Section::Library),
            player_script: embed::address("player.js"),
            may_edit: member.role >= Role::Editor,
            id: id.to_string(),
            collection_id: track.collection_id.to_string(),
            title,
            player_title: track.player_title.unwrap_or_default(),
            player_subtitle: track.player_subtitle.unwrap_or_default(),
            subtitle: view.subtitle.unwrap_or_default(),
            organization_index: track.organization_index.unwrap_or_default(),
            file_name: track.file_name,
            length: clock(track.duration),
            status,
            tone,
            is_open,
            is_making: is_importing || track.status.is_processing(),
            is_playable: track.status.is_playable(),
            is_truncated: track.info.is_truncated,
            may_retry,
            reason: track.status_reason,
            cover: cover.last().map(|image| image.url.clone()),
            colour: ColourField::new(
                track.player_colour,
                colours.base,
                member.organization.is_theme_overridable,
            ),
            variants: rows.collect(),
            failed,
            told: FileTags::of(track.info),
            transcription: track.transcription,
            language: track.transcription_language.unwrap_or_default(),
            problems: Problems::default(),
        })
    }
}

/// Bytes as people read them.
fn megabytes(bytes: u64) -> String {
    if bytes < 1_000_000 {
        format!("{} kB", bytes.div_ceil(1000))
    } else {
        format!("{:.1} MB", bytes as f64 / 1e6)
    }
}
