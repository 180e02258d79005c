//! Look-ups of tracks by API clients.

use std::cmp::Ordering;
use std::sync::Arc;

use tonearm_catalog::Catalog;
use tonearm_domain::{
    Ambient, Collection, Creator, ListPosition, Organization, SearchWords, SortValue, Source, Track,
    TrackFilter, TrackId, TrackOrder, TrackOrderKey, TrackStatus,
};
use tonearm_fixtures::{CountedEntropy, ManualClock, ambient};

use crate::database::{Reach, TestDatabase};
use crate::samples::*;

crate::on_both!(
    every_filter_finds_what_it_says_in_every_order,
    what_many_fit_is_found_in_bounded_parts,
    a_position_stays_where_it_is,
    an_external_id_is_found_whatever_its_length,
    lists_go_on_from_their_positions,
    random_lists_are_those_of_a_vec,
);

const TITLES: [&str; 6] = ["", "Intro", "intro", "Ärger", "  zebra ", "日本の歌"];

struct TestLibrary {
    catalog: Catalog,
    organization: Organization,
    collections: [Collection; 2],
    creators: [Creator; 2],
    tracks: Vec<Track>,
}

fn any_track(ambient: &Ambient, library: &TestLibrary, number: usize) -> Track {
    let [title, seconds, status] = ambient.random::<3>();
    let mut track = bare_track(ambient, &library.collections[number % 3 / 2]);
    track.player_title = Some(TITLES[usize::from(title) % TITLES.len()].to_owned());
    track.file_name = format!("take {}.wav", number % 7);
    track.duration = f64::from(seconds % 5) / 3.0;
    track.status = TrackStatus::ALL[usize::from(status) % TrackStatus::ALL.len()];
    track.creator_id = library.creators.get(number % 5).map(|creator| creator.id);
    track.organization_index = (!number.is_multiple_of(4)).then(|| format!("no-{}", number % 4));
    track.source = (!number.is_multiple_of(3)).then(|| {
        let mut source = source(ambient, &track);
        source.sha256 = [u8::try_from(number % 6).unwrap(); 32];
        source
    });
    track
}

impl TestLibrary {
    async fn filled(database: &TestDatabase, count: usize) -> (Self, Ambient) {
        let (catalog, (ambient, clock)) = (database.catalog().await, ambient());
        let (organization, first) = stored_collection(&catalog, &ambient).await;
        let second = bare_collection(&ambient, &organization);
        let creators = [(); 2].map(|()| creator(&ambient, &organization));
        let tx = catalog.begin().await.unwrap();
        tx.insert_collection(&second).await.unwrap();
        for creator in &creators {
            tx.insert_creator(creator).await.unwrap();
        }
        let mut library = Self {
            catalog: catalog.clone(),
            organization,
            collections: [first, second],
            creators,
            tracks: Vec::new(),
        };
        for number in 0..count {
            let mut track = any_track(&ambient, &library, number);
            track.order = tx.insert_track(&track).await.unwrap();
            clock.advance_millis(i64::from(number % 4 == 0));
            if number % 10 == 7 {
                assert!(
                    tx.soft_delete_track(library.organization.id, track.id, ambient.now()).await.unwrap()
                );
            } else {
                library.tracks.push(track);
            }
        }
        tx.commit().await.unwrap();
        (library, ambient)
    }

    /// The IDs that the filter should match, sorted. Implemented independently.
    fn expected(&self, filter: &TrackFilter, order: TrackOrder) -> Vec<TrackId> {
        let fits = |track: &&Track| {
            filter.track.is_none_or(|id| track.id == id)
                && filter.collection.is_none_or(|id| track.collection_id == id)
                && filter.creator.is_none_or(|id| track.creator_id == Some(id))
                && filter
                    .organization_index
                    .as_ref()
                    .is_none_or(|i| track.organization_index.as_ref() == Some(i))
                && filter
                    .source_sha256
                    .is_none_or(|hash| track.source.as_ref().is_some_and(|source| source.sha256 == hash))
                && filter.statuses.as_ref().is_none_or(|statuses| statuses.contains(&track.status))
                && filter.created_since.is_none_or(|since| track.created_at >= since)
                && filter.words.as_ref().is_none_or(|words| {
                    words.are_in(&track.search_text()) || words.index() == Some(track.index)
                })
        };
        let mut found: Vec<(String, &Track)> =
            self.tracks.iter().filter(fits).map(|track| (track.sort_title(), track)).collect();
        found.sort_by(|a, b| compare(order, a, b));
        found.into_iter().map(|(_, track)| track.id).collect()
    }

    /// The order of a track and a position.
    fn compare_to(&self, order: TrackOrder, id: TrackId, position: &ListPosition) -> Ordering {
        let track = self.tracks.iter().find(|track| track.id == id).unwrap();
        let by_value = match (&position.value, order.key) {
            (SortValue::None, TrackOrderKey::Created) => Ordering::Equal,
            (SortValue::Text(title), TrackOrderKey::Title) => track.sort_title().cmp(title),
            (SortValue::Real(duration), TrackOrderKey::Duration) => track.duration.total_cmp(duration),
            (SortValue::Integer(rank), TrackOrderKey::Status) => i64::from(track.status.rank()).cmp(rank),
            (SortValue::Integer(place), TrackOrderKey::Order) => track.order.cmp(place),
            other => panic!("a position of another order: {other:?}"),
        };
        let ascending = by_value.then(id.uuid().cmp(&position.id));
        if order.is_descending { ascending.reverse() } else { ascending }
    }

    /// Reads a list to its end; returns the tracks, the number of pages, and the total of each page.
    async fn read(
        &self,
        filter: &TrackFilter,
        order: TrackOrder,
        limit: u64,
    ) -> (Vec<TrackId>, usize, Option<u64>) {
        let (mut ids, mut parts) = (Vec::new(), 0);
        let mut position: Option<ListPosition> = None;
        loop {
            let from = (position.as_ref(), limit);
            let part = self.catalog.look_up_tracks(self.organization.id, filter, order, from).await.unwrap();
            assert!(part.rows.len() as u64 <= limit);
            ids.extend(part.rows.iter().map(|track| track.id));
            parts += 1;
            assert!(parts < 1000, "the list does not end");
            match part.next {
                Some(next) => position = Some(next),
                None => return (ids, parts, part.count),
            }
        }
    }
}

/// Compares tracks with their sort titles.
fn compare(order: TrackOrder, (title, a): &(String, &Track), (other, b): &(String, &Track)) -> Ordering {
    let by_key = match order.key {
        TrackOrderKey::Created => Ordering::Equal,
        TrackOrderKey::Title => title.cmp(other),
        TrackOrderKey::Duration => a.duration.total_cmp(&b.duration),
        TrackOrderKey::Status => a.status.rank().cmp(&b.status.rank()),
        TrackOrderKey::Order => a.order.cmp(&b.order),
    };
    let ascending = by_key.then(a.id.cmp(&b.id));
    if order.is_descending { ascending.reverse() } else { ascending }
}

fn orders() -> impl Iterator<Item = TrackOrder> {
    let both = |key| [false, true].map(|is_descending| TrackOrder { key, is_descending });
    TrackOrderKey::ALL.into_iter().flat_map(both)
}

async fn every_filter_finds_what_it_says_in_every_order(database: TestDatabase) {
    let (library, ambient) = TestLibrary::filled(&database, 60).await;
    let middle = library.tracks[library.tracks.len() / 2].created_at;
    let none = TrackFilter::default;
    let filters = [
        none(),
        TrackFilter { creator: Some(library.creators[0].id), ..none() },
        TrackFilter { creator: Some(ambient.record_id()), ..none() },
        TrackFilter { organization_index: Some("no-2".to_owned()), ..none() },
        TrackFilter { organization_index: Some("no-".to_owned()), ..none() },
        TrackFilter { source_sha256: Some([4; 32]), ..none() },
        TrackFilter { source_sha256: Some([9; 32]), ..none() },
        TrackFilter { statuses: Some(vec![TrackStatus::Ready, TrackStatus::Error]), ..none() },
        TrackFilter { statuses: Some(Vec::new()), ..none() },
        TrackFilter { created_since: Some(middle), ..none() },
        TrackFilter { words: SearchWords::parse("take intro"), ..none() },
        TrackFilter { track: Some(library.tracks[3].id), ..none() },
        TrackFilter {
            creator: Some(library.creators[1].id),
            organization_index: Some("no-1".to_owned()),
            statuses: Some(vec![TrackStatus::Ready, TrackStatus::Processing, TrackStatus::Initialized]),
            created_since: Some(middle.plus_millis(-8)),
            words: SearchWords::parse("take"),
            ..none()
        },
    ];
    for filter in filters {
        for collection in [None, Some(library.collections[0].id)] {
            let filter = TrackFilter { collection, ..filter.clone() };
            for order in orders() {
                let expected = library.expected(&filter, order);
                for limit in [4, 200] {
                    let (found, _, count) = library.read(&filter, order, limit).await;
                    assert_eq!(found, expected, "{order} {limit} {filter:?}");
                    assert_eq!(count, Some(expected.len() as u64), "{order} {filter:?}");
                }
            }
        }
    }
}

async fn what_many_fit_is_found_in_bounded_parts(database: TestDatabase) {
    let (mut library, ambient) = TestLibrary::filled(&database, 0).await;
    let tx = library.catalog.begin().await.unwrap();
    for number in 0..3300 {
        let mut track = any_track(&ambient, &library, number);
        track.status = if number % 3 == 0 { TrackStatus::Error } else { TrackStatus::Ready };
        track.creator_id = (number % 2 == 0).then_some(library.creators[0].id);
        track.organization_index = (number % 5 < 2).then(|| "often".to_owned());
        let source = source(&ambient, &track);
        track.source = Some(Source { sha256: [if number % 5 < 2 { 7 } else { 8 }; 32], ..source });
        track.file_name = format!("{} {number}.wav", if number % 2 == 0 { "common" } else { "other" });
        track.order = tx.insert_track(&track).await.unwrap();
        library.tracks.push(track);
    }
    tx.commit().await.unwrap();
    let none = TrackFilter::default;
    let by_creator = TrackFilter { creator: Some(library.creators[0].id), ..none() };
    let odd_words = TrackFilter { words: SearchWords::parse("other"), ..by_creator.clone() };
    let filters = [
        by_creator,
        TrackFilter { organization_index: Some("often".to_owned()), ..none() },
        TrackFilter { source_sha256: Some([7; 32]), ..none() },
        TrackFilter { statuses: Some(vec![TrackStatus::Error]), ..none() },
        TrackFilter {
            statuses: Some(vec![TrackStatus::Error]),
            words: SearchWords::parse("common"),
            ..none()
        },
        // Each condition matches many tracks, and both together none.
        odd_words,
    ];
    for filter in filters {
        for order in orders().filter(|order| order.key != TrackOrderKey::Order) {
            let expected = library.expected(&filter, order);
            let (found, parts, count) = library.read(&filter, order, 200).await;
            assert_eq!(found, expected, "{order} {filter:?}");
            assert_eq!(count, None);
            // A page reads a bounded number of rows, however many were requested.
            assert!(parts <= 2 + expected.len() / 200 + 3300 / 1000, "{parts} {order} {filter:?}");
        }
    }
    let collection = Some(library.collections[0].id);
    let filter = TrackFilter { collection, statuses: Some(vec![TrackStatus::Ready]), ..none() };
    let order = TrackOrder { key: TrackOrderKey::Order, is_descending: false };
    assert_eq!(library.read(&filter, order, 50).await.0, library.expected(&filter, order));
}

async fn a_position_stays_where_it_is(database: TestDatabase) {
    let (mut library, ambient) = TestLibrary::filled(&database, 30).await;
    let order = TrackOrder { key: TrackOrderKey::Title, is_descending: false };
    let all = TrackFilter::default();
    let expected = library.expected(&all, order);
    let first =
        library.catalog.look_up_tracks(library.organization.id, &all, order, (None, 5)).await.unwrap();
    // The row at the position is renamed, the next one is deleted.
    let mut last = first.rows[4].clone();
    last.player_title = Some("zzz".to_owned());
    let tx = library.catalog.begin().await.unwrap();
    tx.update_track(&last).await.unwrap();
    assert!(tx.soft_delete_track(library.organization.id, expected[5], ambient.now()).await.unwrap());
    tx.commit().await.unwrap();
    let from = (first.next.as_ref(), 3);
    let second = library.catalog.look_up_tracks(library.organization.id, &all, order, from).await.unwrap();
    let ids: Vec<TrackId> = second.rows.iter().map(|track| track.id).collect();
    assert_eq!(ids, expected[6..9]);
    // Tracks of a deleted collection are not found.
    let tx = library.catalog.begin().await.unwrap();
    let gone = library.collections[0].id;
    tx.soft_delete_collection(library.organization.id, gone, ambient.now()).await.unwrap();
    tx.commit().await.unwrap();
    library.tracks.retain(|track| track.collection_id != gone && track.id != expected[5]);
    for filter in [all, TrackFilter { creator: Some(library.creators[0].id), ..TrackFilter::default() }] {
        let order = TrackOrder::default();
        assert_eq!(library.read(&filter, order, 7).await.0, library.expected(&filter, order));
    }
}

async fn an_external_id_is_found_whatever_its_length(database: TestDatabase) {
    let (library, ambient) = TestLibrary::filled(&database, 10).await;
    let beginning = "日".repeat(999);
    let mut stored = Vec::new();
    for end in ["a", "b", "b"] {
        let mut track = bare_track(&ambient, &library.collections[1]);
        track.organization_index = Some(format!("{beginning}{end}"));
        stored.push(stored_track(&library.catalog, track).await.id);
    }
    stored[1..].sort();
    for (index, expected) in
        [(format!("{beginning}a"), &stored[..1]), (format!("{beginning}b"), &stored[1..]), (beginning, &[])]
    {
        let filter = TrackFilter { organization_index: Some(index), ..TrackFilter::default() };
        let order = TrackOrder { key: TrackOrderKey::Created, is_descending: false };
        assert_eq!(library.read(&filter, order, 5).await.0, expected);
    }
}

async fn lists_go_on_from_their_positions(database: TestDatabase) {
    let (library, _) = TestLibrary::filled(&database, 40).await;
    let own = library.organization.id;
    let order = TrackOrder { key: TrackOrderKey::Order, is_descending: false };
    for collection in &library.collections {
        let filter = TrackFilter { collection: Some(collection.id), ..TrackFilter::default() };
        let expected = library.expected(&filter, order);
        let (mut found, mut position) = (Vec::new(), None);
        loop {
            let from = (position.as_ref(), 3);
            let part = library.catalog.tracks_after(own, collection.id, None, from).await.unwrap();
            assert_eq!(part.count, Some(expected.len() as u64));
            found.extend(part.rows.iter().map(|track| track.id));
            position = part.next;
            if position.is_none() {
                break;
            }
        }
        assert_eq!(found, expected);
        let only =
            library.catalog.tracks_after(own, collection.id, Some(expected[2]), (None, 3)).await.unwrap();
        assert_eq!((only.rows.len(), only.next, only.count), (1, None, Some(1)));
    }
    let first = library.catalog.collections_after(own, None, (None, 1)).await.unwrap();
    let rest = library.catalog.collections_after(own, None, (first.next.as_ref(), 1)).await.unwrap();
    let mut both = [first.rows[0].id, rest.rows[0].id];
    both.sort();
    let mut expected = library.collections.each_ref().map(|collection| collection.id);
    expected.sort();
    assert_eq!((both, rest.next, rest.count), (expected, None, Some(2)));
    let first = library.catalog.creators_after(own, (None, 1)).await.unwrap();
    let rest = library.catalog.creators_after(own, (first.next.as_ref(), 5)).await.unwrap();
    assert!(first.rows[0].id < rest.rows[0].id);
    assert_eq!((rest.rows.len(), rest.next, rest.count), (1, None, Some(2)));
}

/// Random choices that are the same in every run with the same seed.
struct Choices(Ambient);

impl Choices {
    fn new(seed: u64) -> (Self, ManualClock) {
        let clock = ManualClock::new();
        (Self(Ambient::new(Arc::new(clock.clone()), Arc::new(CountedEntropy::new(seed)))), clock)
    }

    fn below(&self, end: usize) -> usize {
        (u64::from_le_bytes(self.0.random()) % end as u64) as usize
    }

    fn one<T: Clone>(&self, of: &[T]) -> T {
        of[self.below(of.len())].clone()
    }

    /// `None` in `out_of` of ten cases.
    fn maybe<T>(&self, out_of: usize, value: impl FnOnce() -> T) -> Option<T> {
        (self.below(10) >= out_of).then(value)
    }

    /// Most tracks have the first of two values, more than are looked up one by one.
    fn mostly<T>(&self, often: T, seldom: T) -> T {
        if self.below(25) == 0 { seldom } else { often }
    }

    fn track(&self, library: &TestLibrary, ambient: &Ambient) -> Track {
        const TITLES: [&str; 9] =
            ["", "Intro", "e\u{301}tude", "Étude", "5 µm", "STRASSE", "Straße", "日本の歌", "a_b%c\\d"];
        let [first, second] = &library.collections;
        let mut track = bare_track(ambient, self.mostly(first, second));
        track.player_title = self.maybe(1, || self.one(&TITLES).to_owned());
        track.file_name = format!("{} {}.wav", self.mostly("common", "other"), self.below(40));
        track.duration = self.below(5) as f64 / 3.0;
        track.status = self.mostly(TrackStatus::Ready, self.one(&TrackStatus::ALL));
        let [often, seldom] = library.creators.each_ref().map(|creator| Some(creator.id));
        track.creator_id = self.mostly(often, self.one(&[seldom, None]));
        track.organization_index = self.maybe(3, || self.mostly("often", "seldom").to_owned());
        let source = source(ambient, &track);
        track.source = self.maybe(1, || Source { sha256: [self.mostly(7, 8); 32], ..source });
        track
    }

    fn filter(&self, library: &TestLibrary) -> TrackFilter {
        const TEXTS: [&str; 13] = [
            "common",
            "common wav",
            "other",
            "étude",
            "E\u{301}TUDE",
            "5 μ",
            "5 μm common",
            "strasse",
            "日",
            "b%c",
            "i",
            "s wav",
            "nothing",
        ];
        let track = self.one(&library.tracks);
        TrackFilter {
            track: self.maybe(9, || track.id),
            collection: self.maybe(5, || self.one(&library.collections).id),
            creator: self.maybe(6, || self.one(&library.creators).id),
            organization_index: self.maybe(7, || self.one(&["often", "seldom", "ofte"]).to_owned()),
            source_sha256: self.maybe(7, || [self.one(&[7, 8, 9]); 32]),
            statuses: self.maybe(7, || {
                let few = [TrackStatus::Error, TrackStatus::Processing];
                self.one(&[vec![TrackStatus::Ready], few.to_vec(), TrackStatus::ALL.to_vec(), Vec::new()])
            }),
            created_since: self.maybe(8, || track.created_at.plus_millis(self.one(&[-1, 0, 1]))),
            words: self.maybe(3, || match self.below(12) {
                0 => SearchWords::parse(track.index.as_str()).unwrap(),
                _ => SearchWords::parse(self.one(&TEXTS)).unwrap(),
            }),
        }
    }

    /// Adds, changes, moves or deletes a track.
    async fn change(&self, library: &mut TestLibrary, ambient: &Ambient) {
        let tx = library.catalog.begin().await.unwrap();
        let (at, mut track) = (self.below(library.tracks.len()), self.track(library, ambient));
        let old = library.tracks[at].clone();
        match self.below(4) {
            0 => {
                track.order = tx.insert_track(&track).await.unwrap();
                library.tracks.push(track);
            }
            1 => {
                assert!(tx.soft_delete_track(old.organization_id, old.id, ambient.now()).await.unwrap());
                library.tracks.remove(at);
            }
            _ => {
                let Track { id, index, order, created_at, collection_id, .. } = old;
                track = Track { id, index, order, created_at, collection_id, ..track };
                tx.update_track(&track).await.unwrap();
                library.tracks[at] = track;
            }
        }
        tx.commit().await.unwrap();
    }
}

async fn random_lists_are_those_of_a_vec(database: TestDatabase) {
    let (mut library, _) = TestLibrary::filled(&database, 0).await;
    let (records, clock) = Choices::new(50);
    let tx = library.catalog.begin().await.unwrap();
    for number in 0..1300 {
        let mut track = records.track(&library, &records.0);
        track.order = tx.insert_track(&track).await.unwrap();
        library.tracks.push(track);
        clock.advance_millis(i64::from(number % 4 == 0));
    }
    tx.commit().await.unwrap();
    for seed in 0..20 {
        let (choices, _) = Choices::new(seed);
        for _ in 0..3 {
            read_while_it_changes(&mut library, &records.0, &choices, seed).await;
        }
    }
}

/// Reads a random list, with changes between its pages.
async fn read_while_it_changes(library: &mut TestLibrary, ambient: &Ambient, choices: &Choices, seed: u64) {
    let filter = choices.filter(library);
    let of_collection = filter.collection.is_some();
    let orders: Vec<_> =
        orders().filter(|order| of_collection || order.key != TrackOrderKey::Order).collect();
    let (order, limit) = (choices.one(&orders), choices.one(&[1, 7, 200]));
    let mut position: Option<ListPosition> = None;
    for page in 0..6 {
        let what = format!("seed {seed}, page {page} of {limit}, {order}, from {position:?}, {filter:?}");
        let all = library.expected(&filter, order);
        let is_after = |id: &TrackId, position: &ListPosition| {
            library.compare_to(order, *id, position) == Ordering::Greater
        };
        let rest: Vec<TrackId> =
            all.iter().filter(|id| position.as_ref().is_none_or(|at| is_after(id, at))).copied().collect();
        let own = library.organization.id;
        let part = library.catalog.look_up_tracks(own, &filter, order, (position.as_ref(), limit)).await;
        let part = part.unwrap();
        let found: Vec<TrackId> = part.rows.iter().map(|track| track.id).collect();
        assert!(found.len() as u64 <= limit, "{what}");
        let here: Vec<TrackId> = match &part.next {
            None => rest,
            Some(next) => rest.into_iter().filter(|id| !is_after(id, next)).collect(),
        };
        assert_eq!(found, here, "{what}");
        assert!(part.count.is_none_or(|count| count == all.len() as u64), "{what}: {:?}", part.count);
        position = part.next;
        if position.is_none() {
            break;
        }
        choices.change(library, ambient).await;
    }
}
