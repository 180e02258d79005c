//! Making a picture the cover of the selected tracks.

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use tonearm_service::Refusal;

use super::selected::{Selection, done};
use crate::app::Dashboard;
use crate::error::PageError;
use crate::flash::Flash;
use crate::form::{FileForm, Problems};
use crate::page::{Frame, Section, render_with};
use crate::picture::picture_of_tracks;
use crate::session::{Editor, Member};

/// A picture that is to be the cover of tracks.
#[derive(Template)]
#[template(path = "library/set_cover.html")]
pub(super) struct CoverPage {
    frame: Frame,
    selection: Selection,
    problems: Problems,
}

/// Makes a picture the cover of all selected tracks.
pub(in crate::library) async fn set_cover(
    State(app): State<Dashboard>,
    member: Member<Editor>,
    form: FileForm,
) -> Result<Response, PageError> {
    let caller = member.caller();
    let (fields, picture) =
        form.read(|form| picture_of_tracks(form, &app.uploads, caller.organization_id)).await?;
    let selection = Selection::of(&app, &member, &fields).await?;
    match app.uploads.cover_tracks(&caller, &selection.tracks, picture.bytes.clone()).await {
        Ok(changed) => Ok(done(&member, &selection.back(), Flash::TracksCovered, changed)),
        Err(refusal @ Refusal::Invalid { .. }) => {
            let page = CoverPage { problems: Problems::of(refusal)?, ..CoverPage::of(&member, selection) };
            Ok(render_with(StatusCode::UNPROCESSABLE_ENTITY, &page))
        }
        Err(refusal) => Err(refusal.into()),
    }
}

impl CoverPage {
    pub(super) fn of(member: &Member<Editor>, selection: Selection) -> Self {
        Self {
            frame: member.frame(selection.counted("library-set-cover-count"), Section::Library),
            selection,
            problems: Problems::default(),
        }
    }
}
