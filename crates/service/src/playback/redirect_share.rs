//! Inline share links.

use tonearm_domain::{Action, FileOutcome, TrackId, UsageCounts};

use super::Playback;
use crate::{Noun, Refusal};

impl Playback {
    /// Where a share link leads: a URL of the key's one variant, signed afresh and valid for an hour. Counted.
    pub async fn redirect_share(&self, track_id: TrackId, key_text: &str) -> Result<String, Refusal> {
        let key = self.access.key(key_text, Action::Share).await?;
        let not_found = Refusal::NotFound(Noun::Track);
        let Some(ready) = self.lookups.track(key.organization_id, track_id).await? else {
            return Err(not_found);
        };
        let track = &ready.track;
        if !key.scope.covers_track(track.collection_id, track_id) || !track.is_playable() {
            return Err(not_found);
        }
        let object =
            ready.files.iter().filter(|file| key.variants.contains(&file.recipe.index)).find_map(|file| {
                match &file.outcome {
                    FileOutcome::Made { key, .. } => Some((&file.recipe.index, key)),
                    FileOutcome::Failed { .. } => None,
                }
            });
        let (variant, object) = object.ok_or(not_found)?;
        self.count(track, Some(variant), UsageCounts::STREAM_REDIRECT);
        Ok(self.links.delivery(object, None, None))
    }
}
