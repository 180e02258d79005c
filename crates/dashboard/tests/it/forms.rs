//! Forms from foreign pages change nothing.

use axum::body::Body;
use futures::StreamExt as _;
use futures::stream::FuturesUnordered;
use http::Request;
use tonearm_fixtures::TestDatabase;
use tonearm_service::requests_at_once;

use crate::house::{House, PASSWORD};

crate::on_both!(
    forms_of_others_are_refused,
    forms_of_a_profile_take_turns,
    files_carry_the_secret_too,
    colours_are_saved_with_their_companions,
    a_chosen_colour_is_never_lost,
    refusals_are_sentences_and_keep_what_was_typed,
    texts_are_limited_and_storable,
);

async fn forms_of_others_are_refused(database: TestDatabase) {
    let house = House::open(database).await;
    let mut browser = house.administrator().await;
    let (page, name) = (house.path("/organization"), [("name", "Stolen"), ("player_color", "#123456")]);
    let secret = browser.get(&page).await.form_secret();
    let with_secret = [name[0], name[1], ("form_secret", &*secret)];
    assert_eq!(browser.post(&page, &name).await.status, 403, "without the secret");
    let other = browser.post_from("https://evil.example", &page, &with_secret).await;
    assert_eq!(other.status, 403, "from another site");
    let mut stranger = house.browser();
    assert_eq!(stranger.post_from("https://evil.example", "/dashboard/sign-in", &[]).await.status, 403);
    let fields = [("email", "ada@example.com"), ("password", PASSWORD)];
    stranger.post("/dashboard/sign-in", &fields).await;
    assert_eq!(stranger.post(&page, &with_secret).await.status, 403, "with the secret of another sign-in");
    assert!(!browser.get(&page).await.html.contains("Stolen"));
    assert_ne!(browser.get(&page).await.form_secret(), secret, "each page carries another text");
    assert_eq!(browser.post(&page, &with_secret).await.status, 303);
    assert!(browser.get(&page).await.html.contains("Stolen"));
}

async fn forms_of_a_profile_take_turns(database: TestDatabase) {
    let house = House::open(database).await;
    let mut ada = house.administrator().await;
    let mut bea = house.invited(&mut ada, "Bea", "viewer").await;
    let (profile, organization) = ("/dashboard/profile", house.path("/organization"));
    let (of_bea, of_ada) = (bea.get(profile).await.form_secret(), ada.get(&organization).await.form_secret());
    let submit = async |is_neighbour: bool| {
        let page = if is_neighbour {
            let fields = [("name", "Ours"), ("player_color", "#123456"), ("form_secret", &*of_ada)];
            ada.clone().post(&organization, &fields).await
        } else {
            let fields = [("name", "Bea"), ("form_secret", &*of_bea)];
            bea.clone().post("/dashboard/profile/name", &fields).await
        };
        assert_eq!(page.status, 303, "{}", page.html);
        is_neighbour
    };
    let count = 20 * requests_at_once();
    let forms = std::iter::repeat_n(false, count).chain([true]).map(submit);
    let answered: Vec<bool> = forms.collect::<FuturesUnordered<_>>().collect().await;
    let place = answered.iter().position(|is_neighbour| *is_neighbour).unwrap();
    assert!(place <= 3 * requests_at_once(), "{place} of {count}");
}

async fn files_carry_the_secret_too(database: TestDatabase) {
    let house = House::open(database).await;
    let mut browser = house.administrator().await;
    let page = house.path("/organization");
    let secret = browser.get(&page).await.form_secret();
    let post = |fields: String| {
        Request::post(house.path("/organization/cover"))
            .header("sec-fetch-site", "same-origin")
            .header("content-type", "multipart/form-data; boundary=x")
            .body(Body::from(fields))
            .unwrap()
    };
    let part = |name: &str, value: &str| {
        format!("--x\r\nContent-Disposition: form-data; name=\"{name}\"; filename=\"a\"\r\n\r\n{value}\r\n")
    };
    let file = part("file", "no picture");
    assert_eq!(browser.send(post(format!("{file}--x--\r\n"))).await.status, 403);
    let wrong = part("form_secret", "wrong");
    assert_eq!(browser.send(post(format!("{wrong}{file}--x--\r\n"))).await.status, 403);
    let right = part("form_secret", &secret);
    let answer = browser.send(post(format!("{right}{file}--x--\r\n"))).await;
    assert_eq!(answer.status, 422, "{}", answer.html);
    assert!(answer.html.contains("id=\"file-problem\""), "{}", answer.html);
}

async fn colours_are_saved_with_their_companions(database: TestDatabase) {
    let house = House::open(database).await;
    let (mut browser, page) = (house.administrator().await, house.path("/organization"));
    let fields =
        [("name", "A <b>bold</b> name"), ("player_color", "#ffff00"), ("is_cover_overridable", "on")];
    assert_eq!(browser.submit(&page, &page, &fields).await.status, 303);
    let saved = browser.get(&page).await.html;
    assert!(!saved.contains("<b>bold</b>") && saved.contains("#ffff00"), "{saved}");
    let light = tonearm_domain::Colour::new(255, 255, 0).companions().light.to_string();
    assert_ne!(light, "#ffff00");
    assert!(saved.contains(&light), "{saved}");
    assert!(saved.contains("name=\"is_cover_overridable\" checked"), "{saved}");
    assert!(saved.contains("name=\"is_theme_overridable\">"), "{saved}");
    let bad = browser.submit(&page, &page, &[("name", " "), ("player_color", "#fff")]).await;
    assert_eq!(bad.status, 422);
    assert!(bad.html.contains("id=\"name-problem\""), "{}", bad.html);
}

async fn a_chosen_colour_is_never_lost(database: TestDatabase) {
    let house = House::open(database).await;
    let (mut browser, collection) = (house.administrator().await, house.collection("Season").await);
    let track = house.track(collection, "a.wav").await;
    for path in [format!("/collections/{collection}"), format!("/tracks/{track}")] {
        let page = house.path(&path);
        let opened_with = browser.get(&page).await.between("name=\"opened_with_color\" value=\"", "\"");
        // Without a script, the box is not ticked automatically.
        let chosen = [("title", "Season"), ("player_color", "#FFE000"), ("opened_with_color", &opened_with)];
        assert_eq!(browser.submit(&page, &page, &chosen).await.status, 303, "{path}");
        let saved = browser.get(&page).await.html;
        assert!(
            saved.contains("name=\"own_color\" checked") && saved.contains("value=\"#ffe000\""),
            "{saved}"
        );
        // A ticked box is enough too, and an unchanged colour without it is cleared.
        let ticked = [("title", "Season"), ("player_color", "#ffe000"), ("own_color", "on")];
        assert_eq!(browser.submit(&page, &page, &ticked).await.status, 303, "{path}");
        assert!(browser.get(&page).await.html.contains("name=\"own_color\" checked"));
        let left = [("title", "Season"), ("player_color", "#ffe000"), ("opened_with_color", "#ffe000")];
        assert_eq!(browser.submit(&page, &page, &left).await.status, 303, "{path}");
        let cleared = browser.get(&page).await.html;
        assert!(!cleared.contains("name=\"own_color\" checked") && !cleared.contains("#ffe000"), "{cleared}");
    }
}

async fn refusals_are_sentences_and_keep_what_was_typed(database: TestDatabase) {
    let house = House::open(database).await;
    let (mut browser, collection) = (house.administrator().await, house.collection("Season").await);
    let page = house.path(&format!("/collections/{collection}"));
    let fields =
        [("title", " "), ("player_color", "#ffe000"), ("own_color", "on"), ("player_subtitle", "Sub")];
    let refused = browser.submit(&page, &page, &fields).await;
    assert_eq!(refused.status, 422);
    for kept in ["value=\"#ffe000\"", "name=\"own_color\" checked", "value=\"Sub\"", "id=\"title-problem\""] {
        assert!(refused.html.contains(kept), "{kept} in {}", refused.html);
    }
    let secret = browser.get(&page).await.form_secret();
    let part = |name: &str, more: &str, value: &str| {
        format!("--x\r\nContent-Disposition: form-data; name=\"{name}\"{more}\r\n\r\n{value}\r\n")
    };
    let empty = part("files", "; filename=\"a.wav\"", "");
    let request = Request::post(format!("{page}/files"))
        .header("sec-fetch-site", "same-origin")
        .header("content-type", "multipart/form-data; boundary=x")
        .body(Body::from(format!("{}{empty}--x--\r\n", part("form_secret", "", &secret))))
        .unwrap();
    let answer = browser.send(request).await;
    assert_eq!(answer.status, 400);
    assert!(answer.html.contains("<p>The file is empty; send an audio file.</p>"), "{}", answer.html);
}

/// Hand-made form requests are subject to the limits of the API.
async fn texts_are_limited_and_storable(database: TestDatabase) {
    let house = House::open(database).await;
    let (mut browser, collection) = (house.administrator().await, house.collection("Season").await);
    let track = house.track(collection, "a.wav").await;
    let of_track = format!("/tracks/{track}");
    let of_collection = format!("/collections/{collection}");
    let title = ("title", "Season");
    for (page, others, field) in [
        ("/library", &[][..], "title"),
        (&of_collection, &[], "title"),
        (&of_collection, &[title], "player_subtitle"),
        (&of_track, &[], "player_title"),
        (&of_track, &[], "player_subtitle"),
        (&of_track, &[], "organization_index"),
        ("/organization", &[("player_color", "#123456")], "name"),
        ("/organization", &[("player_color", "#123456"), ("name", "Radio")], "player_subtitle"),
        ("/signing-keys", &[], "title"),
        ("/keys/new?type=api", &[("type", "api"), ("pages", "all")], "title"),
    ] {
        let path = house.path(page);
        let action = path.split('?').next().unwrap().to_owned();
        let long = "x".repeat(1001);
        let fields: Vec<_> = others.iter().copied().chain([(field, long.as_str())]).collect();
        let answer = browser.submit(&path, &action, &fields).await;
        assert_eq!(answer.status, 422, "{page}, {field}: {}", answer.html);
        let problem = answer.between(&format!("id=\"{field}-problem\">"), "</p>");
        assert!(problem.contains("characters"), "{page}, {field}: {problem}");
        let fields: Vec<_> = others.iter().copied().chain([(field, "a\0b")]).collect();
        assert_eq!(browser.submit(&path, &action, &fields).await.status, 400, "{page}, {field}");
    }
    let stored = house.catalog.track(house.organization_id, track).await.unwrap().unwrap();
    let texts = (&stored.player_title, &stored.player_subtitle, &stored.organization_index);
    assert_eq!(texts, (&None, &None, &None));

    // A stored text that is already too long does not prevent other changes.
    let long = "x".repeat(1001);
    let tx = house.catalog.begin().await.unwrap();
    let mut organization = tx.organization(house.organization_id).await.unwrap().unwrap();
    organization.name = long.clone();
    tx.update_organization(&organization).await.unwrap();
    let mut stored = tx.track(house.organization_id, track).await.unwrap().unwrap();
    stored.player_title = Some(long.clone());
    tx.update_track(&stored).await.unwrap();
    tx.commit().await.unwrap();
    let page = house.path("/organization");
    let fields = [("name", long.as_str()), ("player_color", "#654321")];
    assert_eq!(browser.submit(&page, &page, &fields).await.status, 303);
    let page = house.path(&of_track);
    let fields = [("player_title", long.as_str()), ("player_subtitle", "Live")];
    assert_eq!(browser.submit(&page, &page, &fields).await.status, 303);
}
