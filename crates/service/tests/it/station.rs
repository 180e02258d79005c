//! An organization with tracks, and the nodes that serve it.

use std::time::Duration;

use tonearm_catalog::{Catalog, ConnectOptions};
use tonearm_domain::{
    Ambient, ContentType, ExpiresIn, FileData, FileOutcome, KeyType, Levels, Meter, Metric, ObjectFile,
    ObjectKey, Recipe, RecipeType, Selection, Track, TrackFile, TrackStatus,
};
use tonearm_fixtures::{TestDatabase, ambient};
use tonearm_service::{
    Access, Caller, CreateCollection, CreateKey, CreateTrack, CreatedKey, GrantPlaySession, Library, Links,
    LookupLimits, Lookups, OpenedPlaySession, PlaySessionScope, Playback,
};
use tonearm_signing::{Secrets, UrlSigner};

/// Nodes cache lookups "for ever", longer than any test runs.
pub(crate) const FOR_EVER: LookupLimits =
    LookupLimits { time_to_live: Duration::from_secs(3600), max_bytes: 64 * 1024 * 1024 };

/// The parts of a process, with its own database connections.
pub(crate) struct Node {
    pub(crate) catalog: Catalog,
    pub(crate) library: Library,
    pub(crate) access: Access,
    pub(crate) playback: Playback,
    ambient: Ambient,
}

impl Node {
    pub(crate) async fn start(database: &TestDatabase, limits: LookupLimits) -> Self {
        let catalog =
            Catalog::connect(&database.url.parse().unwrap(), ConnectOptions::default()).await.unwrap();
        let (ambient, _) = ambient();
        let signer =
            UrlSigner::new(Secrets::parse("a secret for tests that is long enough to be one").unwrap());
        let delivery_url = "https://cdn.example.com".parse().unwrap();
        let links = Links::new(signer, ambient.clone(), "https://api.example.com", delivery_url);
        let lookups = Lookups::new(catalog.clone(), limits);
        Self {
            library: Library::new(catalog.clone(), ambient.clone(), links.clone()),
            access: Access::new(lookups.clone(), ambient.clone()),
            playback: Playback::new(lookups, ambient.clone(), links, Meter::new(), |view, json| {
                serde_json::to_writer(json, &view.title)
            }),
            catalog,
            ambient,
        }
    }

    /// Runs a future; returns the number of statements and the output.
    pub(crate) async fn count<T>(&self, what: impl Future<Output = T>) -> (u64, T) {
        let before = self.catalog.queries();
        let done = what.await;
        (self.catalog.queries() - before, done)
    }
}

/// An organization with a collection of one playable track, on one node.
pub(crate) struct Station {
    pub(crate) node: Node,
    pub(crate) caller: Caller,
    pub(crate) track: Track,
    pub(crate) database: TestDatabase,
}

impl Station {
    pub(crate) async fn open(database: TestDatabase, limits: LookupLimits) -> Self {
        let node = Node::start(&database, limits).await;
        let organization = node.library.create_organization("Example Radio").await.unwrap().organization;
        let caller = Caller::owner(organization.id);
        let create = CreateCollection { title: "First".to_owned(), ..CreateCollection::default() };
        let (collection, _) = node.library.create_collection(&caller, create).await.unwrap();
        let collection = collection.collection;
        let create = CreateTrack {
            collection_id: Some(collection.id),
            file_name: "tone.wav".to_owned(),
            player_title: Some("Tone".to_owned()),
            ..CreateTrack::default()
        };
        let (created, _) = node.library.create_track(&caller, create).await.unwrap();
        let station = Self { node, caller, track: created.track, database };
        station.make_playable().await;
        station
    }

    /// Makes the track playable, as processing would.
    async fn make_playable(&self) {
        let recipes = self.node.catalog.recipes(self.caller.organization_id).await.unwrap();
        let tx = self.node.catalog.begin().await.unwrap();
        let mut track = self.track.clone();
        (track.status, track.duration) = (TrackStatus::Ready, 60.0);
        tx.update_track(&track).await.unwrap();
        for recipe in recipes {
            tx.put_track_file(&self.made_by(recipe)).await.unwrap();
        }
        tx.commit().await.unwrap();
    }

    pub(crate) fn made_by(&self, recipe: Recipe) -> TrackFile {
        let ambient = &self.node.ambient;
        let data = match recipe.kind.recipe_type() {
            RecipeType::Levels => FileData::Levels(Levels::new([0.25, 0.5], Metric::Peak, 200)),
            RecipeType::Preview => FileData::Preview {
                duration: 30.0,
                capture_start: 15.0,
                capture_end: 45.0,
                missed_loudness: None,
            },
            _ => FileData::NONE,
        };
        let file = ObjectFile {
            label: recipe.index.clone(),
            version: ambient.short_id(),
            content_type: ContentType::Mp3,
        };
        let key = ObjectKey { organization_id: self.track.organization_id, folder: self.track.index, file };
        TrackFile {
            id: ambient.record_id(),
            track_id: self.track.id,
            recipe,
            outcome: FileOutcome::Made {
                key,
                size: 1000,
                sha256: None,
                file_name: "tone.mp3".to_owned(),
                data,
                made_from: None,
            },
            created_at: ambient.now(),
        }
    }

    /// Adds the file that a recipe renders to the track.
    pub(crate) async fn make(&self, recipe: Recipe) {
        let tx = self.node.catalog.begin().await.unwrap();
        tx.put_track_file(&self.made_by(recipe)).await.unwrap();
        tx.commit().await.unwrap();
    }

    /// Adds playable tracks like the first.
    pub(crate) async fn add_tracks(&self, count: usize) {
        let tx = self.node.catalog.begin().await.unwrap();
        for _ in 0..count {
            let track = Track {
                id: self.node.ambient.record_id(),
                index: self.node.ambient.short_id(),
                status: TrackStatus::Ready,
                ..self.track.clone()
            };
            tx.insert_track(&track).await.unwrap();
        }
        tx.commit().await.unwrap();
    }

    /// A key that reaches everything in the organization.
    pub(crate) async fn create_key(&self, key_type: KeyType) -> CreatedKey {
        let variants = match key_type {
            KeyType::Share => Selection::one("hq".parse().unwrap()),
            _ => Selection::All,
        };
        let create = CreateKey { variants, ..CreateKey::new(key_type, "Key") };
        self.node.library.create_key(&self.caller, create).await.unwrap()
    }

    /// A play session of the whole collection that permits downloads.
    pub(crate) async fn grant(&self) -> OpenedPlaySession {
        self.grant_by(&self.caller).await
    }

    /// The same, opened by this caller.
    pub(crate) async fn grant_by(&self, caller: &Caller) -> OpenedPlaySession {
        let grant = GrantPlaySession {
            scope: PlaySessionScope::Collection(self.track.collection_id),
            variants: Vec::new(),
            organization_index: None,
            metadata: tonearm_domain::Metadata::default(),
            is_downloadable: true,
            expires_in: ExpiresIn::default(),
        };
        self.node.playback.grant_play_session(caller, grant).await.unwrap()
    }
}
