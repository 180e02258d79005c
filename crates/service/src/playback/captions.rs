//! Captions of a track, for everyone who may hear it.

use tonearm_domain::{
    FileOutcome, PlaySession, PlaySessionId, Track, TrackId, captions_within, print_captions,
};

use super::Playback;
use super::playable::offered;
use super::shared_track::AudibleRange;
use crate::caller::Caller;
use crate::lookups::ReadyTrack;
use crate::refusal::{Refusal, Resource};

impl Playback {
    /// The words of a shared track as WebVTT, limited to the part that the link lets people hear, with times relative
    /// to it.
    pub async fn shared_captions(&self, track_id: TrackId, key_text: &str) -> Result<String, Refusal> {
        let shared = self.shared(track_id, key_text).await?;
        let range = AudibleRange::of(&shared.recipe.kind, &shared.data);
        self.captions(&shared.ready.track, range).await
    }

    /// The words of a track in a play session as WebVTT, limited to the part that the session lets people hear, with
    /// times relative to it.
    pub async fn session_captions(&self, id: PlaySessionId, track_id: TrackId) -> Result<String, Refusal> {
        let session = self.valid_session(id).await?;
        let ready = self.track_of(&session, track_id).await?;
        self.captions(&ready.track, audible_range(&session, &ready)).await
    }

    /// All words of a track as WebVTT, for people who manage it.
    pub async fn own_captions(&self, caller: &Caller, id: TrackId) -> Result<String, Refusal> {
        let ready = self.0.lookups.track(caller.organization_id, id).await?;
        let ready = ready.ok_or(Refusal::NotFound(Resource::Track))?;
        caller.reach_track(ready.track.collection_id, id)?;
        self.captions(&ready.track, AudibleRange::Whole).await
    }

    async fn captions(&self, track: &Track, range: AudibleRange) -> Result<String, Refusal> {
        if track.transcription.is_none() || range == AudibleRange::Nothing {
            return Ok(print_captions(&[]));
        }
        let cues = self.0.lookups.catalog().track_words(track.id).await?;
        Ok(match range {
            AudibleRange::Part(start, end) => print_captions(&captions_within(&cues, (start, end))),
            _ => print_captions(&cues),
        })
    }

    /// The URL of the captions of a track in a session. None if it has no captions.
    pub(super) fn captions_url(&self, session: &PlaySession, ready: &ReadyTrack) -> Option<String> {
        let is_there = ready.has_captions && audible_range(session, ready) != AudibleRange::Nothing;
        is_there.then(|| self.0.links.captions(session.id, ready.track.id))
    }
}

/// The part of a track that a session lets people hear: the whole track if any of its variants has it, else the part of
/// the first preview. Players choose in the same way.
fn audible_range(session: &PlaySession, ready: &ReadyTrack) -> AudibleRange {
    let mut range = AudibleRange::Nothing;
    for offer in offered(session, ready) {
        let FileOutcome::Made { data, .. } = &offer.file.outcome else { continue };
        match AudibleRange::of(&offer.file.recipe.kind, data) {
            AudibleRange::Whole => return AudibleRange::Whole,
            part if range == AudibleRange::Nothing => range = part,
            _ => {}
        }
    }
    range
}
