//! Variants, webhooks and transcription.
use tonearm_fixtures::TestDatabase;

use crate::house::House;

crate::on_both!(
    variants_are_added_and_removed,
    webhooks_are_set,
    transcription_is_set,
    signing_keys_are_shown_once,
    an_address_that_cannot_be_read_is_no_page,
);

async fn variants_are_added_and_removed(database: TestDatabase) {
    let house = House::open(database).await;
    let (mut browser, page) = (house.administrator().await, house.path("/variants"));
    let fields = [
        ("index", "mobile"),
        ("kind", "transcode"),
        ("codec", "opus"),
        ("bitrate", "48"),
        ("loudness", "-16"),
        ("is_public", "on"),
    ];
    assert!(!browser.get(&page).await.html.contains("cached by CDNs"));
    assert_eq!(browser.submit(&page, &page, &fields).await.status, 303);
    let list = browser.get(&page).await;
    assert!(list.html.contains("· cached by CDNs</td>"), "{}", list.html);
    assert!(
        list.html.contains("<code>mobile</code>") && list.html.contains("Opus 48 kbit/s"),
        "{}",
        list.html
    );
    for (field, fields) in [
        ("index", [("index", "M"), ("kind", "transcode"), ("bitrate", "48")]),
        ("bitrate", [("index", "other"), ("kind", "transcode"), ("bitrate", "many")]),
        ("", [("index", "other"), ("kind", "transcode"), ("bitrate", "5")]),
        ("", [("index", "other"), ("kind", "nothing"), ("bitrate", "")]),
        ("", [("index", "mobile"), ("kind", "levels"), ("samples", "10")]),
    ] {
        let answer = browser.submit(&page, &page, &fields).await;
        assert_eq!(answer.status, 422, "{fields:?}");
        assert!(answer.html.contains(&format!("id=\"{field}-problem\"")), "{}", answer.html);
    }
    let (_, last) = list.html.rsplit_once("/variants/").unwrap();
    let remove = house.path(&format!("/variants/{}/remove", last.split('/').next().unwrap()));
    assert_eq!(browser.submit(&page, &remove, &[]).await.status, 303);
    let left = browser.get(&page).await.html;
    assert!(left.contains("Being removed") && left.contains("0 files left"), "{left}");
    assert!(!left.contains(&remove), "it is removed once");
    // Its name is free.
    assert_eq!(browser.submit(&page, &page, &fields).await.status, 303);
}

async fn webhooks_are_set(database: TestDatabase) {
    let house = House::open(database).await;
    let (mut browser, page) = (house.administrator().await, house.path("/webhooks"));
    let set = house.path("/webhooks/track/set");
    for bad in ["", "nonsense", "http://127.0.0.1/", "http://169.254.169.254/latest"] {
        let answer = browser.submit(&page, &set, &[("url", bad)]).await;
        assert_eq!(answer.status, 422, "{bad}: {}", answer.html);
        assert!(answer.html.contains("id=\"url-problem\""), "{bad}");
    }
    assert_eq!(browser.submit(&page, &set, &[("url", "https://example.com/hook")]).await.status, 303);
    let shown = browser.get(&page).await.html;
    assert!(shown.contains("https://example.com/hook") && !shown.contains("whsec_"), "{shown}");
    let reveal = |page: &crate::browser::Page| page.between("<code id=\"secret\">", "</code>");
    let first = reveal(&browser.submit(&page, &house.path("/webhooks/track/secret"), &[]).await);
    assert!(first.starts_with("whsec_"), "{first}");
    let second = reveal(&browser.submit(&page, &house.path("/webhooks/track/rotate"), &[]).await);
    assert_ne!(first, second);
    let test = browser.submit(&page, &house.path("/webhooks/track/test"), &[]).await;
    assert_eq!(test.status, 303);
    let delivery = browser.get(&test.location).await;
    assert_eq!(delivery.status, 200);
    assert!(delivery.html.contains("webhook.test"), "{}", delivery.html);
    assert!(browser.get(&page).await.html.contains("webhook.test"));
    assert_eq!(browser.submit(&page, &house.path("/webhooks/nothing/test"), &[]).await.status, 404);
    assert_eq!(browser.submit(&page, &house.path("/webhooks/track/remove"), &[]).await.status, 303);
    assert!(!browser.get(&page).await.html.contains("https://example.com/hook"));
}

async fn transcription_is_set(database: TestDatabase) {
    let house = House::open(database).await;
    let (mut browser, page) = (house.administrator().await, house.path("/transcription"));
    let provider = ("base_url", "https://api.example.com/v1");
    for (field, fields) in [
        ("base_url", [("base_url", "http://127.0.0.1/v1"), ("model", "m"), ("language", "")]),
        ("model", [provider, ("model", " "), ("language", "")]),
        ("language", [provider, ("model", "m"), ("language", "not a code")]),
    ] {
        let answer = browser.submit(&page, &page, &fields).await;
        assert_eq!(answer.status, 422, "{fields:?}");
        assert!(answer.html.contains(&format!("id=\"{field}-problem\"")), "{}", answer.html);
    }
    let fields = [provider, ("model", "m"), ("key", "a secret of the provider")];
    assert_eq!(browser.submit(&page, &page, &fields).await.status, 303);
    let shown = browser.get(&page).await.html;
    assert!(
        shown.contains("Leave empty to keep the current key") && !shown.contains("a secret of"),
        "{shown}"
    );
    assert!(shown.contains("Turn off transcription"), "{shown}");
    browser.submit(&page, &house.path("/transcription/switch"), &[("to", "off")]).await;
    assert!(browser.get(&page).await.html.contains("Turn on transcription"));
}

async fn signing_keys_are_shown_once(database: TestDatabase) {
    let house = House::open(database).await;
    let (mut browser, page) = (house.administrator().await, house.path("/signing-keys"));
    let created = browser.submit(&page, &page, &[("title", "Our <backend>")]).await;
    assert_eq!(created.status, 200, "{}", created.html);
    let secret = created.between("<code id=\"secret\">", "</code>");
    assert_eq!(secret.len(), 64, "{secret}");
    let list = browser.get(&page).await;
    assert!(!list.html.contains(&secret), "it is shown once");
    assert!(list.html.contains("Our &#60;backend&#62;") && list.html.contains("Valid"), "{}", list.html);
    let id = list.between("/signing-keys/", "/revoke");
    let revoke = house.path(&format!("/signing-keys/{id}/revoke"));
    assert_eq!(browser.submit(&page, &revoke, &[]).await.status, 303);
    let list = browser.get(&page).await.html;
    assert!(list.contains("Revoked") && !list.contains("/revoke"), "{list}");
    assert_eq!(browser.submit(&page, &revoke, &[]).await.status, 404);
    let mut editor = house.invited(&mut browser, "Ed", "editor").await;
    assert_eq!(editor.get(&page).await.status, 403);
    assert!(!editor.get(&house.path("/keys")).await.html.contains("signing-keys"));
}

async fn an_address_that_cannot_be_read_is_no_page(database: TestDatabase) {
    let house = House::open(database).await;
    let mut browser = house.administrator().await;
    let library = house.path("/library");
    for path in [
        "/keys/none/revoke",
        "/signing-keys/none/revoke",
        "/variants/none/remove",
        "/members/none/role",
        "/invitations/none/withdraw",
        "/webhooks/deliveries/none/replay",
    ] {
        let page = browser.submit(&library, &house.path(path), &[]).await;
        assert_eq!(page.status, 404, "{path}");
        assert!(page.html.contains("<h1>Page not found</h1>"), "{path}: {}", page.html);
    }
    for path in [
        "/keys?after=a&after=b",
        "/library?q=a&q=b",
        "/tracks?after=a&after=b",
        "/webhooks?before=a&before=b",
        "/webhooks/deliveries/none",
    ] {
        let page = browser.get(&house.path(path)).await;
        assert_eq!(page.status, 404, "{path}");
        assert!(page.html.contains("<h1>Page not found</h1>"), "{path}: {}", page.html);
    }
}
