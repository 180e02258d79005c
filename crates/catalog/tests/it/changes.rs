//! Which observers are notified of a transaction's changes, and when.

use std::sync::{Arc, Mutex};

use tonearm_catalog::{Catalog, Change};
use tonearm_domain::{RecordId, Timestamp};
use tonearm_fixtures::ambient;

use crate::database::{Reach, TestDatabase};
use crate::on_both;
use crate::samples::{bare_collection, bare_organization, bare_track};

on_both!(
    observers_are_told_before_the_commit_returns,
    what_is_rolled_back_is_not_told,
    a_deleted_collection_is_one_change,
    statements_are_counted,
);

/// The changes that the observers of a catalog have received so far.
fn observed_changes(catalog: &Catalog) -> impl Fn() -> Vec<Change> + use<> {
    let told = Arc::new(Mutex::new(Vec::new()));
    let telling = Arc::clone(&told);
    catalog.on_commit(move |changes| telling.lock().unwrap().extend_from_slice(changes));
    move || std::mem::take(&mut *told.lock().unwrap())
}

fn moment() -> Timestamp {
    Timestamp::from_unix_seconds(1_900_000_000).unwrap()
}

async fn observers_are_told_before_the_commit_returns(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let told = [observed_changes(&catalog), observed_changes(&catalog.clone())];
    let organization = bare_organization(&ambient);
    let tx = catalog.begin().await.unwrap();
    tx.insert_organization(&organization).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(told.each_ref().map(|told| told()), [[], []], "what is new is no change");

    let tx = catalog.begin().await.unwrap();
    tx.update_organization(&organization).await.unwrap();
    tx.revoke_api_key(organization.id, ambient.record_id(), moment()).await.unwrap();
    assert_eq!(told[0](), [], "nobody else can see it yet");
    tx.commit().await.unwrap();
    let changes = [Change::Organization(organization.id), Change::ApiKeys(organization.id)];
    assert_eq!(told.each_ref().map(|told| told()), [changes, changes]);
}

async fn what_is_rolled_back_is_not_told(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let told = observed_changes(&catalog);
    let organization = bare_organization(&ambient);
    let tx = catalog.begin().await.unwrap();
    tx.insert_organization(&organization).await.unwrap();
    tx.update_organization(&organization).await.unwrap();
    drop(tx);
    assert_eq!(told(), []);
}

async fn a_deleted_collection_is_one_change(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let organization = bare_organization(&ambient);
    let collection = bare_collection(&ambient, &organization);
    let tracks = [(); 3].map(|()| bare_track(&ambient, &collection));
    let tx = catalog.begin().await.unwrap();
    tx.insert_organization(&organization).await.unwrap();
    tx.insert_collection(&collection).await.unwrap();
    for track in &tracks {
        tx.insert_track(track).await.unwrap();
    }
    tx.commit().await.unwrap();

    let told = observed_changes(&catalog);
    let tx = catalog.begin().await.unwrap();
    tx.soft_delete_collection(organization.id, collection.id, moment()).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(told(), [Change::Collection(collection.id)]);

    let tx = catalog.begin().await.unwrap();
    tx.mark_tracks_for_purge(collection.id, moment(), 10).await.unwrap();
    tx.commit().await.unwrap();
    let told = told();
    assert_eq!(told.len(), 3);
    assert!(tracks.iter().all(|track| told.contains(&Change::Track(track.id))));
}

async fn statements_are_counted(database: TestDatabase) {
    let catalog = database.catalog().await;
    let unknown = RecordId::from_parts(moment(), [0; 10]);
    let before = catalog.queries();
    catalog.organization(unknown).await.unwrap();
    catalog.clone().recipes(unknown).await.unwrap();
    let tx = catalog.begin().await.unwrap();
    tx.organization(unknown).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(catalog.queries() - before, 3);
}
