//! Restoring, retrying, colours while they are being chosen, and progress updates.

use axum::body::Body;
use futures::StreamExt;
use http::Request;
use tonearm_domain::{FileOutcome, Job, TrackFile, TrackId, TrackStatus};
use tonearm_service::Caller;

use tonearm_fixtures::TestDatabase;

use crate::house::House;

crate::on_both!(
    a_deleted_track_is_brought_back,
    a_deleted_collection_is_brought_back,
    the_two_lists_are_paginated_by_themselves,
    what_is_too_late_is_gone,
    what_keys_delete_stays_deleted,
    a_failed_track_is_processed_again,
    companions_are_shown_while_a_colour_is_chosen,
    progress_is_told_until_nothing_is_in_the_making,
    tracks_behind_many_others_are_told_of_too,
    streams_are_bounded_and_end_with_the_node,
);

impl House {
    /// Puts a track into a status, as processing would.
    pub(crate) async fn put(&self, id: TrackId, status: TrackStatus, reason: Option<&str>) {
        let tx = self.catalog.begin().await.unwrap();
        let mut track = tx.track(self.organization_id, id).await.unwrap().unwrap();
        (track.status, track.status_reason) = (status, reason.map(str::to_owned));
        track.source = Some(tonearm_domain::Source {
            key: format!("{}/{}/source.aaaaaaaaaaaa.wav", self.organization_id, track.index).parse().unwrap(),
            size: 5,
            sha256: [0; 32],
        });
        tx.update_track(&track).await.unwrap();
        tx.commit().await.unwrap();
    }

    async fn jobs(&self, kind: &str) -> usize {
        let jobs = self.catalog.pending_jobs().await.unwrap();
        jobs.iter().filter(|job| job.kind == kind && job.run_at <= self.now()).count()
    }

    fn now(&self) -> tonearm_domain::Timestamp {
        tonearm_domain::Clock::now(&self.clock)
    }
}

async fn a_deleted_track_is_brought_back(database: TestDatabase) {
    let house = House::open(database).await;
    let (mut browser, collection) = (house.administrator().await, house.collection("Season").await);
    let id = house.track(collection, "take.wav").await;
    house.put(id, TrackStatus::Processing, None).await;
    let (page, list) =
        (house.path(&format!("/tracks/{id}")), house.path(&format!("/collections/{collection}")));
    let deleted = browser.submit(&page, &format!("{page}/delete"), &[]).await;
    assert_eq!((deleted.status, &deleted.location), (303, &list));
    // The next page offers to restore the track; the one after does not.
    let next = browser.get(&list).await;
    assert!(next.html.contains("Track deleted.") && next.html.contains(&format!("{page}/restore")));
    assert!(!browser.get(&list).await.html.contains("/restore"));
    assert_eq!(browser.get(&page).await.status, 404);
    assert_eq!(house.jobs("purge_track").await, 0);
    let trash = browser.get(&house.path("/trash")).await;
    assert!(trash.html.contains("take") && trash.html.contains(&format!("{page}/restore")), "{}", trash.html);

    let restored = browser.submit(&house.path("/trash"), &format!("{page}/restore"), &[]).await;
    assert_eq!((restored.status, &restored.location), (303, &page));
    let shown = browser.get(&page).await;
    assert!(shown.html.contains("Restored.") && shown.html.contains("Processing"));
    assert_eq!(house.jobs("process_track").await, 1, "what it waits for is queued again");
    assert!(browser.get(&house.path("/trash")).await.html.contains("No deleted items"));
    let again = browser.submit(&house.path("/trash"), &format!("{page}/restore"), &[]).await;
    assert_eq!(again.status, 404);
    let audit = browser.get(&house.path("/audit")).await;
    assert!(audit.html.contains("track.delete") && audit.html.contains("track.restore"));
}

async fn a_deleted_collection_is_brought_back(database: TestDatabase) {
    let house = House::open(database).await;
    let (mut browser, collection) = (house.administrator().await, house.collection("Season").await);
    let (one, two) = (house.track(collection, "1.wav").await, house.track(collection, "2.wav").await);
    let page = house.path(&format!("/collections/{collection}"));
    browser.submit(&page, &house.path(&format!("/tracks/{one}/delete")), &[]).await;
    house.clock.advance_seconds(1);
    assert_eq!(browser.submit(&page, &format!("{page}/delete"), &[]).await.location, house.path("/library"));
    let library = browser.get(&house.path("/library")).await;
    assert!(library.html.contains(&format!("{page}/restore")), "{}", library.html);
    // A track of the collection is restored with it, not before.
    let alone = house.path(&format!("/tracks/{two}/restore"));
    assert_eq!(browser.submit(&house.path("/trash"), &alone, &[]).await.status, 409);
    assert_eq!(browser.submit(&house.path("/trash"), &format!("{page}/restore"), &[]).await.status, 303);
    assert_eq!(browser.get(&house.path(&format!("/tracks/{two}"))).await.status, 200);
    assert_eq!(browser.get(&house.path(&format!("/tracks/{one}"))).await.status, 404);
    let audit = browser.get(&house.path("/audit")).await;
    assert!(audit.html.contains("collection.restore"), "{}", audit.html);
}

async fn the_two_lists_are_paginated_by_themselves(database: TestDatabase) {
    let house = House::open(database).await;
    let (mut browser, living) = (house.administrator().await, house.collection("Living").await);
    let person =
        Caller::person(house.organization_id, tonearm_domain::PersonId::from_uuid(uuid::Uuid::nil()));
    for number in 0..51 {
        let collection = house.collection(&format!("Season {number:02}")).await;
        house.library.delete_collection(&person, collection).await.unwrap();
        let track = house.track(living, &format!("take {number:02}.wav")).await;
        house.library.delete_track(&person, track).await.unwrap();
    }
    let trash = house.path("/trash");
    let first = browser.get(&trash).await.html;
    assert!(first.contains("51 collections, including tracks") && first.contains("51 tracks"), "{first}");
    assert!(first.contains("Season 50") && !first.contains("Season 00"));
    assert!(first.contains("take 50") && !first.contains("take 00"));
    // The paging links of the collections come first, and keep the tracks on their page.
    let mut page = browser.get(&trash).await;
    for (rel, season, take) in
        [("next", "Season 00", "take 50"), ("next", "Season 00", "take 00"), ("prev", "Season 50", "take 00")]
    {
        page = browser.get(&format!("{trash}{}", page.link(rel).unwrap())).await;
        let shown = |title: &str| page.html.contains(title);
        assert!(shown(season) && shown(take), "{rel}, {season}, {take}: {}", page.html);
        assert!(shown("Season 00") != shown("Season 50") && shown("take 00") != shown("take 50"));
    }
    let nonsense = browser.get(&format!("{trash}?tracks-after=x&tracks-before=&collections-after")).await;
    assert!(nonsense.html.contains("Season 50") && nonsense.html.contains("take 50"));
}

async fn what_is_too_late_is_gone(database: TestDatabase) {
    let house = House::open(database).await;
    let (mut browser, collection) = (house.administrator().await, house.collection("Season").await);
    let id = house.track(collection, "take.wav").await;
    let page = house.path(&format!("/tracks/{id}"));
    browser.submit(&page, &format!("{page}/delete"), &[]).await;
    house.clock.advance_seconds(24 * 3600);
    assert!(browser.get(&house.path("/trash")).await.html.contains("No deleted items"));
    let late = browser.submit(&house.path("/library"), &format!("{page}/restore"), &[]).await;
    assert_eq!(late.status, 404);
    assert_eq!(house.jobs("purge_track").await, 1);
    // Viewers cannot restore anything.
    let mut viewer = house.invited(&mut browser, "Vi", "viewer").await;
    assert_eq!(viewer.get(&house.path("/trash")).await.status, 403);
}

async fn what_keys_delete_stays_deleted(database: TestDatabase) {
    let house = House::open(database).await;
    let (mut browser, collection) = (house.administrator().await, house.collection("Season").await);
    let id = house.track(collection, "take.wav").await;
    house.library.delete_track(&Caller::owner(house.organization_id), id).await.unwrap();
    assert_eq!(house.jobs("purge_track").await, 1);
    assert!(browser.get(&house.path("/trash")).await.html.contains("No deleted items"));
    let restore = house.path(&format!("/tracks/{id}/restore"));
    assert_eq!(browser.submit(&house.path("/library"), &restore, &[]).await.status, 404);
}

async fn a_failed_track_is_processed_again(database: TestDatabase) {
    let house = House::open(database).await;
    let (mut browser, collection) = (house.administrator().await, house.collection("Season").await);
    let id = house.track(collection, "take.wav").await;
    let (page, retry) = (house.path(&format!("/tracks/{id}")), house.path(&format!("/tracks/{id}/retry")));
    assert_eq!(browser.submit(&page, &retry, &[]).await.status, 422, "there is no source");
    house.put(id, TrackStatus::Incomplete, Some("lq: the encoder was killed")).await;
    let recipe = house.catalog.recipes(house.organization_id).await.unwrap().remove(0);
    let failed = TrackFile {
        id: tonearm_domain::FileId::from_uuid(id.uuid()),
        track_id: id,
        recipe,
        outcome: FileOutcome::Failed { reason: "killed".to_owned() },
        created_at: house.now(),
    };
    let tx = house.catalog.begin().await.unwrap();
    tx.put_track_file(&failed).await.unwrap();
    tx.commit().await.unwrap();
    let shown = browser.get(&page).await.html;
    assert!(shown.contains("the encoder was killed") && shown.contains("Retry processing"), "{shown}");
    let before = house.jobs("process_track").await;
    assert_eq!(browser.submit(&page, &retry, &[]).await.status, 303);
    let shown = browser.get(&page).await.html;
    assert!(shown.contains("Processing") && !shown.contains("the encoder was killed"), "{shown}");
    assert_eq!(house.jobs("process_track").await, before + 1);
    assert_eq!(house.catalog.files_of_track(id).await.unwrap(), []);
    assert_eq!(browser.submit(&page, &retry, &[]).await.status, 409, "it is at it already");
    // The job of this one was dropped.
    let left = house.track(collection, "left.wav").await;
    house.put(left, TrackStatus::Processing, None).await;
    let retry = house.path(&format!("/tracks/{left}/retry"));
    for status in [303, 409] {
        assert_eq!(browser.submit(&page, &retry, &[]).await.status, status);
    }
    let mut viewer = house.invited(&mut browser, "Vi", "viewer").await;
    assert!(!viewer.get(&page).await.html.contains("/retry"));
}

async fn companions_are_shown_while_a_colour_is_chosen(database: TestDatabase) {
    let house = House::open(database).await;
    let mut browser = house.administrator().await;
    let part = browser.get(&house.path("/colours?colour=%23ffe000")).await;
    let colours = "#ffe000".parse::<tonearm_domain::Colour>().unwrap().companions();
    assert!(part.html.starts_with("<ul class=\"companions\""), "{}", part.html);
    assert!(part.html.contains(&colours.light.to_string()) && part.html.contains(&colours.dark.to_string()));
    for bad in ["", "?colour=", "?colour=red", "?colour=%22%3E%3Cscript%3E"] {
        let page = browser.get(&house.path(&format!("/colours{bad}"))).await;
        assert_eq!(page.status, 400, "{bad}");
    }
    let collection = house.collection("Season").await;
    let page = browser.get(&house.path(&format!("/collections/{collection}"))).await;
    assert!(page.html.contains("data-companions=\"") && page.html.contains("class=\"companions\""));
}

/// The events of a stream.
struct Events(axum::body::BodyDataStream);

impl Events {
    /// The next event; `None` at the end.
    async fn next(&mut self) -> Option<String> {
        let bytes = self.0.next().await?.unwrap();
        Some(String::from_utf8(bytes.to_vec()).unwrap())
    }
}

async fn progress_is_told_until_nothing_is_in_the_making(database: TestDatabase) {
    let house = House::open(database).await;
    let (mut browser, collection) = (house.administrator().await, house.collection("Season").await);
    let id = house.track(collection, "take.wav").await;
    let path = house.path(&format!("/progress?tracks={id}"));
    let over = format!("data: {{\"making\":[],\"over\":[\"{id}\"]}}\n\n");
    // If it is not being processed, the stream says so and ends.
    let none = browser.get(&path).await;
    assert_eq!(none.headers["content-type"], "text/event-stream");
    assert_eq!(none.html, over);
    house.put(id, TrackStatus::Processing, None).await;
    let response = browser.open(Request::get(&path).body(Body::empty()).unwrap()).await;
    let mut events = Events(response.into_body().into_data_stream());
    let first = events.next().await.unwrap();
    assert!(first.starts_with("data: {\"making\":[{\"id\":") && first.contains(&id.to_string()), "{first}");
    assert!(first.contains("\"Queued\"") && first.contains("\"over\":[]"), "{first}");
    let german = Request::get(&path).header("accept-language", "de");
    let response = browser.open(german.body(Body::empty()).unwrap()).await;
    let mut in_german = Events(response.into_body().into_data_stream());
    let first = in_german.next().await.unwrap();
    assert!(first.contains("\"In der Warteschlange\""), "{first}");
    house.put(id, TrackStatus::Ready, None).await;
    assert_eq!(events.next().await.unwrap(), over);
    assert_eq!(events.next().await, None);
    let row = browser.get(&house.path(&format!("/tracks/{id}/row?named=1"))).await;
    assert!(row.html.starts_with("<li data-track=") && row.html.contains("Ready"), "{}", row.html);
    assert!(row.html.contains("<small>Season</small>"), "{}", row.html);
    // A person who is not signed in gets no events.
    let stranger = house.browser().get(&path).await;
    assert_eq!(stranger.status, 303);
    // Each page names what it shows, and no more than fits into an address.
    let many = format!("/progress?tracks={}", vec![id.to_string(); 101].join(","));
    for bad in ["/progress", "/progress?tracks=", "/progress?tracks=x", many.as_str()] {
        assert_eq!(browser.get(&house.path(bad)).await.status, 404, "{bad}");
    }
}

/// The organization's list of tracks in the making holds 200. Others are looked up for whoever shows them.
async fn tracks_behind_many_others_are_told_of_too(database: TestDatabase) {
    let house = House::open(database).await;
    let (browser, collection) = (house.administrator().await, house.collection("Season").await);
    let mut ids = Vec::new();
    for _ in 0..201 {
        let id = house.track(collection, "take.wav").await;
        house.put(id, TrackStatus::Processing, None).await;
        ids.push(id);
    }
    let path = house.path(&format!("/progress?tracks={},{}", ids[0], ids[200]));
    let response = browser.open(Request::get(&path).body(Body::empty()).unwrap()).await;
    let mut events = Events(response.into_body().into_data_stream());
    let first = events.next().await.unwrap();
    assert!(first.contains(&ids[0].to_string()) && first.contains(&ids[200].to_string()), "{first}");
    assert!(first.contains("\"over\":[]"), "{first}");
    house.put(ids[200], TrackStatus::Ready, None).await;
    let second = events.next().await.unwrap();
    assert!(second.contains(&format!("\"over\":[\"{}\"]", ids[200])), "{second}");
}

async fn streams_are_bounded_and_end_with_the_node(database: TestDatabase) {
    let house = House::open(database).await;
    let (browser, collection) = (house.administrator().await, house.collection("Season").await);
    let id = house.track(collection, "take.wav").await;
    house.put(id, TrackStatus::Processing, None).await;
    let path = house.path(&format!("/progress?tracks={id}"));
    let request = || Request::get(&path).body(Body::empty()).unwrap();
    let mut open = Vec::new();
    for _ in 0..8 {
        let response = browser.open(request()).await;
        assert_eq!(response.status(), 200);
        open.push(Events(response.into_body().into_data_stream()));
    }
    let refused = browser.open(request()).await;
    assert_eq!((refused.status().as_u16(), &refused.headers()["retry-after"]), (503, &"15".parse().unwrap()));
    open.truncate(1);
    assert_eq!(browser.open(request()).await.status(), 200, "places are given back");
    assert!(open[0].next().await.unwrap().starts_with("data: "));
    house.shutdown.cancel();
    assert_eq!(open[0].next().await, None);
}

#[test]
fn jobs_are_named_as_in_these_tests() {
    let track_id = TrackId::from_uuid(uuid::Uuid::nil());
    let organization_id = tonearm_domain::OrganizationId::from_uuid(uuid::Uuid::nil());
    assert_eq!(Job::ProcessTrack { organization_id, track_id }.kind(), "process_track");
    assert_eq!(Job::PurgeTrack { organization_id, track_id }.kind(), "purge_track");
}
