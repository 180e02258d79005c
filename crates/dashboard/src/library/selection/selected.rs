//! The tracks selected in a list, and the way back to the list.

use axum::response::Response;
use tonearm_domain::{CollectionId, TrackId};
use tonearm_service::{Changed, Refusal, SelectedTracks};

use crate::app::Dashboard;
use crate::error::PageError;
use crate::flash::Flash;
use crate::form::Fields;
use crate::session::{Editor, Member};
use crate::text::{Message, t};

/// The tracks named in a form, and the list that it was sent from. Templates have it as `selection`.
pub(super) struct Selection {
    pub(super) tracks: SelectedTracks,
    pub(super) list: Option<CollectionId>,
    /// The title of the list's collection.
    pub(super) list_title: Option<String>,
}

impl Selection {
    pub(super) async fn of(
        app: &Dashboard,
        member: &Member<Editor>,
        fields: &Fields,
    ) -> Result<Self, PageError> {
        let ids: Result<Vec<TrackId>, _> = fields.all("track").map(str::parse).collect();
        let tracks = selected(ids.map_err(|_| PageError::BadForm)?)?;
        let list: Option<CollectionId> = fields.text("list").parse().ok();
        let titles = app.library.titles(&member.caller(), list.as_slice(), &[]).await?;
        let list_title = list.and_then(|id| titles.collections.get(&id).cloned());
        Ok(Self { tracks, list, list_title })
    }

    /// The path of the list, below an organization's address.
    pub(super) fn back(&self) -> String {
        list_of(self.list)
    }

    pub(super) fn list(&self) -> String {
        self.list.map(|id| id.to_string()).unwrap_or_default()
    }

    /// A message with the number of tracks.
    pub(super) fn counted(&self, id: &'static str) -> Message {
        t(id).with("count", self.tracks.ids().len())
    }
}

/// Refuses an empty or too large selection with a sentence of its own.
pub(super) fn selected(ids: Vec<TrackId>) -> Result<SelectedTracks, PageError> {
    SelectedTracks::new(ids).map_err(|refusal| match refusal {
        Refusal::Invalid { message, .. } => PageError::Selection(message),
        other => other.into(),
    })
}

pub(super) fn list_of(collection: Option<CollectionId>) -> String {
    collection.map_or_else(|| "/tracks".to_owned(), |id| format!("/collections/{id}"))
}

/// Redirects to a list, with a button that undoes the change.
pub(super) fn done(member: &Member<Editor>, back: &str, flash: Flash, changed: Changed) -> Response {
    let address = member.path(back);
    match changed {
        Changed { undo: Some(id), .. } => flash.then_undo(&address, id.uuid()),
        Changed { count: 0, .. } => Flash::NothingChanged.then(&address),
        Changed { .. } => flash.then(&address),
    }
}
