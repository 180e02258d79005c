//! Variants, webhooks and transcription.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::routing::post;
use http::StatusCode;
use tonearm_domain::TranscriptionState;
use tonearm_fixtures::TestDatabase;

use crate::house::House;

crate::on_both!(
    variants_are_added_and_removed,
    webhooks_are_set,
    transcription_is_set,
    a_provider_is_tested_and_its_failures_are_listed,
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
    // The name of the removed variant can be used again.
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

/// A provider that returns each of `answers` once, then rejects the key. Returns its base URL.
async fn provider(answers: [&'static str; 3]) -> String {
    let answers = Arc::new(Mutex::new(answers.into_iter()));
    let answer = move || {
        let answer = answers.lock().unwrap().next();
        async move {
            answer.map_or((StatusCode::UNAUTHORIZED, "no such <key>"), |answer| (StatusCode::OK, answer))
        }
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let routes = Router::new().route("/v1/audio/transcriptions", post(answer));
    tokio::spawn(async move { axum::serve(listener, routes).await });
    url
}

async fn a_provider_is_tested_and_its_failures_are_listed(database: TestDatabase) {
    let house = House::open(database).await;
    let mut browser = house.administrator().await.at(house.reopened_allowing_private());
    let (page, test) = (house.path("/transcription"), house.path("/transcription/test"));
    assert_eq!(browser.submit(&page, &test, &[]).await.status, 422, "there is nothing to test yet");
    let answers = [r#"{"text":""}"#, r#"{"text":"A <tone>"}"#, "<html>"];
    let url = provider(answers).await;
    let fields = [("base_url", url.as_str()), ("model", "m"), ("language", ""), ("key", "sk-secret")];
    assert_eq!(browser.submit(&page, &page, &fields).await.status, 303);
    for (class, told) in [
        ("good", "s and, as expected, found no speech in the test tone."),
        ("good", "s and transcribed the test tone as “A &#60;tone&#62;”."),
        ("bad", "The test failed: the provider&#39;s response is not a transcription."),
        ("bad", "The test failed: the provider responded with 401: no such &#60;key&#62;."),
    ] {
        let tested = browser.submit(&page, &test, &[]).await;
        assert_eq!(tested.status, 200, "{}", tested.html);
        let notice = tested.between(&format!("<p class=\"notice {class}\" role=\"status\">"), "</p>");
        assert!(notice.contains(told), "{told} in {notice}");
        assert!(!tested.html.contains("sk-secret"), "{}", tested.html);
    }
    let mut editor = house.invited(&mut browser, "Ed", "editor").await;
    let secret = editor.get(&house.path("/library")).await.form_secret();
    assert_eq!(editor.post(&test, &[("form_secret", secret.as_str())]).await.status, 403);

    assert!(!browser.get(&page).await.html.contains("Recent failures"));
    let collection = house.collection("Talks").await;
    let (gone, talk) = (house.track(collection, "a.wav").await, house.track(collection, "b.wav").await);
    for (id, state, reason) in [
        (gone, TranscriptionState::Failed, "the provider's response contains no text"),
        (talk, TranscriptionState::Pending, "the provider responded with 503: <busy>"),
    ] {
        house.note_transcription(id, state, Some(reason)).await;
    }
    let list = browser.get(&page).await.html;
    for told in [
        "Recent failures",
        &format!("/tracks/{talk}\""),
        "The provider responded with 503: &#60;busy&#62;.",
        "Will be retried",
        &format!("/tracks/{gone}\""),
        "The provider&#39;s response contains no text.",
        "<span class=\"badge bad\">Failed</span>",
    ] {
        assert!(list.contains(told), "{told} in {list}");
    }
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
