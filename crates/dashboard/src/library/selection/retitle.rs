//! Changing the titles of the selected tracks.

use std::collections::HashMap;

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use tonearm_domain::TrackId;
use tonearm_service::{NewTitle, Refusal};

use super::selected::{Selection, done, selected};
use crate::app::Dashboard;
use crate::edited::Edited;
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
    /// The title to set.
    title: Edited<String>,
    /// What is wrong with it.
    problems: Problems,
}

pub(in crate::library) async fn retitle(
    State(app): State<Dashboard>,
    member: Member<Editor>,
    fields: Fields,
) -> Result<Response, PageError> {
    let selection = Selection::of(&app, &member, &fields).await?;
    let titles = fields.all("title").zip(fields.all("opened_with_title"));
    let form = |(title, before)| {
        let field = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        Fields::from(vec![field("title", title), field("opened_with_title", before)])
    };
    let forms: Vec<Fields> = titles.map(form).collect();
    if forms.len() != selection.tracks.ids().len() {
        return Err(PageError::BadForm);
    }
    let forms: HashMap<TrackId, Fields> = selection.tracks.ids().iter().copied().zip(forms).collect();
    let titles = forms.iter().map(|(id, form)| NewTitle { id: *id, title: form.text_change("title") });
    let refusal = match app.library.retitle_tracks(&member.caller(), titles.collect()).await {
        Ok(changed) => return Ok(done(&member, &selection.back(), Flash::TracksRetitled, changed)),
        Err(refusal @ (Refusal::Invalid { .. } | Refusal::Conflict { .. })) => refusal,
        Err(refusal) => return Err(refusal.into()),
    };
    let mut page = RetitlePage::of(&app, &member, selection).await?;
    let sent = |row: TitleRow| {
        let mut problems = Problems::default();
        let title = match forms.get(&row.id) {
            Some(form) => row.title.sent("title", form, &mut problems),
            None => row.title,
        };
        TitleRow { title, problems, ..row }
    };
    page.rows = page.rows.into_iter().map(sent).collect();
    if page.problems.is_none() {
        page.problems = Problems::of(refusal)?;
    }
    Ok(render_with(page.problems.status(), &page))
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
            TitleRow {
                id: track.id,
                shown,
                title: Edited::new(track.player_title),
                problems: Problems::default(),
            }
        };
        Ok(Self {
            frame: member.frame(selection.counted("library-retitle-count"), Section::Library),
            selection,
            rows: tracks.into_iter().map(row).collect(),
            problems,
        })
    }
}
