//! Creating a play session.

use tonearm_domain::{CollectionId, ExpiresIn, Metadata, PlaySession, TrackId};

use super::{OpenedPlaySession, Playback};
use crate::caller::Caller;
use crate::refusal::{INVALID_API_KEY, Refusal, Resource};

/// What a play session plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlaySessionScope {
    /// A collection's tracks.
    Collection(CollectionId),
    /// One track.
    Track(TrackId),
}

/// Parameters of a new play session.
#[derive(Debug, Clone)]
pub struct GrantPlaySession {
    /// What it plays.
    pub scope: PlaySessionScope,
    /// The variants that it lists, in this order. If it names none, or none of them exists and is allowed, it lists all
    /// playable variants that the key allows.
    pub variants: Vec<String>,
    /// The caller's own external id.
    pub organization_index: Option<String>,
    /// The caller's own data.
    pub metadata: Metadata,
    /// Whether downloads are requested.
    pub is_downloadable: bool,
    /// How long it lasts.
    pub expires_in: ExpiresIn,
}

impl Playback {
    /// Creates a play session and returns it opened.
    pub async fn grant_play_session(
        &self,
        caller: &Caller,
        grant: GrantPlaySession,
    ) -> Result<OpenedPlaySession, Refusal> {
        let organization_id = caller.organization_id;
        let (collection_id, track_id) = match grant.scope {
            PlaySessionScope::Collection(id) => {
                caller.reach_collection(id)?;
                (id, None)
            }
            PlaySessionScope::Track(id) => {
                let ready = self
                    .0
                    .lookups
                    .track(organization_id, id)
                    .await?
                    .ok_or(Refusal::NotFound(Resource::Track))?;
                let collection_id = ready.track.collection_id;
                caller.reach_track(collection_id, id)?;
                (collection_id, Some(id))
            }
        };
        let session = PlaySession {
            id: self.0.ambient.credential_id(),
            organization_id,
            creator_id: caller.creator_id,
            collection_id,
            track_id,
            variants: self.select(caller, collection_id, track_id, &grant.variants).await?,
            organization_index: grant.organization_index,
            metadata: grant.metadata,
            is_downloadable: PlaySession::grants_downloads(caller.is_downloadable, grant.is_downloadable),
            expires_at: self.0.ambient.now().plus_seconds(grant.expires_in.seconds().into()),
            api_key_id: caller.origin.actor.api_key_id(),
            handle: Some(self.0.ambient.record_id()),
        };
        let opened = self.open(session.clone()).await?;
        self.0.sessions.write(session).await?;
        // Sessions are written in batches, and their transaction judges no key.
        if self.0.lookups.is_revoked(organization_id, opened.session.api_key_id).await? {
            return Err(INVALID_API_KEY);
        }
        Ok(opened)
    }
}
