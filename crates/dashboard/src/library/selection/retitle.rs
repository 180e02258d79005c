//! Changing the titles of the selected tracks.

use std::collections::HashMap;

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use tonearm_domain::TrackId;
use tonearm_service::{NewTitle, Refusal};

use super::selected::{Selection, done, selected};
use crate::app::Dashboard;
use crate::error::PageError;
use crate::flash::Flash;
use crate::form::{Fields, Problems};
use crate::page::{Frame, Section, render_with};
use crate::session::{Editor, Member};
use crate::text::t;

/// The form to change the titles of tracks.
#[derive(Template)]
#[template(path = "library/retitle.html")]
pub(super) struct RetitlePage {
    frame: Frame,
    selection: Selection,
    rows: Vec<TitleRow>,
    problems: Problems,
}

struct TitleRow {
    id: TrackId,
    /// The title that players show.
    shown: String,
    /// The title that was set when the form was opened.
    opened_with: String,
    /// The title to set.
    title: String,
    /// Whether somebody else has changed the title since the form was opened.
    is_changed_elsewhere: bool,
}

pub(in crate::library) async fn retitle(
    State(app): State<Dashboard>,
    member: Member<Editor>,
    fields: Fields,
) -> Result<Response, PageError> {
    let selection = Selection::of(&fields)?;
    let pairs: Vec<(&str, &str)> =
        fields.all("opened_with").map(str::trim).zip(fields.all("title").map(str::trim)).collect();
    if pairs.len() != selection.tracks.ids().len() {
        return Err(PageError::BadForm);
    }
    let titles = selection.tracks.ids().iter().zip(&pairs).map(|(id, (before, title))| NewTitle {
        id: *id,
        before: Some((*before).to_owned()),
        title: Some((*title).to_owned()),
    });
    let refusal = match app.library.retitle_tracks(&member.caller(), titles.collect()).await {
        Ok(changed) => return Ok(done(&member, &selection.back(), Flash::TracksRetitled, changed)),
        Err(refusal @ (Refusal::Invalid { .. } | Refusal::Conflict { .. })) => refusal,
        Err(refusal) => return Err(refusal.into()),
    };
    let sent: HashMap<TrackId, (&str, &str)> = selection.tracks.ids().iter().copied().zip(pairs).collect();
    let mut page = RetitlePage::of(&app, &member, selection).await?;
    for row in &mut page.rows {
        let Some((before, title)) = sent.get(&row.id).filter(|(before, title)| before != title) else {
            continue;
        };
        row.is_changed_elsewhere = row.opened_with != *before && row.opened_with != *title;
        (*title).clone_into(&mut row.title);
    }
    if page.problems.is_none() {
        page.problems = Problems::of(refusal)?;
    }
    Ok(render_with(StatusCode::UNPROCESSABLE_ENTITY, &page))
}

impl RetitlePage {
    /// Tracks that were deleted meanwhile are left out.
    pub(super) async fn of(
        app: &Dashboard,
        member: &Member<Editor>,
        selection: Selection,
    ) -> Result<Self, PageError> {
        let tracks = app.library.selected_tracks(&member.caller(), &selection.tracks).await?;
        let problems = if tracks.len() < selection.tracks.ids().len() {
            Problems::one("", &t("library-tracks-left-out").to_string())
        } else {
            Problems::default()
        };
        let selection =
            Selection { tracks: selected(tracks.iter().map(|track| track.id).collect())?, ..selection };
        let row = |track: tonearm_domain::Track| {
            let shown = track.shown_title().to_owned();
            let title = track.player_title.unwrap_or_default();
            TitleRow { id: track.id, shown, opened_with: title.clone(), title, is_changed_elsewhere: false }
        };
        Ok(Self {
            frame: member.frame(selection.counted("library-retitle-count"), Section::Library),
            selection,
            rows: tracks.into_iter().map(row).collect(),
            problems,
        })
    }
}
