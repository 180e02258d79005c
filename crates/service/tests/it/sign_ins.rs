//! Many concurrent attempts to sign in.

use std::net::IpAddr;

use futures::future::join_all;
use tonearm_catalog::{AuditFilter, Catalog, ConnectOptions};
use tonearm_domain::{DiskRoom, DiskUse, FailedSignIns, KnownDevice, Shortage};
use tonearm_fixtures::{TestDatabase, ambient};
use tonearm_service::{Device, NewPerson, People, SignInError, SignedIn};

crate::on_both!(
    no_more_passwords_are_looked_at_than_allowed,
    an_address_is_limited_across_accounts,
    attempts_count_again_after_a_while,
    a_known_device_is_not_refused_for_its_address,
    a_person_has_so_many_devices,
    failures_leave_the_last_of_a_disk_to_others,
);

const NODES: usize = 5;

/// [`NODES`] nodes, each with its own queue for password checks.
async fn nodes(database: &TestDatabase) -> (Vec<People>, Catalog, tonearm_fixtures::ManualClock) {
    let (ambient, clock) = ambient();
    let mut nodes = Vec::new();
    let mut last = None;
    for _ in 0..NODES {
        let catalog =
            Catalog::connect(&database.url.parse().unwrap(), ConnectOptions::default()).await.unwrap();
        let secrets = tonearm_signing::Secrets::parse("a secret for tests that is long enough").unwrap();
        let vault = tonearm_signing::Vault::new(&secrets);
        nodes.push(People::new(catalog.clone(), ambient.clone(), vault, "https://audio.example.com"));
        last = Some(catalog);
    }
    (nodes, last.unwrap(), clock)
}

/// Runs all attempts concurrently. Returns how many were checked, and how many were rejected unchecked.
async fn try_all(nodes: &[People], attempts: impl Iterator<Item = (String, Option<IpAddr>)>) -> (u32, u32) {
    let tries = attempts.enumerate().map(|(at, (email, address))| {
        let people = nodes[at % NODES].clone();
        let device = Device { address, ..Device::default() };
        tokio::spawn(async move { people.sign_in(&email, "a wrong guess".to_owned(), device).await })
    });
    let (mut looked_at, mut sent_away) = (0, 0);
    for tried in join_all(tries).await {
        match tried.unwrap().err().unwrap() {
            SignInError::Wrong => looked_at += 1,
            SignInError::TooMany(seconds) => {
                assert!((1..=FailedSignIns::FORGOTTEN_AFTER).contains(&seconds), "{seconds}");
                sent_away += 1;
            }
            other => panic!("{other:?}"),
        }
    }
    (looked_at, sent_away)
}

fn of_one(count: u32) -> impl Iterator<Item = (String, Option<IpAddr>)> {
    (0..count).map(|_| ("a@example.com".to_owned(), None))
}

async fn no_more_passwords_are_looked_at_than_allowed(database: TestDatabase) {
    let (nodes, catalog, _) = nodes(&database).await;
    let most = FailedSignIns::ACCOUNT;
    assert_eq!(try_all(&nodes, of_one(50)).await, (most, 50 - most));
    assert_eq!(try_all(&nodes, of_one(10)).await, (0, 10));
    // Every checked attempt is in the audit log, the others are not.
    let entries = catalog.audit_entries(None, &AuditFilter::default(), None, 100).await.unwrap();
    assert_eq!(entries.len(), most as usize);
    let account = tonearm_signing::subject_hash("account", "a@example.com");
    assert_eq!(catalog.failed_sign_ins(&account).await.unwrap().unwrap().count, most);
}

async fn an_address_is_limited_across_accounts(database: TestDatabase) {
    let (nodes, _, _) = nodes(&database).await;
    let address: Option<IpAddr> = "192.0.2.1".parse().ok();
    let attempts = (0..80).map(|number| (format!("{number}@example.com"), address));
    let (looked_at, sent_away) = try_all(&nodes, attempts).await;
    assert_eq!((looked_at, sent_away), (FailedSignIns::ADDRESS, 80 - FailedSignIns::ADDRESS));
}

async fn attempts_count_again_after_a_while(database: TestDatabase) {
    let (nodes, _, clock) = nodes(&database).await;
    let most = FailedSignIns::ACCOUNT;
    assert_eq!(try_all(&nodes, of_one(20)).await, (most, 20 - most));
    clock.advance_seconds(FailedSignIns::FORGOTTEN_AFTER);
    assert_eq!(try_all(&nodes, of_one(20)).await, (most, 20 - most));
}

const PASSWORD: &str = "correct horse battery";

/// The first administrator, `a@example.com`.
async fn joined(people: &People) -> SignedIn {
    let link = people.first_administrator_link().await.unwrap().unwrap();
    let token = link.url.rsplit_once('/').unwrap().1.parse().unwrap();
    let (name, email) = ("Ada".to_owned(), "a@example.com".to_owned());
    let new = NewPerson { name, email, password: PASSWORD.to_owned() };
    people.join(&token, new, Device::default()).await.unwrap()
}

async fn a_known_device_is_not_refused_for_its_address(database: TestDatabase) {
    let (nodes, catalog, _) = nodes(&database).await;
    let owner = joined(&nodes[0]).await;
    let address: Option<IpAddr> = "192.0.2.1".parse().ok();
    let attempts = (0..60).map(|number| (format!("{number}@example.com"), address));
    assert_eq!(try_all(&nodes, attempts).await, (FailedSignIns::ADDRESS, 60 - FailedSignIns::ADDRESS));
    let known = Device { address, token: Some(owner.device), ..Device::default() };
    for guess in ["a wrong guess", PASSWORD] {
        let signed_in = nodes[1].sign_in("a@example.com", guess.to_owned(), known.clone()).await;
        assert_eq!(signed_in.is_ok(), guess == PASSWORD);
    }
    // Neither attempt counts against the address.
    let subject = tonearm_signing::subject_hash("address", "192.0.2.1");
    let counted = catalog.failed_sign_ins(&subject).await.unwrap().unwrap().count;
    assert_eq!(counted, FailedSignIns::ADDRESS);
}

async fn a_person_has_so_many_devices(database: TestDatabase) {
    let (nodes, _, clock) = nodes(&database).await;
    let mut devices = vec![joined(&nodes[0]).await.device];
    for _ in 0..KnownDevice::MOST {
        clock.advance_seconds(1);
        let new = nodes[0].sign_in("a@example.com", PASSWORD.to_owned(), Device::default()).await.unwrap();
        devices.push(new.signed_in().unwrap().device);
    }
    assert_eq!(try_all(&nodes, of_one(20)).await, (FailedSignIns::ACCOUNT, 20 - FailedSignIns::ACCOUNT));
    for (at, token) in devices.into_iter().enumerate() {
        let device = Device { token: Some(token), ..Device::default() };
        let signed_in = nodes[0].sign_in("a@example.com", PASSWORD.to_owned(), device).await;
        assert_eq!(signed_in.is_ok(), at > 0, "only the first one is forgotten: {at}");
    }
}

/// Whoever has the password can still sign in.
async fn failures_leave_the_last_of_a_disk_to_others(database: TestDatabase) {
    let disk_room = DiskRoom::default();
    let options = ConnectOptions { disk_room: disk_room.clone(), ..ConnectOptions::default() };
    let catalog = Catalog::connect(&database.url.parse().unwrap(), options).await.unwrap();
    let (ambient, _) = ambient();
    let secrets = tonearm_signing::Secrets::parse("a secret for tests that is long enough").unwrap();
    let vault = tonearm_signing::Vault::new(&secrets);
    let people = People::new(catalog.clone(), ambient.clone(), vault, "https://audio.example.com");
    let failed = async || {
        let filter =
            AuditFilter { action: Some("person.sign_in_failed".to_owned()), ..AuditFilter::default() };
        let guess = "a wrong guess".to_owned();
        let refused = people.sign_in("a@example.com", guess, Device::default()).await.err().unwrap();
        assert!(matches!(refused, SignInError::Wrong), "{refused:?}");
        catalog.audit_entries(None, &filter, None, 10).await.unwrap().len()
    };
    assert_eq!(failed().await, 1);
    disk_room.note(Some(Shortage { place: DiskUse::Database, path: "/".into(), free: 0, least: 1 }));
    assert_eq!(failed().await, 1);
}
