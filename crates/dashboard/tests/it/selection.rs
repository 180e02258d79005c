//! Changing many tracks at once: all or none, within rights and limits, and with undo.

use axum::body::Body;
use http::Request;
use tonearm_domain::{CollectionId, Cover, CoverOrigin, DiskUse, Shortage, TrackId};
use tonearm_fixtures::TestDatabase;

use crate::browser::{Browser, Page};
use crate::house::{House, PASSWORD};

crate::on_both!(
    selected_tracks_are_changed_and_changes_are_undone,
    what_was_changed_since_is_not_undone,
    without_free_space_tracks_are_deleted_and_nothing_else_changes,
    a_cover_is_set_for_many_tracks_and_taken_back,
    tracks_are_moved_to_a_collection_that_is_created_for_them,
    titles_of_others_are_not_overwritten_unseen,
    all_titles_of_a_selection_fit_into_a_form,
    selections_are_checked,
    tracks_are_moved_to_a_position,
    positions_are_checked,
    orders_are_of_what_was_seen
);

/// A picture of one pixel (GIF89a).
const PIXEL: &[u8] = b"GIF89a\x01\0\x01\0\x80\0\0\xff\xff\xff\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;";

/// A collection with tracks, and its page.
struct Season {
    collection: CollectionId,
    tracks: Vec<TrackId>,
    page: String,
}

impl House {
    async fn season(&self, names: &[&str]) -> Season {
        let collection = self.collection("Season").await;
        let mut tracks = Vec::new();
        for name in names {
            tracks.push(self.track(collection, name).await);
        }
        Season { collection, tracks, page: self.path(&format!("/collections/{collection}")) }
    }

    /// Submits a form about tracks as the page of their list would.
    async fn sends(
        &self,
        browser: &mut Browser,
        season: &Season,
        action: &str,
        tracks: &[TrackId],
        fields: &[(&str, &str)],
    ) -> Page {
        let list = season.collection.to_string();
        let ids: Vec<String> = tracks.iter().map(ToString::to_string).collect();
        let mut all = vec![("list", list.as_str())];
        all.extend(ids.iter().map(|id| ("track", id.as_str())));
        all.extend_from_slice(fields);
        browser.submit(&season.page, &self.path(action), &all).await
    }
}

/// The titles of a list, in order.
async fn titles(browser: &mut Browser, page: &str) -> Vec<String> {
    browser.get(page).await.titles()
}

/// The URL that undoes a change, from the page shown after it.
async fn undo_of(browser: &mut Browser, answer: &Page) -> String {
    assert_eq!(answer.status, 303, "{}", answer.html);
    let page = browser.get(&answer.location).await;
    page.between("class=\"undo\" method=\"post\" action=\"", "\"")
}

async fn selected_tracks_are_changed_and_changes_are_undone(database: TestDatabase) {
    let house = House::open(database).await;
    let mut browser = house.administrator().await;
    let season = house.season(&["a.wav", "b.wav", "c.wav", "d.wav"]).await;
    let other = house.collection("Other").await;
    let (page, tracks) = (season.page.as_str(), &season.tracks);

    let deleted =
        house.sends(&mut browser, &season, "/selection", &tracks[1..3], &[("action", "delete")]).await;
    let undo = undo_of(&mut browser, &deleted).await;
    assert_eq!(titles(&mut browser, page).await, ["a", "d"]);
    assert_eq!(browser.submit(page, &undo, &[]).await.status, 303);
    assert_eq!(titles(&mut browser, page).await, ["a", "b", "c", "d"]);
    assert_eq!(browser.submit(page, &undo, &[]).await.status, 409, "it works once");

    // They arrive in the order of the list, and undo returns them to their places.
    let chosen = house.sends(&mut browser, &season, "/selection", &tracks[..2], &[("action", "move")]).await;
    let back = format!("<p class=\"crumb\"><a href=\"{page}\"><bdi>Season</bdi></a></p>");
    assert!(chosen.html.contains(&back), "{}", chosen.html);
    assert!(chosen.html.contains("Move 2 tracks") && chosen.html.contains("Other"), "{}", chosen.html);
    let target = other.to_string();
    let fields = [("collection", target.as_str())];
    let moved = house.sends(&mut browser, &season, "/selection/move", &tracks[..2], &fields).await;
    let elsewhere = house.path(&format!("/collections/{other}"));
    assert_eq!(moved.location, elsewhere);
    let undo = undo_of(&mut browser, &moved).await;
    assert_eq!(titles(&mut browser, &elsewhere).await, ["a", "b"]);
    assert_eq!(browser.submit(page, &undo, &[]).await.status, 303);
    assert_eq!(titles(&mut browser, page).await, ["a", "b", "c", "d"]);
    assert!(titles(&mut browser, &elsewhere).await.is_empty());

    let fields =
        [("opened_with_title", "null"), ("title", "Alpha"), ("opened_with_title", "null"), ("title", " ")];
    let retitled = house.sends(&mut browser, &season, "/selection/titles", &tracks[..2], &fields).await;
    let undo = undo_of(&mut browser, &retitled).await;
    assert_eq!(titles(&mut browser, page).await, ["Alpha", "b", "c", "d"]);
    assert_eq!(browser.submit(page, &undo, &[]).await.status, 303);
    assert_eq!(titles(&mut browser, page).await, ["a", "b", "c", "d"]);
}

async fn tracks_are_moved_to_a_collection_that_is_created_for_them(database: TestDatabase) {
    let house = House::open(database).await;
    let mut browser = house.administrator().await;
    let season = house.season(&["a.wav", "b.wav", "c.wav"]).await;
    // The order is that of the list, not the order in which the tracks are named.
    let tracks = [season.tracks[2], season.tracks[0]];
    let chosen = house.sends(&mut browser, &season, "/selection", &tracks, &[("action", "move")]).await;
    assert!(chosen.html.contains("Create collection and move tracks"), "{}", chosen.html);

    let new_id = chosen.between("name=\"new_id\" value=\"", "\"");
    assert!(!chosen.html.contains("name=\"find\""), "there is no other collection to be found");
    let library = house.path("/library");
    let long = "x".repeat(1001);
    let unknown = [tracks[0], TrackId::from_uuid(uuid::Uuid::from_u128(7))];
    for (named, title, told) in [
        (&tracks, "  ", "id=\"title-problem\""),
        (&tracks, long.as_str(), "id=\"title-problem\""),
        (&unknown, "Live <takes>", "Some of the selected tracks were deleted or moved in the meantime"),
    ] {
        let fields = [("create", "1"), ("new_id", new_id.as_str()), ("title", title)];
        let refused = house.sends(&mut browser, &season, "/selection/move", named, &fields).await;
        assert!(refused.status == 422 && refused.html.contains(told), "{title}: {}", refused.html);
        let shown = browser.get(&library).await;
        assert!(shown.html.contains("1 collection") && !shown.html.contains("takes"), "{}", shown.html);
    }
    assert_eq!(titles(&mut browser, &season.page).await, ["a", "b", "c"]);

    let fields = [("create", "1"), ("new_id", new_id.as_str()), ("title", "Live <takes>")];
    // A form that is sent twice at once creates one collection.
    let mut again = browser.clone();
    let (moved, second) = tokio::join!(
        house.sends(&mut browser, &season, "/selection/move", &tracks, &fields),
        house.sends(&mut again, &season, "/selection/move", &tracks, &fields),
    );
    assert_eq!((second.status, &second.location), (303, &moved.location), "{}", second.html);
    let shown = [browser.get(&moved.location).await, again.get(&second.location).await];
    let undo = "class=\"undo\" method=\"post\" action=\"";
    assert_eq!(shown.iter().filter(|page| page.html.contains(undo)).count(), 1, "they are moved once");
    let undo = shown.iter().find(|page| page.html.contains(undo)).unwrap().between(undo, "\"");
    assert!(browser.get(&library).await.html.contains("2 collections"));
    let page = moved.location.split('?').next().unwrap().to_owned();
    assert_ne!(page, season.page);
    let shown = browser.get(&page).await;
    assert!(shown.html.contains("Live &#60;takes&#62;"), "{}", shown.html);
    assert_eq!(titles(&mut browser, &page).await, ["a", "c"]);
    assert_eq!(titles(&mut browser, &season.page).await, ["b"]);
    let audit = browser.get(&house.path("/audit")).await.html;
    assert!(audit.contains("Live &#60;takes&#62;"), "{audit}");
    // After undo the new collection stays, and is empty.
    assert_eq!(browser.submit(&season.page, &undo, &[]).await.status, 303);
    assert_eq!(titles(&mut browser, &season.page).await, ["a", "b", "c"]);
    assert!(titles(&mut browser, &page).await.is_empty());
}

async fn without_free_space_tracks_are_deleted_and_nothing_else_changes(database: TestDatabase) {
    let house = House::open(database).await;
    let mut browser = house.administrator().await;
    let season = house.season(&["a.wav", "b.wav", "c.wav"]).await;
    house.invited(&mut browser, "Bea", "editor").await;
    let bea = house.people.person_by_email("bea@example.com").await.unwrap().id;
    let shortage = Shortage { place: DiskUse::Database, path: "/data".into(), free: 0, least: 1 };
    house.disk_room.note(Some(shortage));
    let library = house.path("/library");
    let added = browser.submit(&library, &library, &[("title", "More")]).await;
    assert_eq!(added.status, 507, "{}", added.html);
    let new_id = uuid::Uuid::from_u128(7).to_string();
    let fields = [("create", "1"), ("new_id", new_id.as_str()), ("title", "More")];
    let page = season.page.as_str();
    let moved = house.sends(&mut browser, &season, "/selection/move", &season.tracks[..1], &fields).await;
    assert_eq!(moved.status, 507, "{}", moved.html);
    let fields = [("action", "delete")];
    let deleted = house.sends(&mut browser, &season, "/selection", &season.tracks[..2], &fields).await;
    assert_eq!(deleted.status, 303, "{}", deleted.html);
    assert_eq!(titles(&mut browser, page).await, ["c"]);
    // What replaces a secret, or gives back a role, adds something.
    for replaced in
        [house.path("/webhooks/track/rotate"), house.path("/profile/second-factor/recovery-codes")]
    {
        let refused = browser.submit(&library, &replaced, &[("code", "123456")]).await;
        assert_eq!(refused.status, 507, "{replaced}: {}", refused.html);
    }
    let (members, role) = (house.path("/members"), house.path(&format!("/members/{bea}/role")));
    assert_eq!(browser.submit(&members, &role, &[("role", "viewer")]).await.status, 303);
    assert_eq!(browser.submit(&members, &role, &[("role", "editor")]).await.status, 507);
    let mut other = house.browser();
    assert_eq!(other.sign_in("ada@example.com", PASSWORD).await.status, 303);
    assert_eq!(other.submit("/dashboard/profile", "/dashboard/sign-out", &[]).await.status, 303);
}

async fn what_was_changed_since_is_not_undone(database: TestDatabase) {
    let house = House::open(database).await;
    let mut browser = house.administrator().await;
    let mut bea = house.invited(&mut browser, "Bea", "editor").await;
    let season = house.season(&["a.wav", "b.wav"]).await;
    let other = house.collection("Other").await.to_string();
    let tracks = &season.tracks;

    let fields =
        [("opened_with_title", "null"), ("title", "Alpha"), ("opened_with_title", "null"), ("title", "Beta")];
    let retitled = house.sends(&mut browser, &season, "/selection/titles", tracks, &fields).await;
    let undo = undo_of(&mut browser, &retitled).await;
    assert_eq!(bea.submit(&season.page, &undo, &[]).await.status, 409, "somebody else's change");
    let fields = [("opened_with_title", "\"Beta\""), ("title", "Gamma")];
    house.sends(&mut bea, &season, "/selection/titles", &tracks[1..], &fields).await;
    let refused = browser.submit(&season.page, &undo, &[]).await;
    assert_eq!(refused.status, 409);
    assert!(refused.html.contains("changed since"), "{}", refused.html);
    assert_eq!(titles(&mut browser, &season.page).await, ["Alpha", "Gamma"], "nothing is done half");

    let fields = [("collection", other.as_str())];
    let moved = house.sends(&mut browser, &season, "/selection/move", tracks, &fields).await;
    let undo = undo_of(&mut browser, &moved).await;
    house.library.delete_track(&house.owner(), tracks[1]).await.unwrap();
    assert_eq!(browser.submit(&season.page, &undo, &[]).await.status, 409);
    assert!(titles(&mut browser, &season.page).await.is_empty());

    let fields = [("opened_with_title", "\"Alpha\""), ("title", "Delta")];
    let retitled = house.sends(&mut browser, &season, "/selection/titles", &tracks[..1], &fields).await;
    let undo = undo_of(&mut browser, &retitled).await;
    house.clock.advance_millis(3_600_000);
    assert_eq!(browser.submit(&season.page, &undo, &[]).await.status, 409, "it is too late");
}

async fn titles_of_others_are_not_overwritten_unseen(database: TestDatabase) {
    let house = House::open(database).await;
    let mut browser = house.administrator().await;
    let season = house.season(&["a.wav", "b.wav", "c.wav"]).await;
    let tracks = &season.tracks;
    let titles_path = "/selection/titles";
    // Somebody else sets the titles of the first two tracks while the form is open.
    let fields =
        [("opened_with_title", "null"), ("title", "Alpha"), ("opened_with_title", "null"), ("title", "Beta")];
    house.sends(&mut browser, &season, titles_path, &tracks[..2], &fields).await;

    let unchanged = ("opened_with_title", "null");
    let fields = [unchanged, ("title", ""), unchanged, ("title", ""), unchanged, ("title", "Gamma")];
    let saved = house.sends(&mut browser, &season, titles_path, tracks, &fields).await;
    assert_eq!(saved.status, 303, "{}", saved.html);
    assert_eq!(titles(&mut browser, &season.page).await, ["Alpha", "Beta", "Gamma"]);

    let fields = [unchanged, ("title", "Mine"), unchanged, ("title", "")];
    let refused = house.sends(&mut browser, &season, titles_path, &tracks[..2], &fields).await;
    assert_eq!(refused.status, 409);
    assert!(refused.html.contains("value=\"Mine\""), "what was typed is there: {}", refused.html);
    assert!(refused.html.contains("changed this to “Alpha” in the meantime"), "{}", refused.html);
    assert!(
        refused.html.contains("name=\"opened_with_title\" value=\"&#34;Alpha&#34;\""),
        "{}",
        refused.html
    );
    assert!(refused.html.contains("name=\"title\" dir=\"auto\" maxlength=\"1000\" value=\"Beta\""));
    assert_eq!(titles(&mut browser, &season.page).await, ["Alpha", "Beta", "Gamma"]);
    // Now it was seen.
    let fields = [
        ("opened_with_title", "\"Alpha\""),
        ("title", "Mine"),
        ("opened_with_title", "\"Beta\""),
        ("title", "Beta"),
    ];
    let saved = house.sends(&mut browser, &season, titles_path, &tracks[..2], &fields).await;
    assert_eq!(saved.status, 303, "{}", saved.html);
    assert_eq!(titles(&mut browser, &season.page).await, ["Mine", "Beta", "Gamma"]);

    // A track that was deleted meanwhile takes nothing with it that was typed.
    house.library.delete_track(&house.owner(), tracks[0]).await.unwrap();
    let fields = [
        ("opened_with_title", "\"Mine\""),
        ("title", "Mine"),
        ("opened_with_title", "\"Beta\""),
        ("title", "Typed"),
    ];
    let refused = house.sends(&mut browser, &season, titles_path, &tracks[..2], &fields).await;
    assert_eq!(refused.status, 422, "{}", refused.html);
    assert!(refused.html.contains("value=\"Typed\"") && refused.html.contains("are left out here"));
    assert!(refused.html.contains("Retitle 1 track"), "{}", refused.html);
}

async fn all_titles_of_a_selection_fit_into_a_form(database: TestDatabase) {
    let house = House::open(database).await;
    let mut browser = house.administrator().await;
    let names: Vec<String> = (0..200).map(|number| format!("{number}.wav")).collect();
    let season = house.season(&names.iter().map(String::as_str).collect::<Vec<_>>()).await;
    let page =
        house.sends(&mut browser, &season, "/selection", &season.tracks, &[("action", "retitle")]).await;
    assert!(page.html.contains("enctype=\"multipart/form-data\" data-sign-in-first"), "{}", page.status);
    let title = "潮".repeat(1000);
    let secret = page.form_secret();
    let mut form = String::new();
    let mut field = |name: &str, value: &str| {
        form.push_str(&format!("--x\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n"));
    };
    field("form_secret", &secret);
    field("list", &season.collection.to_string());
    for id in &season.tracks {
        field("track", &id.to_string());
        field("opened_with_title", "null");
        field("title", &title);
    }
    form.push_str("--x--\r\n");
    let request = Request::post(house.path("/selection/titles"))
        .header("origin", "https://audio.example.com")
        .header("content-type", "multipart/form-data; boundary=x")
        .body(Body::from(form));
    let saved = browser.send(request.unwrap()).await;
    assert_eq!(saved.status, 303, "{}", saved.html);
    let last = house.catalog.track(house.organization_id, season.tracks[199]).await.unwrap().unwrap();
    assert_eq!(last.player_title, Some(title));
}

async fn selections_are_checked(database: TestDatabase) {
    let house = House::open(database).await;
    let mut browser = house.administrator().await;
    let mut viewer = house.invited(&mut browser, "Vera", "viewer").await;
    let season = house.season(&["a.wav", "b.wav"]).await;
    house.collection("Other").await;
    let (delete, tracks) = ([("action", "delete")], &season.tracks);
    assert_eq!(house.sends(&mut viewer, &season, "/selection", tracks, &delete).await.status, 403);
    assert!(!viewer.get(&season.page).await.html.contains("class=\"pick\""), "viewers select nothing");

    let none = house.sends(&mut browser, &season, "/selection", &[], &delete).await;
    assert!(none.status == 400 && none.html.contains("Select at least one track"), "{}", none.html);
    let many: Vec<TrackId> =
        (0..201).map(|number| TrackId::from_uuid(uuid::Uuid::from_u128(number))).collect();
    let refused = house.sends(&mut browser, &season, "/selection", &many, &delete).await;
    assert!(refused.status == 400 && refused.html.contains("at most 200"), "{}", refused.html);
    let foreign = [tracks[0], many[7]];
    let refused = house.sends(&mut browser, &season, "/selection", &foreign, &delete).await;
    assert_eq!(refused.status, 409, "{}", refused.html);
    let long = "x".repeat(1001);
    let fields = [
        ("opened_with_title", "null"),
        ("title", "Alpha"),
        ("opened_with_title", "null"),
        ("title", long.as_str()),
    ];
    let refused = house.sends(&mut browser, &season, "/selection/titles", tracks, &fields).await;
    assert!(refused.status == 422 && refused.html.contains("at most 1000"), "{}", refused.html);
    assert!(refused.html.contains("value=\"Alpha\""), "what was typed is there");
    let nowhere = house.sends(&mut browser, &season, "/selection/move", tracks, &[]).await;
    assert!(nowhere.status == 422 && nowhere.html.contains("Choose a collection"), "{}", nowhere.html);
    assert_eq!(titles(&mut browser, &season.page).await, ["a", "b"]);
}

impl House {
    /// Moves tracks to a position, or with a button, and returns the response.
    async fn moves_to(
        &self,
        browser: &mut Browser,
        season: &Season,
        tracks: &[TrackId],
        field: (&str, &str),
    ) -> Page {
        self.sends(browser, season, "/selection/position", tracks, &[field]).await
    }
}

async fn tracks_are_moved_to_a_position(database: TestDatabase) {
    let house = House::open(database).await;
    let mut browser = house.administrator().await;
    let season = house.season(&["a.wav", "b.wav", "c.wav", "d.wav", "e.wav", "f.wav"]).await;
    let [a, b, _, d, e, _] = season.tracks[..] else { panic!("six tracks") };
    house.library.delete_track(&house.owner(), b).await.unwrap();
    let chosen = house.sends(&mut browser, &season, "/selection", &[e, a], &[("action", "position")]).await;
    assert!(chosen.html.contains("Move 2 tracks") && chosen.html.contains("has 5 tracks"), "{}", chosen.html);

    // The list is a, c, d, e, f. Positions are those that people see, and tracks keep the order that they have.
    let moved = house.moves_to(&mut browser, &season, &[e, a], ("position", "2")).await;
    assert_eq!(moved.location, format!("{}?after={}", season.page, season.tracks[2]));
    assert_eq!(titles(&mut browser, &season.page).await, ["c", "a", "e", "d", "f"]);
    assert_eq!(
        titles(&mut browser, &moved.location).await,
        ["a", "e", "d", "f"],
        "the page begins with them"
    );
    let moved = house.moves_to(&mut browser, &season, &[d], ("to", "start")).await;
    assert_eq!(moved.location, season.page);
    let undo = undo_of(&mut browser, &moved).await;
    assert_eq!(titles(&mut browser, &season.page).await, ["d", "c", "a", "e", "f"]);
    assert_eq!(browser.submit(&season.page, &undo, &[]).await.status, 303);
    assert_eq!(titles(&mut browser, &season.page).await, ["c", "a", "e", "d", "f"]);
    for (field, position) in [("to", "end"), ("position", "5"), ("position", "4000000000")] {
        let moved = house.moves_to(&mut browser, &season, &[a, d], (field, position)).await;
        let undo = undo_of(&mut browser, &moved).await;
        assert_eq!(titles(&mut browser, &season.page).await, ["c", "e", "f", "a", "d"], "{position}");
        assert_eq!(browser.submit(&season.page, &undo, &[]).await.status, 303);
    }
    let last = house.moves_to(&mut browser, &season, &season.tracks[5..], ("to", "end")).await;
    assert_eq!(last.location, format!("{}?after={d}", season.page), "it is there already");
    let still = house.moves_to(&mut browser, &season, &[a, e], ("position", "2")).await;
    let page = browser.get(&still.location).await;
    assert!(
        page.html.contains("Nothing needed to be changed") && !page.html.contains("class=\"undo\""),
        "{}",
        page.html
    );

    // If somebody else reorders the same tracks, nothing is undone.
    let moved = house.moves_to(&mut browser, &season, &[e], ("position", "1")).await;
    let undo = undo_of(&mut browser, &moved).await;
    house.library.order_tracks(&house.owner(), season.collection, &[a, e]).await.unwrap();
    let before = titles(&mut browser, &season.page).await;
    assert_eq!(browser.submit(&season.page, &undo, &[]).await.status, 409);
    assert_eq!(titles(&mut browser, &season.page).await, before);
}

async fn positions_are_checked(database: TestDatabase) {
    let house = House::open(database).await;
    let mut browser = house.administrator().await;
    let mut viewer = house.invited(&mut browser, "Vera", "viewer").await;
    let season = house.season(&["a.wav", "b.wav"]).await;
    let elsewhere = house.season(&["c.wav"]).await;
    let tracks = &season.tracks;
    for typed in ["", "0", "-1", "1.5", "first", "4294967296"] {
        let refused = house.moves_to(&mut browser, &season, &tracks[1..], ("position", typed)).await;
        assert!(refused.status == 422 && refused.html.contains("whole number"), "{typed}: {}", refused.html);
        assert!(refused.html.contains(&format!("value=\"{typed}\"")), "what was typed is there");
    }
    let both = [tracks[1], elsewhere.tracks[0]];
    let refused = house.moves_to(&mut browser, &season, &both, ("position", "1")).await;
    assert_eq!(refused.status, 409, "{}", refused.html);
    let refused = house.moves_to(&mut viewer, &season, &tracks[1..], ("position", "1")).await;
    assert_eq!(refused.status, 403);
    let all_tracks = [("list", ""), ("track", &tracks[1].to_string()), ("position", "1")];
    let refused = browser.submit(&season.page, &house.path("/selection/position"), &all_tracks).await;
    assert_eq!(refused.status, 400, "only collections have an order");
    assert_eq!(titles(&mut browser, &season.page).await, ["a", "b"]);
    assert!(!browser.get(&house.path("/tracks")).await.html.contains("value=\"position\""));
}

async fn orders_are_of_what_was_seen(database: TestDatabase) {
    let house = House::open(database).await;
    let mut browser = house.administrator().await;
    let season = house.season(&["a.wav", "b.wav", "c.wav"]).await;
    let path = format!("{}/order", season.page);
    let [a, b, c] = [0, 1, 2].map(|at: usize| season.tracks[at].to_string());
    let order = |before: [&String; 3], after: [&String; 3]| -> Vec<(&'static str, String)> {
        let before = before.into_iter().map(|id| ("before", id.clone()));
        before.chain(after.into_iter().map(|id| ("after", id.clone()))).collect()
    };
    let sends = async |browser: &mut Browser, fields: Vec<(&'static str, String)>| {
        let fields: Vec<(&str, &str)> = fields.iter().map(|(name, id)| (*name, id.as_str())).collect();
        browser.submit(&season.page, &path, &fields).await
    };
    let moved = sends(&mut browser, order([&a, &b, &c], [&c, &a, &b])).await;
    assert_eq!(moved.status, 200, "{}", moved.html);
    assert_eq!(titles(&mut browser, &season.page).await, ["c", "a", "b"]);
    let late = sends(&mut browser, order([&a, &b, &c], [&b, &a, &c])).await;
    assert!(late.status == 409 && late.html.contains("changed in the meantime"), "{}", late.html);
    let other = sends(&mut browser, order([&c, &a, &b], [&c, &a, &a])).await;
    assert_eq!(other.status, 400, "{}", other.html);
    assert_eq!(titles(&mut browser, &season.page).await, ["c", "a", "b"]);
    let undo = moved.between("\"undo\":\"", "\"");
    assert_eq!(browser.submit(&season.page, &undo, &[]).await.status, 303);
    assert_eq!(titles(&mut browser, &season.page).await, ["a", "b", "c"]);
}

impl House {
    /// Sends a picture for tracks as the cover page would.
    async fn covers(
        &self,
        browser: &mut Browser,
        season: &Season,
        tracks: &[TrackId],
        picture: &[u8],
    ) -> Page {
        let secret = browser.get(&season.page).await.form_secret();
        let mut body = Vec::new();
        let list = season.collection.to_string();
        let mut texts = vec![("form_secret", secret), ("list", list)];
        texts.extend(tracks.iter().map(|id| ("track", id.to_string())));
        for (name, text) in texts {
            let part = format!("--cut\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{text}\r\n");
            body.extend_from_slice(part.as_bytes());
        }
        body.extend_from_slice(
            b"--cut\r\ncontent-disposition: form-data; name=\"file\"; filename=\"a.gif\"\r\n\r\n",
        );
        body.extend_from_slice(picture);
        body.extend_from_slice(b"\r\n--cut--\r\n");
        let request = Request::post(self.path("/selection/cover"))
            .header("origin", "https://audio.example.com")
            .header("content-type", "multipart/form-data; boundary=cut")
            .body(Body::from(body));
        browser.send(request.unwrap()).await
    }

    async fn covers_of(&self, tracks: &[TrackId]) -> Vec<Option<Cover>> {
        let mut covers = Vec::new();
        for id in tracks {
            covers.push(self.catalog.track(self.organization_id, *id).await.unwrap().unwrap().cover);
        }
        covers
    }
}

async fn a_cover_is_set_for_many_tracks_and_taken_back(database: TestDatabase) {
    let house = House::open(database).await;
    let mut browser = house.administrator().await;
    let season = house.season(&["a.wav", "b.wav", "c.wav"]).await;
    let (tracks, picture) = (&season.tracks, PIXEL);
    let page = house.sends(&mut browser, &season, "/selection", &tracks[..2], &[("action", "cover")]).await;
    assert!(page.html.contains("Set the cover of 2 tracks"), "{}", page.html);
    let first = house.covers(&mut browser, &season, &tracks[..1], picture).await;
    assert_eq!(first.status, 303, "{}", first.html);
    let before = house.covers_of(tracks).await;
    assert!(before[0].is_some_and(|cover| cover.origin == CoverOrigin::Uploaded) && before[1].is_none());

    let covered = house.covers(&mut browser, &season, &tracks[..2], picture).await;
    let undo = undo_of(&mut browser, &covered).await;
    let after = house.covers_of(tracks).await;
    assert!(after[0].is_some() && after[1].is_some() && after[2].is_none());
    assert!(after[0] != before[0] && after[0] != after[1], "each has files of its own");
    assert_eq!(browser.submit(&season.page, &undo, &[]).await.status, 303);
    assert_eq!(house.covers_of(tracks).await, before);
    assert_eq!(browser.submit(&season.page, &undo, &[]).await.status, 409, "it works once");

    // What comes before the picture may be as long as a form without files.
    let refused = house.covers(&mut browser, &season, &vec![tracks[0]; 8000], picture).await;
    assert_eq!(refused.status, 413, "{}", refused.html);
    // A file that is not a picture changes nothing, and a cover that was replaced again is not undone.
    for nonsense in [&b""[..], b"no picture"] {
        let refused = house.covers(&mut browser, &season, tracks, nonsense).await;
        assert_eq!(refused.status, 422, "{}", refused.html);
    }
    assert_eq!(house.covers_of(tracks).await, before);
    let covered = house.covers(&mut browser, &season, tracks, picture).await;
    let undo = undo_of(&mut browser, &covered).await;
    house.covers(&mut browser, &season, &tracks[2..], picture).await;
    let kept = house.covers_of(tracks).await;
    assert_eq!(browser.submit(&season.page, &undo, &[]).await.status, 409);
    assert_eq!(house.covers_of(tracks).await, kept, "nothing is done half");
}
