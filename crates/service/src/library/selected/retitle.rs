//! Changing the titles of many tracks.

use std::collections::HashMap;

use tonearm_catalog::Transaction;
use tonearm_domain::{AuditAction, Patch, RetitledTrack, Track, TrackId, UndoableChange};

use super::{Changed, SelectedTracks, keep_undo, lock};
use crate::audit::{self, AuditedAction};
use crate::caller::Caller;
use crate::library::Library;
use crate::library::texts::LONGEST;
use crate::refusal::Refusal;

/// A new title for a track.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewTitle {
    /// Which track.
    pub id: TrackId,
    /// Its title, at most 1000 characters. If it is cleared, the title of the file applies.
    pub title: Patch<String>,
}

impl Library {
    /// Sets the titles shown in players. Tracks that already have the title are left alone. If a title was changed by
    /// somebody else meanwhile, nothing is changed.
    pub async fn retitle_tracks(&self, caller: &Caller, titles: Vec<NewTitle>) -> Result<Changed, Refusal> {
        let selected = SelectedTracks::new(titles.iter().map(|new| new.id))?;
        let mut wanted: HashMap<_, _> = titles.into_iter().map(|new| (new.id, new.title)).collect();
        let tx = self.catalog.begin().await?;
        let mut retitled = Vec::new();
        for track in lock(&tx, caller, &selected).await? {
            let Some(title) = wanted.remove(&track.id) else { continue };
            let before = track.player_title.clone();
            let mut after = before.clone();
            title.apply(&mut after)?;
            if after != before {
                if after.as_ref().is_some_and(|title| title.chars().count() > LONGEST) {
                    let message = format!("a title has at most {LONGEST} characters; shorten it");
                    return Err(Refusal::invalid("title", message));
                }
                retitled.push(RetitledTrack { id: track.id, before, after: after.clone() });
                self.set_title(&tx, caller, track, after).await?;
            }
        }
        let count = retitled.len();
        if count == 0 {
            return Ok(Changed { count, undo: None });
        }
        let undo = keep_undo(&tx, &self.ambient, caller, UndoableChange::Titles { tracks: retitled }).await?;
        tx.commit().await?;
        Ok(Changed { count, undo })
    }

    /// Sets the title of a track that this transaction has locked.
    pub(super) async fn set_title(
        &self,
        tx: &Transaction,
        caller: &Caller,
        mut track: Track,
        title: Option<String>,
    ) -> Result<(), Refusal> {
        track.player_title = title;
        tx.update_track(&track).await?;
        let done = AuditedAction {
            action: AuditAction::TrackUpdate,
            subject_id: track.id.uuid(),
            title: &track.file_name,
        };
        Ok(audit::record(tx, &self.ambient, caller, done).await?)
    }
}
