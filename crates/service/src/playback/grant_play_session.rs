//! Creating a play session.

use std::sync::Arc;

use tonearm_domain::{
    CollectionId, ExpiresIn, Metadata, NamedRecipes, PlaySession, Selection, TrackId, VariantIndex,
};

use super::listable::Wanted;
use super::{OpenedPlaySession, Playback};
use crate::caller::Caller;
use crate::library::texts::check_index;
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
        Selection::require_few(grant.variants.len())
            .map_err(|error| Refusal::invalid("variants", error.to_string()))?;
        check_index(grant.organization_index.as_deref())?;
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
        let wanted = Wanted { requested: grant.variants, allowed: caller.variants.clone() };
        let lists_all = wanted.requested.is_empty() && wanted.allowed == Selection::All;
        let session = PlaySession {
            id: self.0.ambient.credential_id(),
            organization_id,
            creator_id: caller.creator_id,
            collection_id,
            track_id,
            variants: Selection::All,
            recipes: NamedRecipes::UNKNOWN,
            organization_index: grant.organization_index,
            metadata: grant.metadata,
            is_downloadable: PlaySession::grants_downloads(caller.is_downloadable, grant.is_downloadable),
            expires_at: self.0.ambient.now().plus_seconds(grant.expires_in.seconds().into()),
            api_key_id: caller.origin.actor.api_key_id(),
            handle: Some(self.0.ambient.record_id()),
        };
        let tracks = self.track_list(&session).await?;
        let written = self.0.sessions.write(session, (!lists_all).then_some(wanted)).await?;
        let session = written.ok_or_else(|| nothing_to_list(&caller.variants))?;
        // Sessions are written in batches, and their transaction judges no key.
        let session = self.0.lookups.within_key(Arc::new(session)).await?.ok_or(INVALID_API_KEY)?;
        self.open_with(Arc::unwrap_or_clone(session), tracks).await
    }
}

fn nothing_to_list(allowed: &Selection) -> Refusal {
    let allowed = allowed.only().map(|list| &**list).unwrap_or_default();
    let allowed: Vec<&str> = allowed.iter().map(VariantIndex::as_str).collect();
    let message = match allowed.as_slice() {
        [] => "cannot be used: the variants that this key allows were removed; give it others".to_owned(),
        allowed => format!(
            "cannot be used: this key allows only {}, and none of them exists here",
            allowed.join(", ")
        ),
    };
    Refusal::invalid("variants", message)
}
