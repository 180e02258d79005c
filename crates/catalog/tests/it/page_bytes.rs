//! Pages of lists whose records are large.

use serde_json::json;
use tonearm_domain::{
    LimitOffset, ListPosition, Metadata, OrganizationId, PageRecord, Track, TrackFilter, TrackId, TrackOrder,
};

use crate::database::{Reach, TestDatabase};
use crate::samples::*;

crate::on_both!(pages_of_large_records_end_early_and_leave_nothing_out, other_lists_end_early_too);

/// Between a sixteenth and a seventeenth of a mebibyte.
fn large() -> Metadata {
    metadata(json!({ "text": "x".repeat(61_000) }))
}

/// More records than fit a page: 16 large ones do.
const RECORDS: usize = 40;

fn is_page<T: PageRecord>(rows: &[T]) -> bool {
    let bytes: usize = rows.iter().map(PageRecord::json_bytes).sum();
    // One of the collections is small.
    (1..=17).contains(&rows.len()) && bytes <= 1 << 20
}

async fn pages_of_large_records_end_early_and_leave_nothing_out(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, tonearm_fixtures::ambient());
    let (organization, collection) = stored_collection(&catalog, &ambient).await;
    let own: OrganizationId = organization.id;
    let mut expected: Vec<TrackId> = Vec::new();
    for _ in 0..RECORDS {
        let track = Track { metadata: large(), ..bare_track(&ambient, &collection) };
        expected.push(stored_track(&catalog, track).await.id);
    }
    let page = |offset: usize| LimitOffset::new(Some(200), Some(offset as i64)).unwrap();

    // As clients go on by offset: at the number of records that they have.
    let mut walked: Vec<TrackId> = Vec::new();
    while walked.len() < RECORDS {
        let (count, rows) =
            catalog.tracks_in_collection(own, collection.id, None, page(walked.len())).await.unwrap();
        assert!(count == RECORDS as u64 && is_page(&rows), "{} of {count}", rows.len());
        walked.extend(rows.iter().map(|track| track.id));
    }
    assert_eq!(walked, expected);

    let (mut walked, mut after): (Vec<TrackId>, Option<ListPosition>) = Default::default();
    loop {
        let from = (after.as_ref(), 200);
        let part = catalog.tracks_after(own, collection.id, None, from).await.unwrap();
        assert!(is_page(&part.rows));
        walked.extend(part.rows.iter().map(|track| track.id));
        after = part.next;
        if after.is_none() {
            break;
        }
    }
    assert_eq!(walked, expected);

    // Without a filter, and by one that finds few tracks.
    let found = TrackFilter {
        statuses: Some(vec![bare_track(&ambient, &collection).status]),
        ..TrackFilter::default()
    };
    let mut by_id = expected.clone();
    by_id.sort_unstable();
    for filter in [TrackFilter::default(), found] {
        let (mut walked, mut after): (Vec<TrackId>, Option<ListPosition>) = Default::default();
        loop {
            let from = (after.as_ref(), 200);
            let part = catalog.look_up_tracks(own, &filter, TrackOrder::default(), from).await.unwrap();
            assert!(is_page(&part.rows));
            walked.extend(part.rows.iter().map(|track| track.id));
            after = part.next;
            if after.is_none() {
                break;
            }
        }
        assert!(walked.is_sorted_by(|one, next| one > next), "the newest first");
        walked.sort_unstable();
        assert_eq!(walked, by_id, "{filter:?}");
    }
}

async fn other_lists_end_early_too(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, tonearm_fixtures::ambient());
    let (organization, _) = stored_collection(&catalog, &ambient).await;
    let tx = catalog.begin().await.unwrap();
    for number in 0..RECORDS {
        let mut collection = bare_collection(&ambient, &organization);
        collection.metadata = large();
        tx.insert_collection(&collection).await.unwrap();
        let mut creator = creator(&ambient, &organization);
        (creator.metadata, creator.organization_index) = (large(), number.to_string());
        tx.insert_creator(&creator).await.unwrap();
    }
    tx.commit().await.unwrap();
    let page = LimitOffset::new(Some(200), Some(1)).unwrap();
    let (count, collections) = catalog.collections(organization.id, None, page).await.unwrap();
    assert!(count == RECORDS as u64 + 1 && is_page(&collections), "{}", collections.len());
    let (count, creators) = catalog.creators(organization.id, page).await.unwrap();
    assert!(count == RECORDS as u64 && is_page(&creators), "{}", creators.len());
    let part = catalog.collections_after(organization.id, None, (None, 200)).await.unwrap();
    assert!(is_page(&part.rows) && part.next.is_some());
    let part = catalog.creators_after(organization.id, (None, 200)).await.unwrap();
    assert!(is_page(&part.rows) && part.next.is_some());
}
