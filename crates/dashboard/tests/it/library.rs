//! Collections and tracks: found, sorted and paginated.

use tonearm_domain::{ContentType, FileData, FileOutcome, Levels, Metric, ObjectFile, ObjectKey, TrackFile};

use crate::browser::{Browser, Page};
use tonearm_fixtures::TestDatabase;

use crate::house::House;

crate::on_both!(
    tracks_are_paginated_by_links,
    tracks_are_found_and_sorted,
    collections_are_found_and_sorted,
    a_full_page_stays_small,
    what_is_typed_is_only_text,
    files_are_imported_from_urls,
);

/// All titles of a list, following its links to the end and back.
async fn walk(browser: &mut Browser, path: &str, query: &str) -> [Vec<String>; 2] {
    let mut page = browser.get(&format!("{path}{query}")).await;
    let mut forth = page.titles();
    while let Some(next) = page.link("next") {
        page = browser.get(&format!("{path}{next}")).await;
        assert_eq!(page.status, 200, "{next}");
        forth.extend(page.titles());
    }
    let mut back = page.titles();
    while let Some(previous) = page.link("prev") {
        page = browser.get(&format!("{path}{previous}")).await;
        back.splice(0..0, page.titles());
    }
    [forth, back]
}

async fn tracks_are_paginated_by_links(database: TestDatabase) {
    let house = House::open(database).await;
    let (mut browser, collection) = (house.administrator().await, house.collection("Season").await);
    for number in 0..120 {
        house.track(collection, &format!("{:03} take.wav", (number * 7) % 120)).await;
    }
    let path = house.path(&format!("/collections/{collection}"));
    let by_order: Vec<String> = (0..120).map(|number| format!("{:03} take", (number * 7) % 120)).collect();
    let mut by_title = by_order.clone();
    by_title.sort();
    let newest: Vec<String> = by_order.iter().rev().cloned().collect();
    let found: Vec<String> = by_title.iter().filter(|title| title.starts_with('0')).cloned().collect();
    for (path, query, expected) in [
        (&path, "", &by_order),
        (&path, "?sort=title", &by_title),
        (&path, "?sort=newest&q=TAKE", &newest),
        (&path, "?q=0+take&sort=title", &found),
        (&house.path("/tracks"), "", &newest),
        (&house.path("/tracks"), "?sort=title", &by_title),
    ] {
        let [forth, back] = walk(&mut browser, path, query).await;
        assert_eq!(&forth, expected, "{query}");
        assert_eq!(&back, expected, "back: {query}");
    }
    assert!(browser.get(&path).await.html.contains("120 tracks"));
    // A position at an unknown row, or at a row of another organization, shows the first page.
    let nowhere = format!("{path}?after=0197a000-0000-7000-8000-000000000000");
    assert_eq!(browser.get(&nowhere).await.titles(), by_order[..50]);
}

async fn tracks_are_found_and_sorted(database: TestDatabase) {
    let house = House::open(database).await;
    let mut browser = house.administrator().await;
    let (one, two) = (house.collection("Birds").await, house.collection("Trains").await);
    for (collection, name) in [(one, "Dawn chorus.wav"), (one, "Owl.wav"), (two, "Night train.flac")] {
        house.track(collection, name).await;
    }
    let page = browser.get(&house.path("/tracks?q=WAV")).await;
    assert_eq!(page.titles(), ["Owl", "Dawn chorus"]);
    assert!(
        page.html.contains("2 tracks found") && page.html.contains("<small>Birds</small>"),
        "{}",
        page.html
    );
    assert_eq!(browser.get(&house.path("/tracks?q=train+flac")).await.titles(), ["Night train"]);
    let page = browser.get(&house.path(&format!("/collections/{one}?q=train"))).await;
    assert!(
        page.html.contains("No matching tracks") && page.html.contains("/tracks?q=train"),
        "{}",
        page.html
    );
    let page = browser.get(&house.path("/tracks?q=train&sort=title")).await;
    assert!(page.html.contains("value=\"train\"") && page.html.contains("value=\"title\" selected"));
}

async fn collections_are_found_and_sorted(database: TestDatabase) {
    let house = House::open(database).await;
    let mut browser = house.administrator().await;
    for title in ["Zoo", "ant", "Bear <b>"] {
        house.collection(title).await;
        house.clock.advance_millis(1);
    }
    let shown = |page: &Page| -> Vec<String> {
        let cards = page.html.split("<strong><bdi>").skip(1);
        cards.map(|card| card.split_once("</bdi></strong>").unwrap().0.to_owned()).collect()
    };
    for (query, expected) in [
        ("", &["Zoo", "ant", "Bear &#60;b&#62;"][..]),
        ("?sort=newest", &["Bear &#60;b&#62;", "ant", "Zoo"]),
        ("?sort=title", &["ant", "Bear &#60;b&#62;", "Zoo"]),
        ("?q=%3Cb", &["Bear &#60;b&#62;"]),
        ("?q=nothing", &[]),
    ] {
        let page = browser.get(&house.path(&format!("/library{query}"))).await;
        assert_eq!(shown(&page), expected, "{query}");
    }
    for number in 0..60 {
        house.collection(&format!("Series {number}")).await;
    }
    let first = browser.get(&house.path("/library")).await;
    let next = first.link("next").unwrap();
    let second = browser.get(&house.path(&format!("/library{next}"))).await;
    assert_eq!((shown(&first).len(), shown(&second).len()), (48, 15));
    assert!(second.link("next").is_none() && second.link("prev").is_some());
}

/// Fifty tracks with all optional data, including the longest texts.
async fn a_full_page_stays_small(database: TestDatabase) {
    let house = House::open(database).await;
    let (mut browser, collection) = (house.administrator().await, house.collection("Season").await);
    let recipes = house.catalog.recipes(house.organization_id).await.unwrap();
    let recipe = recipes.into_iter().find(|recipe| recipe.index.as_str() == "levels").unwrap();
    for number in 0..50 {
        let id = house.track(collection, &format!("{number} {}.wav", "long name ".repeat(8))).await;
        let track = house.catalog.track(house.organization_id, id).await.unwrap().unwrap();
        let levels: Vec<f64> = (0..320).map(|at| f64::from((at * 37 + number) % 100) / 100.0).collect();
        let file =
            ObjectFile { label: recipe.index.clone(), version: track.index, content_type: ContentType::Json };
        let key = ObjectKey { organization_id: track.organization_id, folder: track.index, file };
        let file = TrackFile {
            id: tonearm_domain::FileId::from_uuid(id.uuid()),
            track_id: id,
            recipe: recipe.clone(),
            outcome: FileOutcome::Made {
                key,
                size: 2000,
                sha256: None,
                file_name: "levels.json".to_owned(),
                data: FileData::Levels(Levels::new(levels, Metric::Peak, 320)),
                made_from: None,
            },
            created_at: track.created_at,
        };
        let tx = house.catalog.begin().await.unwrap();
        tx.put_track_file(&file).await.unwrap();
        tx.commit().await.unwrap();
    }
    // The browser in these tests rejects pages of 100 kB.
    let page = browser.get(&house.path(&format!("/collections/{collection}"))).await;
    assert_eq!(page.html.matches("\"><path d=\"M1 ").count(), 50);
}

async fn what_is_typed_is_only_text(database: TestDatabase) {
    let house = House::open(database).await;
    let (mut browser, collection) = (house.administrator().await, house.collection("Season").await);
    house.track(collection, "100% \"real\".wav").await;
    let path = house.path(&format!("/collections/{collection}"));
    for (q, expected) in [("%25", 1), ("real", 1), ("_%25", 0), ("%00", 1), ("%5C", 0), ("%27)--", 0)] {
        let page = browser.get(&format!("{path}?q={q}&sort=wild&after=x")).await;
        assert_eq!((page.status, page.titles().len()), (200, expected), "{q}");
    }
    let long = "a".repeat(5000);
    assert_eq!(browser.get(&format!("{path}?q={long}")).await.status, 200);
    let page = browser.get(&format!("{path}?q=%3Cscript%3E")).await;
    assert!(!page.html.contains("<script>"), "{}", page.html);
}

async fn files_are_imported_from_urls(database: TestDatabase) {
    let house = House::open(database).await;
    let (mut browser, collection) = (house.administrator().await, house.collection("Season").await);
    let path = house.path(&format!("/collections/{collection}"));
    let import = format!("{path}/imports");
    let page = browser.submit(&path, &import, &[("source_url", "https://files.example.com/Song.mp3")]).await;
    assert_eq!(page.status, 303, "{}", page.html);
    let page = browser.get(&path).await;
    assert_eq!(page.titles(), ["Song"]);
    assert!(page.html.contains("Importing the file from files.example.com."), "{}", page.html);
    assert!(page.html.contains("data-making") && page.html.contains("Import started."), "{}", page.html);
    for (url, problem) in [
        ("", "This field must be a URL such as https://example.com/song.mp3."),
        ("s3://music/Song.mp3", "The organization has no credentials for the bucket music"),
        ("http://10.0.0.1/a.mp3", "10.0.0.1 is not a public internet address"),
    ] {
        let page = browser.submit(&path, &import, &[("source_url", url)]).await;
        assert_eq!(page.status, 422, "{}", page.html);
        assert!(page.html.contains(problem), "{}", page.html);
        assert!(page.html.contains(&format!("value=\"{url}\"")), "{}", page.html);
    }
    let mut viewer = house.invited(&mut browser, "Vera", "viewer").await;
    let page = viewer.get(&path).await;
    assert!(!page.html.contains("source_url"), "{}", page.html);
    assert!(page.html.contains("Importing"), "{}", page.html);
}
