//! Share links of one track or collection: created, copied again, revoked.

use tonearm_domain::{ApiKey, KeyType};
use tonearm_fixtures::TestDatabase;
use tonearm_service::{Caller, CreateKey};

use crate::browser::Page;
use crate::house::{House, PUBLIC_URL};

crate::on_both!(
    a_link_is_copied_again_later_and_revoked,
    forms_of_links_say_what_is_wrong,
    links_are_of_what_they_are_listed_at,
    editors_share_and_viewers_do_not,
    lists_of_links_have_pages,
    a_look_is_chosen,
);

const FORM: [(&str, &str); 4] =
    [("variant", "hq"), ("expires", "never"), ("title", "For the “press”"), ("is_downloadable", "on")];

impl House {
    async fn share_keys(&self) -> Vec<ApiKey> {
        let keys = self.library.keys(&Caller::owner(self.organization_id)).await.unwrap();
        keys.into_iter().filter(|key| key.key_type == KeyType::Share).collect()
    }
}

fn url(page: &Page) -> String {
    page.between("id=\"share-url\" readonly value=\"", "\"")
}

async fn a_link_is_copied_again_later_and_revoked(database: TestDatabase) {
    let house = House::open(database).await;
    let (mut browser, collection) = (house.administrator().await, house.collection("Season <1>").await);
    let track = house.track(collection, "ebb.wav").await;
    for (target, is_track) in
        [(format!("/tracks/{track}"), true), (format!("/collections/{collection}"), false)]
    {
        let page = browser.get(&house.path(&target)).await;
        let share = house.path(&format!("{target}/share"));
        assert!(page.html.contains(&format!("href=\"{share}\" data-share")), "{}", page.html);
        let made = browser.submit(&share, &share, &FORM).await;
        assert_eq!(made.status, 303, "{}", made.html);
        let shown = browser.get(&made.location).await;
        let link = url(&shown);
        let key = link.rsplit('/').next().unwrap().to_owned();
        let public = if is_track { format!("{track}/{key}") } else { key.clone() };
        assert_eq!(link, format!("{PUBLIC_URL}/share/{public}"));
        assert!(
            shown.html.contains(&format!("<iframe class=\"preview\" src=\"/embed/{public}\"")) || is_track
        );
        for told in ["For the “press”", "Downloads", "Does not expire", "never used"] {
            assert!(shown.html.contains(told), "{told} in {}", shown.html);
        }
        // Other people see the same link later.
        let later = browser.get(&share).await;
        assert!(later.html.contains(&format!("data-copy=\"{link}\"")), "{}", later.html);
        let stored = house.share_keys().await.into_iter().find(|key| key.revoked_at.is_none()).unwrap();
        assert_eq!((stored.scope.track().is_some(), stored.is_downloadable), (is_track, true));
        assert_eq!(stored.scope.collection(), Some(collection));
        // The database stores the text only sealed.
        let kept = house.catalog.share_key_texts(&[stored.id]).await.unwrap().remove(&stored.id).unwrap();
        assert!(!String::from_utf8_lossy(&kept).contains(&key));

        let revoked = browser.submit(&share, &format!("{share}/{}/revoke", stored.id), &[]).await;
        assert_eq!((revoked.status, revoked.location.as_str()), (303, share.as_str()));
        let list = browser.get(&share).await;
        assert!(list.html.contains("Link revoked.") && !list.html.contains(&link), "{}", list.html);
        assert!(house.catalog.share_key_texts(&[stored.id]).await.unwrap().is_empty(), "it is forgotten");
        let again = browser.get(&made.location).await;
        assert_eq!(again.status, 404, "what was revoked is not there");
    }
}

async fn forms_of_links_say_what_is_wrong(database: TestDatabase) {
    let house = House::open(database).await;
    let (mut browser, collection) = (house.administrator().await, house.collection("Season").await);
    let share = house.path(&format!("/collections/{collection}/share"));
    let long = "x".repeat(201);
    for (change, said) in [
        (("variant", "nosuch"), "Choose a variant from the list."),
        (("variant", "\"><script>"), "Choose a variant from the list."),
        (("expires", "date"), "Enter a valid date and time."),
        (("expires", "sometime"), "Enter a valid date and time."),
        (("title", long.as_str()), "Enter a name of up to 200 characters."),
    ] {
        let fields: Vec<_> =
            FORM.into_iter().map(|own| if own.0 == change.0 { change } else { own }).collect();
        let page = browser.submit(&share, &share, &fields).await;
        assert_eq!(page.status, 422, "{change:?}");
        assert!(page.html.contains(said), "{said} in {}", page.html);
    }
    let past = [("variant", "hq"), ("expires", "date"), ("expires_at", "2001-01-01T00:00")];
    let page = browser.submit(&share, &share, &past).await;
    assert!(page.html.contains("Enter a date and time in the future."), "{}", page.html);
    assert!(page.html.contains("value=\"2001-01-01T00:00\""), "what was typed stays");
    assert!(house.share_keys().await.is_empty());
    let forged = browser.post_from("https://evil.example", &share, &FORM).await;
    assert_eq!(forged.status, 403);
    let forged = browser.post(&share, &FORM).await;
    assert_eq!(forged.status, 403, "without the secret of the form");
    assert!(house.share_keys().await.is_empty());
}

async fn links_are_of_what_they_are_listed_at(database: TestDatabase) {
    let house = House::open(database).await;
    let (mut browser, one) = (house.administrator().await, house.collection("One").await);
    let other = house.collection("Other").await;
    let track = house.track(one, "ebb.wav").await;
    let share = house.path(&format!("/collections/{one}/share"));
    browser.submit(&share, &share, &FORM).await;
    let key = house.share_keys().await.remove(0);
    for path in [format!("/collections/{other}"), format!("/tracks/{track}")] {
        let elsewhere = house.path(&format!("{path}/share"));
        assert!(!browser.get(&elsewhere).await.html.contains("For the “press”"), "{path}");
        assert_eq!(browser.get(&format!("{elsewhere}?link={}", key.id)).await.status, 404);
        let revoke = browser.submit(&elsewhere, &format!("{elsewhere}/{}/revoke", key.id), &[]).await;
        assert_eq!(revoke.status, 404, "{path}");
    }
    // Keys of other types are not links, and keys created elsewhere were shown only once.
    let caller = Caller::owner(house.organization_id);
    let mut create = CreateKey::new(KeyType::Player, "A player's");
    create.collection_id = Some(one);
    let player = house.library.create_key(&caller, create.clone()).await.unwrap().key;
    create.title = "By a program".to_owned();
    create.key_type = KeyType::Share;
    create.variants = tonearm_domain::Selection::one("hq".parse().unwrap());
    let made = house.library.create_key(&caller, create).await.unwrap();
    let page = browser.get(&share).await;
    assert!(page.html.contains("By a program") && !page.html.contains("A player's"), "{}", page.html);
    assert!(page.html.contains("This link was shown once"), "{}", page.html);
    assert!(!page.html.contains(made.text.reveal()));
    let revoke = browser.submit(&share, &format!("{share}/{}/revoke", player.id), &[]).await;
    assert_eq!(revoke.status, 404);
    for path in
        [format!("/tracks/{one}/share"), "/tracks/x/share".to_owned(), format!("/collections/{track}/share")]
    {
        assert_eq!(browser.get(&house.path(&path)).await.status, 404, "{path}");
    }
}

async fn editors_share_and_viewers_do_not(database: TestDatabase) {
    let house = House::open(database).await;
    let (mut browser, collection) = (house.administrator().await, house.collection("Season").await);
    let share = house.path(&format!("/collections/{collection}/share"));
    let mut editor = house.invited(&mut browser, "Ed", "editor").await;
    assert_eq!(editor.submit(&share, &share, &FORM).await.status, 303);
    let mut viewer = house.invited(&mut browser, "Vi", "viewer").await;
    let page = viewer.get(&house.path(&format!("/collections/{collection}"))).await;
    assert!(!page.html.contains("data-share"), "{}", page.html);
    assert_eq!(viewer.get(&share).await.status, 403);
    let secret = viewer.get(&house.path("/library")).await;
    let secret = secret.between("data-form-secret=\"", "\"");
    let mut fields = vec![("form_secret", secret.as_str())];
    fields.extend(FORM);
    assert_eq!(viewer.post(&share, &fields).await.status, 403);
    let key = house.share_keys().await.remove(0);
    let revoke = viewer.post(&format!("{share}/{}/revoke", key.id), &fields[..1]).await;
    assert_eq!((revoke.status, house.share_keys().await.remove(0).revoked_at), (403, None));
    assert_eq!(house.browser().get(&share).await.status, 303, "strangers sign in first");
}

async fn lists_of_links_have_pages(database: TestDatabase) {
    let house = House::open(database).await;
    let (mut browser, collection) = (house.administrator().await, house.collection("Season").await);
    let share = house.path(&format!("/collections/{collection}/share"));
    for number in 0..23 {
        house.clock.advance_seconds(1);
        let title = format!("Link {number:02}.");
        let fields = [("variant", "hq"), ("expires", "day"), ("title", title.as_str())];
        assert_eq!(browser.submit(&share, &share, &fields).await.status, 303);
    }
    let first = browser.get(&share).await;
    assert!(first.html.contains("Link 22.") && !first.html.contains("Link 02."), "{}", first.html);
    let older = first.between("/share?before=", "\"");
    let second = browser.get(&format!("{share}?before={older}")).await;
    for number in 0..3 {
        assert!(second.html.contains(&format!("Link {number:02}.")), "{}", second.html);
    }
    assert!(!second.html.contains("Older links"));
    house.clock.advance_seconds(2 * 24 * 3600);
    assert!(browser.get(&share).await.html.contains("Expired"));
}

async fn a_look_is_chosen(database: TestDatabase) {
    let house = House::open(database).await;
    let (mut browser, collection) = (house.administrator().await, house.collection("Season").await);
    let share = house.path(&format!("/collections/{collection}/share"));
    let made = browser.submit(&share, &share, &FORM).await;
    let page = browser.get(&format!("{}&theme=dark&size=tall", made.location)).await;
    assert!(page.html.contains("?theme=dark\" title=\"Preview of the embedded player\" height=\"720\""));
    let snippet = page.between("<textarea id=\"share-frame\"", "</textarea>");
    assert!(snippet.contains("?theme=dark") && snippet.contains("height=&#34;720&#34;"), "{snippet}");
    let page = browser.get(&format!("{}&theme=%22%3E&size=%3Cb%3E", made.location)).await;
    assert!(page.html.contains("height=\"480\"") && !page.html.contains("<b>"), "{}", page.html);
}
