//! Everything stored about a person is reported and erased, and nothing else.

use std::collections::BTreeSet;
use std::time::Duration;

use tonearm_catalog::{
    AuditFilter, Catalog, ConnectOptions, DumpRow, Erasure, PERSON_EMAILS, PERSON_IDS, PersonColumn,
    PersonNames,
};
use tonearm_domain::{
    Actor, Ambient, AuditRecord, Day, Import, ListenerId, OrganizationId, Origin, Person, PersonIdentity,
    Replacement, ReplacementState, Role, SecondFactor, StoredAddresses, TextChanges, UndoEntry,
    UndoableChange, UploadSession, WrongCodes,
};
use tonearm_fixtures::{TestDatabase, ambient};
use tonearm_service::{
    Caller, CreateCollection, Device, Entry, Library, Links, ListenerReference, NewPerson, OneTimeLink,
    OwnerlessOrganizations, People, PersonReference, Privacy, Refusal, Resource, SignInError, SignedIn,
};
use tonearm_signing::{Secrets, Token, UrlSigner, Vault};

crate::on_both!(
    a_person_is_told_everything_and_then_forgotten,
    no_column_names_an_erased_person,
    an_account_that_is_gone_is_erased_by_its_address,
    an_account_that_is_gone_is_erased_by_its_id,
    accounts_with_one_address_are_one_person,
    an_id_leads_to_no_address_of_another_account,
    an_erasure_is_completed_wherever_it_stopped,
    whoever_is_not_known_is_not_erased,
    addresses_are_truncated_where_they_are_to_be,
    a_listener_has_a_hash_for_each_day_and_secret,
);

const EMAIL: &str = "bea@example.com";
const NAME: &str = "Bea Quimby";
const PASSWORD: &str = "correct horse battery";
const ADDRESS: &str = "203.0.113.77";

struct Scene {
    catalog: Catalog,
    people: People,
    privacy: Privacy,
    library: Library,
    signer: UrlSigner,
    ambient: Ambient,
}

fn token(link: &OneTimeLink) -> Token {
    link.url.rsplit_once('/').unwrap().1.parse().unwrap()
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
        let delivery_url = "https://cdn.example.com".parse().unwrap();
        let links = Links::new(signer.clone(), ambient.clone(), "https://api.example.com", delivery_url);
        let library = Library::new(catalog.clone(), ambient.clone(), links);
        Self { catalog, people, privacy, library, signer, ambient }
    }

    /// Two administrators, the second of whom has signed in.
    async fn people(&self) -> SignedIn {
        self.people.add_person("Ada", "ada@example.com", true).await.unwrap();
        self.bea().await
    }

    /// An administrator who has signed in.
    async fn bea(&self) -> SignedIn {
        let (_, link) = self.people.add_person(NAME, EMAIL, true).await.unwrap();
        let password = PASSWORD.to_owned();
        self.people.choose_new_password(&token(&link), password.clone(), self.device()).await.unwrap();
        let entry = self.people.sign_in(EMAIL, password, self.device()).await.unwrap();
        let Entry::SignedIn(signed_in) = entry else { panic!("no second factor is set up") };
        signed_in
    }

    /// Somebody who knows Bea's address tries to sign in with it.
    async fn fail_to_sign_in(&self) {
        let failed = self.people.sign_in(EMAIL, "not the password".to_owned(), self.device()).await;
        assert!(matches!(failed, Err(SignInError::Wrong)));
    }

    fn device(&self) -> Device {
        Device {
            address: Some(ADDRESS.parse().unwrap()),
            user_agent: Some("Firefox".to_owned()),
            token: None,
        }
    }

    async fn organization_of(&self, person: &Person) -> OrganizationId {
        self.people.organizations_of(person).await.unwrap()[0].0.id
    }

    /// Ada invites a person.
    async fn invite(&self, email: &str) {
        let ada = self.people.person_by_email("ada@example.com").await.unwrap();
        let owner = Caller::person(self.organization_of(&ada).await, ada.id);
        self.people.invite(&owner, Role::Viewer, email).await.unwrap();
    }

    /// Creates rows in every column that names a person.
    async fn leave_traces_of(&self, bea: &Person) {
        let by = Origin::command_line();
        self.fail_to_sign_in().await;
        self.invite(EMAIL).await;
        self.people.reset_password(by, bea.id).await.unwrap();
        self.invite_somebody_as(bea).await;
        self.leave_ways_in_of(bea).await;
        self.leave_work_of(bea).await;
    }

    /// A used invitation records who invited.
    async fn invite_somebody_as(&self, bea: &Person) {
        let owner = Caller::person(self.organization_of(bea).await, bea.id);
        let link = self.people.invite(&owner, Role::Viewer, "cy@example.com").await.unwrap();
        let cy = NewPerson {
            name: "Cy".to_owned(),
            email: "cy@example.com".to_owned(),
            password: PASSWORD.to_owned(),
        };
        self.people.join(&token(&link), cy, Device::default()).await.unwrap();
    }

    async fn leave_ways_in_of(&self, bea: &Person) {
        let now = self.ambient.now();
        let identity = PersonIdentity {
            id: self.ambient.record_id(),
            person_id: bea.id,
            issuer: "https://id.example.com".to_owned(),
            subject: "1".to_owned(),
            email: Some(EMAIL.to_owned()),
            linked_at: now,
            used_at: now,
        };
        let secret = vec![1; 20];
        let factor = SecondFactor {
            person_id: bea.id,
            secret,
            created_at: now,
            confirmed_at: Some(now),
            last_step: 0,
            sign_in_id: None,
            wrong_elsewhere: WrongCodes::none(now),
            wrong_where_known: WrongCodes::none(now),
        };
        let tx = self.catalog.begin().await.unwrap();
        tx.insert_identity(&identity).await.unwrap();
        tx.put_second_factor(&factor).await.unwrap();
        tx.put_recovery_codes(bea.id, &[[2; 32]]).await.unwrap();
        tx.commit().await.unwrap();
    }

    async fn leave_work_of(&self, bea: &Person) {
        let organization_id = self.organization_of(bea).await;
        let caller = Caller::person(organization_id, bea.id);
        let create = CreateCollection { title: "First".to_owned(), ..CreateCollection::default() };
        let (collection, _) = self.library.create_collection(&caller, create).await.unwrap();
        let expires_at = self.ambient.now().plus_seconds(60);
        let session = UploadSession {
            id: self.ambient.credential_id(),
            organization_id,
            creator_id: None,
            collection_id: collection.collection.id,
            organization_index: None,
            metadata: Default::default(),
            expires_at,
            person_id: Some(bea.id),
            api_key_id: None,
            handle: None,
        };
        let replacement = Replacement {
            id: self.ambient.record_id(),
            organization_id,
            track_id: self.ambient.record_id(),
            state: ReplacementState::Waiting,
            reason: None,
            file_name: None,
            source: None,
            former_file_name: None,
            text_changes: TextChanges::default(),
            created_at: self.ambient.now(),
            expires_at,
            person_id: Some(bea.id),
            api_key_id: None,
        };
        let (id, change) = (self.ambient.record_id(), UndoableChange::Deletion { tracks: Vec::new() });
        let undo = UndoEntry { id, organization_id, person_id: bea.id, change, expires_at };
        let tx = self.catalog.begin().await.unwrap();
        tx.insert_upload_session(&session).await.unwrap();
        tx.put_replacement(&replacement).await.unwrap();
        let import = Import {
            track_id: replacement.track_id,
            organization_id: replacement.organization_id,
            url: b"sealed".to_vec(),
            host: "files.example.com".to_owned(),
            is_named: true,
            spent: Duration::ZERO,
            received: 0,
            size: None,
            created_at: replacement.created_at,
            person_id: replacement.person_id,
        };
        tx.insert_import(&import).await.unwrap();
        tx.insert_undo_entry(&undo).await.unwrap();
        tx.commit().await.unwrap();
    }

    async fn remove(&self, person: &Person) {
        let by = Origin::command_line();
        self.people.remove_person(by, person.id, OwnerlessOrganizations::Refuse).await.unwrap();
    }

    async fn erase(&self, person: &PersonReference) -> Result<(), Refusal> {
        self.privacy.erase_person(Origin::command_line(), person, OwnerlessOrganizations::Refuse).await
    }

    /// The columns, such as `person.name`, in which some cell contains a text. Skips tables that backups leave out.
    async fn columns_with(&self, text: &str) -> BTreeSet<String> {
        let snapshot = self.catalog.snapshot().await.unwrap();
        let mut found = BTreeSet::new();
        for table in snapshot.tables() {
            let (mut rows, mut last) = (Vec::<DumpRow>::new(), None);
            loop {
                let page = snapshot.page(table, last.as_ref()).await.unwrap();
                assert_eq!(page.left_out, []);
                rows.extend(page.rows);
                last = page.last;
                if last.is_none() {
                    break;
                }
            }
            for (column, cell) in rows.iter().flat_map(|row| table.columns.iter().zip(row)) {
                if cell.as_str().is_some_and(|cell| cell.contains(text)) {
                    found.insert(format!("{}.{}", table.name, column.name));
                }
            }
        }
        found
    }

    /// Asserts that nothing is left of Bea but audit log entries with an ID.
    async fn assert_forgotten(&self, bea: &Person) {
        for text in [EMAIL, NAME, ADDRESS] {
            assert_eq!(self.columns_with(text).await, BTreeSet::new(), "{text}");
        }
        let lines = names(PERSON_IDS, |column| column.erasure == Erasure::Line);
        let left = self.columns_with(&bea.id.uuid().to_string()).await;
        assert!(left.is_subset(&lines), "{left:?}");
        assert!(self.catalog.sign_ins(bea.id).await.unwrap().is_empty());
    }

    /// All audit log entries without an organization, newest first.
    async fn lines(&self) -> Vec<AuditRecord> {
        self.catalog.audit_entries(None, &AuditFilter::default(), None, 100).await.unwrap()
    }

    /// The audit log entries about a person.
    async fn audit_lines(&self, person: &PersonReference) -> Vec<AuditRecord> {
        let mut lines = Vec::new();
        let count = self.privacy.audit_lines(person, &mut |line| lines.push(line)).await.unwrap();
        assert_eq!(count, lines.len() as u64);
        lines
    }
}

fn names(columns: &[PersonColumn], is_wanted: impl Fn(&PersonColumn) -> bool) -> BTreeSet<String> {
    let wanted = columns.iter().filter(|column| is_wanted(column));
    wanted.map(|column| format!("{}.{}", column.table, column.column)).collect()
}

fn email() -> PersonReference {
    EMAIL.parse().unwrap()
}

fn mentions(lines: &[AuditRecord], text: &str) -> bool {
    serde_json::to_string(lines).unwrap().contains(text)
}

async fn a_person_is_told_everything_and_then_forgotten(database: TestDatabase) {
    let scene = Scene::set(&database, StoredAddresses::Whole).await;
    let bea = scene.people().await.person;
    scene.leave_traces_of(&bea).await;
    let kept = scene.privacy.person(&email()).await.unwrap();
    assert_eq!(kept, scene.privacy.person(&PersonReference::Id(bea.id)).await.unwrap());
    let audit = scene.audit_lines(&email()).await;
    assert_eq!(audit, scene.audit_lines(&PersonReference::Id(bea.id)).await);
    let account = kept.account.unwrap();
    assert_eq!(account.person, bea);
    assert_eq!((account.has_second_factor, account.recovery_codes), (true, 1));
    assert_eq!((account.identities.len(), account.memberships.len(), account.devices.len()), (1, 1, 2));
    let addresses: Vec<_> = account.sign_ins.iter().filter_map(|sign_in| sign_in.address).collect();
    assert!(addresses.contains(&ADDRESS.parse().unwrap()), "{:?}", account.sign_ins);
    let named = kept.named;
    assert_eq!(named.invitations.len(), 3, "to her, by her, and for a new password: {:?}", named.invitations);
    let by_her = [
        named.undo_entries.iter().map(|entry| Some(entry.person_id)).collect::<Vec<_>>(),
        named.upload_sessions.iter().map(|session| session.person_id).collect(),
        named.replacements.iter().map(|replacement| replacement.person_id).collect(),
    ];
    assert_eq!(by_her, [[Some(bea.id)], [Some(bea.id)], [Some(bea.id)]]);
    assert!(mentions(&audit, EMAIL) && mentions(&audit, ADDRESS));
    assert!(!mentions(&audit, "ada@example.com"));

    let count = scene.lines().await.len();
    scene.erase(&email()).await.unwrap();
    let lines = scene.lines().await;
    assert_eq!(lines.len(), count + 2, "no line is lost; that the person was removed and erased is added");
    assert!(mentions(&lines, "ada@example.com"), "others are left alone");
    let erased = lines.iter().find(|line| line.action == "privacy.erase").unwrap();
    assert_eq!((erased.subject_id, erased.title.as_deref()), (Some(bea.id.uuid()), None));
    assert!(scene.people.person_by_email(EMAIL).await.is_err());
    let kept = scene.privacy.person(&PersonReference::Id(bea.id)).await.unwrap();
    assert!(kept.account.is_none() && kept.named.is_empty());
}

/// Tests every column in the catalog's table of columns: each is filled first, and empty after the erasure.
async fn no_column_names_an_erased_person(database: TestDatabase) {
    let scene = Scene::set(&database, StoredAddresses::Whole).await;
    let bea = scene.people().await.person;
    scene.leave_traces_of(&bea).await;
    let id = bea.id.uuid().to_string();
    let undumped =
        ["sign_in", "invitation", "known_device", "undo_entry", "upload", "upload_session", "play_session"];
    let dumped = |column: &PersonColumn| !undumped.contains(&column.table);
    assert_eq!(scene.columns_with(&id).await, names(PERSON_IDS, dumped));
    assert_eq!(scene.columns_with(EMAIL).await, names(PERSON_EMAILS, dumped));
    assert!(!scene.catalog.sign_ins(bea.id).await.unwrap().is_empty());
    scene.erase(&email()).await.unwrap();
    scene.assert_forgotten(&bea).await;
    let roles = scene.catalog.audit_walk(None, 100).await.unwrap();
    let joined =
        roles.iter().find(|line| line.action == "member.join" && line.actor_id == Some(bea.id.uuid()));
    assert_eq!(joined.unwrap().title.as_deref(), Some("owner"), "what happened is still told");
}

async fn an_account_that_is_gone_is_erased_by_its_address(database: TestDatabase) {
    let scene = Scene::set(&database, StoredAddresses::Whole).await;
    let bea = scene.people().await.person;
    scene.leave_traces_of(&bea).await;
    scene.remove(&bea).await;
    let kept = scene.privacy.person(&email()).await.unwrap();
    assert!(mentions(&scene.audit_lines(&email()).await, EMAIL));
    assert_eq!(kept.named.upload_sessions.len(), 1);
    scene.erase(&email()).await.unwrap();
    scene.assert_forgotten(&bea).await;
    assert!(scene.privacy.person(&email()).await.unwrap().is_empty());
    assert_eq!(scene.audit_lines(&email()).await, []);
}

async fn an_account_that_is_gone_is_erased_by_its_id(database: TestDatabase) {
    let scene = Scene::set(&database, StoredAddresses::Whole).await;
    let bea = scene.people().await.person;
    scene.leave_traces_of(&bea).await;
    scene.remove(&bea).await;
    let by_id = PersonReference::Id(bea.id);
    let kept = scene.privacy.person(&by_id).await.unwrap();
    assert_eq!(kept, scene.privacy.person(&email()).await.unwrap());
    scene.erase(&by_id).await.unwrap();
    scene.assert_forgotten(&bea).await;
    // The audit log entries still have the ID.
    scene.erase(&by_id).await.unwrap();
}

async fn accounts_with_one_address_are_one_person(database: TestDatabase) {
    let scene = Scene::set(&database, StoredAddresses::Whole).await;
    let before = scene.people().await.person;
    scene.remove(&before).await;
    let now = scene.bea().await.person;
    assert_ne!(before.id, now.id);
    scene.erase(&email()).await.unwrap();
    scene.assert_forgotten(&before).await;
    scene.assert_forgotten(&now).await;
}

/// The person who has the address now is not erased.
async fn an_id_leads_to_no_address_of_another_account(database: TestDatabase) {
    let scene = Scene::set(&database, StoredAddresses::Whole).await;
    let before = scene.people().await.person;
    scene.remove(&before).await;
    let now = scene.bea().await.person;
    scene.erase(&PersonReference::Id(before.id)).await.unwrap();
    assert_eq!(scene.people.person_by_email(EMAIL).await.unwrap().id, now.id);
    for line in scene.catalog.audit_walk(None, 100).await.unwrap() {
        let is_about = |person: &Person| line.subject_id == Some(person.id.uuid());
        if is_about(&before) && line.action.starts_with("person.") {
            assert_eq!(line.title.as_deref(), Some("erased person"), "{line:?}");
            assert_eq!(line.address, None, "{line:?}");
        }
        if is_about(&now) {
            assert_eq!(
                line.title.as_deref(),
                Some(if line.action == "member.join" { "owner" } else { EMAIL })
            );
        }
    }
}

/// Wherever an erasure stops, the person can still be found by the address.
async fn an_erasure_is_completed_wherever_it_stopped(database: TestDatabase) {
    let scene = Scene::set(&database, StoredAddresses::Whole).await;
    let bea = scene.people().await.person;
    scene.leave_traces_of(&bea).await;
    let person = PersonNames { ids: vec![bea.id], emails: vec![EMAIL.parse().unwrap()] };
    let is_known = async || {
        let kept = scene.privacy.person(&email()).await.unwrap();
        !kept.is_empty() || !scene.audit_lines(&email()).await.is_empty()
    };
    scene.remove(&bea).await;
    assert!(is_known().await);
    let tx = scene.catalog.begin().await.unwrap();
    tx.forget_person(&person).await.unwrap();
    tx.commit().await.unwrap();
    assert!(is_known().await);
    let lines = scene.catalog.audit_walk(None, 100).await.unwrap();
    let of_bea = lines.iter().filter(|line| line.actor_id == Some(bea.id.uuid())).map(|line| line.id);
    let some: Vec<_> = of_bea.take(2).collect();
    let tx = scene.catalog.begin().await.unwrap();
    tx.clear_audit_addresses(&some).await.unwrap();
    tx.commit().await.unwrap();
    assert!(is_known().await);
    scene.erase(&email()).await.unwrap();
    scene.assert_forgotten(&bea).await;
}

async fn whoever_is_not_known_is_not_erased(database: TestDatabase) {
    let scene = Scene::set(&database, StoredAddresses::Whole).await;
    scene.people().await;
    let count = scene.lines().await.len();
    for nobody in ["cy@example.com".parse().unwrap(), PersonReference::Id(scene.ambient.record_id())] {
        assert!(scene.privacy.person(&nobody).await.unwrap().is_empty());
        let refused = scene.erase(&nobody).await;
        assert!(matches!(refused, Err(Refusal::NotFound(Resource::Person))), "{refused:?}");
    }
    assert_eq!(scene.lines().await.len(), count);
    // A person who was only invited is known until the invitation is erased.
    scene.invite("dee@example.com").await;
    let dee: PersonReference = "dee@example.com".parse().unwrap();
    scene.erase(&dee).await.unwrap();
    assert_eq!(scene.columns_with("dee@example.com").await, BTreeSet::new());
    let again = scene.erase(&dee).await;
    assert!(matches!(again, Err(Refusal::NotFound(Resource::Person))), "{again:?}");
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

#[tokio::test(flavor = "multi_thread")]
async fn an_erased_name_is_in_no_file() {
    let database = TestDatabase::migrated_sqlite(tonearm_fixtures::migrate!()).await;
    let scene = Scene::set(&database, StoredAddresses::Whole).await;
    let name = "Zebulon Quincannon";
    let (person, _) = scene.people.add_person(name, "zebulon@example.com", false).await.unwrap();
    let file = database.url.trim_start_matches("sqlite://");
    let is_in_a_file = || {
        let files = [file.to_owned(), format!("{file}-wal")].map(|file| std::fs::read(file).unwrap());
        files.iter().any(|bytes| bytes.windows(name.len()).any(|text| text == name.as_bytes()))
    };
    assert!(is_in_a_file());
    let reference = PersonReference::Id(person.id);
    scene
        .privacy
        .erase_person(Origin::command_line(), &reference, OwnerlessOrganizations::Refuse)
        .await
        .unwrap();
    assert!(!is_in_a_file());
}
