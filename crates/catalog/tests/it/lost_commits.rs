//! PostgreSQL ends a connection while it is asked to commit: the outcome is looked up, not guessed.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tonearm_catalog::{Catalog, CatalogError, ConnectOptions};
use tonearm_domain::{Ambient, AuditAction, AuditEntry, Organization, Origin};
use tonearm_fixtures::ambient;

use crate::place::Place;
use crate::samples::bare_organization;

/// What the proxy does with a `COMMIT`.
const PASS: u8 = 0;
/// Passes it on, and cuts the client off when the server answers.
const LOSE_ANSWER: u8 = 1;
/// Cuts both off instead.
const LOSE_COMMIT: u8 = 2;
/// Cuts the client off, and the server a moment later.
const HANG: u8 = 3;

#[tokio::test]
async fn a_commit_that_happened_is_a_success() {
    let (proxy, catalog) = through_proxy().await;
    let (ambient, _) = ambient();
    let told = Arc::new(AtomicUsize::new(0));
    let counter = told.clone();
    catalog.on_commit(move |_| {
        counter.fetch_add(1, Ordering::Relaxed);
    });
    let mut organization = bare_organization(&ambient);
    write(&catalog, &organization, Some(&ambient)).await.unwrap();
    organization.name = "Renamed".to_owned();
    let tx = catalog.begin().await.unwrap();
    tx.update_organization(&organization).await.unwrap();
    tx.audit(&entry(&ambient, &organization)).await.unwrap();
    proxy.mode.store(LOSE_ANSWER, Ordering::Relaxed);
    tx.commit().await.unwrap();
    assert_eq!(proxy.mode.load(Ordering::Relaxed), PASS, "the answer was not lost");
    assert!(told.load(Ordering::Relaxed) > 0);
    assert_eq!(catalog.organization(organization.id).await.unwrap(), Some(organization));
}

#[tokio::test]
async fn a_commit_that_never_arrived_leaves_nothing() {
    let (proxy, catalog) = through_proxy().await;
    let (ambient, _) = ambient();
    for mode in [LOSE_COMMIT, HANG] {
        let organization = bare_organization(&ambient);
        proxy.mode.store(mode, Ordering::Relaxed);
        let written = write(&catalog, &organization, Some(&ambient)).await;
        assert!(matches!(written, Err(CatalogError::Unavailable(_))), "{written:?}");
        assert_eq!(catalog.organization(organization.id).await.unwrap(), None);
        write(&catalog, &organization, Some(&ambient)).await.unwrap();
    }
}

/// Only transactions that write a line of the audit log know their id.
#[tokio::test]
async fn what_cannot_be_looked_up_is_unknown() {
    let (proxy, catalog) = through_proxy().await;
    let (ambient, _) = ambient();
    for mode in [LOSE_ANSWER, LOSE_COMMIT] {
        proxy.mode.store(mode, Ordering::Relaxed);
        let written = write(&catalog, &bare_organization(&ambient), None).await;
        assert!(matches!(written, Err(CatalogError::UnknownOutcome(_))), "{written:?}");
    }
}

/// PostgreSQL itself answers the commit of a failed transaction with a rollback, which the driver takes for success.
#[tokio::test]
async fn a_transaction_with_a_failed_statement_is_never_committed() {
    for place in [Place::sqlite(), Place::postgres().await] {
        let catalog = Catalog::connect(&place.url.parse().unwrap(), ConnectOptions::default()).await.unwrap();
        let (ambient, _) = ambient();
        let (first, second) = (bare_organization(&ambient), bare_organization(&ambient));
        let tx = catalog.begin().await.unwrap();
        tx.insert_organization(&first).await.unwrap();
        tx.insert_organization(&first).await.unwrap_err();
        tx.insert_organization(&second).await.unwrap_err();
        tx.commit().await.unwrap_err();
        assert_eq!(catalog.organizations().await.unwrap(), []);
        write(&catalog, &second, None).await.unwrap();
    }
}

async fn write(
    catalog: &Catalog,
    organization: &Organization,
    audited: Option<&Ambient>,
) -> Result<(), CatalogError> {
    let tx = catalog.begin().await?;
    tx.insert_organization(organization).await?;
    if let Some(ambient) = audited {
        tx.audit(&entry(ambient, organization)).await?;
    }
    tx.commit().await
}

fn entry(ambient: &Ambient, organization: &Organization) -> AuditEntry {
    AuditEntry {
        id: ambient.record_id(),
        organization_id: Some(organization.id),
        at: ambient.now(),
        origin: Origin::uploader(None),
        action: AuditAction::OrganizationCreate,
        subject_id: None,
        title: None,
    }
}

struct Proxy {
    mode: Arc<AtomicU8>,
    _place: Place,
}

/// A catalog in PostgreSQL, reached through a proxy.
async fn through_proxy() -> (Proxy, Catalog) {
    let place = Place::postgres().await;
    let (scheme, rest) = place.url.split_once("://").unwrap();
    let (credentials, rest) = rest.split_once('@').unwrap();
    let (server, database) = rest.split_once('/').unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    // Without TLS, so that the proxy can read what it passes on.
    let database = database.split('?').next().unwrap();
    let url =
        format!("{scheme}://{credentials}@{}/{database}?sslmode=disable", listener.local_addr().unwrap());
    let (mode, server) = (Arc::new(AtomicU8::new(PASS)), server.to_owned());
    let shared = mode.clone();
    tokio::spawn(async move {
        loop {
            let (client, _) = listener.accept().await.unwrap();
            let server = TcpStream::connect(&server).await.unwrap();
            tokio::spawn(relay(client, server, shared.clone()));
        }
    });
    let catalog = Catalog::connect(&url.parse().unwrap(), ConnectOptions::default()).await.unwrap();
    (Proxy { mode, _place: place }, catalog)
}

/// Passes bytes on until one side ends, or a commit is to be lost; that happens once.
async fn relay(mut client: TcpStream, mut server: TcpStream, mode: Arc<AtomicU8>) {
    let (mut asked, mut answered) = (vec![0; 64 * 1024], vec![0; 64 * 1024]);
    loop {
        tokio::select! {
            read = client.read(&mut asked) => {
                let Ok(length @ 1..) = read else { return };
                let is_commit = asked[..length].windows(7).any(|window| window == b"COMMIT\0");
                match if is_commit { mode.swap(PASS, Ordering::Relaxed) } else { PASS } {
                    LOSE_ANSWER => {
                        server.write_all(&asked[..length]).await.unwrap();
                        let _ = server.read(&mut answered).await.unwrap();
                        return;
                    }
                    LOSE_COMMIT => return,
                    HANG => {
                        drop(client);
                        // Long enough for the outcome to be asked for while it is still open.
                        tokio::time::sleep(Duration::from_millis(300)).await;
                        return;
                    }
                    _ => server.write_all(&asked[..length]).await.unwrap(),
                }
            }
            read = server.read(&mut answered) => {
                let Ok(length @ 1..) = read else { return };
                if client.write_all(&answered[..length]).await.is_err() {
                    return;
                }
            }
        }
    }
}
