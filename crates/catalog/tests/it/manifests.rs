//! The files that the durable names of tracks refer to.

use std::collections::HashSet;

use tonearm_catalog::Catalog;
use tonearm_domain::{
    ContentType, FileData, FileOutcome, Generation, ObjectKey, OrganizationId, Track, TrackManifest,
};
use tonearm_fixtures::ambient;

use crate::database::{Reach, TestDatabase};
use crate::samples::*;

crate::on_both!(
    a_manifest_names_what_was_made,
    generations_count_up,
    the_latest_manifest_is_a_known_object,
    tracks_from_before_are_found,
);

fn only(manifest: &TrackManifest, key: &ObjectKey, variant: &str) {
    assert_eq!(manifest.len(), 1);
    assert_eq!(manifest.file(&variant.parse().unwrap(), key.file.content_type), Some(&key.file));
}

async fn begin_next(catalog: &Catalog, owner: OrganizationId, track: &Track) -> Option<Generation> {
    let tx = catalog.begin().await.unwrap();
    let next = tx.next_manifest(owner, track.id, None).await.unwrap();
    tx.commit().await.unwrap();
    next.map(|next| next.generation)
}

async fn a_manifest_names_what_was_made(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, collection) = stored_collection(&catalog, &ambient).await;
    let track = stored_track(&catalog, bare_track(&ambient, &collection)).await;
    let (made, failed) = (
        recipe(&ambient, &organization, Some(&track), "made", 0),
        recipe(&ambient, &organization, Some(&track), "failed", 1),
    );
    let file = made_file(&ambient, &track, &made, FileData::NONE);
    let mut failure = made_file(&ambient, &track, &failed, FileData::NONE);
    failure.outcome = FileOutcome::Failed { reason: "It could not be made.".to_owned() };
    let tx = catalog.begin().await.unwrap();
    tx.insert_recipe(&made).await.unwrap();
    tx.insert_recipe(&failed).await.unwrap();
    tx.put_track_file(&file).await.unwrap();
    tx.put_track_file(&failure).await.unwrap();
    let within = tx.next_manifest(organization.id, track.id, None).await.unwrap().unwrap();
    tx.commit().await.unwrap();
    let FileOutcome::Made { key, .. } = &file.outcome else { unreachable!() };
    assert_eq!((within.folder, within.generation), (track.index, Generation::new(1).unwrap()));
    only(&within.manifest, key, "made");
    only(&catalog.manifest(organization.id, track.index).await.unwrap(), key, "made");

    // For another organization, and for a track that does not exist.
    assert!(catalog.manifest(ambient.record_id(), track.index).await.unwrap().is_empty());
    assert!(catalog.manifest(organization.id, ambient.short_id()).await.unwrap().is_empty());
    let tx = catalog.begin().await.unwrap();
    assert_eq!(tx.next_manifest(ambient.record_id(), track.id, None).await.unwrap(), None);
    tx.soft_delete_track(organization.id, track.id, ambient.now()).await.unwrap();
    assert_eq!(tx.next_manifest(organization.id, track.id, None).await.unwrap(), None);
    tx.commit().await.unwrap();
    assert!(catalog.manifest(organization.id, track.index).await.unwrap().is_empty());
}

async fn generations_count_up(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, collection) = stored_collection(&catalog, &ambient).await;
    let track = stored_track(&catalog, bare_track(&ambient, &collection)).await;
    for expected in 1..4 {
        assert_eq!(begin_next(&catalog, organization.id, &track).await, Generation::new(expected));
        // Other changes of a track leave the generation unchanged.
        let tx = catalog.begin().await.unwrap();
        tx.update_track(&track).await.unwrap();
        tx.commit().await.unwrap();
    }
    let tx = catalog.begin().await.unwrap();
    tx.next_manifest(organization.id, track.id, None).await.unwrap();
    drop(tx);
    assert_eq!(begin_next(&catalog, organization.id, &track).await, Generation::new(4));
}

async fn the_latest_manifest_is_a_known_object(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, collection) = stored_collection(&catalog, &ambient).await;
    let track = stored_track(&catalog, bare_track(&ambient, &collection)).await;
    let manifest =
        |number| TrackManifest::key(organization.id, track.index, Generation::new(number).unwrap());
    let file = key(&ambient, organization.id, track.index, "manifest", ContentType::Json);
    let elsewhere = TrackManifest::key(ambient.record_id(), track.index, Generation::new(2).unwrap());
    for _ in 0..2 {
        begin_next(&catalog, organization.id, &track).await;
    }
    let asked = [manifest(1), manifest(2), manifest(3), file, elsewhere];
    let known = catalog.known_objects(&asked).await.unwrap();
    assert_eq!(known, HashSet::from([manifest(2), manifest(3)]));
    let unknown = catalog.unknown_generations(&asked).await.unwrap();
    assert_eq!(unknown, [(track.id, manifest(3))], "the database lost it");
    let tx = catalog.begin().await.unwrap();
    let next = tx.next_manifest(organization.id, track.id, Generation::new(3)).await.unwrap();
    assert_eq!(next.map(|next| next.generation), Generation::new(4));
    let next = tx.next_manifest(organization.id, track.id, Generation::new(3)).await.unwrap();
    assert_eq!(next.map(|next| next.generation), Generation::new(5));
    drop(tx);
    let tx = catalog.begin().await.unwrap();
    tx.soft_delete_track(organization.id, track.id, ambient.now()).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(catalog.known_objects(&asked).await.unwrap(), HashSet::new());
    assert_eq!(catalog.unknown_generations(&asked).await.unwrap(), []);
}

async fn tracks_from_before_are_found(database: TestDatabase) {
    let (catalog, (ambient, clock)) = (database.catalog().await, ambient());
    let (organization, collection) = stored_collection(&catalog, &ambient).await;
    let general = recipe(&ambient, &organization, None, "hq", 0);
    let mut tracks = Vec::new();
    for _ in 0..4 {
        tracks.push(stored_track(&catalog, bare_track(&ambient, &collection)).await);
        clock.advance_seconds(1);
    }
    let tx = catalog.begin().await.unwrap();
    tx.insert_recipe(&general).await.unwrap();
    for track in &tracks[1..] {
        tx.put_track_file(&made_file(&ambient, track, &general, FileData::NONE)).await.unwrap();
    }
    tx.soft_delete_track(organization.id, tracks[3].id, ambient.now()).await.unwrap();
    tx.commit().await.unwrap();
    let of = |track: &Track| (organization.id, track.id);
    let (one, two) = (of(&tracks[1]), of(&tracks[2]));
    assert_eq!(catalog.tracks_without_manifest(None, 10).await.unwrap(), [one, two]);
    assert_eq!(catalog.tracks_without_manifest(None, 1).await.unwrap(), [one]);
    assert_eq!(catalog.tracks_without_manifest(Some(one.1), 10).await.unwrap(), [two]);
    begin_next(&catalog, organization.id, &tracks[1]).await;
    assert_eq!(catalog.tracks_without_manifest(None, 10).await.unwrap(), [two]);
}
