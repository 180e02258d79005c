//! Titles and durations of some tracks of a session, for a list of them.

use tonearm_domain::{PlaySession, PlaySessionId, TrackId};

use super::Playback;
use crate::refusal::Refusal;
use crate::track_view::TrackView;

/// The most tracks that are described at once.
const MOST: usize = 100;

impl Playback {
    /// The tracks with these ids that the session can play, in the requested order. Other ids are left out. Nothing is
    /// counted, and nothing is signed.
    pub async fn describe_tracks(
        &self,
        id: PlaySessionId,
        tracks: &[TrackId],
    ) -> Result<(PlaySession, Vec<TrackView>), Refusal> {
        if tracks.is_empty() || tracks.len() > MOST {
            return Err(Refusal::invalid(
                "track_ids",
                format!("must be 1 to {MOST} ids, separated by commas"),
            ));
        }
        let session = self.valid_session(id).await?;
        let parents =
            self.0.lookups.parents(session.organization_id, self.collection_of(&session).await?).await?;
        let mut views = Vec::with_capacity(tracks.len());
        for &track in tracks {
            match self.track_of(&session, track).await {
                Ok(ready) => views.push(parents.view(ready.track.clone())),
                Err(Refusal::NotFound(_)) => {}
                Err(refusal) => return Err(refusal),
            }
        }
        let session = self.with_variants(PlaySession::clone(&session)).await?;
        Ok((session, views))
    }
}
