//! Replacing master secrets, and data that was sealed under the previous one.

use tempfile::TempDir;
use tonearm_catalog::{Catalog, ConnectOptions, SealedAt};
use tonearm_domain::{
    Action, BucketName, KeyType, OrganizationId, PersonId, Selection, ShareTarget, WebhookKind,
};
use tonearm_fixtures::{TestDatabase, ambient};
use tonearm_outbound::Outbound;
use tonearm_service::{
    Access, BackupError, BackupTarget, BackupTerms, Backups, Caller, CreateCollection, CreateKey,
    ImportBuckets, Library, Links, LookupLimits, Lookups, Resealed, Resealing, RestoreTerms, Restores,
    SetImportBucket, SetTranscription, ShareLink, StoreIdentity, Transcriptions, Webhooks,
};
use tonearm_signing::{Secrets, UrlSigner, Vault};

use crate::store_scene::Ground;

const OLD: &str = "the master secret that there was at first";
const NEW: &str = "the master secret that takes the place of it";

crate::on_both!(
    what_is_sealed_outlives_its_master_secret,
    what_changes_meanwhile_is_left_alone,
    moving_an_endpoint_never_brings_an_old_secret_back,
    what_is_sealed_is_readable_after_a_restore,
);

fn bucket() -> BucketName {
    "music".parse().unwrap()
}

/// A node with these master secrets.
struct Node {
    library: Library,
    webhooks: Webhooks,
    transcriptions: Transcriptions,
    import_buckets: ImportBuckets,
    resealing: Resealing,
    vault: Vault,
    catalog: Catalog,
}

impl Node {
    async fn with(secrets: &str, database: &TestDatabase) -> Self {
        let catalog =
            Catalog::connect(&database.url.parse().unwrap(), ConnectOptions::default()).await.unwrap();
        let (ambient, _) = ambient();
        let secrets = Secrets::parse(secrets).unwrap();
        let vault = Vault::new(&secrets);
        let delivery_url = "https://cdn.example.com".parse().unwrap();
        let signer = UrlSigner::new(secrets);
        let links = Links::new(signer, ambient.clone(), "https://api.example.com", delivery_url);
        let outbound = Outbound::new(false).unwrap();
        Self {
            library: Library::new(catalog.clone(), ambient.clone(), links.clone()).with_vault(vault.clone()),
            webhooks: Webhooks::new(catalog.clone(), ambient.clone(), links, vault.clone(), outbound.clone()),
            import_buckets: ImportBuckets::new(
                catalog.clone(),
                ambient.clone(),
                vault.clone(),
                outbound.clone(),
            ),
            transcriptions: Transcriptions::new(catalog.clone(), ambient.clone(), vault.clone(), outbound),
            resealing: Resealing::new(catalog.clone(), ambient, vault.clone()),
            vault,
            catalog,
        }
    }

    /// An organization with a webhook whose secret was rotated, a key to a provider, and credentials for a bucket.
    async fn organization(&self) -> (Caller, OrganizationId) {
        let id = self.library.create_organization("Example Radio").await.unwrap().organization.id;
        let caller = Caller::owner(id);
        self.webhooks.set(&caller, WebhookKind::Track, "https://example.com/hook".into()).await.unwrap();
        self.webhooks.rotate(&caller, WebhookKind::Track).await.unwrap();
        let set = SetTranscription {
            base_url: "https://speech.example.com/v1".into(),
            key: Some("the provider's key".to_owned()),
            model: "large".into(),
            language: Default::default(),
        };
        self.transcriptions.set(&caller, set).await.unwrap();
        let set = SetImportBucket {
            endpoint: None,
            region: None,
            access_key_id: "id".parse().unwrap(),
            secret_access_key: Some("the bucket's secret".to_owned()),
        };
        self.import_buckets.set(&caller, bucket(), set).await.unwrap();
        let create = CreateCollection { title: "Songs".to_owned(), ..CreateCollection::default() };
        let collection = self.library.create_collection(&caller, create).await.unwrap().0.collection.id;
        let mut link = CreateKey::new(KeyType::Share, "Link");
        link.collection_id = Some(collection);
        link.variants = Selection::one("hq".parse().unwrap());
        let person = Caller::person(id, PersonId::from_uuid(id.uuid()));
        self.library.create_key(&person, link).await.unwrap();
        (caller, id)
    }

    async fn secret(&self, caller: &Caller) -> Option<String> {
        self.webhooks.secret(caller, WebhookKind::Track).await.ok()
    }

    async fn provider_key(&self, id: OrganizationId) -> Option<Vec<u8>> {
        let sealed = self.catalog.transcription_settings(id).await.unwrap().unwrap().key.unwrap();
        self.vault.open(&format!("transcription/{id}"), &sealed)
    }

    /// The text of the organization's only share link.
    async fn share_link(&self, caller: &Caller) -> Option<String> {
        let keys = self.library.keys(caller).await.unwrap();
        let key = keys.into_iter().find(|key| key.key_type == KeyType::Share).unwrap();
        let target = ShareTarget::of(key.scope).unwrap();
        let link = self.library.share_link(caller, target, key.id).await.unwrap();
        let listed = self.library.share_links(caller, target, None).await.unwrap().links.remove(0);
        let text = |link: &ShareLink| link.text.as_ref().map(|text| text.reveal().to_owned());
        assert_eq!(text(&link), text(&listed));
        text(&link)
    }

    async fn bucket_secret(&self, id: OrganizationId) -> Option<Vec<u8>> {
        let sealed = self.catalog.import_bucket(id, &bucket()).await.unwrap().unwrap().secret;
        self.vault.open(&format!("import_bucket/{id}/{}", bucket()), &sealed)
    }
}

async fn what_is_sealed_outlives_its_master_secret(database: TestDatabase) {
    let old = Node::with(OLD, &database).await;
    let (caller, id) = old.organization().await;
    let secret = old.secret(&caller).await.unwrap();
    let link = old.share_link(&caller).await.unwrap();
    assert!(!old.resealing.is_needed());

    let changing = Node::with(&format!("{NEW},{OLD}"), &database).await;
    assert!(changing.resealing.is_needed());
    let done = changing.resealing.reseal().await.unwrap();
    assert_eq!(done, Resealed { resealed: 5, ..Resealed::default() });
    assert_eq!(changing.secret(&caller).await.as_ref(), Some(&secret));
    let again = changing.resealing.reseal().await.unwrap();
    assert_eq!(again, Resealed { kept: 5, ..Resealed::default() });

    let new = Node::with(NEW, &database).await;
    assert_eq!(new.secret(&caller).await, Some(secret));
    assert_eq!(new.share_link(&caller).await, Some(link));
    assert_eq!(old.share_link(&caller).await, None, "the link still works, but is not shown");
    assert_eq!(new.provider_key(id).await.as_deref(), Some(&b"the provider's key"[..]));
    assert_eq!(new.bucket_secret(id).await.as_deref(), Some(&b"the bucket's secret"[..]));
    assert_eq!(old.secret(&caller).await, None);
    // With an unrelated master secret, nothing can be opened, and nothing is changed.
    let neither = Node::with("a master secret that nobody has ever sealed with", &database).await;
    let found = neither.resealing.reseal().await.unwrap();
    assert_eq!((found.kept, found.resealed, found.lost.len()), (0, 0, 5));
    assert!(found.lost.contains(&SealedAt::TranscriptionKey(id)));
    assert_eq!(new.resealing.reseal().await.unwrap().kept, 5);
}

async fn what_changes_meanwhile_is_left_alone(database: TestDatabase) {
    let node = Node::with(OLD, &database).await;
    let (caller, _) = node.organization().await;
    let read = node.catalog.sealed().await.unwrap();
    assert_eq!(read.len(), 4);
    let rotated = node.webhooks.rotate(&caller, WebhookKind::Track).await.unwrap().secret;
    let tx = node.catalog.begin().await.unwrap();
    for found in &read {
        let is_kept = matches!(found.at, SealedAt::TranscriptionKey(_) | SealedAt::ImportBucketSecret(..));
        let replaced = tx.replace_sealed(found, found.bytes.clone()).await.unwrap();
        assert_eq!(replaced, is_kept, "{:?}", found.at);
    }
    tx.commit().await.unwrap();
    assert_eq!(node.secret(&caller).await, Some(rotated));
}

async fn moving_an_endpoint_never_brings_an_old_secret_back(database: TestDatabase) {
    let (one, other) = (Node::with(OLD, &database).await, Node::with(OLD, &database).await);
    let (caller, _) = one.organization().await;
    for round in 0..20 {
        let url = format!("https://example.com/hook/{round}");
        let (rotated, moved) = tokio::join!(
            one.webhooks.rotate(&caller, WebhookKind::Track),
            other.webhooks.set(&caller, WebhookKind::Track, url.clone().into())
        );
        assert_eq!(moved.unwrap().url, url);
        assert_eq!(one.secret(&caller).await, Some(rotated.unwrap().secret), "round {round}");
        assert_eq!(one.webhooks.endpoints(&caller).await.unwrap()[0].url, url, "round {round}");
    }
}

/// Restores into the other kind of database, with the same master secret.
async fn what_is_sealed_is_readable_after_a_restore(database: TestDatabase) {
    let other = match database.url.starts_with("sqlite") {
        true => TestDatabase::postgres().await,
        false => TestDatabase::sqlite(),
    };
    let (node, (ambient, _)) = (Node::with(OLD, &database).await, ambient());
    let (caller, id) = node.organization().await;
    let (grounds, folder) = ([Ground::beside(&database), Ground::beside(&other)], TempDir::new().unwrap());
    let [from, to] = [grounds[0].open().await, grounds[1].open().await];
    StoreIdentity::new(node.catalog.clone(), from.clone(), ambient.clone()).establish().await.unwrap();
    let target = format!("file://{}/backups", folder.path().display());
    let target = BackupTarget::open(&target.parse().unwrap()).await.unwrap();
    let scratch = folder.path().to_owned();
    let old = || Secrets::parse(OLD).unwrap();
    let stores = (node.catalog.clone(), from);
    Backups::new(stores, ambient.clone(), old(), scratch.clone(), "0.1.0")
        .run(&target, BackupTerms::default(), &mut |_| {})
        .await
        .unwrap();
    let restores = |secrets| {
        let database = (other.url.parse().unwrap(), ConnectOptions::default());
        Restores::new(database, to.clone(), ambient.clone(), secrets, scratch.clone())
    };
    let refused = restores(Secrets::parse(NEW).unwrap());
    let refused = refused.run(&target, RestoreTerms::default(), &mut |_| {}).await;
    assert!(matches!(refused, Err(BackupError::Secret)), "it would not open what is sealed");
    restores(old()).run(&target, RestoreTerms::default(), &mut |_| {}).await.unwrap();

    let restored = Node::with(OLD, &other).await;
    let secret = node.secret(&caller).await;
    assert!(secret.is_some());
    assert_eq!(restored.secret(&caller).await, secret, "receivers know the signatures of webhooks");
    let link = node.share_link(&caller).await;
    assert!(link.is_some());
    assert_eq!(restored.share_link(&caller).await, link, "it can be copied again");
    assert_eq!(restored.provider_key(id).await.as_deref(), Some(&b"the provider's key"[..]));
    assert_eq!(restored.bucket_secret(id).await.as_deref(), Some(&b"the bucket's secret"[..]));
    // The link still opens its collection.
    let lookups = Lookups::new(restored.catalog.clone(), LookupLimits::default());
    let access = Access::new(lookups, ambient);
    let key = access.key(&link.unwrap(), Action::Share).await.unwrap();
    assert_eq!(key.organization_id, id);
    // Resealing under a new master secret works there too.
    let changing = Node::with(&format!("{NEW},{OLD}"), &other).await;
    assert_eq!(changing.resealing.reseal().await.unwrap(), Resealed { resealed: 5, ..Resealed::default() });
}
