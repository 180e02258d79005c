//! Lists that are searched, sorted and paginated.

use std::cmp::Ordering;

use tonearm_catalog::{Catalog, PurgedTitles};
use tonearm_domain::{
    Ambient, Collection, CollectionId, CollectionSort, Cursor, Organization, Page, PageQuery, SearchWords,
    Total, Track, TrackId, TrackSort, TrackStatus, sort_title,
};
use tonearm_fixtures::ambient;

use crate::database::{Reach, TestDatabase};
use crate::samples::*;

crate::on_both!(
    every_page_of_every_list_is_the_sorted_list,
    what_many_hold_is_found_while_walking,
    searches_find_what_holds_all_words,
    a_search_keeps_to_its_organization,
    collections_are_paginated,
);

/// Titles with many duplicates, of different lengths, in different scripts.
const TITLES: [&str; 9] =
    ["", "Intro", "intro", "INTRO 2", "Ärger", "Zebra", "  zebra ", "日本の歌", "a_b%c\\d \"e\" 'f'"];

fn any_track(ambient: &Ambient, collection: &Collection) -> Track {
    let [title, seconds, status, subtitle] = ambient.random::<4>();
    let mut track = bare_track(ambient, collection);
    track.player_title = Some(TITLES[usize::from(title) % TITLES.len()].to_owned());
    track.player_subtitle = (subtitle % 3 == 0).then(|| "Live".to_owned());
    track.file_name = format!("take {}.wav", title % 7);
    track.duration = f64::from(seconds % 5) / 3.0;
    track.status = TrackStatus::ALL[usize::from(status) % TrackStatus::ALL.len()];
    track
}

/// The order that a list promises, implemented independently.
fn compare(sort: TrackSort, a: &Track, b: &Track) -> Ordering {
    match sort {
        TrackSort::Order => (a.order, a.id).cmp(&(b.order, b.id)),
        TrackSort::Title => (a.sort_title(), a.id).cmp(&(b.sort_title(), b.id)),
        TrackSort::Newest => b.id.cmp(&a.id),
        TrackSort::Longest => b.duration.total_cmp(&a.duration).then(b.id.cmp(&a.id)),
        TrackSort::Status => (a.status.rank(), a.id).cmp(&(b.status.rank(), b.id)),
    }
}

fn page_query<Sort, Id>(
    sort: Sort,
    words: Option<&SearchWords>,
    cursor: Cursor<Id>,
    limit: u32,
) -> PageQuery<Sort, Id> {
    PageQuery { words: words.cloned(), sort, cursor, limit }
}

/// Walks a list to its end and back, and returns the tracks of both directions.
async fn walk(
    catalog: &Catalog,
    organization: &Organization,
    collection: Option<CollectionId>,
    (sort, words, limit): (TrackSort, Option<&SearchWords>, u32),
) -> [Vec<TrackId>; 2] {
    let page = async |cursor: Cursor<TrackId>| -> Page<Track> {
        catalog
            .track_page(organization.id, collection, &page_query(sort, words, cursor, limit))
            .await
            .unwrap()
    };
    let ids = |slice: &Page<Track>| slice.rows.iter().map(|track| track.id).collect::<Vec<_>>();
    let mut here = page(Cursor::First).await;
    assert!(!here.has_before);
    let mut forth = ids(&here);
    while here.has_after {
        here = page(Cursor::After(*forth.last().unwrap())).await;
        assert!(here.has_before && !here.rows.is_empty() && here.rows.len() <= limit as usize);
        forth.extend(ids(&here));
    }
    let mut back = ids(&here);
    while here.has_before {
        here = page(Cursor::Before(back[0])).await;
        back.splice(0..0, ids(&here));
        if here.rows.is_empty() {
            break;
        }
        // Before the first row there is nothing; the first page is returned again.
        if back[0] == forth[0] {
            assert!(!here.has_before);
        }
    }
    [forth, back]
}

async fn every_page_of_every_list_is_the_sorted_list(database: TestDatabase) {
    let (catalog, (ambient, clock)) = (database.catalog().await, ambient());
    let (organization, collection) = stored_collection(&catalog, &ambient).await;
    let other = bare_collection(&ambient, &organization);
    let tx = catalog.begin().await.unwrap();
    tx.insert_collection(&other).await.unwrap();
    let mut tracks = Vec::new();
    for number in 0..60 {
        let mut track = any_track(&ambient, if number % 3 == 0 { &other } else { &collection });
        track.order = tx.insert_track(&track).await.unwrap();
        // Several tracks share a millisecond, and their IDs are in no order.
        clock.advance_millis(i64::from(number % 4 == 0));
        if number % 10 == 7 {
            assert!(tx.soft_delete_track(organization.id, track.id, ambient.now()).await.unwrap());
        } else {
            tracks.push(track);
        }
    }
    tx.commit().await.unwrap();
    for collection in [Some(collection.id), None] {
        for sort in TrackSort::ALL {
            for text in ["", "intro", "in ro", "live wav", "a_b%c\\d \"e\"", "nothing holds this"] {
                let words = SearchWords::parse(text);
                let is_in = |track: &&Track| {
                    collection.is_none_or(|id| track.collection_id == id)
                        && words.as_ref().is_none_or(|words| words.are_in(&track.search_text()))
                };
                let mut expected: Vec<Track> = tracks.iter().filter(is_in).cloned().collect();
                let by = if collection.is_some() { sort } else { sort.across_collections() };
                expected.sort_by(|a, b| compare(by, a, b));
                let expected: Vec<TrackId> = expected.iter().map(|track| track.id).collect();
                for limit in [4, 200] {
                    let walked =
                        walk(&catalog, &organization, collection, (sort, words.as_ref(), limit)).await;
                    assert_eq!(walked[0], expected, "{sort:?} {text:?} {limit}");
                    assert_eq!(walked[1], expected, "back: {sort:?} {text:?} {limit}");
                }
                let first = page_query(sort, words.as_ref(), Cursor::First, 7);
                let first = catalog.track_page(organization.id, collection, &first).await.unwrap();
                assert_eq!(first.total, Total::Exactly(expected.len() as u64));
            }
        }
    }
}

async fn what_many_hold_is_found_while_walking(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, collection) = stored_collection(&catalog, &ambient).await;
    let tx = catalog.begin().await.unwrap();
    let mut held = Vec::new();
    for number in 0..1100 {
        let mut track = any_track(&ambient, &collection);
        track.file_name = format!("{}{number}.wav", if number % 20 == 3 { "other" } else { "common" });
        track.order = tx.insert_track(&track).await.unwrap();
        if number % 20 != 3 {
            held.push(track);
        }
    }
    tx.commit().await.unwrap();
    let words = SearchWords::parse("common wav").unwrap();
    for sort in TrackSort::ALL {
        held.sort_by(|a, b| compare(sort, a, b));
        let expected: Vec<TrackId> = held.iter().map(|track| track.id).collect();
        let page = async |cursor, limit| {
            let query = page_query(sort, Some(&words), cursor, limit);
            let slice = catalog.track_page(organization.id, Some(collection.id), &query).await.unwrap();
            assert_eq!(slice.total, Total::MoreThan(1000));
            slice.rows.iter().map(|track| track.id).collect::<Vec<_>>()
        };
        assert_eq!(page(Cursor::First, 50).await, expected[..50], "{sort:?}");
        assert_eq!(page(Cursor::After(expected[899]), 50).await, expected[900..950], "{sort:?}");
        assert_eq!(page(Cursor::Before(expected[700]), 50).await, expected[650..700], "{sort:?}");
    }
}

async fn searches_find_what_holds_all_words(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, collection) = stored_collection(&catalog, &ambient).await;
    let creator = creator(&ambient, &organization);
    let tx = catalog.begin().await.unwrap();
    tx.insert_creator(&creator).await.unwrap();
    tx.commit().await.unwrap();
    let mut track = full_track(&ambient, &collection, &creator);
    (track.player_title, track.file_name) = (Some("Grüße aus Óbidos".to_owned()), "x%y_z.wav".to_owned());
    track.info.tags.insert("artist".to_owned(), "Ana\0 Moura".to_owned());
    let mut track = stored_track(&catalog, track).await;
    let find = async |text: &str| {
        let query = page_query(TrackSort::Order, SearchWords::parse(text).as_ref(), Cursor::First, 10);
        let found = catalog.track_page(organization.id, Some(collection.id), &query).await.unwrap();
        assert_eq!(found.total, Total::Exactly(found.rows.len() as u64));
        found.rows.len()
    };
    let index = track.index.to_string();
    assert_eq!(find(&index[..5]).await, 0, "part of a short id");
    assert_eq!(find("RÜ óbi").await, 0, "two letters begin a word");
    for text in
        ["grüße", "GRÜ óbi", "x%y", "%", "_z.", "ana moura", "שלום", "$1 :a", "\"x\"", &index, "é\u{301}"]
    {
        assert_eq!(find(text).await, 1, "{text}");
    }
    for text in ["xay", "x%%y", "obidos grüße nirgends", "title:grüße", "NEAR(grüße", "grüße*", "--"]
    {
        let expected = usize::from(track.search_text().contains(&sort_title(text)));
        assert_eq!(find(text).await, expected, "{text}");
    }
    track.player_title = Some("Something else".to_owned());
    let tx = catalog.begin().await.unwrap();
    tx.update_track(&track).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!((find("grüße").await, find("something").await), (0, 1));
    let tx = catalog.begin().await.unwrap();
    tx.soft_delete_track(organization.id, track.id, ambient.now()).await.unwrap();
    tx.purge_track(organization.id, track.id, ambient.now(), PurgedTitles::Removed).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(find("something").await, 0);
}

async fn a_search_keeps_to_its_organization(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, collection) = stored_collection(&catalog, &ambient).await;
    let (other, others) = stored_collection(&catalog, &ambient).await;
    stored_track(&catalog, bare_track(&ambient, &others)).await;
    let words = SearchWords::parse("take");
    for collection in [None, Some(collection.id), Some(others.id)] {
        let query = page_query(TrackSort::Title, words.as_ref(), Cursor::First, 10);
        let found = catalog.track_page(organization.id, collection, &query).await.unwrap();
        assert_eq!((found.rows, found.total), (Vec::new(), Total::Exactly(0)));
    }
    let found = catalog
        .track_page(other.id, None, &page_query(TrackSort::Title, words.as_ref(), Cursor::First, 10))
        .await
        .unwrap();
    assert_eq!(found.rows.len(), 1);
}

async fn collections_are_paginated(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, first) = stored_collection(&catalog, &ambient).await;
    let mut all = vec![first];
    let tx = catalog.begin().await.unwrap();
    for number in 0..20 {
        let mut collection = bare_collection(&ambient, &organization);
        collection.title = format!("{} {}", TITLES[number % TITLES.len()], number % 2);
        tx.insert_collection(&collection).await.unwrap();
        all.push(collection);
    }
    tx.commit().await.unwrap();
    for sort in CollectionSort::ALL {
        for text in ["", "intro", "INTRO 0"] {
            let words = SearchWords::parse(text);
            let is_in =
                |c: &&Collection| words.as_ref().is_none_or(|words| words.are_in(&sort_title(&c.title)));
            let mut expected: Vec<Collection> = all.iter().filter(is_in).cloned().collect();
            expected.sort_by(|a, b| match sort {
                CollectionSort::Oldest => a.id.cmp(&b.id),
                CollectionSort::Newest => b.id.cmp(&a.id),
                CollectionSort::Title => (sort_title(&a.title), a.id).cmp(&(sort_title(&b.title), b.id)),
            });
            let mut walked: Vec<Collection> = Vec::new();
            loop {
                let cursor = walked.last().map_or(Cursor::First, |last| Cursor::After(last.id));
                let page = page_query(sort, words.as_ref(), cursor, 3);
                let page = catalog.collection_page(organization.id, &page).await.unwrap();
                assert_eq!(page.total, Total::Exactly(expected.len() as u64));
                walked.extend(page.rows);
                if !page.has_after {
                    break;
                }
            }
            assert_eq!(walked, expected, "{sort:?} {text:?}");
        }
    }
}
