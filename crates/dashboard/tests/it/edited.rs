//! Two people, or two tabs, change one record: nothing that either of them changed is lost unseen.

use tonearm_domain::KeyType;
use tonearm_fixtures::TestDatabase;
use tonearm_service::CreateKey;

use crate::browser::{Browser, Page};
use crate::house::House;

crate::on_both!(
    changes_of_other_fields_are_kept,
    changes_of_the_same_field_are_shown_first,
    a_key_is_for_the_server_that_the_form_shows,
);

/// A form that changes a record: its page, where it is sent to, and two values for each of its fields.
struct EditForm {
    page: String,
    action: String,
    fields: Vec<(&'static str, [&'static str; 2])>,
}

/// The fields of a form as its page has them.
#[derive(Clone)]
struct Filled(Vec<(String, String)>);

impl Filled {
    /// The form on a page that is sent to this address.
    fn on(page: &Page, action: &str) -> Self {
        let form =
            page.between(&format!("<form method=\"post\" action=\"{action}\" class=\"stack"), "</form>");
        let attribute = |tag: &str, name: &str| {
            let value = tag.split_once(&format!(" {name}=\""))?.1.split_once('"')?.0;
            Some(unescaped(value))
        };
        let mut fields = Vec::new();
        for element in form.split('<') {
            let Some((tag, text)) = element.split_once('>') else { continue };
            let Some(name) = attribute(tag, "name") else { continue };
            let is_box = tag.contains("type=\"checkbox\"") || tag.contains("type=\"radio\"");
            if is_box && !tag.ends_with(" checked") {
                continue;
            }
            let value =
                if tag.starts_with("textarea") { Some(unescaped(text)) } else { attribute(tag, "value") };
            fields
                .push((name, value.unwrap_or_else(|| if is_box { "on".to_owned() } else { String::new() })));
        }
        Self(fields)
    }

    fn get(&self, name: &str) -> &str {
        self.0.iter().find(|(own, _)| own == name).map_or("", |(_, value)| value)
    }

    /// With another value, as a person would enter it. An unticked box has none.
    fn with(&self, name: &str, value: &str) -> Self {
        let mut fields: Vec<_> = self.0.iter().filter(|(own, _)| own != name).cloned().collect();
        let mut put = |name: &str, value: &str| fields.push((name.to_owned(), value.to_owned()));
        if !(name.starts_with("is_") && value.is_empty()) {
            put(name, value);
        }
        match name {
            "player_color" if self.0.iter().any(|(own, _)| own == "opened_with_own_color") => {
                put("own_color", "on")
            }
            "origins" => fields
                .iter_mut()
                .filter(|(own, _)| own == "pages")
                .for_each(|(_, it)| *it = "only".to_owned()),
            _ => {}
        }
        Self(fields)
    }

    async fn is_sent(&self, browser: &mut Browser, page: &str) -> Page {
        let fields: Vec<_> = self.0.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        browser.post(page, &fields).await
    }
}

fn unescaped(text: &str) -> String {
    let characters = [("&#34;", "\""), ("&#39;", "'"), ("&#60;", "<"), ("&#62;", ">"), ("&#38;", "&")];
    characters
        .into_iter()
        .fold(text.to_owned(), |text, (escaped, character)| text.replace(escaped, character))
}

impl House {
    async fn edit_forms(&self, owner: &mut Browser) -> Vec<EditForm> {
        let collection = self.collection("Season").await;
        let track = self.track(collection, "a.wav").await;
        let key = CreateKey::new(KeyType::Api, "Website");
        let key = self.library.create_key(&self.owner(), key).await.unwrap().key.id;
        let transcription = self.path("/transcription");
        let provider = [("base_url", "https://example.com/v1"), ("model", "medium")];
        assert_eq!(owner.submit(&transcription, &transcription, &provider).await.status, 303);
        let (title, subtitle) = (["Mine", "Yours “&” 'theirs'"], ["Live", "In <b>concert</b>"]);
        let (colour, index) = (("player_color", ["#112233", "#445566"]), ["12", "13"]);
        let form = |page: &str, fields| EditForm { page: self.path(page), action: self.path(page), fields };
        vec![
            form(
                &format!("/collections/{collection}"),
                vec![("title", title), ("player_subtitle", subtitle), colour],
            ),
            form(
                &format!("/tracks/{track}"),
                vec![
                    ("player_title", title),
                    ("player_subtitle", subtitle),
                    ("organization_index", index),
                    colour,
                ],
            ),
            form(
                "/organization",
                vec![
                    ("name", title),
                    ("player_subtitle", subtitle),
                    colour,
                    ("is_cover_overridable", ["", "on"]),
                    ("is_theme_overridable", ["", "on"]),
                ],
            ),
            form(
                &format!("/keys/{key}"),
                vec![
                    ("title", title),
                    ("expires_at", ["2040-01-31T12:00", "2041-01-31T12:00"]),
                    ("origins", ["https://a.example", "https://b.example\nhttps://c.example"]),
                ],
            ),
            form(
                "/transcription",
                vec![
                    ("base_url", ["https://a.example/v1", "https://b.example/v1"]),
                    ("model", ["small", "large"]),
                    ("language", ["de", "fr"]),
                ],
            ),
            EditForm {
                page: self.path("/webhooks"),
                action: self.path("/webhooks/track/set"),
                fields: vec![("url", ["https://a.example/hook", "https://b.example/hook"])],
            },
        ]
    }
}

async fn changes_of_other_fields_are_kept(database: TestDatabase) {
    let house = House::open(database).await;
    let mut browser = house.administrator().await;
    for EditForm { page, action, fields } in house.edit_forms(&mut browser).await {
        let opened = Filled::on(&browser.get(&page).await, &action);
        // Every field is changed in another tab, and each of them was opened before all these changes.
        for (name, [value, _]) in &fields {
            let sent = opened.with(name, value).is_sent(&mut browser, &action).await;
            assert_eq!(sent.status, 303, "{page}, {name}: {}", sent.html);
        }
        let saved = Filled::on(&browser.get(&page).await, &action);
        for (name, [value, _]) in &fields {
            assert_eq!(saved.get(name), *value, "{page}, {name}");
        }
    }
}

async fn a_key_is_for_the_server_that_the_form_shows(database: TestDatabase) {
    let house = House::open(database).await;
    let mut browser = house.administrator().await;
    let page = house.path("/transcription");
    let provider = [("base_url", "https://example.com/v1"), ("model", "medium")];
    assert_eq!(browser.submit(&page, &page, &provider).await.status, 303);
    let opened = Filled::on(&browser.get(&page).await, &page);
    let moved = opened.with("base_url", "https://other.example/v1").is_sent(&mut browser, &page).await;
    assert_eq!(moved.status, 303);
    let sent = opened.with("key", "sk-of-example").is_sent(&mut browser, &page).await;
    assert_eq!(sent.status, 409, "{}", sent.html);
    assert!(sent.html.contains("https://other.example/v1"), "{}", sent.html);
}

async fn changes_of_the_same_field_are_shown_first(database: TestDatabase) {
    let house = House::open(database).await;
    let mut browser = house.administrator().await;
    for EditForm { page, action, fields } in house.edit_forms(&mut browser).await {
        // Of the two values of a box, one is the value that the form was opened with.
        for (name, [first, second]) in fields.iter().filter(|(name, _)| !name.starts_with("is_")) {
            let opened = Filled::on(&browser.get(&page).await, &action);
            let (mine, yours) = (opened.with(name, first), opened.with(name, second));
            assert_eq!(mine.is_sent(&mut browser, &action).await.status, 303, "{page}, {name}");
            let refused = yours.is_sent(&mut browser, &action).await;
            assert_eq!(refused.status, 409, "{page}, {name}: {}", refused.html);
            let problem = refused.between(&format!("id=\"{name}-problem\">"), "</p>");
            assert!(
                problem.contains(first) && problem.contains("in the meantime"),
                "{page}, {name}: {problem}"
            );
            assert_eq!(Filled::on(&browser.get(&page).await, &action).get(name), *first, "{page}, {name}");
            // Whoever has seen both may choose.
            let shown = Filled::on(&refused, &action);
            assert_eq!(shown.get(name), *second, "{page}, {name}");
            let sent = shown.is_sent(&mut browser, &action).await;
            assert_eq!(sent.status, 303, "{page}, {name}: {}", sent.html);
            assert_eq!(Filled::on(&browser.get(&page).await, &action).get(name), *second, "{page}, {name}");
        }
    }
}
