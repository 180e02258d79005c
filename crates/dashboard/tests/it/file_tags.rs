//! Tags of files: shown, searched, and the reason why uploads of a page share a session.

use tonearm_domain::{Chapter, CollectionId, Track, TrackId, UploadSessionId};
use tonearm_fixtures::TestDatabase;
use tonearm_service::CreateUploadSession;

use crate::browser::Browser;
use crate::house::House;

crate::on_both!(
    a_track_shows_what_its_file_tells,
    tracks_are_found_by_what_their_files_tell,
    uploads_of_a_page_are_one_session,
    a_track_whose_answer_was_lost_is_made_once,
);

impl House {
    async fn track_with_tags(
        &self,
        collection: CollectionId,
        tags: &[(&str, &str)],
        chapters: Vec<Chapter>,
    ) -> TrackId {
        let id = self.track(collection, "take.wav").await;
        let tx = self.catalog.begin().await.unwrap();
        let mut track = tx.track(self.organization_id, id).await.unwrap().unwrap();
        track.info.tags =
            tags.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        track.info.chapters = chapters;
        tx.update_track(&track).await.unwrap();
        tx.commit().await.unwrap();
        id
    }
}

async fn a_track_shows_what_its_file_tells(database: TestDatabase) {
    let house = House::open(database).await;
    let (mut browser, collection) = (house.administrator().await, house.collection("Season").await);
    let tags = [
        ("artist", "<script>alert(1)</script>"),
        ("track_number", "3"),
        ("track_total", "12"),
        ("lyrics", "one\n\"two\" <b>"),
        ("language", "de"),
    ];
    let chapters = [(0.0, Some("<i>")), (3661.5, None)];
    let chapters =
        chapters.map(|(start, title)| Chapter { start, end: start + 1.0, title: title.map(str::to_owned) });
    let id = house.track_with_tags(collection, &tags, chapters.into()).await;
    let page = browser.get(&house.path(&format!("/tracks/{id}"))).await;
    let shown = page.between("<h2>File tags</h2>", "</section>");
    assert!(!shown.contains("<script") && !shown.contains("<b>") && !shown.contains("<i>"), "{shown}");
    for expected in [
        "<dt>Artist</dt><dd><bdi>&#60;script&#62;",
        "<dt>Track</dt><dd><bdi>3 of 12</bdi></dd>",
        "<span class=\"start\">0:00</span> <bdi>&#60;i&#62;",
        "<span class=\"start\">1:01:01</span> <bdi>Chapter 2",
        "<div class=\"said\" dir=\"auto\" lang=\"de\">one\n",
    ] {
        assert!(shown.contains(expected), "{expected} in {shown}");
    }
    let plain = house.track(collection, "plain.wav").await;
    let page = browser.get(&house.path(&format!("/tracks/{plain}"))).await;
    assert!(!page.html.contains("File tags"));
}

async fn tracks_are_found_by_what_their_files_tell(database: TestDatabase) {
    let house = House::open(database).await;
    let (mut browser, collection) = (house.administrator().await, house.collection("Season").await);
    let rest: Vec<(String, String)> = (0..40).map(|n| (format!("aa{n}"), "filling ".repeat(30))).collect();
    let mut tags: Vec<(&str, &str)> =
        rest.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    tags.extend([
        ("title", "Sehnsucht"),
        ("artist", "Moura"),
        ("album", "Leva-me aos Fados"),
        ("genre", "Fado"),
        ("year", "2009"),
        ("lyrics", "rarely"),
    ]);
    house.track_with_tags(collection, &tags, Vec::new()).await;
    for (words, is_found) in [
        ("sehnsucht", true),
        ("MOURA", true),
        ("leva-me+aos", true),
        ("fado", true),
        ("2009+moura", true),
        ("rarely", false),
    ] {
        for path in ["/tracks".to_owned(), format!("/collections/{collection}")] {
            let page = browser.get(&house.path(&format!("{path}?q={words}"))).await;
            assert_eq!(page.html.contains("<li data-track="), is_found, "{words} in {path}");
        }
    }
}

/// Begins an upload as the page's script does.
async fn begun(
    house: &House,
    browser: &mut Browser,
    id: CollectionId,
    session: &str,
) -> (Track, UploadSessionId) {
    let key = house.dashboard.ambient.record_id::<TrackId>().to_string();
    begun_with_key(house, browser, id, session, &key).await
}

async fn begun_with_key(
    house: &House,
    browser: &mut Browser,
    id: CollectionId,
    session: &str,
    key: &str,
) -> (Track, UploadSessionId) {
    let path = house.path(&format!("/collections/{id}"));
    let fields = [("file_name", "a.wav"), ("session", session), ("key", key)];
    let answer = browser.submit(&path, &format!("{path}/uploads"), &fields).await;
    assert_eq!(answer.status, 200, "{}", answer.html);
    let begun: serde_json::Value = serde_json::from_str(&answer.html).unwrap();
    let id = begun["track_id"].as_str().unwrap().parse().unwrap();
    let track = house.catalog.track(house.organization_id, id).await.unwrap().unwrap();
    (track, begun["upload_session_id"].as_str().unwrap().parse().unwrap())
}

async fn uploads_of_a_page_are_one_session(database: TestDatabase) {
    let house = House::open(database).await;
    let (mut browser, id) = (house.administrator().await, house.collection("Season").await);
    let (first, session) = begun(&house, &mut browser, id, "").await;
    let (second, same) = begun(&house, &mut browser, id, &session.to_string()).await;
    assert_eq!((first.upload_session_id, second.upload_session_id), (Some(session), Some(session)));
    assert_eq!(same, session);
    // A malformed session ID, a session of another collection or of somebody else and an ended session are replaced.
    let other = house.collection("Other").await;
    let (_, foreign) = begun(&house, &mut browser, other, "").await;
    let create = CreateUploadSession { collection_id: Some(id), ..CreateUploadSession::default() };
    let of_key = house.dashboard.uploads.create_upload_session(&house.owner(), create).await.unwrap();
    for named in ["nonsense".to_owned(), foreign.to_string(), of_key.view.session.id.to_string()] {
        let (track, own) = begun(&house, &mut browser, id, &named).await;
        assert!(
            own != session && own.to_string() != named && track.upload_session_id == Some(own),
            "{named}"
        );
    }
    house.clock.advance_seconds(3601);
    let (_, later) = begun(&house, &mut browser, id, &session.to_string()).await;
    assert_ne!(later, session);
}

async fn a_track_whose_answer_was_lost_is_made_once(database: TestDatabase) {
    let house = House::open(database).await;
    let (mut browser, id) = (house.administrator().await, house.collection("Season").await);
    let (track, session) = begun_with_key(&house, &mut browser, id, "", "a").await;
    for _ in 0..2 {
        let (again, same) = begun_with_key(&house, &mut browser, id, "", "a").await;
        assert_eq!((again.id, same), (track.id, session));
    }
    let count = async || house.catalog.track_count(house.organization_id, id).await.unwrap();
    assert_eq!(count().await, Some(1));
    begun_with_key(&house, &mut browser, id, "", "b").await;
    assert_eq!(count().await, Some(2));
    // A key is for one request.
    let path = house.path(&format!("/collections/{id}"));
    for (key, status) in [("a", 422), ("", 200)] {
        let fields = [("file_name", "b.wav"), ("session", ""), ("key", key)];
        assert_eq!(browser.submit(&path, &format!("{path}/uploads"), &fields).await.status, status, "{key}");
    }
}
