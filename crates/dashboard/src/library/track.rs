//! One track: play, edit, delete.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Redirect, Response};
use http::StatusCode;
use tonearm_domain::{CoverOwner, TrackId};
use tonearm_service::{Playable, Refusal, Resource, UpdateTrack};

use super::colours::chosen_colour;
use super::track_page::TrackPage;
use crate::app::Dashboard;
use crate::cover;
use crate::embed::{PlayerData, SourceData, TrackData, covers};
use crate::error::PageError;
use crate::flash::Flash;
use crate::form::{Fields, FileForm, Problems};
use crate::page::{render, render_with};
use crate::path::PathId;
use crate::session::{Editor, Member, Viewer};
use crate::visit::RequestVisit;

pub(super) async fn page(
    State(app): State<Dashboard>,
    member: Member<Viewer>,
    PathId(id): PathId<TrackId>,
) -> Result<Response, PageError> {
    Ok(render(&TrackPage::of(&app, &member, id).await?))
}

pub(super) async fn save(
    State(app): State<Dashboard>,
    member: Member<Editor>,
    PathId(id): PathId<TrackId>,
    fields: Fields,
) -> Result<Response, PageError> {
    let Err(refusal) = change(&app, &member, id, &fields).await else {
        return Ok(Flash::Saved.then(&member.path(&format!("/tracks/{id}"))));
    };
    let mut problems = Problems::of(refusal)?;
    let mut page = TrackPage::of(&app, &member, id).await?;
    page.player_title = page.player_title.sent("player_title", &fields, &mut problems);
    page.player_subtitle = page.player_subtitle.sent("player_subtitle", &fields, &mut problems);
    page.organization_index = page.organization_index.sent("organization_index", &fields, &mut problems);
    page.colour = page.colour.sent(&fields, &mut problems);
    page.problems = problems;
    Ok(render_with(page.problems.status(), &page))
}

async fn change(
    app: &Dashboard,
    member: &Member<Editor>,
    id: TrackId,
    fields: &Fields,
) -> Result<(), Refusal> {
    let update = UpdateTrack {
        player_title: fields.text_change("player_title"),
        player_subtitle: fields.text_change("player_subtitle"),
        organization_index: fields.text_change("organization_index"),
        player_colour: chosen_colour(fields)?,
        ..UpdateTrack::default()
    };
    app.library.update_track(&member.caller(), id, update).await?;
    Ok(())
}

pub(super) async fn save_cover(
    State(app): State<Dashboard>,
    member: Member<Editor>,
    PathId(id): PathId<TrackId>,
    form: FileForm,
) -> Result<Response, PageError> {
    let Err(problems) = cover::save(&app, &member, CoverOwner::Track(id), form).await? else {
        return Ok(Flash::CoverSaved.then(&member.path(&format!("/tracks/{id}"))));
    };
    let mut page = TrackPage::of(&app, &member, id).await?;
    page.problems = problems;
    Ok(render_with(StatusCode::UNPROCESSABLE_ENTITY, &page))
}

/// Removes the uploaded cover, so that the one from the file is used.
pub(super) async fn reset_cover(
    State(app): State<Dashboard>,
    member: Member<Editor>,
    PathId(id): PathId<TrackId>,
) -> Result<Response, PageError> {
    app.library.reset_cover(&member.caller(), CoverOwner::Track(id)).await?;
    Ok(Flash::CoverReset.then(&member.path(&format!("/tracks/{id}"))))
}

pub(super) async fn delete(
    State(app): State<Dashboard>,
    member: Member<Editor>,
    PathId(id): PathId<TrackId>,
) -> Result<Response, PageError> {
    let deleted = app.library.delete_track(&member.caller(), id).await?.track;
    let list = member.path(&format!("/collections/{}", deleted.collection_id));
    Ok(Flash::TrackDeleted.then_undo(&list, deleted.id.uuid()))
}

pub(super) async fn retry(
    State(app): State<Dashboard>,
    member: Member<Editor>,
    PathId(id): PathId<TrackId>,
    fields: Fields,
) -> Result<Response, PageError> {
    let only = match fields.text("variant") {
        "" => None,
        index => Some(index.parse().map_err(|_| PageError::Refused(Refusal::NotFound(Resource::Variant)))?),
    };
    app.library.retry_track(&member.caller(), id, only.as_ref()).await?;
    Ok(Flash::RetryQueued.then(&member.path(&format!("/tracks/{id}"))))
}

/// Redirects to the original source, for download.
pub(super) async fn original(
    State(app): State<Dashboard>,
    member: Member<Editor>,
    PathId(id): PathId<TrackId>,
) -> Result<Response, PageError> {
    let url = app.playback.original_download(&member.caller(), id).await?;
    Ok(Redirect::to(&url).into_response())
}

/// The player data for the page's player.
pub(super) async fn data(
    State(app): State<Dashboard>,
    member: Member<Viewer>,
    PathId(id): PathId<TrackId>,
    visit: RequestVisit,
) -> Result<Json<PlayerData>, PageError> {
    let Playable { track: view, cover, levels, variants, .. } =
        app.playback.audition(&member.caller(), id, Some(&visit.counted())).await?;
    let whole = variants.iter().filter(|variant| variant.key.file.content_type.mime().starts_with("audio/"));
    let whole = whole.filter(|variant| !matches!(variant.data, tonearm_domain::FileData::Preview { .. }));
    let sources = whole.map(|variant| SourceData {
        url: variant.url.clone(),
        content_type: variant.key.file.content_type.mime(),
        label: variant.file.recipe.index.to_string(),
    });
    let has_words = view.track.transcription.is_some();
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
        captions: has_words.then(|| member.path(&format!("/tracks/{id}/captions.vtt"))),
        sources: sources.collect(),
        levels,
    };
    Ok(Json(PlayerData { ok: true, title: None, tracks: Vec::new(), next: None, track: Some(track) }))
}
