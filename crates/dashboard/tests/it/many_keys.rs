//! Existing keys: listed in any number, and changed.
use std::sync::{Arc, Mutex};

use tonearm_domain::{AllowedOrigins, ApiKey, ApiKeyId, Clock, KeyScope, KeyType, RecordId, Selection};
use tonearm_fixtures::TestDatabase;
use tonearm_service::{Caller, CreateKey};

use crate::browser::Browser;
use crate::house::House;

crate::on_both!(
    ten_thousand_keys_are_listed_in_pages,
    a_key_is_changed,
    what_is_wrong_with_a_change_is_said,
    editors_change_share_links_only,
    code_for_a_new_key_holds_the_key,
);

const KEYS: i64 = 10_000;
const COLLECTION: &str = "Season <1>";

/// Of ten keys, one is revoked, one has expired, one will expire, and half are limited to a collection.
async fn many_keys(house: &House) {
    let (collection, now) = (house.collection(COLLECTION).await, house.clock.now());
    let tx = house.catalog.begin().await.unwrap();
    for number in 0..KEYS {
        let created_at = now.plus_seconds(number - KEYS);
        let mut hash = [0; 32];
        hash[..8].copy_from_slice(&number.to_be_bytes());
        let key = ApiKey {
            id: ApiKeyId::from_parts(created_at, [0; 10]),
            organization_id: house.organization_id,
            title: format!("Key {number:05} 100%"),
            key_type: if number % 2 == 0 { KeyType::Player } else { KeyType::Uploader },
            scope: if number % 2 == 0 { KeyScope::Organization } else { KeyScope::Collection(collection) },
            creator_id: None,
            variants: Selection::All,
            recipes: tonearm_domain::NamedRecipes::UNKNOWN,
            is_downloadable: false,
            allowed_origins: AllowedOrigins::Any,
            expires_at: match number % 10 {
                1 => Some(now.plus_seconds(-1 - number)),
                2 => Some(now.plus_seconds(3600)),
                _ => None,
            },
            revoked_at: (number % 10 == 0).then_some(now),
            created_at,
            last_used_at: None,
            made_by: None,
        };
        tx.insert_api_key(&key, &hash).await.unwrap();
    }
    tx.commit().await.unwrap();
}

async fn ten_thousand_keys_are_listed_in_pages(database: TestDatabase) {
    let house = House::open(database).await;
    let mut ada = house.administrator().await;
    many_keys(&house).await;
    let keys = house.path("/keys");
    let asked: Arc<Mutex<Vec<String>>> = Arc::default();
    house.catalog.watch_statements({
        let asked = Arc::clone(&asked);
        move |statement| asked.lock().unwrap().push(statement.sql.clone())
    });
    let mut statements = Vec::new();
    let mut address = keys.clone();
    for first in ["Key 09999", "Key 09938", "Key 09876"] {
        asked.lock().unwrap().clear();
        let page = ada.get(&address).await;
        assert!(
            page.html.contains(first) && page.html.contains("Season &#60;1&#62;"),
            "{first}: {}",
            page.html
        );
        assert!(!page.html.contains(">Expired</span>") && !page.html.contains(">Revoked</span>"));
        let about =
            |sql: &&String| ["api_key", "\"track\"", "\"collection\""].iter().any(|name| sql.contains(name));
        statements.push(asked.lock().unwrap().iter().filter(about).count());
        address = page.between("rel=\"next\" href=\"", "\"").replace("&#38;", "&");
    }
    let asked = "the keys, their old secrets, what they made, and what their collections are called";
    assert_eq!(statements, [4, 4, 4], "{asked}");
    let back = ada.get(&address).await.between("rel=\"prev\" href=\"", "\"").replace("&#38;", "&");
    assert!(ada.get(&back).await.html.contains("Key 09876"));
    for (query, there, not_there) in [
        ("state=expired", "Key 00001", "Key 09999"),
        ("state=revoked", "Key 09990", "Key 09991"),
        ("type=uploader", "Key 09999", "Key 09998"),
        ("state=expired&type=player", "No expired key matches.", "Key 0"),
        ("q=KEY+04242", "Key 04242", "Key 09999"),
        ("q=100%25", "Key 09999", "No valid key"),
        ("q=04_42", "No valid key matches.", "Key 0"),
        // Invalid parameters are ignored.
        ("state=x&type=y&after=z", "Key 09999", "Key 00001"),
    ] {
        let page = ada.get(&format!("{keys}?{query}")).await;
        assert_eq!(page.status, 200);
        assert!(page.html.contains(there) && !page.html.contains(not_there), "{query}: {}", page.html);
    }
}

async fn made(house: &House, create: CreateKey) -> ApiKey {
    house.library.create_key(&Caller::owner(house.organization_id), create).await.unwrap().key
}

async fn stored(house: &House, id: ApiKeyId) -> ApiKey {
    house.library.key(&Caller::owner(house.organization_id), id).await.unwrap()
}

async fn a_key_is_changed(database: TestDatabase) {
    let house = House::open(database).await;
    let mut ada = house.administrator().await;
    let expires_at = Some(house.clock.now().plus_seconds(90));
    let key = made(&house, CreateKey { expires_at, ..CreateKey::new(KeyType::Player, "Old <name>") }).await;
    let path = house.path(&format!("/keys/{}", key.id));
    let form = ada.get(&path).await;
    assert!(form.html.contains("value=\"Old &#60;name&#62;\""), "{}", form.html);
    let shown = form.between("name=\"expires_at\" type=\"datetime-local\" value=\"", "\"");
    // An unchanged expiry stays exact to the second.
    let opened_with = form.between("name=\"opened_with_expires_at\" value=\"", "\"").replace("&#34;", "\"");
    let origins = "https://WWW.example.com/\r\n\r\n http://localhost:3000";
    let expiry = [("expires_at", &*shown), ("opened_with_expires_at", &*opened_with)];
    let fields = [("title", "New name"), expiry[0], expiry[1], ("pages", "only"), ("origins", origins)];
    let saved = ada.submit(&path, &path, &fields).await;
    assert_eq!((saved.status, saved.location), (303, house.path("/keys")));
    let changed = stored(&house, key.id).await;
    assert_eq!((changed.title.as_str(), changed.expires_at), ("New name", expires_at));
    let only = changed.allowed_origins.only().unwrap().iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(only, ["https://www.example.com", "http://localhost:3000"]);
    assert!(ada.get(&path).await.html.contains("https://www.example.com\nhttp://localhost:3000</textarea>"));
    // The expiry of an expired key is extended.
    house.clock.advance_seconds(100);
    assert!(ada.get(&house.path("/keys?state=expired")).await.html.contains("New name"));
    let fields = [("title", "New name"), ("expires_at", "2031-01-31T12:00"), ("pages", "all")];
    assert_eq!(ada.submit(&path, &path, &fields).await.status, 303);
    let changed = stored(&house, key.id).await;
    assert_eq!(changed.expires_at.unwrap().to_string(), "2031-01-31T12:00:00.000Z");
    assert_eq!(changed.allowed_origins, AllowedOrigins::Any);
    let fields = [("title", "New name"), ("expires_at", ""), ("pages", "all")];
    assert_eq!(ada.submit(&path, &path, &fields).await.status, 303);
    assert_eq!(stored(&house, key.id).await.expires_at, None);
    ada.submit(&path, &format!("{path}/revoke"), &[]).await;
    assert!(ada.get(&path).await.html.contains("This key is revoked and cannot be changed."));
    let page = ada.submit("/dashboard/profile", &path, &fields).await;
    assert!(page.status == 409 && page.html.contains("is revoked"), "{}", page.html);
}

async fn what_is_wrong_with_a_change_is_said(database: TestDatabase) {
    let house = House::open(database).await;
    let mut ada = house.administrator().await;
    let key = made(&house, CreateKey::new(KeyType::Player, "Player")).await;
    let path = house.path(&format!("/keys/{}", key.id));
    let many = (0..21).map(|number| format!("https://a{number}.example\n")).collect::<String>();
    for (field, fields) in [
        ("title", [("title", " "), ("pages", "all"), ("origins", "")]),
        ("expires_at", [("title", "A"), ("pages", "all"), ("expires_at", "2020-01-01T00:00")]),
        ("expires_at", [("title", "A"), ("pages", "all"), ("expires_at", "soon")]),
        ("origins", [("title", "A"), ("pages", "only"), ("origins", " \n ")]),
        ("origins", [("title", "A"), ("pages", "only"), ("origins", "example.com")]),
        ("origins", [("title", "A"), ("pages", "only"), ("origins", "https://example.com/<b>")]),
        ("origins", [("title", "A"), ("pages", "only"), ("origins", many.as_str())]),
        // Nothing is saved that allows more than intended.
        ("origins", [("title", "A"), ("pages", "all"), ("origins", "https://example.com")]),
    ] {
        let page = ada.submit(&path, &path, &fields).await;
        assert_eq!(page.status, 422, "{fields:?}");
        assert!(page.html.contains(&format!("id=\"{field}-problem\"")), "{field}: {}", page.html);
        assert!(!page.html.contains("<b>"), "{}", page.html);
    }
    assert_eq!(stored(&house, key.id).await, key);
}

async fn editors_change_share_links_only(database: TestDatabase) {
    let house = House::open(database).await;
    let mut ada = house.administrator().await;
    let mut ed = house.invited(&mut ada, "Ed", "editor").await;
    let variants = Selection::one("hq".parse().unwrap());
    let share = made(&house, CreateKey { variants, ..CreateKey::new(KeyType::Share, "Link") }).await;
    let api = made(&house, CreateKey::new(KeyType::Api, "Backend")).await;
    let path = |key: &ApiKey| house.path(&format!("/keys/{}", key.id));
    let page = house.path("/keys");
    let save = async |browser: &mut Browser, key: &ApiKey| {
        let fields = [("title", "Renamed"), ("pages", "only"), ("origins", "https://example.com")];
        browser.submit(&page, &path(key), &fields).await.status
    };
    assert_eq!((ed.get(&path(&share)).await.status, ed.get(&path(&api)).await.status), (200, 404));
    assert!(!ed.get(&path(&share)).await.html.contains("name=\"origins\""));
    assert_eq!(save(&mut ed, &api).await, 404);
    assert_eq!(save(&mut ed, &share).await, 303);
    let share = stored(&house, share.id).await;
    assert_eq!((share.title.as_str(), share.allowed_origins), ("Renamed", AllowedOrigins::Any));
    let second = house.library.create_organization("Second").await.unwrap().organization.id;
    let elsewhere = format!("/dashboard/{second}/keys/{}", api.id);
    assert_eq!(ada.get(&elsewhere).await.status, 404);
}

async fn code_for_a_new_key_holds_the_key(database: TestDatabase) {
    let house = House::open(database).await;
    let (mut ada, new) = (house.administrator().await, house.path("/keys/new"));
    let id = house.collection(COLLECTION).await.to_string();
    for (key_type, shown) in [
        ("api", vec!["/v1/track?limit=10"]),
        ("player", vec!["/v1/play_session/collection", "COLLECTION_ID", "&#60;audio id="]),
        ("uploader", vec!["/v1/upload_session", "COLLECTION_ID", "&#60;input id="]),
    ] {
        let page = ada.submit(&new, &new, &[("type", key_type), ("title", "Code")]).await;
        assert_eq!(page.status, 200, "{}", page.html);
        let key = page.between("<code id=\"key\">", "</code>");
        assert!(page.html.matches(&format!("Bearer {key}")).count() >= 4, "{}", page.html);
        for text in shown.into_iter().chain(["https://audio.example.com/v1/"]) {
            assert!(page.html.contains(text), "{text} in {}", page.html);
        }
    }
    let fields = [
        ("type", "player"),
        ("title", "Code"),
        ("collection", id.as_str()),
        ("pages", "only"),
        ("origins", "https://example.com"),
    ];
    let page = ada.submit(&new, &new, &fields).await;
    assert!(page.html.contains(&id) && !page.html.contains("COLLECTION_ID"), "{}", page.html);
    assert!(ada.get(&house.path("/keys")).await.html.contains("pages of https://example.com"));
}
