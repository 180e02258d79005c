//! Reading a play session: its tracks, and everything needed to play one of them.

use std::sync::Arc;

use tonearm_domain::{
    CollectionId, ErrorCode, PlaySession, PlaySessionId, Selection, TrackId, UsageCounts, VariantList,
};

use super::manage_sessions::reaches;
use super::{Playable, Playback, Visit};
use crate::caller::Caller;
use crate::lookups::{ReadyTrack, TrackList};
use crate::refusal::{Refusal, Resource};

/// A play session with its tracks, and the first of them ready to play.
#[derive(Debug, Clone)]
pub struct OpenedPlaySession {
    /// The session, its variants resolved.
    pub session: PlaySession,
    /// Its playable tracks, in order.
    pub tracks: Arc<TrackList>,
    /// Everything needed to play the first. None if no track is playable.
    pub first: Option<Playable>,
}

impl Playback {
    /// The session with this id, for a key of its organization that reaches what it plays.
    pub async fn play_session(
        &self,
        caller: &Caller,
        id: PlaySessionId,
    ) -> Result<OpenedPlaySession, Refusal> {
        let not_found = Refusal::NotFound(Resource::PlaySession);
        let Some(session) = self.0.lookups.play_session(id).await? else {
            return Err(not_found);
        };
        let collection_id = self.collection_of(&session).await?;
        if session.organization_id != caller.organization_id || !reaches(caller, &session, collection_id) {
            return Err(not_found);
        }
        self.open(Arc::unwrap_or_clone(self.valid(session).await?)).await
    }

    /// The session with this id, for any client that has the id, if the configuration allows that.
    pub async fn public_play_session(&self, id: PlaySessionId) -> Result<OpenedPlaySession, Refusal> {
        self.open(self.valid_session(id).await?.as_ref().clone()).await
    }

    /// Everything needed to play one track of a session. Counted only if there is a visit.
    pub async fn play_track(
        &self,
        id: PlaySessionId,
        track_id: TrackId,
        visit: Option<&Visit<'_>>,
    ) -> Result<(PlaySession, Playable), Refusal> {
        let session = self.valid_session(id).await?;
        let track = self.track_of(&session, track_id).await?;
        let playable = self.playable(&session, &track).await?;
        let session = self.with_variants(PlaySession::clone(&session)).await?;
        if let Some(visit) = visit {
            self.count(&track.track, None, UsageCounts::TRACK_FETCH);
            self.note_listener(&track.track, None, visit);
        }
        Ok((session, playable))
    }

    async fn open(&self, session: PlaySession) -> Result<OpenedPlaySession, Refusal> {
        let tracks = self.track_list(&session).await?;
        self.open_with(session, tracks).await
    }

    /// The session with its tracks, which were read before.
    pub(super) async fn open_with(
        &self,
        session: PlaySession,
        tracks: Arc<TrackList>,
    ) -> Result<OpenedPlaySession, Refusal> {
        let first = match tracks.first() {
            // The first track may have been deleted since the list was read. Then the request to play it fails.
            Some(first) => match self.0.lookups.track(session.organization_id, first).await? {
                Some(track) => Some(self.playable(&session, &track).await?),
                None => None,
            },
            None => None,
        };
        let session = self.with_variants(session).await?;
        Ok(OpenedPlaySession { session, tracks, first })
    }

    /// The collection that a session plays: that of its track, which may have moved since, or its own.
    pub(super) async fn collection_of(&self, session: &PlaySession) -> Result<CollectionId, Refusal> {
        let track = match session.track_id {
            Some(id) => self.0.lookups.track(session.organization_id, id).await?,
            None => None,
        };
        Ok(track.map_or(session.collection_id, |ready| ready.track.collection_id))
    }

    pub(super) async fn track_list(&self, session: &PlaySession) -> Result<Arc<TrackList>, Refusal> {
        let (organization_id, collection_id) = (session.organization_id, self.collection_of(session).await?);
        let (lookups, write) = (&self.0.lookups, self.0.write_track);
        let load = |only| TrackList::load(lookups.catalog(), organization_id, collection_id, only, write);
        let list = match session.track_id {
            None => lookups.track_list(organization_id, collection_id, || load(None)).await?,
            only => load(only).await?.map(Arc::new),
        };
        list.ok_or(Refusal::NotFound(Resource::Collection))
    }

    /// The session as clients see it. One that lists all variants names the organization's playable variants and those
    /// that its track has of its own.
    pub(super) async fn with_variants(&self, mut session: PlaySession) -> Result<PlaySession, Refusal> {
        if session.variants == Selection::All {
            let recipes = self.0.lookups.recipes(session.organization_id).await?;
            let track = match session.track_id {
                Some(id) => self.0.lookups.track(session.organization_id, id).await?,
                None => None,
            };
            let own = track.iter().flat_map(|ready| &ready.files).map(|file| &file.recipe);
            let own = own.filter(|recipe| recipe.track_id.is_some());
            let playable = recipes.iter().chain(own).filter(|recipe| session.lists(recipe));
            if let Some(list) = VariantList::new(playable.map(|recipe| recipe.index.clone())) {
                session.variants = Selection::Only(list);
            }
        }
        Ok(session)
    }

    /// A playable track of a session.
    pub(super) async fn track_of(
        &self,
        session: &PlaySession,
        id: TrackId,
    ) -> Result<Arc<ReadyTrack>, Refusal> {
        let not_found = Refusal::NotFound(Resource::Track);
        if session.track_id.is_some_and(|own| own != id) {
            return Err(not_found);
        }
        let found = self.0.lookups.track(session.organization_id, id).await?;
        let plays = |ready: &Arc<ReadyTrack>| {
            let is_in_it = session.track_id.is_some() || ready.track.collection_id == session.collection_id;
            is_in_it && ready.track.is_playable()
        };
        found.filter(plays).ok_or(not_found)
    }

    pub(super) async fn valid_session(&self, id: PlaySessionId) -> Result<Arc<PlaySession>, Refusal> {
        let session = self.0.lookups.play_session(id).await?.ok_or(INVALID)?;
        self.valid(session).await
    }

    /// A session as far as its key still allows it. Refuses one that has expired, or of whose rights nothing is left.
    async fn valid(&self, session: Arc<PlaySession>) -> Result<Arc<PlaySession>, Refusal> {
        if !session.is_valid_at(self.0.ambient.now()) {
            return Err(INVALID);
        }
        self.0.lookups.within_key(session).await?.ok_or(INVALID)
    }
}

const INVALID: Refusal = Refusal::Unauthenticated {
    code: ErrorCode::InvalidPlaySession,
    message: "the play session does not exist or has expired; create a new one",
};
