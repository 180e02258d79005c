//! Restoring deleted tracks, and the purge after which they cannot be restored.

use tonearm_catalog::Catalog;
use tonearm_domain::{
    Ambient, Collection, CoverOrigin, Cursor, Deletion, FileData, FileOutcome, ObjectKey, Organization,
    Recipe, Timestamp, Total, Track, TrackFile, TrackStatus,
};
use tonearm_fixtures::ambient;

use crate::database::{Reach, TestDatabase};
use crate::samples::*;

crate::on_both!(
    a_restored_track_has_what_it_had,
    a_restored_collection_brings_back_what_went_with_it,
    what_the_organization_changed_meanwhile_counts,
    a_purge_and_a_restore_exclude_each_other,
    of_a_purge_and_a_restore_at_once_one_wins,
    a_purge_waits_for_the_latest_deletion,
    objects_in_the_trash_are_known,
    the_trash_lists_what_can_be_taken_back,
    deleted_collections_are_paginated,
);

const HOUR: i64 = 3600;

fn for_an_hour(ambient: &Ambient) -> Deletion {
    Deletion { at: ambient.now(), restorable_until: Some(ambient.now().plus_seconds(HOUR)) }
}

/// A track with a source, a recipe of its own, and files of that recipe and of the organization's recipe.
struct Whole {
    track: Track,
    own: Recipe,
    files: Vec<TrackFile>,
}

async fn stored_recipe(catalog: &Catalog, recipe: &Recipe) {
    let tx = catalog.begin().await.unwrap();
    tx.insert_recipe(recipe).await.unwrap();
    tx.commit().await.unwrap();
}

async fn whole(catalog: &Catalog, ambient: &Ambient, collection: &Collection, common: &Recipe) -> Whole {
    let organization = Organization { id: collection.organization_id, ..bare_organization(ambient) };
    let mut track = bare_track(ambient, collection);
    track.source = Some(source(ambient, &track));
    (track.cover, track.status) = (Some(cover(ambient, CoverOrigin::Uploaded)), TrackStatus::Ready);
    let track = stored_track(catalog, track).await;
    let own = recipe(ambient, &organization, Some(&track), "own", 0);
    let files = [common, &own].map(|recipe| made_file(ambient, &track, recipe, FileData::NONE)).to_vec();
    let tx = catalog.begin().await.unwrap();
    tx.insert_recipe(&own).await.unwrap();
    for file in &files {
        tx.put_track_file(file).await.unwrap();
    }
    tx.commit().await.unwrap();
    Whole { track, own, files }
}

impl Whole {
    async fn is_whole(&self, catalog: &Catalog) -> bool {
        catalog.track(self.track.organization_id, self.track.id).await.unwrap().as_ref() == Some(&self.track)
            && catalog.files_of_track(self.track.id).await.unwrap() == self.files
            && catalog.recipe(self.track.organization_id, self.own.id).await.unwrap().is_some()
    }

    fn objects(&self) -> Vec<ObjectKey> {
        let made = self.files.iter().filter_map(|file| match &file.outcome {
            FileOutcome::Made { key, .. } => Some(key.clone()),
            FileOutcome::Failed { .. } => None,
        });
        let cover = self.track.cover.unwrap();
        let covers = tonearm_domain::CoverSize::ALL
            .map(|size| cover.key(self.track.organization_id, self.track.index, size));
        made.chain(covers).chain([self.track.source.as_ref().unwrap().key.clone()]).collect()
    }
}

async fn delete(catalog: &Catalog, track: &Track, deletion: impl Into<Deletion>) {
    let tx = catalog.begin().await.unwrap();
    assert!(tx.soft_delete_track(track.organization_id, track.id, deletion).await.unwrap());
    tx.commit().await.unwrap();
}

async fn restore(catalog: &Catalog, track: &Track, now: Timestamp) -> Option<Track> {
    let tx = catalog.begin().await.unwrap();
    let restored = tx.restore_track(track.organization_id, track.id, now).await.unwrap();
    tx.commit().await.unwrap();
    restored
}

async fn begin_purge(catalog: &Catalog, track: &Track, now: Timestamp) -> bool {
    let tx = catalog.begin().await.unwrap();
    let begun = tx.begin_purge_of_track(track.organization_id, track.id, now).await.unwrap();
    tx.commit().await.unwrap();
    begun
}

/// An organization with a collection and a recipe.
async fn house(catalog: &Catalog, ambient: &Ambient) -> (Organization, Collection, Recipe) {
    let (organization, collection) = stored_collection(catalog, ambient).await;
    let common = recipe(ambient, &organization, None, "common", 0);
    stored_recipe(catalog, &common).await;
    (organization, collection, common)
}

async fn a_restored_track_has_what_it_had(database: TestDatabase) {
    let (catalog, (ambient, clock)) = (database.catalog().await, ambient());
    let (_, collection, common) = house(&catalog, &ambient).await;
    let whole = whole(&catalog, &ambient, &collection, &common).await;
    assert_eq!(restore(&catalog, &whole.track, ambient.now()).await, None, "it is not deleted");
    delete(&catalog, &whole.track, for_an_hour(&ambient)).await;
    assert!(!whole.is_whole(&catalog).await);
    clock.advance_seconds(HOUR - 1);
    assert_eq!(restore(&catalog, &whole.track, ambient.now()).await.as_ref(), Some(&whole.track));
    assert!(whole.is_whole(&catalog).await);
    // Deleted for good, by a key for one.
    delete(&catalog, &whole.track, ambient.now()).await;
    assert_eq!(restore(&catalog, &whole.track, ambient.now()).await, None);
    let others = stored_collection(&catalog, &ambient).await.0;
    let tx = catalog.begin().await.unwrap();
    assert_eq!(tx.restore_track(others.id, whole.track.id, ambient.now()).await.unwrap(), None);
}

async fn a_restored_collection_brings_back_what_went_with_it(database: TestDatabase) {
    let (catalog, (ambient, clock)) = (database.catalog().await, ambient());
    let (organization, collection, common) = house(&catalog, &ambient).await;
    let mut wholes = Vec::new();
    for _ in 0..3 {
        wholes.push(whole(&catalog, &ambient, &collection, &common).await);
    }
    let mut waiting = bare_track(&ambient, &collection);
    waiting.status = TrackStatus::Processing;
    let waiting = stored_track(&catalog, waiting).await;
    delete(&catalog, &wholes[0].track, for_an_hour(&ambient)).await;
    clock.advance_seconds(60);
    let tx = catalog.begin().await.unwrap();
    tx.soft_delete_collection(organization.id, collection.id, for_an_hour(&ambient)).await.unwrap();
    tx.commit().await.unwrap();

    clock.advance_seconds(60);
    let tx = catalog.begin().await.unwrap();
    let restored = tx.restore_collection(organization.id, collection.id, ambient.now()).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(restored.as_ref(), Some(&collection));
    let tx = catalog.begin().await.unwrap();
    assert_eq!(tx.waiting_tracks(collection.id, None, 10).await.unwrap(), std::slice::from_ref(&waiting));
    assert_eq!(tx.waiting_tracks(collection.id, Some(waiting.id), 10).await.unwrap(), []);
    drop(tx);
    assert!(!wholes[0].is_whole(&catalog).await, "it was deleted before");
    assert!(wholes[1].is_whole(&catalog).await && wholes[2].is_whole(&catalog).await);
    assert!(restore(&catalog, &wholes[0].track, ambient.now()).await.is_some());
    assert!(wholes[0].is_whole(&catalog).await);
    let tx = catalog.begin().await.unwrap();
    assert_eq!(tx.restore_collection(organization.id, collection.id, ambient.now()).await.unwrap(), None);
}

async fn what_the_organization_changed_meanwhile_counts(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, collection, common) = house(&catalog, &ambient).await;
    let whole = whole(&catalog, &ambient, &collection, &common).await;
    delete(&catalog, &whole.track, for_an_hour(&ambient)).await;
    // The common recipe is removed, and the index of the track's own recipe is used by another one.
    let tx = catalog.begin().await.unwrap();
    assert!(tx.soft_delete_recipe(organization.id, common.id, ambient.now()).await.unwrap());
    tx.delete_files_of_recipe(common.id, ambient.now(), 10).await.unwrap();
    tx.insert_recipe(&recipe(&ambient, &organization, None, "own", 1)).await.unwrap();
    tx.commit().await.unwrap();
    assert!(restore(&catalog, &whole.track, ambient.now()).await.is_some());
    assert_eq!(catalog.files_of_track(whole.track.id).await.unwrap(), []);
    let recipes = catalog.recipes_for_track(organization.id, whole.track.id).await.unwrap();
    assert_eq!(recipes.len(), 1);
}

async fn a_purge_and_a_restore_exclude_each_other(database: TestDatabase) {
    let (catalog, (ambient, clock)) = (database.catalog().await, ambient());
    let (organization, collection, common) = house(&catalog, &ambient).await;
    let track = whole(&catalog, &ambient, &collection, &common).await.track;
    assert!(!begin_purge(&catalog, &track, ambient.now()).await, "it is not deleted");
    delete(&catalog, &track, for_an_hour(&ambient)).await;
    assert!(!begin_purge(&catalog, &track, ambient.now()).await, "it can be taken back");
    clock.advance_seconds(HOUR);
    assert_eq!(restore(&catalog, &track, ambient.now()).await, None, "its time is over");
    assert!(begin_purge(&catalog, &track, ambient.now()).await);
    // Once begun, a purge continues, even if a clock is behind.
    assert_eq!(restore(&catalog, &track, ambient.now().plus_seconds(-HOUR)).await, None);
    assert!(begin_purge(&catalog, &track, ambient.now()).await);

    let tx = catalog.begin().await.unwrap();
    tx.soft_delete_collection(organization.id, collection.id, for_an_hour(&ambient)).await.unwrap();
    let (id, now) = (collection.id, ambient.now());
    assert!(!tx.begin_purge_of_collection(organization.id, id, now).await.unwrap());
    assert!(tx.begin_purge_of_collection(organization.id, id, now.plus_seconds(HOUR)).await.unwrap());
    assert_eq!(tx.restore_collection(organization.id, id, now).await.unwrap(), None);
}

async fn of_a_purge_and_a_restore_at_once_one_wins(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (_, collection, common) = house(&catalog, &ambient).await;
    for _ in 0..10 {
        let track = whole(&catalog, &ambient, &collection, &common).await.track;
        delete(&catalog, &track, for_an_hour(&ambient)).await;
        // Their clocks differ: each node believes that it is in time.
        let (now, later) = (ambient.now(), ambient.now().plus_seconds(HOUR));
        let (one, other) = (database.catalog().await, database.catalog().await);
        let (restored, begun) = tokio::join!(restore(&one, &track, now), begin_purge(&other, &track, later));
        assert_ne!(restored.is_some(), begun);
    }
}

async fn a_purge_waits_for_the_latest_deletion(database: TestDatabase) {
    let (catalog, (ambient, clock)) = (database.catalog().await, ambient());
    let (_, collection, common) = house(&catalog, &ambient).await;
    let track = whole(&catalog, &ambient, &collection, &common).await.track;
    delete(&catalog, &track, for_an_hour(&ambient)).await;
    clock.advance_seconds(HOUR / 2);
    assert!(restore(&catalog, &track, ambient.now()).await.is_some());
    delete(&catalog, &track, for_an_hour(&ambient)).await;
    // The job of the first deletion runs now.
    clock.advance_seconds(HOUR / 2);
    assert!(!begin_purge(&catalog, &track, ambient.now()).await);
    clock.advance_seconds(HOUR / 2);
    assert!(begin_purge(&catalog, &track, ambient.now()).await);
}

async fn objects_in_the_trash_are_known(database: TestDatabase) {
    let (catalog, (ambient, clock)) = (database.catalog().await, ambient());
    let (organization, mut collection, common) = house(&catalog, &ambient).await;
    collection.cover = Some(cover(&ambient, CoverOrigin::Uploaded));
    let whole = whole(&catalog, &ambient, &collection, &common).await;
    let tx = catalog.begin().await.unwrap();
    tx.update_collection(&collection).await.unwrap();
    tx.soft_delete_collection(organization.id, collection.id, for_an_hour(&ambient)).await.unwrap();
    tx.commit().await.unwrap();
    let mut objects = whole.objects();
    objects.push(collection.cover.unwrap().key(
        organization.id,
        collection.folder,
        tonearm_domain::CoverSize::Icon,
    ));
    assert_eq!(catalog.known_objects(&objects).await.unwrap().len(), objects.len());
    clock.advance_seconds(HOUR);
    let tx = catalog.begin().await.unwrap();
    assert!(tx.begin_purge_of_collection(organization.id, collection.id, ambient.now()).await.unwrap());
    tx.mark_tracks_for_purge(collection.id, ambient.now(), 10).await.unwrap();
    assert!(tx.begin_purge_of_track(organization.id, whole.track.id, ambient.now()).await.unwrap());
    tx.commit().await.unwrap();
    assert!(catalog.known_objects(&objects).await.unwrap().is_empty());
}

async fn the_trash_lists_what_can_be_taken_back(database: TestDatabase) {
    let (catalog, (ambient, clock)) = (database.catalog().await, ambient());
    let (organization, collection, common) = house(&catalog, &ambient).await;
    let mut deleted = Vec::new();
    for _ in 0..5 {
        let track = whole(&catalog, &ambient, &collection, &common).await.track;
        delete(&catalog, &track, for_an_hour(&ambient)).await;
        deleted.insert(0, track.id);
        clock.advance_seconds(1);
    }
    let for_good = whole(&catalog, &ambient, &collection, &common).await.track;
    delete(&catalog, &for_good, ambient.now()).await;
    let page = async |cursor| {
        let page = catalog.trashed_tracks(organization.id, ambient.now(), cursor, 3).await.unwrap();
        page.rows.iter().map(|trashed| trashed.thing.id).collect::<Vec<_>>()
    };
    assert_eq!(page(Cursor::First).await, deleted[..3]);
    assert_eq!(page(Cursor::After(deleted[2])).await, deleted[3..]);
    // For a deleted collection, only the collection is listed, not its tracks.
    let tx = catalog.begin().await.unwrap();
    tx.soft_delete_collection(organization.id, collection.id, for_an_hour(&ambient)).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(page(Cursor::First).await, []);
    let listed = catalog.trashed_collections(organization.id, ambient.now(), Cursor::First, 3).await.unwrap();
    assert_eq!((listed.rows.len(), listed.total), (1, Total::Exactly(1)));
    assert_eq!(listed.rows[0].restorable_until, ambient.now().plus_seconds(HOUR));
    clock.advance_seconds(HOUR);
    let listed = catalog.trashed_collections(organization.id, ambient.now(), Cursor::First, 3).await.unwrap();
    assert_eq!((listed.rows, listed.total), (Vec::new(), Total::Exactly(0)));
}

async fn deleted_collections_are_paginated(database: TestDatabase) {
    let (catalog, (ambient, clock)) = (database.catalog().await, ambient());
    let (organization, _) = stored_collection(&catalog, &ambient).await;
    let mut deleted = Vec::new();
    for _ in 0..5 {
        let collection = bare_collection(&ambient, &organization);
        let tx = catalog.begin().await.unwrap();
        tx.insert_collection(&collection).await.unwrap();
        tx.soft_delete_collection(organization.id, collection.id, for_an_hour(&ambient)).await.unwrap();
        tx.commit().await.unwrap();
        deleted.insert(0, collection.id);
        clock.advance_seconds(1);
    }
    let page = async |cursor| {
        let page = catalog.trashed_collections(organization.id, ambient.now(), cursor, 3).await.unwrap();
        assert_eq!(page.total, Total::Exactly(5));
        page.rows.iter().map(|trashed| trashed.thing.id).collect::<Vec<_>>()
    };
    assert_eq!(page(Cursor::First).await, deleted[..3]);
    assert_eq!(page(Cursor::After(deleted[2])).await, deleted[3..]);
    assert_eq!(page(Cursor::Before(deleted[3])).await, deleted[..3]);
}
