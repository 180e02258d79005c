//! Keys and links: created, shown once, revoked.

use tonearm_domain::{KeyType, Selection};
use tonearm_fixtures::TestDatabase;
use tonearm_service::{Caller, CreateCollection, CreateKey, CreateTrack};

use crate::browser::Browser;
use crate::house::House;

crate::on_both!(
    a_share_link_is_made_and_revoked,
    what_a_key_reaches_is_found_by_words,
    editors_manage_share_links_only,
    forms_say_what_is_wrong,
    a_player_key_is_for_all_variants_or_for_some,
    a_key_gets_a_new_secret_and_the_old_one_is_ended,
    a_key_is_revoked_with_what_it_made,
    sessions_are_listed_and_ended,
);

async fn a_share_link_is_made_and_revoked(database: TestDatabase) {
    let house = House::open(database).await;
    let (mut browser, keys, new) =
        (house.administrator().await, house.path("/keys"), house.path("/keys/new"));
    let caller = Caller::owner(house.organization_id);
    let create = CreateCollection { title: "Season <1>".to_owned(), ..CreateCollection::default() };
    let collection =
        house.library.create_collection(&caller, create).await.unwrap().0.collection.id.to_string();
    let form = browser.get(&format!("{new}?type=share&collection={collection}")).await.html;
    assert!(form.contains("<span class=\"strong\"><bdi>Season &#60;1&#62;</bdi></span>"), "{form}");
    assert!(form.contains(&format!("name=\"collection\" value=\"{collection}\"")), "{form}");
    let fields = [
        ("type", "share"),
        ("title", "For the press"),
        ("collection", collection.as_str()),
        ("variants", "hq"),
        ("expires_at", "2030-02-01T12:00"),
    ];
    let page = browser.submit(&new, &new, &fields).await;
    assert_eq!(page.status, 200, "{}", page.html);
    let key = page.between("<code id=\"key\">", "</code>");
    assert!(
        page.html.contains(&format!("<code>https://audio.example.com/share/{key}</code>")),
        "{}",
        page.html
    );
    let list = browser.get(&keys).await;
    assert!(!list.html.contains(&key), "it is shown once");
    for told in ["For the press", "Season &#60;1&#62;", "2030-02-01T12:00:00.000Z", "Never"] {
        assert!(list.html.contains(told), "{told} in {}", list.html);
    }
    // Keys created at the same time have no defined order.
    let for_the_press = async || {
        let keys = house.library.keys(&caller).await.unwrap();
        keys.into_iter().find(|key| key.title == "For the press").unwrap()
    };
    let stored = for_the_press().await;
    assert_eq!(stored.key_type, KeyType::Share);
    let revoked = browser.submit(&keys, &house.path(&format!("/keys/{}/revoke", stored.id)), &[]).await;
    assert_eq!(revoked.status, 303);
    assert!(for_the_press().await.revoked_at.is_some());
}

async fn what_a_key_reaches_is_found_by_words(database: TestDatabase) {
    let house = House::open(database).await;
    let (mut browser, new) = (house.administrator().await, house.path("/keys/new"));
    let caller = Caller::owner(house.organization_id);
    let create = CreateCollection { title: "Harbour sessions".to_owned(), ..CreateCollection::default() };
    let collection = house.library.create_collection(&caller, create).await.unwrap().0.collection.id;
    let track = |file_name: &str| CreateTrack {
        collection_id: Some(collection),
        file_name: file_name.to_owned(),
        ..CreateTrack::default()
    };
    let ebb = house.library.create_track(&caller, track("Ebb & flow.wav")).await.unwrap().0.track.id;
    house.library.create_track(&caller, track("Slack water.wav")).await.unwrap();

    let start = browser.get(&format!("{new}?type=player")).await.html;
    assert!(start.contains(&format!("href=\"?type=player&amp;collection={collection}\"")), "{start}");
    assert!(!start.contains("&amp;track="), "{start}");
    let found = browser.get(&format!("{new}?type=player&find=FLOW+ebb")).await.html;
    assert!(
        found.contains(&format!("href=\"?type=player&amp;track={ebb}\"><bdi>Ebb &#38; flow</bdi></a>")),
        "{found}"
    );
    assert!(!found.contains("Slack water") && found.contains("in Harbour sessions"), "{found}");
    let nothing = browser.get(&format!("{new}?type=player&find=%22%3E%3Cb%3E+nothing")).await.html;
    assert!(
        nothing.contains("No collection or track matches all search words.") && !nothing.contains("<b>"),
        "{nothing}"
    );

    let address = format!("{new}?type=player&track={ebb}");
    assert!(browser.get(&address).await.html.contains("Change selection"));
    let id = ebb.to_string();
    let fields = [("type", "player"), ("title", "Ebb only"), ("track", id.as_str())];
    assert_eq!(browser.submit(&address, &new, &fields).await.status, 200);
    let keys = house.library.keys(&caller).await.unwrap();
    let made = keys.iter().find(|key| key.title == "Ebb only").unwrap();
    assert_eq!((made.scope.collection(), made.scope.track()), (Some(collection), Some(ebb)));
}

async fn editors_manage_share_links_only(database: TestDatabase) {
    let house = House::open(database).await;
    let mut owner = house.administrator().await;
    let mut editor = house.invited(&mut owner, "Ed", "editor").await;
    let caller = Caller::owner(house.organization_id);
    let api_key =
        house.library.create_key(&caller, CreateKey::new(KeyType::Api, "Backend")).await.unwrap().key.id;
    let (keys, new) = (house.path("/keys"), house.path("/keys/new"));
    assert!(owner.get(&keys).await.html.contains("Backend"));
    assert!(!editor.get(&keys).await.html.contains("Backend"));
    let revoke = house.path(&format!("/keys/{api_key}/revoke"));
    assert_eq!(editor.submit(&keys, &revoke, &[]).await.status, 404);
    for (key_type, expected) in [("api", 403), ("player", 403), ("uploader", 403), ("share", 200)] {
        let fields = [("type", key_type), ("title", "One"), ("variants", "hq")];
        assert_eq!(editor.submit(&new, &new, &fields).await.status, expected, "{key_type}");
    }
    assert_eq!(owner.submit(&keys, &revoke, &[]).await.status, 303);
}

async fn forms_say_what_is_wrong(database: TestDatabase) {
    let house = House::open(database).await;
    let (mut browser, new) = (house.administrator().await, house.path("/keys/new"));
    let stranger = "0194f3a0-0000-7000-8000-000000000000";
    for (field, fields) in [
        ("title", [("type", "api"), ("title", " "), ("variants", "hq")]),
        ("variants", [("type", "share"), ("title", "A"), ("variants", "x")]),
        ("variants", [("type", "share"), ("title", "A"), ("other", "")]),
        // No key is created that allows more than intended.
        ("variants", [("type", "share"), ("title", "A"), ("variants", "previw")]),
        ("variants", [("type", "player"), ("title", "A"), ("variants", "previw")]),
        ("variants", [("type", "player"), ("title", "A"), ("selection", "only")]),
        ("expires_at", [("type", "api"), ("title", "A"), ("expires_at", "soon")]),
        ("expires_at", [("type", "api"), ("title", "A"), ("expires_at", "2020-01-01T00:00")]),
        ("collection", [("type", "api"), ("title", "A"), ("collection", "x")]),
        ("", [("type", "api"), ("title", "A"), ("collection", stranger)]),
        ("track", [("type", "api"), ("title", "A"), ("track", "x")]),
    ] {
        let page = browser.submit(&new, &new, &fields).await;
        assert_eq!(page.status, 422, "{fields:?}");
        assert!(page.html.contains(&format!("id=\"{field}-problem\"")), "{field}: {}", page.html);
    }
}

async fn a_player_key_is_for_all_variants_or_for_some(database: TestDatabase) {
    let house = House::open(database).await;
    let (mut browser, new) = (house.administrator().await, house.path("/keys/new"));
    let form = browser.get(&format!("{new}?type=player")).await.html;
    assert!(form.contains("name=\"selection\" value=\"all\" checked"), "{form}");
    let make = async |browser: &mut Browser, title: &str, fields: &[(&str, &str)]| {
        let fields = [&[("type", "player"), ("title", title)], fields].concat();
        browser.submit(&new, &new, &fields).await.status
    };
    assert_eq!(make(&mut browser, "All", &[("selection", "all")]).await, 200);
    assert_eq!(make(&mut browser, "Some", &[("selection", "only"), ("variants", "preview")]).await, 200);
    assert_eq!(make(&mut browser, "Both", &[("selection", "all"), ("variants", "preview")]).await, 422);
    let keys = house.library.keys(&Caller::owner(house.organization_id)).await.unwrap();
    let variants = |title: &str| keys.iter().find(|key| key.title == title).map(|key| key.variants.clone());
    assert_eq!(variants("All"), Some(Selection::All));
    assert_eq!(variants("Some"), Some(Selection::one("preview".parse().unwrap())));
    assert_eq!(variants("Both"), None);
}

async fn a_key_gets_a_new_secret_and_the_old_one_is_ended(database: TestDatabase) {
    let house = House::open(database).await;
    let mut browser = house.administrator().await;
    let caller = Caller::owner(house.organization_id);
    let created = house.library.create_key(&caller, CreateKey::new(KeyType::Player, "Web")).await.unwrap();
    let (keys, edit) = (house.path("/keys"), house.path(&format!("/keys/{}", created.key.id)));
    let page = browser.submit(&edit, &format!("{edit}/rotate"), &[("overlap", "24")]).await;
    assert_eq!(page.status, 200, "{}", page.html);
    let text = page.between("<code id=\"key\">", "</code>");
    assert_ne!(text, created.text.reveal());
    assert!(page.html.contains("The old secret works until"), "{}", page.html);
    let list = browser.get(&keys).await.html;
    assert!(list.contains("The old secret works until") && !list.contains(&text), "{list}");
    let bad = browser.submit(&edit, &format!("{edit}/rotate"), &[("overlap", "721")]).await;
    assert_eq!(bad.status, 400);
    let again = browser.submit(&edit, &format!("{edit}/rotate"), &[("overlap", "1")]).await;
    assert_eq!(again.status, 409);
    let ended = browser.submit(&edit, &format!("{edit}/end-old"), &[]).await;
    assert_eq!(ended.status, 303);
    let list = browser.get(&keys).await.html;
    assert!(!list.contains("The old secret works until"), "{list}");
    let old = house.library.old_secrets(&caller, &[created.key]).await.unwrap();
    assert!(old.is_empty());
}

async fn a_key_is_revoked_with_what_it_made(database: TestDatabase) {
    let house = House::open(database).await;
    let (mut browser, keys) = (house.administrator().await, house.path("/keys"));
    let owner = Caller::owner(house.organization_id);
    let maker = house.library.create_key(&owner, CreateKey::new(KeyType::Api, "Maker")).await.unwrap().key;
    let caller = Caller::from(&maker);
    let player = CreateKey::new(KeyType::Player, "Made");
    let made = house.library.create_key_by_key(&caller, player).await.unwrap().key;
    let revoke = house.path(&format!("/keys/{}/revoke", maker.id));
    let list = browser.get(&keys).await;
    assert!(list.html.contains("Revoke with what it made (1)"), "{}", list.html);
    assert_eq!(list.html.matches("name=\"made\"").count(), 1);
    assert_eq!(browser.submit(&keys, &revoke, &[]).await.status, 303);
    let is_revoked = async |id| house.library.key(&owner, id).await.unwrap().revoked_at.is_some();
    assert_eq!((is_revoked(maker.id).await, is_revoked(made.id).await), (true, false));
    // It is still offered.
    let revoked = browser.get(&format!("{keys}?state=revoked")).await;
    assert!(revoked.html.contains("Revoke with what it made (1)"), "{}", revoked.html);
    assert_eq!(browser.submit(&keys, &revoke, &[("made", "1")]).await.status, 303);
    assert!(is_revoked(made.id).await);
    let revoked = browser.get(&format!("{keys}?state=revoked")).await;
    assert!(!revoked.html.contains("Revoke with what it made"), "{}", revoked.html);
}

async fn sessions_are_listed_and_ended(database: TestDatabase) {
    let house = House::open(database).await;
    let (mut browser, sessions) = (house.administrator().await, house.path("/sessions"));
    let mut editor = house.invited(&mut browser, "Ed", "editor").await;
    let collection = house.collection("Season <1>").await;
    let ambient = house.ambient();
    let session = tonearm_domain::PlaySession {
        id: ambient.credential_id(),
        organization_id: house.organization_id,
        creator_id: None,
        collection_id: collection,
        track_id: None,
        variants: Selection::All,
        recipes: tonearm_domain::NamedRecipes::UNKNOWN,
        organization_index: Some("listener-7".to_owned()),
        metadata: tonearm_domain::Metadata::default(),
        is_downloadable: false,
        expires_at: ambient.now().plus_seconds(60),
        api_key_id: None,
        handle: Some(ambient.record_id()),
    };
    let tx = house.catalog.begin().await.unwrap();
    tx.insert_play_sessions(std::slice::from_ref(&session)).await.unwrap();
    tx.commit().await.unwrap();
    let list = browser.get(&sessions).await;
    for shown in ["Season &#60;1&#62;", "listener-7", &session.handle.unwrap().to_string()] {
        assert!(list.html.contains(shown), "{shown} in {}", list.html);
    }
    assert!(!list.html.contains(&session.id.to_string()), "the id is a credential");
    assert!(browser.get(&format!("{sessions}?kind=upload")).await.html.contains("No valid sessions"));
    let end = house.path(&format!("/sessions/play/{}/end", session.handle.unwrap()));
    assert_eq!(editor.get(&sessions).await.status, 403);
    assert_eq!(editor.submit(&house.path("/library"), &end, &[]).await.status, 403);
    assert_eq!(browser.submit(&sessions, &end, &[]).await.status, 303);
    let ended = house.catalog.play_session(session.id).await.unwrap().unwrap();
    assert_eq!(ended.expires_at, ambient.now());
    assert!(browser.get(&sessions).await.html.contains("No valid sessions"));
    assert_eq!(browser.submit(&sessions, &end, &[]).await.status, 404);
}
