//! Concurrent use, in one process and in several.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;
use std::time::Duration;

use futures::future::join_all;
use sea_orm::{ConnectionTrait, DbBackend, Statement};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tonearm_catalog::{Catalog, CatalogError, ConnectOptions, DatabaseUrl};
use tonearm_domain::{
    Ambient, Collection, Cursor, LimitOffset, Organization, PageQuery, SearchWords, Track, TrackSort,
};
use tonearm_fixtures::ambient;

use crate::database::{Reach, TestDatabase};
use crate::samples::*;

crate::on_both!(
    sixty_four_clients_wait_for_nothing_but_their_turn,
    two_processes_share_a_database,
    a_read_row_is_held_until_the_commit,
    a_writer_that_is_given_up_on_leaves_nothing,
);

/// One client: reads, writes and reads again.
async fn visit(
    catalog: &Catalog,
    ambient: &Ambient,
    organization: &Organization,
    collection: &Collection,
) -> Result<(), CatalogError> {
    let track = bare_track(ambient, collection);
    let session = play_session(ambient, collection);
    let tx = catalog.begin().await?;
    tx.insert_track(&track).await?;
    tx.commit().await?;
    catalog.track(organization.id, track.id).await?;
    catalog.tracks_in_collection(organization.id, collection.id, None, LimitOffset::default()).await?;
    let tx = catalog.begin().await?;
    if let Some(mut track) = tx.track(organization.id, track.id).await? {
        track.player_title = Some(HOSTILE.to_owned());
        tx.update_track(&track).await?;
        tx.insert_play_sessions(std::slice::from_ref(&session)).await?;
    }
    tx.commit().await?;
    catalog.play_session(session.id).await?;
    Ok(())
}

async fn visit_from(catalogs: &[Catalog], tasks: usize, rounds: usize) {
    let (ambient, _) = ambient();
    let (organization, collection) = stored_collection(&catalogs[0], &ambient).await;
    let visits = (0..tasks).map(|n| {
        let (catalog, ambient) = (catalogs[n % catalogs.len()].clone(), ambient.clone());
        let (organization, collection) = (organization.clone(), collection.clone());
        tokio::spawn(async move {
            for _ in 0..rounds {
                visit(&catalog, &ambient, &organization, &collection).await?;
            }
            Ok::<(), CatalogError>(())
        })
    });
    for outcome in join_all(visits).await {
        outcome.unwrap().unwrap();
    }
    let list = catalogs[0].tracks_in_collection(organization.id, collection.id, None, LimitOffset::default());
    assert_eq!(list.await.unwrap().0, (tasks * rounds) as u64);
}

async fn sixty_four_clients_wait_for_nothing_but_their_turn(database: TestDatabase) {
    visit_from(&[database.catalog().await], 64, 5).await;
}

async fn two_processes_share_a_database(database: TestDatabase) {
    visit_from(&[database.catalog().await, database.catalog().await], 16, 5).await;
}

/// Every task adds one to the same number; no update is lost.
async fn a_read_row_is_held_until_the_commit(database: TestDatabase) {
    let (catalogs, (ambient, _)) = ([database.catalog().await, database.catalog().await], ambient());
    let (organization, _) = stored_collection(&catalogs[0], &ambient).await;
    let additions = (0..20).map(|n| {
        let (catalog, id) = (catalogs[n % 2].clone(), organization.id);
        tokio::spawn(async move {
            let tx = catalog.begin().await.unwrap();
            let mut organization = tx.organization(id).await.unwrap().unwrap();
            organization.name.push('x');
            tx.update_organization(&organization).await.unwrap();
            tx.commit().await.unwrap();
        })
    });
    for addition in join_all(additions).await {
        addition.unwrap();
    }
    let read = catalogs[0].organization(organization.id).await.unwrap().unwrap();
    assert_eq!(read.name, "x".repeat(20));
}

/// Requests are dropped at any point when clients disconnect; the next one must find the writer free.
async fn a_writer_that_is_given_up_on_leaves_nothing(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, collection) = stored_collection(&catalog, &ambient).await;
    let begun = std::sync::Arc::new(AtomicUsize::new(0));
    for _ in 0..30 {
        let (catalog, track) = (catalog.clone(), bare_track(&ambient, &collection));
        let counter = begun.clone();
        let task = tokio::spawn(async move {
            let tx = catalog.begin().await.unwrap();
            counter.fetch_add(1, Ordering::SeqCst);
            tx.insert_track(&track).await.unwrap();
            std::future::pending::<()>().await;
        });
        tokio::task::yield_now().await;
        task.abort();
        let _ = task.await;
    }
    let after = stored_track(&catalog, bare_track(&ambient, &collection)).await;
    assert_eq!(after.order, 1, "of {} that began", begun.load(Ordering::SeqCst));
    let list = catalog.tracks_in_collection(organization.id, collection.id, None, LimitOffset::default());
    assert_eq!(list.await.unwrap(), (1, vec![after]));
}

/// Polls a future at most this many times; returns whether it finished.
async fn poll_at_most(polls: usize, future: impl Future) -> bool {
    let mut future = std::pin::pin!(future);
    let mut left = polls;
    std::future::poll_fn(|context| {
        if left == 0 {
            return Poll::Ready(false);
        }
        left -= 1;
        future.as_mut().poll(context).map(|_| true)
    })
    .await
}

/// The database behind a relay that delays each response by a millisecond, so that every response is pending when it is
/// first polled.
async fn at_a_distance(database: &TestDatabase) -> DatabaseUrl {
    let (rest, database) = database.url.rsplit_once('/').unwrap();
    let (scheme, server) = rest.rsplit_once('@').unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let relay = listener.local_addr().unwrap();
    let server = server.to_owned();
    tokio::spawn(async move {
        loop {
            let (client, _) = listener.accept().await.unwrap();
            let server = TcpStream::connect(&server).await.unwrap();
            let ((mut asked, mut answers), (mut answered, mut asks)) =
                (client.into_split(), server.into_split());
            tokio::spawn(async move { tokio::io::copy(&mut asked, &mut asks).await });
            tokio::spawn(async move {
                let mut bytes = vec![0; 16 * 1024];
                while let Ok(length @ 1..) = answered.read(&mut bytes).await {
                    tokio::time::sleep(Duration::from_millis(1)).await;
                    answers.write_all(&bytes[..length]).await.unwrap_or_default();
                }
            });
        }
    });
    format!("{scheme}@{relay}/{database}").parse().unwrap()
}

/// If a connection stayed in a transaction, later writes would be lost with it when it ends.
#[tokio::test]
async fn a_search_that_is_given_up_on_leaves_no_transaction_open() {
    let (database, (ambient, _)) = (TestDatabase::postgres().await, ambient());
    let (catalog, raw) = (database.catalog().await, database.raw().await);
    let (organization, collection) = stored_collection(&catalog, &ambient).await;
    stored_track(&catalog, bare_track(&ambient, &collection)).await;
    let query = PageQuery {
        words: SearchWords::parse("mono"),
        sort: TrackSort::Newest,
        cursor: Cursor::First,
        limit: 20,
    };
    let distant = at_a_distance(&database).await;
    for polls in 1.. {
        // With only one connection, the ping runs after everything that the search left behind.
        let options = ConnectOptions { max_connections: 1, ..ConnectOptions::default() };
        let catalog = Catalog::connect(&distant, options).await.unwrap();
        let search = catalog.track_page(organization.id, None, &query);
        let is_whole = poll_at_most(polls, search).await;
        catalog.ping().await.unwrap();
        let open = "SELECT pid FROM pg_stat_activity
            WHERE datname = current_database() AND state LIKE 'idle in transaction%'";
        let open = raw.query_all_raw(Statement::from_string(DbBackend::Postgres, open)).await.unwrap();
        assert!(open.is_empty(), "given up after {polls} polls");
        catalog.close().await.unwrap();
        if is_whole {
            return;
        }
    }
}

/// Waits until another transaction waits for a lock.
async fn until_one_waits(raw: &sea_orm::DatabaseConnection) {
    let waiting = "SELECT pid FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'";
    let waiting = || Statement::from_string(DbBackend::Postgres, waiting);
    while raw.query_one_raw(waiting()).await.unwrap().is_none() {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

/// A track whose creator is also that of its collection.
async fn created(catalog: &Catalog, ambient: &Ambient) -> (Organization, Track) {
    let (organization, _) = stored_collection(catalog, ambient).await;
    let creator = creator(ambient, &organization);
    let mut collection = bare_collection(ambient, &organization);
    collection.creator_id = Some(creator.id);
    let tx = catalog.begin().await.unwrap();
    tx.insert_creator(&creator).await.unwrap();
    tx.insert_collection(&collection).await.unwrap();
    tx.commit().await.unwrap();
    let mut track = bare_track(ambient, &collection);
    track.creator_id = Some(creator.id);
    (organization, stored_track(catalog, track).await)
}

#[tokio::test]
async fn who_restores_a_track_locks_it_before_the_recipes() {
    let database = TestDatabase::migrated_postgres(tonearm_fixtures::migrate!()).await;
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, track) = created(&catalog, &ambient).await;
    let tx = catalog.begin().await.unwrap();
    tx.track(organization.id, track.id).await.unwrap().unwrap();
    let restored = tokio::spawn({
        let (catalog, now, owner, id) = (catalog.clone(), ambient.now(), organization.id, track.id);
        async move { catalog.begin().await?.restore_track(owner, id, now).await }
    });
    until_one_waits(&database.raw().await).await;
    tx.insert_recipe(&recipe(&ambient, &organization, Some(&track), "own", 0)).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(restored.await.unwrap().unwrap(), None, "it is not deleted");
}

#[tokio::test]
async fn who_deletes_a_creator_locks_its_tracks_first() {
    let database = TestDatabase::migrated_postgres(tonearm_fixtures::migrate!()).await;
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, track) = created(&catalog, &ambient).await;
    let creator = track.creator_id.unwrap();
    let tx = catalog.begin().await.unwrap();
    let mut changed = tx.track(organization.id, track.id).await.unwrap().unwrap();
    let deleted = tokio::spawn({
        let (catalog, owner) = (catalog.clone(), organization.id);
        async move {
            let tx = catalog.begin().await?;
            let deleted = tx.delete_creator(owner, creator).await?;
            tx.commit().await?;
            Ok::<_, CatalogError>(deleted)
        }
    });
    until_one_waits(&database.raw().await).await;
    // Counts the bytes of the source in the collection.
    changed.source = Some(source(&ambient, &track));
    tx.update_track(&changed).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(deleted.await.unwrap().unwrap().map(|deleted| deleted.id), Some(creator));
    assert_eq!(catalog.track(organization.id, track.id).await.unwrap().unwrap().creator_id, None);
}

/// Changes a default of the test's database for connections that are made from now on.
async fn set_default(raw: &sea_orm::DatabaseConnection, setting: &str) {
    let alter = format!(
        "SET default_transaction_read_only = off; \
         DO $$ BEGIN EXECUTE format('ALTER DATABASE %I {setting}', current_database()); END $$"
    );
    raw.execute_unprepared(&alter).await.unwrap();
}

#[tokio::test]
async fn what_an_administrator_chose_for_others_changes_nothing() {
    let database = TestDatabase::migrated_postgres(tonearm_fixtures::migrate!()).await;
    let raw = database.raw().await;
    for setting in [
        "SET default_transaction_isolation = serializable",
        "SET lock_timeout = 5",
        "SET standard_conforming_strings = off",
        "SET synchronous_commit = off",
    ] {
        set_default(&raw, setting).await;
    }
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let settings = catalog.server_settings().await.unwrap().unwrap();
    assert_eq!(settings.synchronous_commit, "off");
    let expected =
        "default_transaction_isolation = serializable, lock_timeout = 5, standard_conforming_strings = off";
    assert_eq!(settings.overridden.as_deref(), Some(expected));
    // A transaction sees what others commit meanwhile, as quotas need.
    let (organization, collection) = stored_collection(&catalog, &ambient).await;
    let tx = catalog.begin().await.unwrap();
    assert_eq!(tx.count_live_signing_keys(organization.id, ambient.now()).await.unwrap(), 0);
    let other = catalog.begin().await.unwrap();
    let key = tonearm_domain::SigningKey {
        id: ambient.short_id(),
        organization_id: organization.id,
        title: String::new(),
        created_at: ambient.now(),
        expires_at: None,
        revoked_at: None,
        made_by: None,
    };
    other.insert_signing_key(&key).await.unwrap();
    other.commit().await.unwrap();
    assert_eq!(tx.count_live_signing_keys(organization.id, ambient.now()).await.unwrap(), 1);
    drop((tx, collection));
}

#[tokio::test]
async fn a_database_that_takes_no_writes_is_not_available_until_it_does() {
    let database = TestDatabase::migrated_postgres(tonearm_fixtures::migrate!()).await;
    let raw = database.raw().await;
    set_default(&raw, "SET default_transaction_read_only = on").await;
    let options = ConnectOptions { max_connections: 3, ..ConnectOptions::default() };
    let catalog = Catalog::connect(&database.database_url(), options).await.unwrap();
    let (ambient, _) = ambient();
    let error = catalog.ping().await.unwrap_err();
    assert!(matches!(error, CatalogError::Unavailable(_)), "{error:?}");
    assert!(tonearm_domain::error_with_causes(&error).contains("takes no writes"), "{error:?}");
    let write = async || {
        let tx = catalog.begin().await?;
        tx.insert_organization(&bare_organization(&ambient)).await?;
        tx.commit().await
    };
    // Three connections to the server as it is now.
    let open =
        [catalog.begin().await.unwrap(), catalog.begin().await.unwrap(), catalog.begin().await.unwrap()];
    drop(open);
    set_default(&raw, "RESET default_transaction_read_only").await;
    // The first write that is refused makes all of them suspect. None is if they were idle for a while.
    let mut refused = 0;
    for _ in 0..7 {
        refused += usize::from(write().await.is_err());
    }
    assert!(refused <= 1, "{refused} of 7");
    catalog.ping().await.unwrap();
}
