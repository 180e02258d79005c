//! PostgreSQL closes a connection during a commit: the outcome is looked up, not guessed.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tonearm_catalog::{Catalog, CatalogError, ConnectOptions};
use tonearm_domain::{Ambient, AuditAction, AuditEntry, Organization, Origin};
use tonearm_fixtures::{CommitProxy, Loss, ambient};

use crate::database::TestDatabase;
use crate::samples::bare_organization;

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
    proxy.lose(Loss::Answer);
    tx.commit().await.unwrap();
    assert!(proxy.has_lost(), "the answer was not lost");
    assert!(told.load(Ordering::Relaxed) > 0);
    assert_eq!(catalog.organization(organization.id).await.unwrap(), Some(organization));
}

#[tokio::test]
async fn a_commit_that_never_arrived_leaves_nothing() {
    let (proxy, catalog) = through_proxy().await;
    let (ambient, _) = ambient();
    for loss in [Loss::Commit, Loss::Hang] {
        let organization = bare_organization(&ambient);
        proxy.lose(loss);
        let written = write(&catalog, &organization, Some(&ambient)).await;
        assert!(matches!(written, Err(CatalogError::Unavailable(_))), "{written:?}");
        assert_eq!(catalog.organization(organization.id).await.unwrap(), None);
        write(&catalog, &organization, Some(&ambient)).await.unwrap();
    }
}

/// Only transactions that write an audit log entry know their ID.
#[tokio::test]
async fn what_cannot_be_looked_up_is_unknown() {
    let (proxy, catalog) = through_proxy().await;
    let (ambient, _) = ambient();
    for loss in [Loss::Answer, Loss::Commit] {
        proxy.lose(loss);
        let written = write(&catalog, &bare_organization(&ambient), None).await;
        assert!(matches!(written, Err(CatalogError::UnknownOutcome(_))), "{written:?}");
    }
}

/// PostgreSQL answers the commit of a failed transaction with a rollback, which the driver takes for success.
#[tokio::test]
async fn a_transaction_with_a_failed_statement_is_never_committed() {
    for database in [TestDatabase::sqlite(), TestDatabase::postgres().await] {
        let catalog =
            Catalog::connect(&database.url.parse().unwrap(), ConnectOptions::default()).await.unwrap();
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
        origin: Origin::uploader(None, None),
        action: AuditAction::OrganizationCreate,
        subject_id: None,
        title: None,
    }
}

/// A catalog in PostgreSQL, reached through a proxy.
async fn through_proxy() -> (CommitProxy, Catalog) {
    let proxy = CommitProxy::start().await;
    let catalog = Catalog::connect(&proxy.url.parse().unwrap(), ConnectOptions::default()).await.unwrap();
    (proxy, catalog)
}
