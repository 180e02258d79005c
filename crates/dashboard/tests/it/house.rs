//! A dashboard without a socket. Database and store are real; the clock is set by hand.

use axum::Router;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;
use tonearm_blobs::Blobs;
use tonearm_catalog::{Catalog, ConnectOptions};
use tonearm_dashboard::Dashboard;
use tonearm_domain::{Ambient, CollectionId, DiskRoom, Meter, OrganizationId, TrackId};
use tonearm_fixtures::{ManualClock, TestDatabase, ambient};
use tonearm_outbound::Outbound;
use tonearm_service::{
    Audit, Caller, CreateCollection, CreateTrack, IdempotentAnswers, Imports, Jobs, Library, Links,
    LookupLimits, Lookups, People, Playback, SignInProvider, SigningKeys, Status, Streams, Transcriptions,
    UploadLimits, Uploads, Usage, Webhooks,
};
use tonearm_signing::{Secrets, UrlSigner, Vault};

use crate::browser::Browser;

pub(crate) const PUBLIC_URL: &str = "https://audio.example.com";
pub(crate) const PASSWORD: &str = "correct horse battery";

/// A dashboard with one organization without members.
pub(crate) struct House {
    pub(crate) router: Router,
    pub(crate) people: People,
    pub(crate) library: Library,
    pub(crate) audit: Audit,
    pub(crate) catalog: Catalog,
    pub(crate) disk_room: DiskRoom,
    pub(crate) clock: ManualClock,
    /// Cancelled when the node would stop.
    pub(crate) shutdown: CancellationToken,
    pub(crate) organization_id: OrganizationId,
    pub(crate) dashboard: Dashboard,
    vault: Vault,
    _store: TempDir,
    _database: TestDatabase,
}

impl House {
    pub(crate) async fn open(database: TestDatabase) -> Self {
        Self::open_with(database, |_| None).await
    }

    /// A dashboard with an optional sign-in provider.
    pub(crate) async fn open_with(
        database: TestDatabase,
        provider: impl FnOnce(&Ambient) -> Option<SignInProvider>,
    ) -> Self {
        let store = TempDir::with_prefix("tonearm-dashboard-").unwrap();
        let objects = format!("file://{}", store.path().join("objects").display()).parse().unwrap();
        let blobs = Blobs::open(&objects).await.unwrap();
        let disk_room = DiskRoom::default();
        let options = ConnectOptions { disk_room: disk_room.clone(), ..ConnectOptions::default() };
        let catalog = Catalog::connect(&database.url.parse().unwrap(), options).await.unwrap();
        let (ambient, clock) = ambient();
        let secrets = Secrets::parse("a secret for tests that is long enough to be one").unwrap();
        let delivery_url = "https://{org}.cdn.example.com".parse().unwrap();
        let vault = Vault::new(&secrets);
        let signer = UrlSigner::new(secrets);
        let links = Links::new(signer.clone(), ambient.clone(), PUBLIC_URL, delivery_url);
        let people = People::new(catalog.clone(), ambient.clone(), vault.clone(), PUBLIC_URL)
            .with_provider(provider(&ambient));
        let limits = UploadLimits { max_source_bytes: 1_000_000, max_cover_bytes: 100_000 };
        let outbound = Outbound::new(false).unwrap();
        let imports = Imports::new(ambient.clone(), vault.clone(), outbound.clone());
        let library = Library::new(catalog.clone(), ambient.clone(), links.clone())
            .with_imports(imports.clone())
            .with_vault(vault.clone());
        let lookups = Lookups::new(catalog.clone(), LookupLimits::default());
        let audit = Audit::new(catalog.clone());
        let shutdown = CancellationToken::new();
        let streams = Streams::until(shutdown.clone());
        let transcriptions =
            Transcriptions::new(catalog.clone(), ambient.clone(), vault.clone(), outbound.clone());
        let dashboard = Dashboard {
            status: Status::new(catalog.clone(), Some(blobs.clone()), ambient.clone()),
            jobs: Jobs::new(catalog.clone(), ambient.clone(), library.clone(), transcriptions.clone()),
            transcriptions,
            webhooks: Webhooks::new(catalog.clone(), ambient.clone(), links.clone(), vault.clone(), outbound),
            audit: audit.clone(),
            usage: Usage::new(catalog.clone(), ambient.clone()),
            playback: Playback::new(lookups, ambient.clone(), links.clone(), Meter::new(), |_, _| Ok(())),
            people: people.clone(),
            signing_keys: SigningKeys::new(catalog.clone(), ambient.clone(), signer),
            library: library.clone(),
            uploads: Uploads::new(catalog.clone(), blobs, ambient.clone(), links.clone(), limits)
                .with_imports(imports),
            repeats: IdempotentAnswers::new(catalog.clone(), ambient.clone()),
            streams: streams.clone(),
            links,
            ambient,
        };
        let organization_id = library.create_organization("Example Radio").await.unwrap().organization.id;
        Self {
            router: tonearm_dashboard::router(dashboard.clone()),
            people,
            library,
            audit,
            catalog,
            disk_room,
            clock,
            shutdown,
            organization_id,
            dashboard,
            vault,
            _store: store,
            _database: database,
        }
    }

    /// Another node over the same data, with another provider.
    pub(crate) fn reopened_with(&self, provider: impl FnOnce(&Ambient) -> Option<SignInProvider>) -> Router {
        let ambient = self.dashboard.ambient.clone();
        let provider = provider(&ambient);
        let people = People::new(self.catalog.clone(), ambient, self.vault.clone(), PUBLIC_URL);
        let people = people.with_provider(provider);
        tonearm_dashboard::router(Dashboard { people, ..self.dashboard.clone() })
    }

    /// Another node over the same data, which may connect to private addresses.
    pub(crate) fn reopened_allowing_private(&self) -> Router {
        let (catalog, vault) = (self.catalog.clone(), self.vault.clone());
        let outbound = Outbound::new(true).unwrap();
        let transcriptions = Transcriptions::new(catalog, self.ambient(), vault, outbound);
        tonearm_dashboard::router(Dashboard { transcriptions, ..self.dashboard.clone() })
    }

    /// The clock and the randomness of the node.
    pub(crate) fn ambient(&self) -> Ambient {
        self.dashboard.ambient.clone()
    }

    /// The owner of the organization, as a caller of use cases.
    pub(crate) fn owner(&self) -> Caller {
        Caller::owner(self.organization_id)
    }

    /// A new collection.
    pub(crate) async fn collection(&self, title: &str) -> CollectionId {
        let create = CreateCollection { title: title.to_owned(), ..CreateCollection::default() };
        self.library.create_collection(&self.owner(), create).await.unwrap().0.collection.id
    }

    /// A new track, which waits for its file.
    pub(crate) async fn track(&self, collection: CollectionId, file_name: &str) -> TrackId {
        let create = CreateTrack {
            collection_id: Some(collection),
            file_name: file_name.to_owned(),
            ..CreateTrack::default()
        };
        // IDs of the same millisecond have no order.
        self.clock.advance_millis(1);
        self.library.create_track(&self.owner(), create).await.unwrap().0.track.id
    }

    /// A browser where nobody is signed in.
    pub(crate) fn browser(&self) -> Browser {
        Browser::new(self.router.clone())
    }

    /// The path of a page of the organization.
    pub(crate) fn path(&self, path: &str) -> String {
        format!("/dashboard/{}{path}", self.organization_id)
    }

    /// The browser of the first administrator, who owns the organization.
    pub(crate) async fn administrator(&self) -> Browser {
        let link = self.people.first_administrator_link().await.unwrap().unwrap();
        self.joined(&link.url, "Ada", "ada@example.com", "/dashboard/start").await
    }

    /// The browser of somebody whom the administrator invited.
    pub(crate) async fn invited(&self, by: &mut Browser, name: &str, role: &str) -> Browser {
        let page = by.submit(&self.path("/members"), &self.path("/members"), &[("role", role)]).await;
        assert_eq!(page.status, 200, "{}", page.html);
        let link = page.between("<code id=\"link\">", "</code>");
        self.joined(&link, name, &format!("{}@example.com", name.to_lowercase()), "/dashboard").await
    }

    async fn joined(&self, link: &str, name: &str, email: &str, next: &str) -> Browser {
        let mut browser = self.browser();
        let path = link.strip_prefix(PUBLIC_URL).unwrap();
        let fields = [("name", name), ("email", email), ("password", PASSWORD)];
        let page = browser.post(path, &fields).await;
        assert_eq!((page.status, page.location.as_str()), (303, next), "{}", page.html);
        browser
    }
}
