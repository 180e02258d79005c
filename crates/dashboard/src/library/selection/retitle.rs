//! Changing the titles of the selected tracks.

use std::collections::HashMap;

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use tonearm_domain::TrackId;
use tonearm_service::{NewTitle, Refusal};

use super::selected::{Selection, done};
use crate::app::Dashboard;
use crate::error::PageError;
use crate::flash::Flash;
use crate::form::{Fields, Problems};
use crate::page::{Frame, Section, render_with};
use crate::session::{Editor, Member};

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
    /// The title that was set.
    title: String,
}

pub(in crate::library) async fn retitle(
    State(app): State<Dashboard>,
    member: Member<Editor>,
    fields: Fields,
) -> Result<Response, PageError> {
    let selection = Selection::of(&fields)?;
    let titles: Vec<&str> = fields.all("title").collect();
    if titles.len() != selection.tracks.ids().len() {
        return Err(PageError::BadForm);
    }
    let pairs = selection.tracks.ids().iter().zip(&titles);
    let wanted = pairs.map(|(id, title)| NewTitle { id: *id, title: Some((*title).to_owned()) }).collect();
    match app.library.retitle_tracks(&member.caller(), wanted).await {
        Ok(changed) => Ok(done(&member, &selection.back(), Flash::TracksRetitled, changed)),
        Err(refusal @ Refusal::Invalid { .. }) => {
            let mut page = RetitlePage::of(&app, &member, selection).await?;
            let typed: HashMap<&TrackId, &str> = page.selection.tracks.ids().iter().zip(titles).collect();
            for row in &mut page.rows {
                row.title = typed.get(&row.id).map(|title| (*title).to_owned()).unwrap_or_default();
            }
            page.problems = Problems::of(refusal)?;
            Ok(render_with(StatusCode::UNPROCESSABLE_ENTITY, &page))
        }
        Err(refusal) => Err(refusal.into()),
    }
}

impl RetitlePage {
    pub(super) async fn of(
        app: &Dashboard,
        member: &Member<Editor>,
        selection: Selection,
    ) -> Result<Self, PageError> {
        let tracks = app.library.selected_tracks(&member.caller(), &selection.tracks).await?;
        let row = |track: tonearm_domain::Track| TitleRow {
            id: track.id,
            shown: track.shown_title().to_owned(),
            title: track.player_title.unwrap_or_default(),
        };
        Ok(Self {
            frame: member.frame(selection.counted("library-retitle-count"), Section::Library),
            selection,
            rows: tracks.into_iter().map(row).collect(),
            problems: Problems::default(),
        })
    }
}
