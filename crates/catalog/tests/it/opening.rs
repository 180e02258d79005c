//! Opening a database: the first time, again, and several times at once.

use std::time::Duration;

use futures::future::join_all;
use sea_orm::ConnectionTrait;
use tonearm_catalog::{Backend, Catalog, CatalogError, ConnectOptions, DatabaseUrl};
use tonearm_fixtures::ambient;

use crate::place::{Place, Reach};
use crate::samples::*;

crate::on_both!(
    opened_again_it_is_the_same,
    opened_by_many_at_once,
    opened_by_an_older_version_it_says_so,
    closed_it_is_not_available,
);

async fn opened_again_it_is_the_same(place: Place) {
    let (catalog, (ambient, _)) = (place.catalog().await, ambient());
    let (organization, _) = stored_collection(&catalog, &ambient).await;
    catalog.ping().await.unwrap();
    catalog.close().await.unwrap();
    let catalog = place.catalog().await;
    assert_eq!(catalog.organizations().await.unwrap(), [organization]);
    let expected = if place.url.starts_with("sqlite") { Backend::Sqlite } else { Backend::Postgres };
    assert_eq!(catalog.backend(), expected);
}

async fn opened_by_many_at_once(place: Place) {
    let place = std::sync::Arc::new(place);
    let openings = (0..8).map(|_| {
        let place = place.clone();
        tokio::spawn(async move { place.catalog().await })
    });
    for catalog in join_all(openings).await {
        assert_eq!(catalog.unwrap().organizations().await.unwrap(), []);
    }
}

async fn opened_by_an_older_version_it_says_so(place: Place) {
    drop(place.catalog().await);
    let later = "INSERT INTO seaql_migrations (version, applied_at) VALUES ('m9999_of_another_time', 0)";
    place.raw().await.execute_unprepared(later).await.unwrap();
    let error = Catalog::connect(&place.database_url(), ConnectOptions::default()).await.err().unwrap();
    assert!(error.to_string().contains("newer version"), "{error}");
}

async fn closed_it_is_not_available(place: Place) {
    let catalog = place.catalog().await;
    let left = catalog.clone();
    catalog.close().await.unwrap();
    for error in [left.ping().await.unwrap_err(), left.begin().await.err().unwrap()] {
        assert!(matches!(error, CatalogError::Unavailable(_)), "{error:?}");
        assert_eq!(error.to_string(), "the database is not available");
    }
}

#[tokio::test]
async fn the_file_of_sqlite_is_private() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a/b c/catalog.db");
    let catalog = Catalog::connect(&DatabaseUrl::sqlite(&path), ConnectOptions::default()).await.unwrap();
    catalog.organizations().await.unwrap();
    for file in std::fs::read_dir(path.parent().unwrap()).unwrap() {
        let file = file.unwrap();
        let mode = file.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "{}", file.path().display());
    }
    let folder_mode = path.parent().unwrap().metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(folder_mode, 0o700);
}

/// Of what keeps a committed row through a power failure, this is the part that is kept in the file.
#[tokio::test]
async fn sqlite_writes_ahead() {
    let place = Place::sqlite();
    drop(place.catalog().await);
    let raw = place.raw().await;
    let ask = sea_orm::Statement::from_string(sea_orm::DbBackend::Sqlite, "PRAGMA journal_mode");
    let mode = raw.query_one_raw(ask).await.unwrap().unwrap();
    assert_eq!(mode.try_get_by_index::<String>(0).unwrap(), "wal");
}

#[tokio::test]
async fn a_server_that_is_away_is_not_available() {
    let url: DatabaseUrl = "postgres://me:secret@127.0.0.1:1/tonearm".parse().unwrap();
    let options = ConnectOptions { acquire_timeout: Duration::from_millis(200), ..Default::default() };
    let error = Catalog::connect(&url, options).await.err().unwrap();
    assert!(matches!(error, CatalogError::Unavailable(_)), "{error:?}");
}

#[tokio::test]
async fn a_folder_that_cannot_be_made_is_not_available() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let url = DatabaseUrl::sqlite(file.path().join("catalog.db"));
    let error = Catalog::connect(&url, ConnectOptions::default()).await.err().unwrap();
    assert!(matches!(error, CatalogError::Unavailable(_)), "{error:?}");
}

async fn with_short_statements(place: &Place) -> Catalog {
    let options = ConnectOptions { statement_timeout: Duration::from_millis(500), ..Default::default() };
    Catalog::connect(&place.database_url(), options).await.unwrap()
}

/// A node that is paused in the middle of a transaction does not keep others from its rows.
#[tokio::test]
async fn who_stands_still_holds_no_locks_for_long() {
    let place = Place::postgres().await;
    let (paused, other) = (with_short_statements(&place).await, place.catalog().await);
    let (ambient, _) = tonearm_fixtures::ambient();
    let (organization, _) = stored_collection(&other, &ambient).await;
    let holding = paused.begin().await.unwrap();
    assert!(holding.organization(organization.id).await.unwrap().is_some());
    // Waits for as long as the lock is held.
    let next = other.begin().await.unwrap();
    assert!(next.organization(organization.id).await.unwrap().is_some());
    next.commit().await.unwrap();
    assert!(holding.organization(organization.id).await.is_err());
    assert!(holding.commit().await.is_err());
    assert_eq!(paused.organization(organization.id).await.unwrap().map(|it| it.id), Some(organization.id));
}

#[tokio::test]
async fn no_statement_waits_for_ever() {
    let place = Place::postgres().await;
    let (hurried, other) = (with_short_statements(&place).await, place.catalog().await);
    let (ambient, _) = tonearm_fixtures::ambient();
    let (organization, _) = stored_collection(&other, &ambient).await;
    let holding = other.begin().await.unwrap();
    assert!(holding.organization(organization.id).await.unwrap().is_some());
    let tx = hurried.begin().await.unwrap();
    let error = tx.organization(organization.id).await.err().unwrap();
    assert!(matches!(error, CatalogError::Unavailable(_)), "{error:?}");
    drop(tx);
    holding.commit().await.unwrap();
    let tx = hurried.begin().await.unwrap();
    assert!(tx.organization(organization.id).await.unwrap().is_some());
    tx.commit().await.unwrap();
}
