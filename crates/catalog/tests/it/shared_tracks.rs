//! The list behind a share link.

use tonearm_domain::{FileData, Track, TrackId, TrackStatus, VariantIndex};
use tonearm_fixtures::ambient;

use crate::database::{Reach, TestDatabase};
use crate::samples::*;

crate::on_both!(a_shared_collection_has_pages);

async fn a_shared_collection_has_pages(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, collection) = stored_collection(&catalog, &ambient).await;
    let (shared, other) =
        (recipe(&ambient, &organization, None, "hq", 0), recipe(&ambient, &organization, None, "lq", 1));
    let tx = catalog.begin().await.unwrap();
    tx.insert_recipe(&shared).await.unwrap();
    tx.insert_recipe(&other).await.unwrap();
    tx.commit().await.unwrap();
    let mut expected: Vec<TrackId> = Vec::new();
    for number in 0..7 {
        let track = Track { status: TrackStatus::Ready, ..bare_track(&ambient, &collection) };
        let track = stored_track(&catalog, track).await;
        // The third has another variant only.
        let made = if number == 2 { &other } else { &shared };
        let tx = catalog.begin().await.unwrap();
        tx.put_track_file(&made_file(&ambient, &track, made, FileData::NONE)).await.unwrap();
        tx.commit().await.unwrap();
        if number != 2 {
            expected.push(track.id);
        }
    }
    let index = VariantIndex::from_static("hq");
    let page = async |only, after, limit| {
        let found = catalog
            .shared_tracks(organization.id, collection.id, only, &index, (after, limit))
            .await
            .unwrap();
        (found.0.iter().map(|track| track.id).collect::<Vec<_>>(), found.1)
    };
    assert_eq!(page(None, None, 6).await, (expected.clone(), false));
    for limit in 1..=7 {
        let (mut walked, mut after) = (Vec::new(), None);
        loop {
            let (ids, has_more) = page(None, after, limit).await;
            after = ids.last().copied();
            walked.extend(ids);
            if !has_more {
                break;
            }
        }
        assert_eq!(walked, expected, "in pages of {limit}");
    }
    assert_eq!(page(None, Some(expected[5]), 3).await, (Vec::new(), false));
    assert_eq!(page(Some(expected[1]), None, 3).await, (vec![expected[1]], false));
    assert_eq!(page(None, Some(ambient.record_id()), 3).await, (Vec::new(), false), "after no track");
}
