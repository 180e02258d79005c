//! The order of tracks, and which of them can be played.

use std::collections::BTreeSet;

use futures::future::join_all;
use tonearm_domain::{Colour, CoverOrigin, LimitOffset, TrackId, TrackStatus};
use tonearm_fixtures::ambient;

use crate::database::{Reach, TestDatabase};
use crate::samples::*;

crate::on_both!(
    orders_are_given_once_each,
    orders_are_not_given_again,
    tracks_are_listed_by_order,
    only_playable_tracks_are_played,
    pages_step_over_what_was_deleted,
);

async fn orders_are_given_once_each(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (_, collection) = stored_collection(&catalog, &ambient).await;
    let inserts = (0..50).map(|_| {
        let (catalog, track) = (catalog.clone(), bare_track(&ambient, &collection));
        tokio::spawn(async move { stored_track(&catalog, track).await.order })
    });
    let orders: BTreeSet<i64> = join_all(inserts).await.into_iter().map(Result::unwrap).collect();
    assert_eq!(orders, (1..=50).collect());
}

/// An order is reused neither after a deletion nor after an insert that failed.
async fn orders_are_not_given_again(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, collection) = stored_collection(&catalog, &ambient).await;
    let first = stored_track(&catalog, bare_track(&ambient, &collection)).await;
    let tx = catalog.begin().await.unwrap();
    assert!(tx.soft_delete_track(organization.id, first.id, ambient.now()).await.unwrap());
    tx.commit().await.unwrap();
    let tx = catalog.begin().await.unwrap();
    assert_eq!(tx.insert_track(&bare_track(&ambient, &collection)).await.unwrap(), 2);
    drop(tx);
    let second = stored_track(&catalog, bare_track(&ambient, &collection)).await;
    assert_eq!(second.order, 2);
}

async fn tracks_are_listed_by_order(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, collection) = stored_collection(&catalog, &ambient).await;
    let mut tracks: Vec<_> = (0..5).map(|_| bare_track(&ambient, &collection)).collect();
    // IDs of the same millisecond sort randomly; storing them in reverse makes the orders differ for certain.
    tracks.sort_by_key(|track| std::cmp::Reverse(track.id));
    let mut stored = Vec::new();
    for track in tracks {
        stored.push(stored_track(&catalog, track).await);
    }
    let page = LimitOffset::new(Some(2), Some(2)).unwrap();
    let list = |page| catalog.tracks_in_collection(organization.id, collection.id, None, page);
    assert_eq!(list(LimitOffset::default()).await.unwrap(), (5, stored.clone()));
    assert_eq!(list(page).await.unwrap(), (5, stored[2..4].to_vec()));
}

async fn only_playable_tracks_are_played(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (_, collection) = stored_collection(&catalog, &ambient).await;
    let mut tracks = Vec::new();
    for status in TrackStatus::ALL {
        let mut track = bare_track(&ambient, &collection);
        (track.status, track.duration, track.theme) = (status, 61.5, theme());
        track.player_title = Some(HOSTILE.to_owned());
        track.player_colour = Some(Colour::new(1, 2, 3));
        track.cover = Some(cover(&ambient, CoverOrigin::Embedded));
        tracks.push(stored_track(&catalog, track).await);
    }
    let play = |only: Option<TrackId>| playable_tracks(&catalog, &collection, only);
    let playable: Vec<_> = tracks.iter().filter(|t| t.status.is_playable()).map(summary).collect();
    assert_eq!(playable.len(), 2);
    assert_eq!(play(None).await, playable);
    assert_eq!(play(Some(playable[1].id)).await, playable[1..]);
    assert_eq!(play(Some(tracks[0].id)).await, []);
}

/// Whatever is deleted, at the start, at the end or in a row, every page equals the one found by counting through the
/// list.
async fn pages_step_over_what_was_deleted(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, collection) = stored_collection(&catalog, &ambient).await;
    let mut living = Vec::new();
    for _ in 0..24 {
        living.push(stored_track(&catalog, bare_track(&ambient, &collection)).await);
    }
    for gone in [5, 5, 0, 17, 5, 18, 0, 0, 3] {
        let track = living.remove(gone);
        let tx = catalog.begin().await.unwrap();
        assert!(tx.soft_delete_track(organization.id, track.id, ambient.now()).await.unwrap());
        tx.commit().await.unwrap();
        for offset in 0..=living.len() as i64 + 1 {
            for limit in [1, 4] {
                let page = LimitOffset::new(Some(limit), Some(offset)).unwrap();
                let found =
                    catalog.tracks_in_collection(organization.id, collection.id, None, page).await.unwrap();
                let rest = living.iter().skip(offset as usize).take(limit as usize);
                assert_eq!(found, (living.len() as u64, rest.cloned().collect()), "{offset} {limit}");
            }
        }
    }
}
