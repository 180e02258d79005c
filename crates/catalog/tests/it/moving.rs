//! Tracks that are moved to other collections, and tracks that are reordered.

use futures::future::join_all;
use tonearm_catalog::{Catalog, CatalogError, MovedTrackTombstone, Record, TrackRange, TrackRangeError};
use tonearm_domain::{
    Ambient, Collection, CollectionId, Cursor, KeyScope, LimitOffset, Organization, PageQuery, SearchWords,
    Total, Track, TrackId, TrackSort,
};
use tonearm_fixtures::ambient;

use crate::database::{Reach, TestDatabase};
use crate::samples::*;

crate::on_both!(
    a_track_moves_to_the_end,
    late_pages_are_right_after_many_moves,
    moves_in_both_directions_at_once_end_well,
    tracks_exchange_their_places,
    orders_given_at_once_leave_no_gap,
    ranges_are_counted_as_lists_show_them,
);

async fn two_collections(catalog: &Catalog, ambient: &Ambient) -> (Organization, [Collection; 2]) {
    let (organization, first) = stored_collection(catalog, ambient).await;
    let second = bare_collection(ambient, &organization);
    let tx = catalog.begin().await.unwrap();
    tx.insert_collection(&second).await.unwrap();
    tx.commit().await.unwrap();
    (organization, [first, second])
}

async fn stored(catalog: &Catalog, ambient: &Ambient, collection: &Collection, count: usize) -> Vec<Track> {
    let mut tracks = Vec::new();
    for _ in 0..count {
        tracks.push(stored_track(catalog, bare_track(ambient, collection)).await);
    }
    tracks
}

fn place(ambient: &Ambient) -> MovedTrackTombstone {
    MovedTrackTombstone { id: ambient.record_id(), index: ambient.short_id(), at: ambient.now() }
}

async fn move_track(
    catalog: &Catalog,
    ambient: &Ambient,
    id: TrackId,
    organization: &Organization,
    target: CollectionId,
) -> Result<i64, CatalogError> {
    let tx = catalog.begin().await.unwrap();
    let track = tx.track(organization.id, id).await.unwrap().unwrap();
    let order = tx.move_track(&track, target, place(ambient)).await?;
    tx.commit().await.unwrap();
    Ok(order)
}

/// The tracks of a collection, read by pages of three, and its total.
async fn listed(catalog: &Catalog, collection: &Collection) -> (Vec<TrackId>, u64) {
    let (mut ids, mut offset) = (Vec::new(), 0);
    loop {
        let page = LimitOffset::new(Some(3), Some(offset)).unwrap();
        let list = catalog.tracks_in_collection(collection.organization_id, collection.id, None, page);
        let (total, tracks) = list.await.unwrap();
        if tracks.is_empty() {
            return (ids, total);
        }
        ids.extend(tracks.iter().map(|track| track.id));
        offset += 3;
    }
}

async fn a_track_moves_to_the_end(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, [first, second]) = two_collections(&catalog, &ambient).await;
    let tracks = stored(&catalog, &ambient, &first, 3).await;
    let others = stored(&catalog, &ambient, &second, 2).await;
    let key = tonearm_domain::ApiKey {
        scope: KeyScope::Track(first.id, tracks[1].id),
        ..api_key(&ambient, &organization)
    };
    let tx = catalog.begin().await.unwrap();
    tx.insert_api_key(&key, &[7; 32]).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(move_track(&catalog, &ambient, tracks[1].id, &organization, second.id).await.unwrap(), 3);
    let moved = catalog.track(organization.id, tracks[1].id).await.unwrap().unwrap();
    assert_eq!(moved, Track { collection_id: second.id, order: 3, ..tracks[1].clone() });
    assert_eq!(listed(&catalog, &first).await, (vec![tracks[0].id, tracks[2].id], 2));
    assert_eq!(listed(&catalog, &second).await, (vec![others[0].id, others[1].id, moved.id], 3));
    // A search finds it in its new collection.
    for (collection, expected) in [(first.id, 2), (second.id, 3)] {
        let words = SearchWords::parse("take");
        let query = PageQuery { words, sort: TrackSort::Order, cursor: Cursor::First, limit: 10 };
        let found = catalog.track_page(organization.id, Some(collection), &query).await.unwrap();
        assert_eq!((found.rows.len(), found.total), (expected, Total::Exactly(expected as u64)));
    }
    let key = catalog.api_key_by_hash(&[7; 32]).await.unwrap().unwrap();
    assert_eq!(key.scope, KeyScope::Track(second.id, moved.id));
    // Its old place cannot be restored, and there is nothing there to purge.
    let trash = catalog.trashed_tracks(organization.id, ambient.now(), Cursor::First, 10).await.unwrap();
    assert_eq!(trash.rows, []);
    let tx = catalog.begin().await.unwrap();
    tx.soft_delete_collection(organization.id, first.id, ambient.now()).await.unwrap();
    tx.commit().await.unwrap();
    let refused = move_track(&catalog, &ambient, moved.id, &organization, first.id).await.unwrap_err();
    assert!(matches!(refused, CatalogError::Missing(Record::Collection)), "{refused:?}");
    assert_eq!(listed(&catalog, &second).await.1, 3);
}

async fn late_pages_are_right_after_many_moves(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, [first, second]) = two_collections(&catalog, &ambient).await;
    let tracks = stored(&catalog, &ambient, &first, 20).await;
    let (mut left, mut moved): (Vec<TrackId>, Vec<TrackId>) = (Vec::new(), Vec::new());
    for (number, track) in tracks.iter().enumerate() {
        match number % 4 {
            0 => {
                move_track(&catalog, &ambient, track.id, &organization, second.id).await.unwrap();
                moved.push(track.id);
            }
            1 => {
                let tx = catalog.begin().await.unwrap();
                tx.soft_delete_track(organization.id, track.id, ambient.now()).await.unwrap();
                tx.commit().await.unwrap();
            }
            _ => left.push(track.id),
        }
    }
    // Moved there and back again.
    let back = moved.remove(1);
    move_track(&catalog, &ambient, back, &organization, first.id).await.unwrap();
    left.push(back);
    let new = stored_track(&catalog, bare_track(&ambient, &first)).await.id;
    left.push(new);
    assert_eq!(listed(&catalog, &first).await, (left.clone(), left.len() as u64));
    assert_eq!(listed(&catalog, &second).await, (moved.clone(), moved.len() as u64));
}

async fn moves_in_both_directions_at_once_end_well(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, [first, second]) = two_collections(&catalog, &ambient).await;
    let there = stored(&catalog, &ambient, &first, 8).await;
    let back = stored(&catalog, &ambient, &second, 8).await;
    let moves = there
        .iter()
        .map(|track| (track.id, second.id))
        .chain(back.iter().map(|track| (track.id, first.id)))
        .map(|(id, target)| move_track(&catalog, &ambient, id, &organization, target));
    for moved in join_all(moves).await {
        moved.unwrap();
    }
    for (collection, tracks) in [(&first, &back), (&second, &there)] {
        let (mut found, total) = listed(&catalog, collection).await;
        found.sort();
        let mut expected: Vec<TrackId> = tracks.iter().map(|track| track.id).collect();
        expected.sort();
        assert_eq!((found, total), (expected, 8));
    }
}

async fn arrange(
    catalog: &Catalog,
    collection: &Collection,
    tracks: &[TrackId],
) -> Result<Vec<i64>, TrackId> {
    let tx = catalog.begin().await.unwrap();
    let arranged = tx.arrange_tracks(collection.organization_id, collection.id, tracks).await.unwrap();
    if arranged.is_ok() {
        tx.commit().await.unwrap();
    }
    arranged
}

async fn tracks_exchange_their_places(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, [first, second]) = two_collections(&catalog, &ambient).await;
    let tracks: Vec<TrackId> =
        stored(&catalog, &ambient, &first, 6).await.iter().map(|track| track.id).collect();
    let foreign = stored(&catalog, &ambient, &second, 1).await[0].id;
    let tx = catalog.begin().await.unwrap();
    tx.soft_delete_track(organization.id, tracks[3], ambient.now()).await.unwrap();
    tx.commit().await.unwrap();
    let [a, b, c, deleted, e, f] = tracks[..] else { panic!("six tracks") };
    assert_eq!(arrange(&catalog, &first, &[f, a, e]).await, Ok(vec![1, 5, 6]));
    assert_eq!(listed(&catalog, &first).await.0, [f, b, c, a, e]);
    assert_eq!(arrange(&catalog, &first, &[e, c, f, b, a]).await, Ok(vec![1, 2, 3, 5, 6]));
    assert_eq!(listed(&catalog, &first).await.0, [e, c, f, b, a]);
    for bad in [deleted, foreign, ambient.record_id()] {
        assert_eq!(arrange(&catalog, &first, &[a, bad, b]).await, Err(bad));
    }
    assert_eq!(listed(&catalog, &first).await.0, [e, c, f, b, a]);
    let (other, _) = stored_collection(&catalog, &ambient).await;
    let tx = catalog.begin().await.unwrap();
    assert_eq!(tx.arrange_tracks(other.id, first.id, &[a, b]).await.unwrap(), Err(a));
}

async fn orders_given_at_once_leave_no_gap(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (_, [first, _]) = two_collections(&catalog, &ambient).await;
    let tracks: Vec<TrackId> =
        stored(&catalog, &ambient, &first, 9).await.iter().map(|track| track.id).collect();
    let rotated = |by: usize| {
        let mut tracks = tracks.clone();
        tracks.rotate_left(by);
        tracks.truncate(7);
        tracks
    };
    let asked: Vec<Vec<TrackId>> = (0..9).map(rotated).collect();
    for arranged in join_all(asked.iter().map(|tracks| arrange(&catalog, &first, tracks))).await {
        arranged.unwrap();
    }
    let page = LimitOffset::default();
    let (_, found) = catalog.tracks_in_collection(first.organization_id, first.id, None, page).await.unwrap();
    let orders: Vec<i64> = found.iter().map(|track| track.order).collect();
    assert_eq!(orders, (1..=9).collect::<Vec<i64>>());
    let mut ids: Vec<TrackId> = found.iter().map(|track| track.id).collect();
    ids.sort();
    let mut expected = tracks.clone();
    expected.sort();
    assert_eq!(ids, expected);
}

async fn ranges_are_counted_as_lists_show_them(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, [first, second]) = two_collections(&catalog, &ambient).await;
    let tracks: Vec<TrackId> =
        stored(&catalog, &ambient, &first, 8).await.iter().map(|track| track.id).collect();
    let foreign = stored(&catalog, &ambient, &second, 1).await[0].id;
    let tx = catalog.begin().await.unwrap();
    for deleted in [0, 4] {
        tx.soft_delete_track(organization.id, tracks[deleted], ambient.now()).await.unwrap();
    }
    tx.commit().await.unwrap();
    let [_, b, c, d, _, f, g, h] = tracks[..] else { panic!("eight tracks") };
    assert_eq!(arrange(&catalog, &first, &[d, c, b]).await, Ok(vec![2, 3, 4]));
    let (other, _) = stored_collection(&catalog, &ambient).await;
    // The list is now d, c, b, f, g, h.
    let tx = catalog.begin().await.unwrap();
    let around = async |named: &[TrackId], index, most| {
        let range = tx.range_around(organization.id, first.id, named, index, most).await.unwrap();
        range.map(|TrackRange { start, tracks, index }| (start, tracks, index))
    };
    assert_eq!(around(&[g], 2, 9).await, Ok((1, vec![c, b, f, g], 2)));
    assert_eq!(around(&[c], 4, 9).await, Ok((1, vec![c, b, f, g], 4)));
    assert_eq!(around(&[h, d], 2, 9).await, Ok((0, vec![d, c, b, f, g, h], 2)));
    assert_eq!(around(&[c, b], 1, 9).await, Ok((0, vec![d, c, b], 1)));
    assert_eq!(around(&[f, d], 90, 9).await, Ok((0, vec![d, c, b, f, g, h], 4)), "the end");
    assert_eq!(around(&[h], 90, 9).await, Ok((4, vec![g, h], 5)), "the end, where it is already");
    for missing in [foreign, tracks[0]] {
        assert_eq!(around(&[b, missing], 2, 9).await, Err(TrackRangeError::Missing));
    }
    let (_, some, _) = around(&[h], 0, 3).await.unwrap();
    assert_eq!(some.len(), 4, "one more tells that there are too many");
    let found = tx.tracks_in_order(organization.id, first.id, &[f, foreign, b, tracks[4], d]).await.unwrap();
    assert_eq!(found, [d, b, f]);
    let refused = tx.range_around(other.id, first.id, &[b], 0, 9).await.unwrap();
    assert_eq!(refused, Err(TrackRangeError::Missing));
}
