//! Sources that are fetched from a URL.

use std::time::Duration;

use tonearm_catalog::{PurgedTitles, Sealed, SealedAt};
use tonearm_domain::{Ambient, Import, Track};
use tonearm_fixtures::ambient;

use crate::database::{Reach, TestDatabase};
use crate::samples::*;

crate::on_both!(
    an_import_lasts_until_it_ends,
    imports_of_deleted_tracks_are_not_told_of,
    urls_are_sealed_anew,
    imports_go_with_their_track,
);

fn import(ambient: &Ambient, track: &Track) -> Import {
    Import {
        track_id: track.id,
        organization_id: track.organization_id,
        url: b"sealed".to_vec(),
        host: "files.example.com".to_owned(),
        is_named: true,
        spent: Duration::ZERO,
        received: 0,
        size: None,
        created_at: ambient.now(),
        person_id: None,
    }
}

async fn an_import_lasts_until_it_ends(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, collection) = stored_collection(&catalog, &ambient).await;
    let track = stored_track(&catalog, bare_track(&ambient, &collection)).await;
    let other = stored_track(&catalog, bare_track(&ambient, &collection)).await;
    let mut import = import(&ambient, &track);
    let tx = catalog.begin().await.unwrap();
    tx.insert_import(&import).await.unwrap();
    assert_eq!(tx.import(track.id).await.unwrap().as_ref(), Some(&import));
    tx.commit().await.unwrap();
    catalog
        .note_import_progress(track.id, 1 << 40, Some(1 << 41), Duration::from_millis(1500))
        .await
        .unwrap();
    (import.received, import.size) = (1 << 40, Some(1 << 41));
    import.spent = Duration::from_millis(1500);
    assert_eq!(catalog.import(track.id).await.unwrap().as_ref(), Some(&import));
    let by_track = catalog.imports_of_tracks(&[other.id, track.id]).await.unwrap();
    assert_eq!(by_track.into_iter().collect::<Vec<_>>(), [(track.id, import.clone())]);
    assert!(catalog.imports_of_tracks(&[]).await.unwrap().is_empty());
    assert_eq!(catalog.imports(organization.id, None).await.unwrap(), [import]);
    assert_eq!(catalog.imports(ambient.record_id(), None).await.unwrap(), []);
    assert!(catalog.import_is_wanted(track.id).await.unwrap());
    assert!(!catalog.import_is_wanted(other.id).await.unwrap());

    let tx = catalog.begin().await.unwrap();
    assert!(tx.delete_import(track.id).await.unwrap());
    assert!(!tx.delete_import(track.id).await.unwrap());
    tx.commit().await.unwrap();
    assert!(!catalog.import_is_wanted(track.id).await.unwrap());
    // A late progress report of an outdated run changes nothing.
    catalog.note_import_progress(track.id, 1, None, Duration::ZERO).await.unwrap();
    assert_eq!(catalog.import(track.id).await.unwrap(), None);
}

async fn imports_of_deleted_tracks_are_not_told_of(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, collection) = stored_collection(&catalog, &ambient).await;
    let track = stored_track(&catalog, bare_track(&ambient, &collection)).await;
    let stays = stored_track(&catalog, bare_track(&ambient, &collection)).await;
    let tx = catalog.begin().await.unwrap();
    tx.insert_import(&import(&ambient, &track)).await.unwrap();
    tx.insert_import(&import(&ambient, &stays)).await.unwrap();
    assert!(tx.soft_delete_track(organization.id, track.id, ambient.now()).await.unwrap());
    tx.commit().await.unwrap();
    assert!(!catalog.import_is_wanted(track.id).await.unwrap());
    assert_eq!(catalog.imports(organization.id, None).await.unwrap(), [import(&ambient, &stays)]);
    // The import is kept in case the track is restored.
    assert!(catalog.import(track.id).await.unwrap().is_some());

    let tx = catalog.begin().await.unwrap();
    tx.soft_delete_collection(organization.id, collection.id, ambient.now()).await.unwrap();
    tx.commit().await.unwrap();
    assert!(!catalog.import_is_wanted(stays.id).await.unwrap());
    assert_eq!(catalog.imports(organization.id, None).await.unwrap(), []);
}

async fn urls_are_sealed_anew(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (_, collection) = stored_collection(&catalog, &ambient).await;
    let track = stored_track(&catalog, bare_track(&ambient, &collection)).await;
    let tx = catalog.begin().await.unwrap();
    tx.insert_import(&import(&ambient, &track)).await.unwrap();
    tx.commit().await.unwrap();
    let found = Sealed { at: SealedAt::ImportUrl(track.id), bytes: b"sealed".to_vec() };
    assert_eq!(catalog.sealed().await.unwrap(), std::slice::from_ref(&found));
    let tx = catalog.begin().await.unwrap();
    assert!(tx.replace_sealed(&found, b"anew".to_vec()).await.unwrap());
    assert!(!tx.replace_sealed(&found, b"again".to_vec()).await.unwrap());
    tx.commit().await.unwrap();
    assert_eq!(catalog.import(track.id).await.unwrap().unwrap().url, b"anew");
}

async fn imports_go_with_their_track(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, collection) = stored_collection(&catalog, &ambient).await;
    let track = stored_track(&catalog, bare_track(&ambient, &collection)).await;
    let tx = catalog.begin().await.unwrap();
    tx.insert_import(&import(&ambient, &track)).await.unwrap();
    tx.soft_delete_track(organization.id, track.id, ambient.now()).await.unwrap();
    assert!(tx.purge_track(organization.id, track.id, ambient.now(), PurgedTitles::Removed).await.unwrap());
    tx.commit().await.unwrap();
    assert_eq!(catalog.import(track.id).await.unwrap(), None);
}
