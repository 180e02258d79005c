//! What is kept about somebody is told and forgotten, and nothing else.

use tonearm_catalog::{AuditFilter, Catalog, ConnectOptions};
use tonearm_domain::{Actor, Ambient, AuditRecord, Day, ListenerId, Origin, StoredAddresses};
use tonearm_fixtures::{TestDatabase, ambient};
use tonearm_service::{
    Device, Entry, ListenerReference, OwnerlessOrganizations, People, PersonReference, Privacy, Refusal,
    Resource, SignedIn,
};
use tonearm_signing::{Secrets, UrlSigner, Vault};

crate::on_both!(
    a_person_is_told_everything_and_then_forgotten,
    an_account_that_is_gone_is_erased_by_its_address,
    addresses_are_truncated_where_they_are_to_be,
    a_listener_has_a_hash_for_each_day_and_secret,
);

const EMAIL: &str = "bea@example.com";
const PASSWORD: &str = "correct horse battery";
const ADDRESS: &str = "203.0.113.77";

struct Scene {
    catalog: Catalog,
    people: People,
    privacy: Privacy,
    signer: UrlSigner,
    ambient: Ambient,
}

impl Scene {
    async fn set(database: &TestDatabase, stored_addresses: StoredAddresses) -> Self {
        let options = ConnectOptions { stored_addresses, ..ConnectOptions::default() };
        let catalog = Catalog::connect(&database.url.parse().unwrap(), options).await.unwrap();
        let (ambient, _) = ambient();
        let (new, old) = ("n".repeat(32), "o".repeat(32));
        let secrets = Secrets::parse(&format!("{new},{old}")).unwrap();
        let vault = Vault::new(&secrets);
        let people = People::new(catalog.clone(), ambient.clone(), vault, "https://audio.example.com");
        let signer = UrlSigner::new(secrets);
        let privacy = Privacy::new(catalog.clone(), ambient.clone(), people.clone(), &signer);
        Self { catalog, people, privacy, signer, ambient }
    }

    /// Two administrators, the second of whom has signed in.
    async fn people(&self) -> SignedIn {
        self.people.add_person("Ada", "ada@example.com", true).await.unwrap();
        let (_, link) = self.people.add_person("Bea", EMAIL, true).await.unwrap();
        let token = link.url.rsplit_once('/').unwrap().1.parse().unwrap();
        let password = PASSWORD.to_owned();
        self.people.choose_new_password(&token, password.clone(), self.device()).await.unwrap();
        let entry = self.people.sign_in(EMAIL, password, self.device()).await.unwrap();
        let Entry::SignedIn(signed_in) = entry else { panic!("no second factor is set up") };
        signed_in
    }

    fn device(&self) -> Device {
        Device {
            address: Some(ADDRESS.parse().unwrap()),
            user_agent: Some("Firefox".to_owned()),
            token: None,
        }
    }

    /// All lines that belong to no organization, the newest first.
    async fn lines(&self) -> Vec<AuditRecord> {
        self.catalog.audit_entries(None, &AuditFilter::default(), None, 100).await.unwrap()
    }
}

fn mentions(lines: &[AuditRecord], text: &str) -> bool {
    serde_json::to_string(lines).unwrap().contains(text)
}

async fn a_person_is_told_everything_and_then_forgotten(database: TestDatabase) {
    let scene = Scene::set(&database, StoredAddresses::Whole).await;
    let bea = scene.people().await.person;
    let email: PersonReference = EMAIL.parse().unwrap();
    let kept = scene.privacy.person(&email).await.unwrap();
    assert_eq!(kept, scene.privacy.person(&PersonReference::Id(bea.id)).await.unwrap());
    assert_eq!(kept.account.as_ref(), Some(&bea));
    let addresses: Vec<_> = kept.sign_ins.iter().filter_map(|sign_in| sign_in.address).collect();
    assert!(addresses.contains(&ADDRESS.parse().unwrap()), "{:?}", kept.sign_ins);
    assert!(mentions(&kept.audit, EMAIL) && mentions(&kept.audit, ADDRESS));
    assert!(!mentions(&kept.audit, "ada@example.com"));

    let count = scene.lines().await.len();
    let by = Origin::command_line();
    scene.privacy.erase_person(by, &email, OwnerlessOrganizations::Refuse).await.unwrap();
    let lines = scene.lines().await;
    assert_eq!(lines.len(), count + 2, "no line is lost; that the person was removed and erased is added");
    assert!(!mentions(&lines, EMAIL) && !mentions(&lines, ADDRESS), "{lines:#?}");
    assert!(mentions(&lines, "ada@example.com"), "others are left alone");
    let erased = lines.iter().find(|line| line.action == "privacy.erase").unwrap();
    assert_eq!((erased.subject_id, erased.title.as_deref()), (Some(bea.id.uuid()), None));
    assert!(scene.people.person_by_email(EMAIL).await.is_err());
    let kept = scene.privacy.person(&PersonReference::Id(bea.id)).await.unwrap();
    assert!(kept.account.is_none() && kept.sign_ins.is_empty() && kept.devices.is_empty());
    let again = scene.privacy.erase_person(by, &email, OwnerlessOrganizations::Refuse).await;
    assert!(matches!(again, Err(Refusal::NotFound(Resource::Person))), "{again:?}");
}

async fn an_account_that_is_gone_is_erased_by_its_address(database: TestDatabase) {
    let scene = Scene::set(&database, StoredAddresses::Whole).await;
    let bea = scene.people().await.person;
    let by = Origin::command_line();
    scene.people.remove_person(by, bea.id, OwnerlessOrganizations::Refuse).await.unwrap();
    assert!(mentions(&scene.lines().await, EMAIL));
    let email: PersonReference = EMAIL.parse().unwrap();
    assert!(!scene.privacy.person(&email).await.unwrap().is_empty());
    scene.privacy.erase_person(by, &email, OwnerlessOrganizations::Refuse).await.unwrap();
    let lines = scene.lines().await;
    assert!(!mentions(&lines, EMAIL) && !mentions(&lines, ADDRESS), "{lines:#?}");
}

async fn addresses_are_truncated_where_they_are_to_be(database: TestDatabase) {
    let scene = Scene::set(&database, StoredAddresses::Networks).await;
    let bea = scene.people().await.person;
    let sign_ins = scene.people.sign_ins(&bea).await.unwrap();
    assert!(!sign_ins.is_empty());
    for sign_in in sign_ins {
        assert_eq!(sign_in.address, Some("203.0.113.0".parse().unwrap()));
    }
    let stranger = Origin { actor: Actor::Stranger, address: Some("2001:db8:1:2::3".parse().unwrap()) };
    scene.people.end_sessions(Origin { actor: Actor::CommandLine, ..stranger }, bea.id).await.unwrap();
    let lines = scene.lines().await;
    assert!(!mentions(&lines, ADDRESS) && mentions(&lines, "203.0.113.0"), "{lines:#?}");
    assert!(mentions(&lines, "\"2001:db8:1::\""), "{lines:#?}");
}

async fn a_listener_has_a_hash_for_each_day_and_secret(database: TestDatabase) {
    let scene = Scene::set(&database, StoredAddresses::Whole).await;
    let visitor =
        ListenerReference::Visitor { address: ADDRESS.parse().unwrap(), agent: Some("Firefox".to_owned()) };
    let kept = scene.privacy.listener(&visitor).await.unwrap();
    assert!(kept.listening.is_empty());
    let today = Day::of(scene.ambient.now());
    for hasher in scene.signer.listener_hashers() {
        let hash = hasher.listener(today, ADDRESS.parse().unwrap(), Some(b"Firefox"));
        assert!(kept.hashes.contains(&(today, hash)));
    }
    let by = Origin::command_line();
    assert_eq!(scene.privacy.erase_listener(by, &visitor).await.unwrap(), 0);
    let hash = ListenerReference::Hash(ListenerId::from_hash(7));
    assert_eq!(scene.privacy.erase_listener(by, &hash).await.unwrap(), 0);
    let lines = scene.lines().await;
    assert_eq!(lines.iter().filter(|line| line.action == "privacy.erase").count(), 2);
    assert!(!mentions(&lines, ADDRESS));
}
