//! Signing keys of organizations are accepted where they are known to be live, and nowhere else.

use tempfile::TempDir;
use tonearm_blobs::Blobs;
use tonearm_catalog::{Catalog, ConnectOptions};
use tonearm_domain::{Ambient, ObjectKey};
use tonearm_fixtures::{BucketProxy, Fault, ManualClock, S3Server, TestDatabase};
use tonearm_service::{Caller, KeyFollower, LookupLimits, Refusal, Resource, SigningKeys};
use tonearm_signing::{Secrets, UrlSigner, VerifyError};

use crate::on_both;
use crate::station::Station;

on_both!(
    keys_are_honoured_until_they_are_revoked,
    a_new_key_is_honoured_at_once_where_it_is_made,
    nodes_without_a_catalog_fail_closed,
    lists_are_not_taken_from_strangers,
    one_node_tells_what_all_know,
    a_node_whose_clock_is_ahead_revives_no_key,
    without_the_database_a_node_follows_the_store,
);

fn signer(n: u8) -> UrlSigner {
    UrlSigner::new(Secrets::from_bytes([n; 32]))
}

struct Scene {
    station: Station,
    keys: SigningKeys,
    ambient: Ambient,
    clock: ManualClock,
    blobs: Blobs,
    store: TempDir,
}

impl Scene {
    async fn set(database: TestDatabase) -> Self {
        let station = Box::pin(Station::open(database, LookupLimits::default())).await;
        let (ambient, clock) = tonearm_fixtures::ambient();
        let store = TempDir::new().unwrap();
        let url = format!("file://{}/objects", store.path().display());
        let blobs = Blobs::open(&url.parse().unwrap()).await.unwrap();
        let keys = SigningKeys::new(station.node.catalog.clone(), ambient.clone(), signer(1));
        Self { station, keys, ambient, clock, blobs, store }
    }

    fn by_catalog(&self, signer: &UrlSigner) -> KeyFollower {
        let catalog = self.station.node.catalog.clone();
        KeyFollower::of_catalog(catalog, self.blobs.clone(), signer.clone(), self.ambient.clone())
    }

    fn by_store(&self, signer: &UrlSigner) -> KeyFollower {
        KeyFollower::of_store(self.blobs.clone(), signer.clone(), self.ambient.clone())
    }

    async fn lists(&self) -> usize {
        use futures::StreamExt as _;
        self.blobs.list(Some(ObjectKey::RESERVED), None).count().await
    }

    /// Why a signer refuses a URL that no key signed.
    fn refusal(&self, signer: &UrlSigner) -> VerifyError {
        let (organization, now) = (self.station.caller.organization_id, self.ambient.now());
        let path = format!("/{organization}/aaaaaaaaaaaa/hq.aaaaaaaaaaaa.mp3");
        let query = format!("kid=bbbbbbbbbbbb&verify={}-{}", now.unix_seconds(), "A".repeat(43));
        signer.verify_delivery(&path, Some(&query), now).unwrap_err()
    }

    fn objects(&self) -> std::path::PathBuf {
        self.store.path().join("objects")
    }
}

async fn keys_are_honoured_until_they_are_revoked(database: TestDatabase) {
    let scene = Scene::set(database).await;
    let (api, edge) = (signer(1), signer(1));
    let (mut at_api, mut at_edge) = (scene.by_catalog(&api), scene.by_store(&edge));
    at_api.look().await.unwrap();
    at_edge.look().await.unwrap();
    assert_eq!((api.live_keys().len(), edge.live_keys().len(), scene.lists().await), (0, 0, 0));

    let caller = &scene.station.caller;
    let created = scene.keys.create(caller, "backend").await.unwrap();
    assert_eq!(created.secret, api.signing_key(caller.organization_id, created.key.id));
    assert!(!format!("{created:?}").contains(&created.secret));
    scene.clock.advance_seconds(1);
    at_api.look().await.unwrap();
    at_edge.look().await.unwrap();
    assert_eq!((api.live_keys().len(), edge.live_keys().len()), (1, 1));

    let neighbour =
        scene.station.node.library.create_organization("Neighbours").await.unwrap().organization.id;
    let refused = scene.keys.revoke(&Caller::owner(neighbour), created.key.id).await;
    assert!(matches!(refused, Err(Refusal::NotFound(Resource::SigningKey))));
    scene.keys.revoke(caller, created.key.id).await.unwrap();
    scene.clock.advance_seconds(1);
    at_api.look().await.unwrap();
    at_edge.look().await.unwrap();
    assert_eq!((api.live_keys().len(), edge.live_keys().len()), (0, 0));
    let listed = scene.keys.list(caller).await.unwrap();
    assert_eq!((listed.len(), listed[0].revoked_at.is_some()), (1, true));
    // That there are no keys is known for ever.
    scene.clock.advance_seconds(3600);
    at_edge.look().await.unwrap();
    assert_eq!(scene.refusal(&edge), VerifyError::BadSignature);
}

async fn a_new_key_is_honoured_at_once_where_it_is_made(database: TestDatabase) {
    let scene = Scene::set(database).await;
    let (own, caller) = (signer(1), &scene.station.caller);
    let keys = SigningKeys::new(scene.station.node.catalog.clone(), scene.ambient.clone(), own.clone());
    let mut follower = scene.by_catalog(&own);
    follower.look().await.unwrap();
    let is_honoured = |id| own.live_keys().contains((caller.organization_id, id), scene.ambient.now());
    let first = keys.create(caller, "backend").await.unwrap().key.id;
    assert!(is_honoured(first));
    // Another node may have revoked it, so this node has to read that it is live.
    scene.clock.advance_seconds(2);
    assert!(!is_honoured(first));
    follower.look().await.unwrap();
    assert!(is_honoured(first));
    let second = keys.create(caller, "backend").await.unwrap().key.id;
    keys.revoke(caller, second).await.unwrap();
    assert!(!is_honoured(second) && is_honoured(first));
}

async fn one_node_tells_what_all_know(database: TestDatabase) {
    let scene = Scene::set(database).await;
    let (first, second, edge) = (signer(1), signer(1), signer(1));
    let (mut at_first, mut at_second) = (scene.by_catalog(&first), scene.by_catalog(&second));
    let mut at_edge = scene.by_store(&edge);
    at_first.look().await.unwrap();
    at_second.look().await.unwrap();
    let caller = &scene.station.caller;
    let created = scene.keys.create(caller, "backend").await.unwrap();
    for follower in [&mut at_first, &mut at_second] {
        follower.look().await.unwrap();
    }
    assert_eq!(scene.lists().await, 1);
    // A node that starts finds the list in the store.
    scene.by_catalog(&signer(1)).look().await.unwrap();
    assert_eq!(scene.lists().await, 1);
    // The list in the store is outdated.
    let other = scene.keys.create(caller, "another").await.unwrap();
    scene.clock.advance_seconds(1);
    at_second.look().await.unwrap();
    at_edge.look().await.unwrap();
    assert_eq!(edge.live_keys().len(), 2);
    scene.keys.revoke(caller, created.key.id).await.unwrap();
    scene.keys.revoke(caller, other.key.id).await.unwrap();
    scene.clock.advance_seconds(1);
    at_first.look().await.unwrap();
    at_edge.look().await.unwrap();
    assert_eq!(edge.live_keys().len(), 0);
}

async fn nodes_without_a_catalog_fail_closed(database: TestDatabase) {
    let scene = Scene::set(database).await;
    let (api, edge) = (signer(1), signer(1));
    let (mut at_api, mut at_edge) = (scene.by_catalog(&api), scene.by_store(&edge));
    scene.keys.create(&scene.station.caller, "backend").await.unwrap();
    at_api.look().await.unwrap();
    at_edge.look().await.unwrap();
    assert_eq!(edge.live_keys().len(), 1);

    // The store is unavailable: the known list is valid for a short time only.
    let (objects, away) = (scene.objects(), scene.store.path().join("away"));
    std::fs::rename(&objects, &away).unwrap();
    std::fs::write(&objects, "not a folder").unwrap();
    scene.clock.advance_seconds(10);
    assert!(at_edge.look().await.is_err());
    assert_eq!(edge.live_keys().len(), 1);
    scene.clock.advance_seconds(14);
    assert!(at_edge.look().await.is_err());
    assert_eq!(edge.live_keys().len(), 1);
    scene.clock.advance_seconds(1);
    assert!(at_edge.look().await.is_err());
    assert_eq!(edge.live_keys().len(), 0);
    std::fs::remove_file(&objects).unwrap();
    std::fs::rename(&away, &objects).unwrap();
    at_edge.look().await.unwrap();
    assert_eq!(edge.live_keys().len(), 1);

    // A list that is not renewed is valid for ten minutes.
    scene.clock.advance_seconds(574);
    at_edge.look().await.unwrap();
    assert_eq!(edge.live_keys().len(), 1);
    scene.clock.advance_seconds(1);
    at_edge.look().await.unwrap();
    assert_eq!(edge.live_keys().len(), 0);
    at_api.look().await.unwrap();
    at_edge.look().await.unwrap();
    assert_eq!(edge.live_keys().len(), 1);

    // Without a list, no keys are accepted.
    std::fs::remove_dir_all(objects.join(ObjectKey::RESERVED.to_string())).unwrap();
    at_edge.look().await.unwrap();
    assert_eq!(edge.live_keys().len(), 0);
}

async fn lists_are_not_taken_from_strangers(database: TestDatabase) {
    let scene = Scene::set(database).await;
    scene.keys.create(&scene.station.caller, "backend").await.unwrap();
    // Another party that can write to the store, but has a different secret.
    scene.by_catalog(&signer(2)).look().await.unwrap();
    assert_eq!(scene.lists().await, 1);
    let edge = signer(1);
    scene.by_store(&edge).look().await.unwrap();
    assert_eq!(edge.live_keys().len(), 0);
    let name = "00000000-0000-0000-0000-000000000000/signingkeys0/live.zzzzzzzzzzzz.json";
    scene.blobs.put_bytes(&name.parse().unwrap(), "\u{1}\n{}".into()).await.unwrap();
    scene.by_catalog(&signer(1)).look().await.unwrap();
    scene.by_store(&edge).look().await.unwrap();
    assert_eq!(edge.live_keys().len(), 1);
}

async fn a_node_whose_clock_is_ahead_revives_no_key(database: TestDatabase) {
    let scene = Scene::set(database).await;
    let (ahead, ahead_clock) = tonearm_fixtures::ambient();
    ahead_clock.set(scene.ambient.now().plus_seconds(3600));
    let (one, other, edge) = (signer(1), signer(1), signer(1));
    let catalog = scene.station.node.catalog.clone();
    let mut at_ahead = KeyFollower::of_catalog(catalog, scene.blobs.clone(), one, ahead);
    let (mut at_other, mut at_edge) = (scene.by_catalog(&other), scene.by_store(&edge));
    let caller = &scene.station.caller;
    let created = scene.keys.create(caller, "backend").await.unwrap();
    at_ahead.look().await.unwrap();
    // How old a list from the future is, nobody knows.
    at_edge.look().await.unwrap();
    assert_eq!(edge.live_keys().len(), 0);
    assert_eq!(scene.refusal(&edge), VerifyError::KeysUnknown);
    at_other.look().await.unwrap();
    at_edge.look().await.unwrap();
    assert_eq!(edge.live_keys().len(), 1);
    // The list of the node that is ahead is still there.
    scene.keys.revoke(caller, created.key.id).await.unwrap();
    scene.clock.advance_seconds(1);
    at_other.look().await.unwrap();
    at_edge.look().await.unwrap();
    assert_eq!((edge.live_keys().len(), scene.refusal(&edge)), (0, VerifyError::BadSignature));
}

async fn without_the_database_a_node_follows_the_store(database: TestDatabase) {
    let url = database.url.clone();
    let scene = Scene::set(database).await;
    let (api, cut_off) = (signer(1), signer(1));
    let mut at_api = scene.by_catalog(&api);
    let catalog = Catalog::connect(&url.parse().unwrap(), ConnectOptions::default()).await.unwrap();
    let (blobs, ambient) = (scene.blobs.clone(), scene.ambient.clone());
    let mut at_cut_off = KeyFollower::of_catalog(catalog.clone(), blobs, cut_off.clone(), ambient);
    let caller = &scene.station.caller;
    let created = scene.keys.create(caller, "backend").await.unwrap();
    assert_eq!(scene.refusal(&cut_off), VerifyError::KeysUnknown, "it has not looked yet");
    at_cut_off.look().await.unwrap();
    assert_eq!(cut_off.live_keys().len(), 1);
    catalog.close().await.unwrap();
    let name = (caller.organization_id, created.key.id);
    // As long as others renew the list, and for ten minutes after that.
    for _ in 0..10 {
        scene.clock.advance_seconds(20);
        at_api.look().await.unwrap();
        at_cut_off.look().await.unwrap_err();
        assert!(cut_off.live_keys().contains(name, scene.ambient.now()));
    }
    scene.clock.advance_seconds(540);
    at_cut_off.look().await.unwrap_err();
    assert!(cut_off.live_keys().contains(name, scene.ambient.now()));
    scene.clock.advance_seconds(60);
    at_cut_off.look().await.unwrap_err();
    assert_eq!((cut_off.live_keys().len(), scene.refusal(&cut_off)), (0, VerifyError::KeysUnknown));
    // Revocations reach it through the store.
    at_api.look().await.unwrap();
    at_cut_off.look().await.unwrap_err();
    assert_eq!(cut_off.live_keys().len(), 1);
    scene.keys.revoke(caller, created.key.id).await.unwrap();
    at_api.look().await.unwrap();
    at_cut_off.look().await.unwrap_err();
    assert_eq!((cut_off.live_keys().len(), scene.refusal(&cut_off)), (0, VerifyError::BadSignature));
}

#[tokio::test]
async fn what_could_not_be_published_is_not_forgotten_without_the_database() {
    let scene = Scene::set(TestDatabase::migrated_sqlite(tonearm_fixtures::migrate!()).await).await;
    let (api, url) = (signer(1), scene.station.database.url.parse().unwrap());
    let catalog = Catalog::connect(&url, ConnectOptions::default()).await.unwrap();
    let mut at_api =
        KeyFollower::of_catalog(catalog.clone(), scene.blobs.clone(), api.clone(), scene.ambient.clone());
    let created = scene.keys.create(&scene.station.caller, "backend").await.unwrap();
    at_api.look().await.unwrap();
    assert_eq!(api.live_keys().len(), 1);
    scene.keys.revoke(&scene.station.caller, created.key.id).await.unwrap();
    // The store is away when the node learns of it, and back when the database is away.
    let (objects, away) = (scene.objects(), scene.store.path().join("away"));
    std::fs::rename(&objects, &away).unwrap();
    std::fs::write(&objects, "not a folder").unwrap();
    at_api.look().await.unwrap_err();
    assert_eq!(api.live_keys().len(), 0);
    std::fs::remove_file(&objects).unwrap();
    std::fs::rename(&away, &objects).unwrap();
    catalog.close().await.unwrap();
    scene.clock.advance_seconds(5);
    at_api.look().await.unwrap_err();
    assert_eq!((api.live_keys().len(), scene.refusal(&api)), (0, VerifyError::BadSignature));
    scene.clock.advance_seconds(10);
    at_api.look().await.unwrap_err();
    assert_eq!((api.live_keys().len(), scene.refusal(&api)), (0, VerifyError::KeysUnknown));
}

/// The runtime's clock is paused, and does not wait for sockets: while a request hangs, deadlines expire at once.
#[tokio::test]
async fn a_revoked_key_ends_in_time_even_when_each_look_hangs() {
    let mut scene = Scene::set(TestDatabase::sqlite()).await;
    let server = S3Server::start();
    let proxy = BucketProxy::start(&server);
    scene.blobs = Blobs::open(&proxy.url().parse().unwrap()).await.unwrap();
    let (api, edge) = (signer(1), signer(1));
    let created = scene.keys.create(&scene.station.caller, "backend").await.unwrap();
    let name = (scene.station.caller.organization_id, created.key.id);
    let is_live = |signer: &UrlSigner| signer.live_keys().contains(name, scene.ambient.now());
    let (mut at_api, mut at_edge) = (scene.by_catalog(&api), scene.by_store(&edge));
    at_api.look().await.unwrap();
    at_edge.look().await.unwrap();
    assert!(is_live(&api) && is_live(&edge));

    // Reads hang, and so do writes. The look ends all the same.
    proxy.set(|_| Some(Fault::Hang));
    scene.keys.revoke(&scene.station.caller, created.key.id).await.unwrap();
    scene.clock.advance_seconds(10);
    tokio::time::pause();
    let begun = tokio::time::Instant::now();
    assert!(at_edge.look().await.is_err());
    assert!(begun.elapsed().as_secs() <= 5, "{:?}", begun.elapsed());
    assert!(is_live(&edge), "one look that hangs does no harm");
    // While the next look hangs, the list expires.
    let mut look = Box::pin(at_edge.look());
    assert!(futures::poll!(&mut look).is_pending());
    scene.clock.advance_seconds(14);
    assert!(is_live(&edge));
    scene.clock.advance_seconds(1);
    assert!(!is_live(&edge));
    assert!((&mut look).await.is_err());
    drop(look);
    assert_eq!(edge.live_keys().len(), 0, "judged by the time after the look");
    tokio::time::resume();
    at_api.look().await.unwrap_err();
    assert!(!is_live(&api));

    proxy.heal();
    scene.clock.advance_seconds(1);
    at_api.look().await.unwrap();
    at_edge.look().await.unwrap();
    assert_eq!((api.live_keys().len(), edge.live_keys().len()), (0, 0));
}
