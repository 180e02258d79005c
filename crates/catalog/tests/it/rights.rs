//! Rights that end while a request runs: every kind of credential, ended before the transaction that writes.

#![allow(clippy::large_futures, reason = "one at a time, and for a moment")]

use std::sync::Arc;

use sea_orm::{ConnectionTrait, Statement};
use tonearm_catalog::{
    Catalog, CatalogError, EndedRight, Office, Purpose, Right, Transaction, act_on, in_request,
};
use tonearm_domain::{Ambient, ApiKey, Membership, Organization, Person, Role, Selection, SignIn, Timestamp};
use tonearm_fixtures::{ManualClock, ambient};

use crate::database::{Reach, TestDatabase};
use crate::samples::*;

crate::on_both!(
    nothing_is_written_on_a_key_that_has_ended,
    nothing_is_written_on_a_sign_in_that_has_ended,
    whoever_ends_a_right_sees_what_it_wrote,
    work_that_ends_its_own_right_is_finished,
);

const HASH: [u8; 32] = [1; 32];

struct Scene {
    catalog: Catalog,
    ambient: Ambient,
    clock: ManualClock,
    organization: Organization,
    key: Arc<ApiKey>,
    sign_in: SignIn,
}

impl Scene {
    async fn of(database: &TestDatabase) -> Self {
        let (catalog, (ambient, clock)) = (database.catalog().await, ambient());
        let (organization, _) = stored_collection(&catalog, &ambient).await;
        let key = Arc::new(ApiKey {
            is_downloadable: true,
            expires_at: Some(ambient.now().plus_seconds(60)),
            ..api_key(&ambient, &organization)
        });
        let now = ambient.now();
        let person = Person {
            id: ambient.record_id(),
            email: "ada@example.com".parse().unwrap(),
            name: "Ada".to_owned(),
            is_administrator: true,
            created_at: now,
            disabled_at: None,
            language: None,
        };
        let sign_in = SignIn {
            id: ambient.record_id(),
            person_id: person.id,
            address: None,
            user_agent: None,
            created_at: now,
            seen_at: now,
        };
        let membership = Membership {
            organization_id: organization.id,
            person_id: person.id,
            role: Role::Editor,
            created_at: now,
        };
        let tx = catalog.begin().await.unwrap();
        tx.insert_api_key(&key, &HASH).await.unwrap();
        tx.insert_person(&person, "a hash").await.unwrap();
        tx.insert_sign_in(&sign_in, &[2; 32]).await.unwrap();
        tx.insert_membership(&membership).await.unwrap();
        tx.commit().await.unwrap();
        Self { catalog, ambient, clock, organization, key, sign_in }
    }

    fn on_key(&self) -> Right {
        Right::Key { key: Arc::clone(&self.key), hash: HASH }
    }

    fn on_sign_in(&self, office: Office) -> Right {
        Right::SignIn { id: self.sign_in.id, person_id: self.sign_in.person_id, office }
    }

    fn now(&self) -> Timestamp {
        self.ambient.now()
    }

    /// Runs a request on a right that is ended before its second transaction.
    async fn ended(&self, right: Right, end: impl AsyncFnOnce(&Transaction)) -> Option<EndedRight> {
        let by_another = async {
            let tx = self.catalog.begin().await.unwrap();
            end(&tx).await;
            tx.commit().await.unwrap();
        };
        let request = async {
            assert!(act_on(right));
            self.catalog.begin().await.unwrap().commit().await.unwrap();
            in_request(self.ambient.clone(), Purpose::Add, Box::pin(by_another), || None).await;
            match self.catalog.begin().await {
                Ok(_) => None,
                Err(CatalogError::RightEnded(ended)) => Some(ended),
                Err(other) => panic!("{other:?}"),
            }
        };
        in_request(self.ambient.clone(), Purpose::Add, Box::pin(request), || None).await
    }
}

async fn nothing_is_written_on_a_key_that_has_ended(database: TestDatabase) {
    let scene = Scene::of(&database).await;
    let (key, now) = (&scene.key, scene.now());
    let ended = async |right: Right, end: &dyn Fn(ApiKey) -> ApiKey| {
        let changed = end(ApiKey::clone(key));
        let found = scene.ended(right, async |tx| tx.update_api_key(&changed).await.unwrap()).await;
        let tx = scene.catalog.begin().await.unwrap();
        tx.update_api_key(key).await.unwrap();
        tx.commit().await.unwrap();
        found
    };
    assert_eq!(ended(scene.on_key(), &|key| key).await, None);
    let renamed = |key| ApiKey { title: "Renamed".to_owned(), ..key };
    assert_eq!(ended(scene.on_key(), &renamed).await, None);
    let longer = |key: ApiKey| ApiKey { expires_at: None, ..key };
    assert_eq!(ended(scene.on_key(), &longer).await, None);
    let expired = |key: ApiKey| ApiKey { expires_at: Some(now), ..key };
    assert_eq!(ended(scene.on_key(), &expired).await, Some(EndedRight::Key));
    let without_downloads = |key: ApiKey| ApiKey { is_downloadable: false, ..key };
    assert_eq!(ended(scene.on_key(), &without_downloads).await, Some(EndedRight::KeyLimits));
    let to_one = |key: ApiKey| ApiKey { variants: Selection::one("hq".parse().unwrap()), ..key };
    assert_eq!(ended(scene.on_key(), &to_one).await, Some(EndedRight::KeyLimits));
    // Rotated: the old secret works until it ends.
    let until = now.plus_seconds(10);
    let rotate = async |tx: &Transaction| tx.replace_api_key_hash(key, &[3; 32], Some(until)).await.unwrap();
    assert_eq!(scene.ended(scene.on_key(), rotate).await, None);
    let wait = async |_: &Transaction| scene.clock.advance_seconds(10);
    assert_eq!(scene.ended(scene.on_key(), wait).await, Some(EndedRight::Key));
    let with_new = || Right::Key { key: Arc::clone(key), hash: [3; 32] };
    let again = async |tx: &Transaction| tx.replace_api_key_hash(key, &[4; 32], None).await.unwrap();
    assert_eq!(scene.ended(with_new(), again).await, Some(EndedRight::Key));
    let newest = Right::Key { key: Arc::clone(key), hash: [4; 32] };
    let revoke = async |tx: &Transaction| {
        assert!(tx.revoke_api_key(scene.organization.id, key.id, now).await.unwrap());
    };
    assert_eq!(scene.ended(newest, revoke).await, Some(EndedRight::Key));
}

async fn nothing_is_written_on_a_sign_in_that_has_ended(database: TestDatabase) {
    let scene = Scene::of(&database).await;
    let (organization, person) = (scene.organization.id, scene.sign_in.person_id);
    let editor = Office::Member(organization, Role::Editor);
    let offices = [Office::None, Office::Administrator, editor];
    for office in offices {
        assert_eq!(scene.ended(scene.on_sign_in(office), async |_| ()).await, None, "{office:?}");
    }
    let demote = async |tx: &Transaction| {
        assert!(tx.set_role(organization, person, Role::Viewer).await.unwrap());
    };
    assert_eq!(scene.ended(scene.on_sign_in(editor), demote).await, Some(EndedRight::Role));
    let viewer = Office::Member(organization, Role::Viewer);
    let remove = async |tx: &Transaction| {
        assert!(tx.delete_membership(organization, person).await.unwrap());
    };
    assert_eq!(scene.ended(scene.on_sign_in(viewer), remove).await, Some(EndedRight::Membership));
    let resign = async |tx: &Transaction| tx.set_administrator(person, false).await.unwrap();
    let administrator = scene.on_sign_in(Office::Administrator);
    assert_eq!(scene.ended(administrator, resign).await, Some(EndedRight::Administrator));
    let now = scene.now();
    let disable = async |tx: &Transaction| tx.set_person_disabled(person, Some(now)).await.unwrap();
    let right = || scene.on_sign_in(Office::None);
    assert_eq!(scene.ended(right(), disable).await, Some(EndedRight::SignIn));
    let tx = scene.catalog.begin().await.unwrap();
    tx.set_person_disabled(person, None).await.unwrap();
    tx.commit().await.unwrap();
    let sign_out = async |tx: &Transaction| {
        assert!(tx.delete_sign_in(person, scene.sign_in.id).await.unwrap());
    };
    assert_eq!(scene.ended(right(), sign_out).await, Some(EndedRight::SignIn));
    // A sign-in that nobody uses any longer.
    let tx = scene.catalog.begin().await.unwrap();
    tx.insert_sign_in(&scene.sign_in, &[2; 32]).await.unwrap();
    tx.commit().await.unwrap();
    let wait = async |_: &Transaction| scene.clock.advance_seconds(SignIn::IDLE);
    assert_eq!(scene.ended(right(), wait).await, Some(EndedRight::SignIn));
}

/// Whoever revokes a key can also revoke everything that it made: nothing is added afterwards.
async fn whoever_ends_a_right_sees_what_it_wrote(database: TestDatabase) {
    let scene = Scene::of(&database).await;
    let (organization, other) = (scene.organization.id, database.catalog().await);
    let (id, now) = (scene.key.id, scene.now());
    let revoke = async move {
        let tx = other.begin().await.unwrap();
        assert!(tx.revoke_api_key(organization, id, now).await.unwrap());
        tx.commit().await.unwrap();
        other.api_keys(organization).await.unwrap().len()
    };
    let work = async {
        assert!(act_on(scene.on_key()));
        let tx = scene.catalog.begin().await.unwrap();
        let revoke = tokio::spawn(revoke);
        while !revoke.is_finished() && !is_somebody_waiting(&database).await {}
        tx.insert_api_key(&api_key(&scene.ambient, &scene.organization), &[9; 32]).await.unwrap();
        tx.commit().await.unwrap();
        revoke.await.unwrap()
    };
    assert_eq!(in_request(scene.ambient.clone(), Purpose::Add, work, || None).await, 2);
}

/// A transaction on a right does not pass whoever waits to end it. Otherwise requests that overlap would keep the right for
/// as long as they go on. (On SQLite, transactions follow one another.)
#[tokio::test(flavor = "multi_thread")]
async fn a_right_in_constant_use_can_be_ended() {
    let database = TestDatabase::postgres().await;
    let scene = Scene::of(&database).await;
    let (organization, person, key) = (scene.organization.id, scene.sign_in.person_id, scene.key.id);
    let now = scene.now();
    let editor = scene.on_sign_in(Office::Member(organization, Role::Editor));
    for (right, expected) in [(scene.on_key(), EndedRight::Key), (editor, EndedRight::Membership)] {
        let begin = async |catalog: &Catalog| {
            let work = async {
                assert!(act_on(right.clone()));
                catalog.begin().await
            };
            in_request(scene.ambient.clone(), Purpose::Add, work, || None).await
        };
        let held = begin(&scene.catalog).await.unwrap();
        let other = database.catalog().await;
        let ending = tokio::spawn(async move {
            let tx = other.begin().await.unwrap();
            match expected {
                EndedRight::Key => assert!(tx.revoke_api_key(organization, key, now).await.unwrap()),
                _ => {
                    tx.person(person).await.unwrap();
                    assert!(tx.delete_membership(organization, person).await.unwrap());
                }
            }
            tx.commit().await.unwrap();
        });
        while waiting(&database).await < 1 {}
        let later = database.catalog().await;
        let release = async {
            while waiting(&database).await < 2 {}
            held.commit().await.unwrap();
        };
        let (next, ()) = tokio::join!(begin(&later), release);
        assert!(matches!(next, Err(CatalogError::RightEnded(ended)) if ended == expected), "{expected:?}");
        ending.await.unwrap();
    }
}

/// On SQLite nobody can write meanwhile, so there is nothing to wait for.
async fn is_somebody_waiting(database: &TestDatabase) -> bool {
    !database.url.starts_with("postgres") || waiting(database).await > 0
}

/// How many sessions wait for a lock.
async fn waiting(database: &TestDatabase) -> i64 {
    let raw = database.raw().await;
    let waiting = "SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    let found = raw.query_one_raw(Statement::from_string(raw.get_database_backend(), waiting)).await.unwrap();
    raw.close().await.unwrap();
    found.unwrap().try_get("", "n").unwrap()
}

/// Signing out and revoking one's own key are the last things that a right permits.
async fn work_that_ends_its_own_right_is_finished(database: TestDatabase) {
    let scene = Scene::of(&database).await;
    let (organization, person) = (scene.organization.id, scene.sign_in.person_id);
    let work = async {
        assert!(act_on(scene.on_key()));
        let tx = scene.catalog.begin().await.unwrap();
        assert!(tx.revoke_api_key(organization, scene.key.id, scene.now()).await.unwrap());
        tx.commit().await.unwrap();
        assert!(act_on(scene.on_sign_in(Office::None)));
        let tx = scene.catalog.begin().await.unwrap();
        tx.delete_sign_ins(person, None).await.unwrap();
        tx.commit().await.unwrap();
    };
    in_request(scene.ambient.clone(), Purpose::Add, work, || None).await;
    let key = scene.catalog.api_key(organization, scene.key.id).await.unwrap().unwrap();
    assert!(key.revoked_at.is_some());
    assert!(scene.catalog.sign_ins(person).await.unwrap().is_empty());
}
