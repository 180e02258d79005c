//! Uploads of one session are ordered by album.

use std::collections::BTreeMap;

use futures::future::join_all;
use sea_orm::{ConnectionTrait, Statement};
use tonearm_catalog::{Catalog, PurgedTitles, UploadedAlbum};
use tonearm_domain::{AlbumPosition, Ambient, Collection, LimitOffset, Track, UploadSessionId};
use tonearm_fixtures::ambient;

use crate::database::{Reach, TestDatabase};
use crate::samples::*;

crate::on_both!(
    uploads_of_an_album_are_put_in_order,
    many_uploads_at_once_end_in_order,
    more_than_an_album_stays_as_it_is,
    a_purge_forgets_the_album,
);

async fn uploaded(
    catalog: &Catalog,
    ambient: &Ambient,
    collection: &Collection,
    session: Option<UploadSessionId>,
) -> Track {
    let track = Track { upload_session_id: session, ..bare_track(ambient, collection) };
    stored_track(catalog, track).await
}

/// What a worker does once it knows the tags.
async fn put_in_place(catalog: &Catalog, track: &Track, album: &str, place: i64) {
    let uploaded =
        UploadedAlbum { collection: track.collection_id, session: track.upload_session_id.unwrap(), album };
    let tx = catalog.begin().await.unwrap();
    let place = AlbumPosition { album: album.to_owned(), place };
    assert!(tx.put_album_place(track.organization_id, track.id, &place).await.unwrap());
    tx.commit().await.unwrap();
    if !catalog.album_is_in_order(uploaded).await.unwrap() {
        let tx = catalog.begin().await.unwrap();
        tx.put_album_in_order(uploaded).await.unwrap();
        tx.commit().await.unwrap();
    }
}

/// The tracks of a collection in its order, each by its index in `tracks`, and their `order` values.
async fn listed(catalog: &Catalog, collection: &Collection, tracks: &[Track]) -> (Vec<usize>, Vec<i64>) {
    let page = LimitOffset::new(Some(200), None).unwrap();
    let list = catalog.tracks_in_collection(collection.organization_id, collection.id, None, page);
    let (_, list) = list.await.unwrap();
    let position = |track: &Track| tracks.iter().position(|own| own.id == track.id).unwrap();
    (list.iter().map(position).collect(), list.iter().map(|track| track.order).collect())
}

async fn uploads_of_an_album_are_put_in_order(database: TestDatabase) {
    let (catalog, (ambient, clock)) = (database.catalog().await, ambient());
    let (organization, collection) = stored_collection(&catalog, &ambient).await;
    let [session, other] = [(); 2].map(|()| Some(ambient.credential_id()));
    let mut tracks = Vec::new();
    for of in [session, session, None, session, other, session, session, session] {
        clock.advance_millis(1);
        tracks.push(uploaded(&catalog, &ambient, &collection, of).await);
    }
    for (track, album, database) in
        [(0, "a", 3), (1, "b", 9), (3, "a", 1), (5, "b", 2), (6, "a", 2), (7, "a", 1), (4, "a", 0)]
    {
        put_in_place(&catalog, &tracks[track], album, database).await;
    }
    // The tracks of an album exchange their places; tracks without a session or of another session stay. Of two tracks
    // with the same number, the older one comes first.
    let expected = vec![3, 5, 2, 7, 4, 1, 6, 0];
    assert_eq!(listed(&catalog, &collection, &tracks).await, (expected.clone(), (1..=8).collect()));
    // A second call changes nothing, and neither does an update of the track from an earlier read.
    let tx = catalog.begin().await.unwrap();
    let album = UploadedAlbum { collection: collection.id, session: session.unwrap(), album: "a" };
    assert_eq!(tx.put_album_in_order(album).await.unwrap(), 0);
    tx.update_track(&tracks[0]).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(listed(&catalog, &collection, &tracks).await.0, expected);
    // A deleted track keeps its order, as it may be restored.
    let tx = catalog.begin().await.unwrap();
    tx.soft_delete_track(organization.id, tracks[7].id, ambient.now()).await.unwrap();
    assert!(
        !tx.put_album_place(
            organization.id,
            tracks[7].id,
            &AlbumPosition { album: "a".to_owned(), place: 1 }
        )
        .await
        .unwrap()
    );
    tx.commit().await.unwrap();
    put_in_place(&catalog, &tracks[0], "a", 0).await;
    let (order, orders) = listed(&catalog, &collection, &tracks).await;
    assert_eq!((order, orders), (vec![0, 5, 2, 4, 1, 3, 6], vec![1, 2, 3, 5, 6, 7, 8]));
    // Pages rely on orders without gaps.
    let page = LimitOffset::new(Some(2), Some(3)).unwrap();
    let (total, page) =
        catalog.tracks_in_collection(organization.id, collection.id, None, page).await.unwrap();
    assert_eq!((total, page.iter().map(|track| track.order).collect::<Vec<_>>()), (7, vec![5, 6]));
}

async fn many_uploads_at_once_end_in_order(database: TestDatabase) {
    let (catalogs, (ambient, _)) = ([database.catalog().await, database.catalog().await], ambient());
    let (_, collection) = stored_collection(&catalogs[0], &ambient).await;
    let session = Some(ambient.credential_id());
    let mut tracks = Vec::new();
    for _ in 0..40 {
        tracks.push(uploaded(&catalogs[0], &ambient, &collection, session).await);
    }
    let place_of = |n: usize| (n as i64 * 17) % 40;
    let workers = tracks.iter().cloned().enumerate().map(|(n, mut track)| {
        let catalog = catalogs[n % 2].clone();
        tokio::spawn(async move {
            put_in_place(&catalog, &track, "an album", place_of(n)).await;
            // Meanwhile tracks are locked one at a time, as when their files are recorded.
            let tx = catalog.begin().await.unwrap();
            let locked = tx.track(track.organization_id, track.id).await.unwrap().unwrap();
            track.duration = locked.duration + 1.0;
            tx.update_track(&track).await.unwrap();
            tx.commit().await.unwrap();
        })
    });
    for worker in join_all(workers).await {
        worker.unwrap();
    }
    let (order, orders) = listed(&catalogs[0], &collection, &tracks).await;
    assert_eq!(orders, (1..=40).collect::<Vec<_>>());
    assert_eq!(order.into_iter().map(place_of).collect::<Vec<_>>(), (0..40).collect::<Vec<_>>());
}

async fn more_than_an_album_stays_as_it_is(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, collection) = stored_collection(&catalog, &ambient).await;
    let session: UploadSessionId = ambient.credential_id();
    let tx = catalog.begin().await.unwrap();
    let mut last = None;
    for n in 0..301_i64 {
        let track = Track { upload_session_id: Some(session), ..bare_track(&ambient, &collection) };
        tx.insert_track(&track).await.unwrap();
        let place = AlbumPosition { album: "a".to_owned(), place: 2000 - n };
        tx.put_album_place(organization.id, track.id, &place).await.unwrap();
        last = Some(track);
    }
    let album = UploadedAlbum { collection: collection.id, session, album: "a" };
    assert_eq!(tx.put_album_in_order(album).await.unwrap(), 0);
    tx.soft_delete_track(organization.id, last.unwrap().id, ambient.now()).await.unwrap();
    assert_eq!(tx.put_album_in_order(album).await.unwrap(), 300);
    tx.commit().await.unwrap();
    assert!(catalog.album_is_in_order(album).await.unwrap());
}

async fn a_purge_forgets_the_album(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, collection) = stored_collection(&catalog, &ambient).await;
    let track = uploaded(&catalog, &ambient, &collection, Some(ambient.credential_id())).await;
    put_in_place(&catalog, &track, "an album", 1).await;
    let tx = catalog.begin().await.unwrap();
    tx.soft_delete_track(organization.id, track.id, ambient.now()).await.unwrap();
    tx.purge_track(organization.id, track.id, ambient.now(), PurgedTitles::Kept).await.unwrap();
    tx.commit().await.unwrap();
    let raw = database.raw().await;
    let ask = Statement::from_string(raw.get_database_backend(), "SELECT album, album_place FROM track");
    let row = raw.query_one_raw(ask).await.unwrap().unwrap();
    let left: BTreeMap<&str, bool> = [
        ("album", row.try_get::<Option<String>>("", "album").unwrap().is_some()),
        ("album_place", row.try_get::<Option<i64>>("", "album_place").unwrap().is_some()),
    ]
    .into();
    assert!(left.values().all(|is_left| !is_left), "{left:?}");
}
