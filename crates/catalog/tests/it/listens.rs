//! Deliveries become listens: each listen counts once a day, in any order, on any number of nodes, and despite
//! repetitions.

use tonearm_catalog::{Catalog, SubjectListens, UsageFilter};
use tonearm_domain::{
    Ambient, ApiKeyId, CountryCode, Day, ExpiredRows, FileData, KeyScope, LimitOffset, ListenCounts,
    ListenKind, ListenedFile, ListenerId, ListenerKey, ListenerOrigin, Meter, ObjectFile, ObjectKey, Played,
    Recipe, Timestamp, Track, UsageBatch, Visitor,
};
use tonearm_fixtures::ambient;

use crate::database::{Reach, TestDatabase};
use crate::samples::*;

crate::on_both!(
    a_listen_is_a_minute_by_one_listener_on_one_day,
    a_batch_of_listens_is_added_once,
    two_nodes_count_one_listener_once,
    variants_of_a_track_are_one_listen,
    a_preview_that_was_made_again_is_still_a_preview,
    a_former_file_counts_with_the_sound_that_it_had,
    a_byte_of_a_preview_is_not_the_rest_of_a_listen,
    listens_are_summed_by_what_they_came_from,
    what_was_played_is_heard,
    sites_are_bounded,
    listens_are_summed_by_country,
    whoever_listens_now_is_counted_until_the_sound_is_over,
    listeners_are_forgotten_and_sums_stay,
    what_is_no_track_is_left_out,
    what_members_hear_is_no_listen,
);

const DAY: i64 = 86_400;
/// The size of the file of a track of ten minutes: a minute is a hundred bytes.
const SIZE: u64 = 1000;

/// A node that delivers files.
struct Node {
    meter: Meter,
    ambient: Ambient,
}

impl Node {
    fn new(ambient: &Ambient) -> Self {
        Self { meter: Meter::new(), ambient: ambient.clone() }
    }

    fn delivers(&self, key: &ObjectKey, listener: u64, range: std::ops::Range<u64>) {
        self.delivers_from(key, listener, range, None);
    }

    fn delivers_from(&self, key: &ObjectKey, listener: u64, range: std::ops::Range<u64>, site: Option<&str>) {
        self.delivers_to(key, (listener, None), range, site);
    }

    /// Delivers to a listener in a country.
    fn delivers_to(
        &self,
        key: &ObjectKey,
        (listener, country): (u64, Option<&str>),
        range: std::ops::Range<u64>,
        site: Option<&str>,
    ) {
        let file = self.listened(key, (listener, country), site);
        self.meter.take_range(&file, range, self.ambient.now());
    }

    fn listened(
        &self,
        key: &ObjectKey,
        (listener, country): (u64, Option<&str>),
        site: Option<&str>,
    ) -> ListenedFile {
        let address = std::net::Ipv4Addr::from_bits(listener as u32).into();
        let listener = ListenerId::from_hash(listener.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let site = site.map(|site| format!("https://{site}/"));
        let referrer = site.as_ref().map(String::as_bytes);
        let visitor = Visitor { listener, address, agent: Some(b"Firefox/120.0"), referrer, host: None };
        let locate = || country.map(|code| code.parse::<CountryCode>().unwrap());
        self.meter.listen(key, SIZE, &visitor, self.ambient.now(), locate).unwrap()
    }

    fn plays(&self, key: &ObjectKey, listener: u64, played: &[(u64, u64)]) {
        let file = self.listened(key, (listener, None), None);
        self.meter.play(&file, &Played::from(played.to_vec()), self.ambient.now());
    }

    fn batch(&self) -> UsageBatch {
        self.meter.take(&self.ambient).unwrap()
    }

    async fn tells(&self, catalog: &Catalog) {
        assert!(catalog.add_usage(&self.batch(), self.ambient.now()).await.unwrap());
    }
}

async fn ten_minutes(catalog: &Catalog, ambient: &Ambient) -> Track {
    let (_, collection) = stored_collection(catalog, ambient).await;
    let mut track = Track { duration: 600.0, ..bare_track(ambient, &collection) };
    track.info.tags.insert("title".to_owned(), "Song".to_owned());
    stored_track(catalog, track).await
}

fn file(ambient: &Ambient, track: &Track, variant: &str) -> ObjectKey {
    let file: ObjectFile = format!("{variant}.{}.mp3", ambient.short_id()).parse().unwrap();
    ObjectKey { organization_id: track.organization_id, folder: track.index, file }
}

fn filter(ambient: &Ambient, track: &Track) -> UsageFilter {
    let to = Day::of(ambient.now()).plus_days(10);
    let organization_id = track.organization_id;
    UsageFilter { organization_id, from: to.plus_days(-40), to, scope: KeyScope::Organization }
}

async fn days(catalog: &Catalog, filter: &UsageFilter) -> Vec<(u64, u64, u64)> {
    let days = catalog.listens_by_day(filter).await.unwrap();
    days.iter().map(|day| (day.counts.listens, day.counts.listeners, day.counts.heard_millis)).collect()
}

async fn a_listen_is_a_minute_by_one_listener_on_one_day(database: TestDatabase) {
    let (catalog, (ambient, clock)) = (database.catalog().await, ambient());
    let track = ten_minutes(&catalog, &ambient).await;
    let (key, all) = (file(&ambient, &track, "hq"), filter(&ambient, &track));
    let node = Node::new(&ambient);
    // The first bytes, which a browser requests to inspect the file.
    node.delivers(&key, 1, 0..20);
    node.tells(&catalog).await;
    assert_eq!(days(&catalog, &all).await, [(0, 0, 12_000)]);
    node.delivers(&key, 1, 10..100);
    node.tells(&catalog).await;
    assert_eq!(days(&catalog, &all).await, [(1, 1, 60_000)]);
    // The same listener again on this day, and another listener.
    node.delivers(&key, 1, 500..700);
    node.delivers(&key, 2, 0..1000);
    node.tells(&catalog).await;
    assert_eq!(days(&catalog, &all).await, [(2, 2, 780_000)]);
    // On the next day it counts again.
    clock.advance_seconds(DAY);
    node.delivers(&key, 1, 0..100);
    node.tells(&catalog).await;
    assert_eq!(days(&catalog, &all).await, [(2, 2, 780_000), (1, 1, 60_000)]);
}

async fn a_batch_of_listens_is_added_once(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let track = ten_minutes(&catalog, &ambient).await;
    let node = Node::new(&ambient);
    node.delivers(&file(&ambient, &track, "hq"), 1, 0..200);
    let batch = node.batch();
    let json = serde_json::to_vec(&batch).unwrap();
    assert!(catalog.add_usage(&batch, ambient.now()).await.unwrap());
    // The batch as read back from the store or the disk.
    let again: UsageBatch = serde_json::from_slice(&json).unwrap();
    assert_eq!(again, batch);
    assert!(!catalog.add_usage(&again, ambient.now()).await.unwrap());
    assert_eq!(days(&catalog, &filter(&ambient, &track)).await, [(1, 1, 120_000)]);
}

async fn two_nodes_count_one_listener_once(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let track = ten_minutes(&catalog, &ambient).await;
    let key = file(&ambient, &track, "hq");
    // Each node delivers 36 seconds; every second listener gets the same 36 seconds from both.
    let (one, other) = (Node::new(&ambient), Node::new(&ambient));
    for listener in 0..40 {
        one.delivers(&key, listener, 0..60);
        other.delivers(&key, listener, if listener % 2 == 0 { 60..120 } else { 0..60 });
    }
    let second = database.catalog().await;
    let (first, later) = (one.batch(), other.batch());
    let (a, b) =
        tokio::join!(catalog.add_usage(&first, ambient.now()), second.add_usage(&later, ambient.now()));
    assert!(a.unwrap() && b.unwrap());
    let heard = 20 * 72_000 + 20 * 36_000;
    assert_eq!(days(&catalog, &filter(&ambient, &track)).await, [(20, 20, heard)]);
}

async fn variants_of_a_track_are_one_listen(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let track = ten_minutes(&catalog, &ambient).await;
    let node = Node::new(&ambient);
    node.delivers(&file(&ambient, &track, "hq"), 1, 0..60);
    node.delivers(&file(&ambient, &track, "lq"), 1, 60..120);
    node.tells(&catalog).await;
    node.delivers(&file(&ambient, &track, "lq"), 1, 0..1000);
    node.tells(&catalog).await;
    let found = days(&catalog, &filter(&ambient, &track)).await;
    assert_eq!(found, [(1, 1, 600_000)], "no more is heard than there is");
}

async fn recipe_of(catalog: &Catalog, ambient: &Ambient, track: &Track) -> Recipe {
    let recipe = recipe(ambient, &bare_organization(ambient), Some(track), "hq", 0);
    let recipe = Recipe { organization_id: track.organization_id, ..recipe };
    let tx = catalog.begin().await.unwrap();
    tx.insert_recipe(&recipe).await.unwrap();
    tx.commit().await.unwrap();
    recipe
}

/// Stores a preview of the first half minute of a track, and returns its object key.
async fn stored_preview(catalog: &Catalog, ambient: &Ambient, track: &Track, recipe: &Recipe) -> ObjectKey {
    let data =
        FileData::Preview { duration: 30.0, capture_start: 0.0, capture_end: 30.0, missed_loudness: None };
    let file = made_file(ambient, track, recipe, data);
    let tx = catalog.begin().await.unwrap();
    tx.put_track_file(&file).await.unwrap();
    tx.commit().await.unwrap();
    file.object().unwrap().clone()
}

async fn a_preview_that_was_made_again_is_still_a_preview(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let track = ten_minutes(&catalog, &ambient).await;
    let node = Node::new(&ambient);
    let recipe = recipe_of(&catalog, &ambient, &track).await;
    let old = stored_preview(&catalog, &ambient, &track, &recipe).await;
    let new = stored_preview(&catalog, &ambient, &track, &recipe).await;
    assert_ne!(old, new);
    for (listener, key) in [(1, &old), (2, &new)] {
        node.delivers(key, listener, 0..SIZE);
    }
    node.tells(&catalog).await;
    assert_eq!(days(&catalog, &filter(&ambient, &track)).await, [(2, 2, 60_000)]);
}

async fn a_former_file_counts_with_the_sound_that_it_had(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let track = ten_minutes(&catalog, &ambient).await;
    let node = Node::new(&ambient);
    let recipe = recipe_of(&catalog, &ambient, &track).await;
    let preview = stored_preview(&catalog, &ambient, &track, &recipe).await;
    let tx = catalog.begin().await.unwrap();
    assert_eq!(tx.delete_files_of_recipe(recipe.id, ambient.now(), 10).await.unwrap().0, [(track.id, false)]);
    let whole = made_file(&ambient, &track, &recipe, FileData::NONE);
    tx.put_track_file(&whole).await.unwrap();
    tx.commit().await.unwrap();
    let tx = catalog.begin().await.unwrap();
    tx.delete_replaced_files(track.id, ambient.now()).await.unwrap();
    tx.update_track(&Track { duration: 100.0, ..track.clone() }).await.unwrap();
    tx.commit().await.unwrap();
    node.delivers(&preview, 1, 0..SIZE);
    node.delivers(whole.object().unwrap(), 2, 0..100);
    node.tells(&catalog).await;
    assert_eq!(days(&catalog, &filter(&ambient, &track)).await, [(2, 2, 90_000)]);
}

async fn a_byte_of_a_preview_is_not_the_rest_of_a_listen(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let track = ten_minutes(&catalog, &ambient).await;
    let node = Node::new(&ambient);
    let recipe = recipe_of(&catalog, &ambient, &track).await;
    let preview = stored_preview(&catalog, &ambient, &track, &recipe).await;
    let all = filter(&ambient, &track);
    // 30 seconds of the whole track, and half a second of the preview.
    node.delivers(&file(&ambient, &track, "hq"), 1, 0..50);
    node.tells(&catalog).await;
    node.delivers(&preview, 1, 0..16);
    node.tells(&catalog).await;
    assert_eq!(days(&catalog, &all).await[0].0, 0);
    // The rest of it, in two batches: what came before is remembered.
    node.delivers(&preview, 1, 16..500);
    node.tells(&catalog).await;
    node.delivers(&preview, 1, 500..SIZE);
    node.tells(&catalog).await;
    assert_eq!(days(&catalog, &all).await[0].0, 1);
}

async fn listens_are_summed_by_what_they_came_from(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let track = ten_minutes(&catalog, &ambient).await;
    let second = stored_track(
        &catalog,
        Track {
            id: ambient.record_id(),
            index: ambient.short_id(),
            player_title: Some("Other".to_owned()),
            ..track.clone()
        },
    );
    let (second, node) = (second.await, Node::new(&ambient));
    let share: ApiKeyId = ambient.record_id();
    let listener = ListenerId::from_hash(1_u64.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    let place = ListenerKey {
        organization_id: track.organization_id,
        day: Day::of(ambient.now()),
        listener,
        folder: track.index,
    };
    let origin = ListenerOrigin { share_key_id: Some(share), ..ListenerOrigin::default() };
    node.meter.note_origin(place, std::net::Ipv4Addr::LOCALHOST.into(), &origin, node.ambient.now());
    node.tells(&catalog).await;
    let all = filter(&ambient, &track);
    assert_eq!(days(&catalog, &all).await, [], "to open a link is not to listen");
    node.delivers_from(&file(&ambient, &track, "hq"), 1, 0..200, Some("blog.example"));
    node.delivers_from(&file(&ambient, &second, "hq"), 1, 0..100, Some("blog.example"));
    node.delivers(&file(&ambient, &second, "hq"), 2, 0..100);
    node.tells(&catalog).await;

    let by = async |kind| {
        let (total, rows) = catalog.listens_by(&all, kind, LimitOffset::default()).await.unwrap();
        assert_eq!(total, rows.len() as u64);
        let rows = rows.into_iter().map(|row| (row.id, row.title, row.counts));
        rows.collect::<Vec<_>>()
    };
    let counts = |listens, listeners, heard_millis| ListenCounts {
        listens,
        listeners,
        heard_millis,
        played_millis: 0,
    };
    assert_eq!(days(&catalog, &all).await, [(3, 2, 240_000)]);
    let title = |text: &str| Some(text.to_owned());
    assert_eq!(
        by(ListenKind::Track).await,
        [
            (Some(second.id.to_string()), title("Other"), counts(2, 2, 120_000)),
            (Some(track.id.to_string()), title("Song"), counts(1, 1, 120_000)),
        ]
    );
    let [(Some(collection), Some(_), sums)] = &by(ListenKind::Collection).await[..] else { panic!("one") };
    assert_eq!((collection, *sums), (&track.collection_id.to_string(), counts(3, 2, 240_000)));
    assert_eq!(by(ListenKind::ShareLink).await, [(Some(share.to_string()), None, counts(1, 1, 120_000))]);
    assert_eq!(by(ListenKind::Referrer).await, [(title("blog.example"), None, counts(2, 1, 180_000))]);

    // A key sees the usage of everything within its scope.
    let of_track = UsageFilter { scope: KeyScope::Track(track.collection_id, track.id), ..all };
    assert_eq!(days(&catalog, &of_track).await, [(1, 1, 120_000)]);
    let (_, rows) = catalog.listens_by(&of_track, ListenKind::Track, LimitOffset::default()).await.unwrap();
    assert_eq!(rows.len(), 1);
    let (_, rows) =
        catalog.listens_by(&of_track, ListenKind::Referrer, LimitOffset::default()).await.unwrap();
    assert_eq!(rows, []);
    let parts = catalog.parts_heard(&all, track.index.as_str(), 600_000).await.unwrap();
    assert_eq!(parts.iter().map(|parts| parts.count()).collect::<Vec<_>>(), [10]);
}

/// Players tell what they play, as often as they like and to any node.
async fn what_was_played_is_heard(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let track = ten_minutes(&catalog, &ambient).await;
    let (key, all) = (file(&ambient, &track, "hq"), filter(&ambient, &track));
    let heard = async || {
        let days = catalog.listens_by_day(&all).await.unwrap();
        let [day] = days.as_slice() else { panic!("one day") };
        (day.counts.listens, day.counts.heard_millis, day.counts.played_millis)
    };
    let [node, other] = [Node::new(&ambient), Node::new(&ambient)];
    node.delivers(&key, 1, 0..800);
    node.delivers(&key, 2, 0..100);
    node.tells(&catalog).await;
    assert_eq!(heard().await, (2, 540_000, 0));
    // A browser takes a song at once, of which the first listener hears some.
    node.plays(&key, 1, &[(0, 15_000)]);
    node.plays(&key, 1, &[(0, 30_000)]);
    other.plays(&key, 1, &[(0, 30_000), (60_000, 75_000)]);
    // As read back from the store.
    for node in [&node, &other] {
        let batch: UsageBatch = serde_json::from_slice(&serde_json::to_vec(&node.batch()).unwrap()).unwrap();
        assert!(catalog.add_usage(&batch, ambient.now()).await.unwrap());
    }
    assert_eq!(heard().await, (2, 105_000, 45_000));
    let parts = catalog.parts_heard(&all, track.index.as_str(), 600_000).await.unwrap();
    let mut parts: Vec<Vec<u32>> = parts.iter().map(|parts| parts.iter().collect()).collect();
    parts.sort();
    assert_eq!(parts, [vec![0, 1, 2, 3, 4], vec![0, 1, 2, 5, 6]]);
    // Never more than was delivered, and nothing where nothing was.
    node.plays(&key, 1, &[(0, u64::MAX)]);
    node.plays(&key, 3, &[(0, 600_000)]);
    node.tells(&catalog).await;
    assert_eq!(heard().await, (2, 540_000, 480_000));
}

async fn sites_are_bounded(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let track = ten_minutes(&catalog, &ambient).await;
    let (node, key) = (Node::new(&ambient), file(&ambient, &track, "hq"));
    for site in 0..300 {
        node.delivers_from(&key, site, 0..100, Some(&format!("site-{site}.example")));
        if site % 100 == 0 {
            node.tells(&catalog).await;
        }
    }
    node.tells(&catalog).await;
    let all = filter(&ambient, &track);
    let window = LimitOffset::new(Some(200), None).unwrap();
    let (total, rows) = catalog.listens_by(&all, ListenKind::Referrer, window).await.unwrap();
    assert_eq!(total, 201);
    assert_eq!((rows[0].id.as_deref(), rows[0].counts.listens), (None, 100));
}

async fn listens_are_summed_by_country(database: TestDatabase) {
    let (catalog, (ambient, clock)) = (database.catalog().await, ambient());
    let track = ten_minutes(&catalog, &ambient).await;
    let (node, key) = (Node::new(&ambient), file(&ambient, &track, "hq"));
    let all = filter(&ambient, &track);
    let countries = async |filter: UsageFilter| {
        let found = catalog.listens_by(&filter, ListenKind::Country, LimitOffset::default()).await.unwrap();
        assert_eq!(found.0, found.1.len() as u64);
        let row = |row: SubjectListens| {
            assert_eq!(row.title, None);
            let ListenCounts { listens, listeners, heard_millis, .. } = row.counts;
            (row.id.unwrap(), listens, listeners, heard_millis)
        };
        found.1.into_iter().map(row).collect::<Vec<_>>()
    };
    // Half a minute to a listener with a known country, and a minute to one with an unknown country.
    node.delivers_to(&key, (1, Some("DE")), 0..50, None);
    node.delivers(&key, 2, 0..100);
    node.tells(&catalog).await;
    assert_eq!(countries(all).await, [("DE".to_owned(), 0, 0, 30_000)]);
    // The rest of the minute, from a node that does not know the country.
    let other = Node::new(&ambient);
    other.delivers(&key, 1, 50..100);
    other.tells(&catalog).await;
    node.delivers_to(&key, (3, Some("DE")), 0..100, None);
    node.delivers_to(&key, (4, Some("FR")), 0..100, Some("blog.example"));
    // The batch as read back from the store or the disk.
    let batch: UsageBatch = serde_json::from_slice(&serde_json::to_vec(&node.batch()).unwrap()).unwrap();
    assert!(catalog.add_usage(&batch, ambient.now()).await.unwrap());
    let (de, fr) = (("DE".to_owned(), 2, 2, 120_000), ("FR".to_owned(), 1, 1, 60_000));
    assert_eq!(countries(all).await, [de, fr]);
    // Countries are not summed by track.
    let of_track = UsageFilter { scope: KeyScope::Track(track.collection_id, track.id), ..all };
    assert_eq!(countries(of_track).await, []);
    // The same listener on the next day.
    clock.advance_seconds(DAY);
    node.delivers_to(&key, (4, Some("FR")), 0..1000, None);
    node.tells(&catalog).await;
    let (de, fr) = (("DE".to_owned(), 2, 2, 120_000), ("FR".to_owned(), 2, 2, 660_000));
    assert_eq!(countries(all).await, [fr, de], "as many listens, and more was heard");
}

async fn whoever_listens_now_is_counted_until_the_sound_is_over(database: TestDatabase) {
    let (catalog, (ambient, clock)) = (database.catalog().await, ambient());
    let track = ten_minutes(&catalog, &ambient).await;
    let node = Node::new(&ambient);
    node.delivers(&file(&ambient, &track, "hq"), 1, 0..50);
    node.delivers(&file(&ambient, &track, "hq"), 2, 0..100);
    node.tells(&catalog).await;
    let mut seen = Vec::new();
    for _ in 0..3 {
        seen.push(catalog.listening_now(track.organization_id, ambient.now()).await.unwrap());
        clock.advance_seconds(30);
    }
    assert_eq!(seen, [2, 1, 0]);
}

async fn listeners_are_forgotten_and_sums_stay(database: TestDatabase) {
    let (catalog, (ambient, clock)) = (database.catalog().await, ambient());
    let track = ten_minutes(&catalog, &ambient).await;
    let node = Node::new(&ambient);
    for day in 0..3_u64 {
        node.delivers(&file(&ambient, &track, "hq"), day, 0..100);
        node.tells(&catalog).await;
        clock.advance_seconds(DAY);
    }
    let all = filter(&ambient, &track);
    let before: Timestamp = ambient.now().plus_seconds(-2 * DAY);
    assert_eq!(catalog.delete_expired(ExpiredRows::ListenerTracks, before, 10).await.unwrap(), 2);
    // Sightings of the organization and of its collection, on two days.
    assert_eq!(catalog.delete_expired(ExpiredRows::ListenerSightings, before, 3).await.unwrap(), 3);
    assert_eq!(catalog.delete_expired(ExpiredRows::ListenerSightings, before, 3).await.unwrap(), 1);
    assert_eq!(catalog.parts_heard(&all, track.index.as_str(), 600_000).await.unwrap().len(), 1);
    assert_eq!(days(&catalog, &all).await, [(1, 1, 60_000); 3]);
}

async fn what_is_no_track_is_left_out(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let track = ten_minutes(&catalog, &ambient).await;
    let node = Node::new(&ambient);
    let unknown = Track { index: ambient.short_id(), ..track.clone() };
    let stranger = Track { organization_id: ambient.record_id(), ..track.clone() };
    node.delivers(&file(&ambient, &unknown, "hq"), 1, 0..1000);
    node.delivers(&file(&ambient, &stranger, "hq"), 1, 0..1000);
    node.delivers(&file(&ambient, &track, "hq"), 1, 0..100);
    node.tells(&catalog).await;
    assert_eq!(days(&catalog, &filter(&ambient, &track)).await, [(1, 1, 60_000)]);
    assert_eq!(days(&catalog, &filter(&ambient, &stranger)).await, []);
}

async fn what_members_hear_is_no_listen(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let track = ten_minutes(&catalog, &ambient).await;
    let (node, key) = (Node::new(&ambient), file(&ambient, &track, "hq"));
    let place = ListenerKey {
        organization_id: track.organization_id,
        day: Day::of(ambient.now()),
        listener: ListenerId::from_hash(1_u64.wrapping_mul(0x9E37_79B9_7F4A_7C15)),
        folder: track.index,
    };
    let member = ListenerOrigin { is_member: true, ..ListenerOrigin::default() };
    node.meter.note_origin(place, std::net::Ipv4Addr::LOCALHOST.into(), &member, node.ambient.now());
    node.delivers(&key, 1, 0..500);
    node.tells(&catalog).await;
    node.delivers(&key, 1, 500..1000);
    node.delivers(&key, 2, 0..100);
    node.tells(&catalog).await;
    assert_eq!(days(&catalog, &filter(&ambient, &track)).await, [(1, 1, 60_000)]);
    assert_eq!(catalog.listening_now(track.organization_id, ambient.now()).await.unwrap(), 1);
}
