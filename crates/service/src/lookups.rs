//! A short-lived cache of the rows that playback reads.

mod generations;
mod key_use;
mod lookup_cache;
mod ready_track;
mod shared_list;
mod track_list;
mod weight;

use std::sync::Arc;
use std::time::Duration;

use tonearm_catalog::{Catalog, CatalogError, Change};
use tonearm_domain::{
    ApiKey, ApiKeyId, Collection, CollectionId, Organization, OrganizationId, PlaySession, PlaySessionId,
    Recipe, Timestamp, TrackId,
};
use tonearm_signing::ApiKeyText;
use uuid::Uuid;

use crate::refusal::{Refusal, Resource};
use crate::track_view::TrackParents;
use crate::turns::Turns;
use generations::Generations;
use key_use::KeyUse;
use lookup_cache::LookupCache;

pub use ready_track::LevelsJson;
pub(crate) use ready_track::ReadyTrack;
pub(crate) use shared_list::{SharedList, SharedPage};
pub use track_list::{TrackList, WriteTrack};

/// The limits of the lookup cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LookupLimits {
    /// How long an entry is used after it was read, and so how late changes by other nodes are seen. Changes by this
    /// process are seen at once.
    pub time_to_live: Duration,
    /// The memory limit in bytes: a third for tracks with their files, a third for the track lists of play sessions,
    /// the rest in equal parts for keys (half of it by id), sessions, organizations, collections, recipes and pages of
    /// share links.
    pub max_bytes: u64,
}

impl Default for LookupLimits {
    /// One second, so that a revocation takes effect on every node well within two seconds; 96 MiB, a third of which is
    /// about 4,000 tracks, or a list of 100,000.
    fn default() -> Self {
        Self { time_to_live: Duration::from_secs(1), max_bytes: 96 * 1024 * 1024 }
    }
}

/// Cached reads of the catalog. Cheap to clone; clones share the cache.
///
/// Transactions of this process are seen as soon as they are committed, those of other processes after
/// [`LookupLimits::time_to_live`]. Misses are not cached, so new rows are found at once on every node, and made-up
/// credentials take no memory.
#[derive(Clone)]
pub struct Lookups(Arc<LookupCaches>);

struct LookupCaches {
    catalog: Catalog,
    generations: Arc<Generations>,
    keys: LookupCache<[u8; 32], ApiKey>,
    keys_by_id: LookupCache<ApiKeyId, ApiKey>,
    sessions: LookupCache<PlaySessionId, PlaySession>,
    organizations: LookupCache<OrganizationId, Organization>,
    collections: LookupCache<(OrganizationId, CollectionId), Collection>,
    recipes: LookupCache<OrganizationId, Vec<Recipe>>,
    tracks: LookupCache<(OrganizationId, TrackId), ReadyTrack>,
    track_lists: LookupCache<(OrganizationId, CollectionId), TrackList>,
    shared_lists: LookupCache<SharedPage, SharedList>,
    /// For loading pages of share links.
    turns: Turns,
    key_use: KeyUse,
}

impl Lookups {
    /// Creates a cache for this catalog. From now on, each commit of the catalog invalidates the entries it changes.
    pub fn new(catalog: Catalog, limits: LookupLimits) -> Self {
        let generations = Arc::new(Generations::new());
        catalog.on_commit({
            let generations = Arc::clone(&generations);
            move |changes| {
                for change in changes {
                    generations.advance(id_of(change));
                    if matches!(change, Change::Collection(_)) {
                        generations.advance(ANY_COLLECTION);
                    }
                }
            }
        });
        let LookupLimits { time_to_live: ttl, max_bytes } = limits;
        let (third, eighteenth) = (max_bytes / 3, max_bytes / 18);
        Self(Arc::new(LookupCaches {
            catalog,
            generations,
            keys: LookupCache::new(eighteenth / 2, ttl),
            keys_by_id: LookupCache::new(eighteenth / 2, ttl),
            sessions: LookupCache::new(eighteenth, ttl),
            organizations: LookupCache::new(eighteenth, ttl),
            collections: LookupCache::new(eighteenth, ttl),
            recipes: LookupCache::new(eighteenth, ttl),
            tracks: LookupCache::new(third, ttl),
            track_lists: LookupCache::new(third, ttl),
            shared_lists: LookupCache::new(eighteenth, ttl),
            turns: Turns::default(),
            key_use: KeyUse::default(),
        }))
    }

    /// The catalog, for reads that are not cached, and for writing.
    pub(crate) fn catalog(&self) -> &Catalog {
        &self.0.catalog
    }

    /// The key with this text, even if it is revoked or has expired.
    pub(crate) async fn api_key(&self, text: &ApiKeyText) -> Result<Option<Arc<ApiKey>>, Refusal> {
        let hash = text.hash();
        // A key's text contains the id of its organization, and no other text has the same hash.
        let generation = self.0.generations.current(text.organization_id().uuid());
        let load = async || match self.0.catalog.api_key_by_hash(&hash).await? {
            Some(key) => Ok(Some(key)),
            None => self.0.catalog.api_key_by_old_hash(&hash).await,
        };
        self.0.keys.get(hash, generation, load).await
    }

    /// A play session as far as the key that opened it still allows it; `None` if not at all. A key that expired ends no
    /// session.
    pub(crate) async fn within_key(
        &self,
        session: Arc<PlaySession>,
    ) -> Result<Option<Arc<PlaySession>>, Refusal> {
        let Some(id) = session.api_key_id else { return Ok(Some(session)) };
        let organization_id = session.organization_id;
        let generation = self.0.generations.current(organization_id.uuid());
        let load = || self.0.catalog.api_key(organization_id, id);
        let key = self.0.keys_by_id.get(id, generation, load).await?;
        Ok(key.and_then(|key| session.within(&key)))
    }

    /// Records in memory that a key was used. [`Lookups::write_key_uses`] writes it to the database.
    pub(crate) fn note_key_used(&self, id: ApiKeyId, now: Timestamp) {
        self.0.key_use.note(id, now);
    }

    /// Writes to the database when keys were last used. Call it periodically, and once at shutdown.
    pub async fn write_key_uses(&self) -> Result<(), Refusal> {
        let noted = self.0.key_use.take();
        if noted.is_empty() {
            return Ok(());
        }
        let written = self.0.catalog.note_keys_used(&noted).await;
        if written.is_err() {
            self.0.key_use.put_back(noted);
        }
        Ok(written?)
    }

    /// One play session, even if it has expired.
    pub(crate) async fn play_session(&self, id: PlaySessionId) -> Result<Option<Arc<PlaySession>>, Refusal> {
        let generation = self.0.generations.current_of(&[id.uuid(), ANY_SESSION]);
        self.0.sessions.get(id, generation, || self.0.catalog.play_session(id)).await
    }

    /// The recipes by which every track of the organization is rendered, in their order.
    pub(crate) async fn recipes(&self, id: OrganizationId) -> Result<Arc<Vec<Recipe>>, Refusal> {
        let generation = self.0.generations.current(id.uuid());
        let load = async || self.0.catalog.recipes(id).await.map(Some);
        Ok(self.0.recipes.get(id, generation, load).await?.unwrap_or_default())
    }

    /// One track of the organization with its files.
    pub(crate) async fn track(
        &self,
        organization_id: OrganizationId,
        id: TrackId,
    ) -> Result<Option<Arc<ReadyTrack>>, Refusal> {
        // A track is deleted with its collection, and a file with its recipe. The track's collection is not known until
        // the track is loaded.
        let ids = [id.uuid(), organization_id.uuid(), ANY_COLLECTION];
        let generation = self.0.generations.current_of(&ids);
        let load = || ReadyTrack::load(&self.0.catalog, organization_id, id);
        self.0.tracks.get((organization_id, id), generation, load).await
    }

    /// The list of a collection's playable tracks, as of the moment when `load` read it.
    pub(crate) async fn track_list<F>(
        &self,
        organization_id: OrganizationId,
        collection_id: CollectionId,
        load: impl FnOnce() -> F,
    ) -> Result<Option<Arc<TrackList>>, Refusal>
    where
        F: Future<Output = Result<Option<TrackList>, CatalogError>> + Send,
    {
        let ids = [organization_id.uuid(), collection_id.uuid(), listed_in(collection_id)];
        let generation = self.0.generations.current_of(&ids);
        self.0.track_lists.get((organization_id, collection_id), generation, load).await
    }

    /// A page of the tracks behind a share key. An organization loads one at a time.
    pub(crate) async fn shared_list(&self, page: SharedPage) -> Result<Option<Arc<SharedList>>, Refusal> {
        let (organization_id, collection_id) = (page.organization_id, page.collection_id);
        // Files come and go with recipes, and statuses with the list.
        let ids = [organization_id.uuid(), collection_id.uuid(), listed_in(collection_id), ANY_COLLECTION];
        let generation = self.0.generations.current_of(&ids);
        let load = async || {
            let _turn = self.0.turns.take(organization_id).await;
            SharedList::load(&self.0.catalog, &page).await
        };
        self.0.shared_lists.get(page.clone(), generation, load).await
    }

    /// The organization and the collection that the tracks of a collection inherit from.
    pub(crate) async fn parents(
        &self,
        organization_id: OrganizationId,
        collection_id: CollectionId,
    ) -> Result<TrackParents, Refusal> {
        let generation = self.0.generations.current(organization_id.uuid());
        let load = || self.0.catalog.organization(organization_id);
        let organization = self.0.organizations.get(organization_id, generation, load).await?;
        let generation = self.0.generations.current(collection_id.uuid());
        let load = || self.0.catalog.collection(organization_id, collection_id);
        let collection = self.0.collections.get((organization_id, collection_id), generation, load).await?;
        Ok(TrackParents {
            organization: organization.ok_or(Refusal::NotFound(Resource::Organization))?,
            collection: collection.ok_or(Refusal::NotFound(Resource::Collection))?,
        })
    }
}

/// The id that stands for all collections. It is counted in addition to the id of each collection.
const ANY_COLLECTION: Uuid = Uuid::nil();

/// The id that stands for all play sessions.
const ANY_SESSION: Uuid = Uuid::from_u128(1);

/// The id under which the generations of the changed record are counted.
fn id_of(change: &Change) -> Uuid {
    match change {
        Change::Organization(id) | Change::Recipes(id) | Change::ApiKeys(id) => id.uuid(),
        Change::PlaySession(id) => id.uuid(),
        Change::PlaySessions => ANY_SESSION,
        Change::Collection(id) => id.uuid(),
        Change::Track(id) => id.uuid(),
        Change::TracksOf(id) => listed_in(*id),
    }
}

/// The id under which changes of a collection's tracks are counted, apart from those of its own record.
fn listed_in(id: CollectionId) -> Uuid {
    Uuid::from_u128(id.uuid().as_u128() ^ 1)
}
