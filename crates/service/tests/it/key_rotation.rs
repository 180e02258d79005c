//! Keys that get new secrets: the old secret works for a limited time.

use tonearm_catalog::{AuditFilter, Catalog, ConnectOptions};
use tonearm_domain::{Action, ErrorCode, KeyOverlap, KeyType, PersonId, Selection, ShareTarget};
use tonearm_fixtures::{ManualClock, TestDatabase, ambient};
use tonearm_service::{
    Access, Audit, Caller, CreateCollection, CreateKey, CreatedKey, Library, Links, LookupLimits, Lookups,
    Refusal,
};
use tonearm_signing::{Secrets, UrlSigner, Vault};

crate::on_both!(
    both_secrets_work_until_the_old_one_ends,
    there_are_never_more_than_two_secrets,
    an_old_secret_ends_with_its_key,
    a_share_link_shows_its_new_secret,
);

struct Scene {
    library: Library,
    access: Access,
    audit: Audit,
    clock: ManualClock,
    caller: Caller,
}

impl Scene {
    async fn set(database: &TestDatabase) -> Self {
        let catalog =
            Catalog::connect(&database.url.parse().unwrap(), ConnectOptions::default()).await.unwrap();
        let (ambient, clock) = ambient();
        let secrets = Secrets::from_bytes([1; 32]);
        let delivery_url = "https://cdn.example.com".parse().unwrap();
        let signer = UrlSigner::new(secrets.clone());
        let links = Links::new(signer, ambient.clone(), "https://api.example.com", delivery_url);
        let library = Library::new(catalog.clone(), ambient.clone(), links).with_vault(Vault::new(&secrets));
        let lookups = Lookups::new(catalog.clone(), LookupLimits::default());
        let id = library.create_organization("Example Radio").await.unwrap().organization.id;
        Self {
            library,
            access: Access::new(lookups, ambient),
            audit: Audit::new(catalog),
            clock,
            caller: Caller::person(id, PersonId::from_uuid(id.uuid())),
        }
    }

    async fn key(&self) -> CreatedKey {
        let create = CreateKey::new(KeyType::Player, "Web");
        self.library.create_key(&self.caller, create).await.unwrap()
    }

    async fn works(&self, text: &str) -> bool {
        self.access.key(text, Action::Play).await.is_ok()
    }
}

fn hours(hours: u16) -> KeyOverlap {
    KeyOverlap::new(hours).unwrap()
}

fn code<T: std::fmt::Debug>(refused: Result<T, Refusal>) -> ErrorCode {
    match refused.unwrap_err() {
        Refusal::Conflict { code, .. } => code,
        other => panic!("{other:?}"),
    }
}

async fn both_secrets_work_until_the_old_one_ends(database: TestDatabase) {
    let scene = Scene::set(&database).await;
    let created = scene.key().await;
    let old = created.text.reveal();
    assert!(scene.works(old).await);
    let rotated = scene.library.rotate_key(&scene.caller, created.key.id, hours(24)).await.unwrap();
    let new = rotated.text.reveal();
    assert_ne!(old, new);
    assert_eq!(rotated.key, created.key);
    for text in [old, new] {
        assert!(scene.works(text).await);
        assert_eq!(scene.access.key(text, Action::Play).await.unwrap().id, created.key.id);
    }
    let until = scene.library.old_secrets(&scene.caller, std::slice::from_ref(&created.key)).await.unwrap();
    assert_eq!(until.get(&created.key.id), rotated.old_until.as_ref());
    scene.clock.advance_seconds(24 * 3600 - 1);
    assert!(scene.works(old).await);
    scene.clock.advance_seconds(1);
    assert!(!scene.works(old).await && scene.works(new).await);
    assert!(
        scene
            .library
            .old_secrets(&scene.caller, std::slice::from_ref(&created.key))
            .await
            .unwrap()
            .is_empty()
    );
    let filter = AuditFilter { action: Some("api_key.rotate".to_owned()), ..AuditFilter::default() };
    let told = scene.audit.entries(&scene.caller, &filter, None, 10).await.unwrap();
    assert_eq!((told.len(), told[0].subject_id), (1, Some(created.key.id.uuid())));
}

async fn there_are_never_more_than_two_secrets(database: TestDatabase) {
    let scene = Scene::set(&database).await;
    let created = scene.key().await;
    let (library, id) = (&scene.library, created.key.id);
    assert_eq!(code(library.end_old_secret(&scene.caller, id).await), ErrorCode::KeyNotRotating);
    let first = library.rotate_key(&scene.caller, id, hours(720)).await.unwrap();
    assert_eq!(code(library.rotate_key(&scene.caller, id, hours(1)).await), ErrorCode::KeyRotating);
    assert!(scene.works(created.text.reveal()).await && scene.works(first.text.reveal()).await);
    library.end_old_secret(&scene.caller, id).await.unwrap();
    assert!(!scene.works(created.text.reveal()).await && scene.works(first.text.reveal()).await);
    // Without an overlap, the old secret ends at once, and a second rotation is not refused.
    let second = library.rotate_key(&scene.caller, id, hours(0)).await.unwrap();
    assert_eq!(second.old_until, None);
    assert!(!scene.works(first.text.reveal()).await && scene.works(second.text.reveal()).await);
    let third = library.rotate_key(&scene.caller, id, hours(1)).await.unwrap();
    scene.clock.advance_seconds(3600);
    let fourth = library.rotate_key(&scene.caller, id, hours(1)).await.unwrap();
    assert!(!scene.works(second.text.reveal()).await);
    assert!(scene.works(third.text.reveal()).await && scene.works(fourth.text.reveal()).await);
}

async fn an_old_secret_ends_with_its_key(database: TestDatabase) {
    let scene = Scene::set(&database).await;
    let created = scene.key().await;
    let rotated = scene.library.rotate_key(&scene.caller, created.key.id, hours(24)).await.unwrap();
    scene.library.revoke_key(&scene.caller, created.key.id).await.unwrap();
    for text in [created.text.reveal(), rotated.text.reveal()] {
        assert!(!scene.works(text).await);
    }
    assert_eq!(
        code(scene.library.rotate_key(&scene.caller, created.key.id, hours(24)).await),
        ErrorCode::KeyNotValid
    );

    let mut limited = CreateKey::new(KeyType::Player, "Limited");
    let soon = created.key.created_at.plus_seconds(60);
    limited.expires_at = Some(soon);
    let limited = scene.library.create_key(&scene.caller, limited).await.unwrap();
    let rotated = scene.library.rotate_key(&scene.caller, limited.key.id, hours(24)).await.unwrap();
    assert_eq!(rotated.old_until, Some(soon));
    scene.clock.advance_seconds(60);
    assert!(!scene.works(limited.text.reveal()).await && !scene.works(rotated.text.reveal()).await);
}

async fn a_share_link_shows_its_new_secret(database: TestDatabase) {
    let scene = Scene::set(&database).await;
    let create = CreateCollection { title: "Songs".to_owned(), ..CreateCollection::default() };
    let made = scene.library.create_collection(&scene.caller, create).await.unwrap();
    let mut link = CreateKey::new(KeyType::Share, "Link");
    link.collection_id = Some(made.0.collection.id);
    link.variants = Selection::one("hq".parse().unwrap());
    let created = scene.library.create_key(&scene.caller, link).await.unwrap();
    let rotated = scene.library.rotate_key(&scene.caller, created.key.id, hours(24)).await.unwrap();
    let target = ShareTarget::of(created.key.scope).unwrap();
    let shown = scene.library.share_link(&scene.caller, target, created.key.id).await.unwrap();
    assert_eq!(shown.text.unwrap().reveal(), rotated.text.reveal());
}
