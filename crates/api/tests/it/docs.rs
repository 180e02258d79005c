//! `/docs` is the description in readable form.

use std::collections::BTreeSet;

use axum::body::Body;
use http::{HeaderMap, Request};
use serde_json::Value;
use tonearm_fixtures::TestDatabase;

use crate::house::House;

impl House {
    async fn page(&self, path: &str) -> (u16, HeaderMap, String) {
        let request = Request::get(path).body(Body::empty()).unwrap();
        let (status, headers, body) = self.send_raw(request).await;
        (status.as_u16(), headers, String::from_utf8(body).unwrap())
    }
}

/// The text of a page as people see it.
fn shown(html: &str) -> String {
    let characters = [("&quot;", "\""), ("&#39;", "'"), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")];
    characters.iter().fold(html.to_owned(), |text, (escaped, character)| text.replace(escaped, character))
}

#[tokio::test]
async fn every_operation_is_on_the_page_of_its_resource() {
    let house = House::open(TestDatabase::sqlite()).await;
    let (status, _, index) = house.page("/docs").await;
    assert_eq!(status, 200);
    for item in house.document().await["paths"].as_object().unwrap().values() {
        for operation in item.as_object().unwrap().values() {
            let id = operation["operationId"].as_str().unwrap();
            let (before, _) =
                index.split_once(&format!("#{id}\">")).unwrap_or_else(|| panic!("{id} is not listed"));
            let path = before.rsplit_once("href=\"").unwrap().1;
            let (status, _, page) = house.page(path).await;
            assert_eq!(status, 200, "{path}");
            let (_, article) = page
                .split_once(&format!("<article id=\"{id}\">"))
                .unwrap_or_else(|| panic!("{id} is not on {path}"));
            let (article, _) = article.split_once("</article>").unwrap();
            assert!(article.contains("<pre>curl -"), "{id} has no command");
            let sent = &operation["requestBody"]["content"]["application/json"];
            let data = sent.get("example").map_or("-d '{\"".to_owned(), |example| format!("-d '{example}'"));
            assert!(sent.is_null() || shown(article).contains(&data), "{id} is not sent with {data}");
            let content = &operation["responses"]["200"]["content"]["application/json"];
            if content.is_object() {
                let example = format!("{:#}", content["example"]);
                assert!(
                    content["example"].is_object() && shown(article).contains(&example),
                    "{id} has no example"
                );
            }
        }
    }
    assert_eq!(house.page("/docs/nothing").await.0, 303);
}

#[tokio::test]
async fn pages_load_only_their_own_files() {
    let house = House::open(TestDatabase::sqlite()).await;
    for path in ["/docs", "/docs/collections"] {
        let (_, headers, page) = house.page(path).await;
        let policy = headers["content-security-policy"].to_str().unwrap();
        assert!(policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self';"), "{policy}");
        for loading in ["src=", "<link rel=\"stylesheet\" href="] {
            for file in page.split(loading).skip(1) {
                assert!(file.starts_with("\"/docs/"), "{path} loads {file}");
            }
        }
        assert!(!page.contains("href=\"http"), "{path}");
        let errors = page.matches("unsupported_media_type").count();
        assert_eq!(errors, usize::from(path == "/docs"), "errors are described once");
    }
    let (_, _, page) = house.page("/docs/collections").await;
    let command = r#"curl -sSf -X POST "$base/v1/collection" -H "Authorization: Bearer $key" \
  -H 'Content-Type: application/json' -d '{""#;
    assert!(shown(&page).contains(command));
    assert!(shown(&page).contains(r#"<pre>curl -sSf "$base/v1/collection"#) && !page.contains("-X GET"));
    for (path, content_type) in [("/docs/search.js", "text/javascript"), ("/docs/style.css", "text/css")] {
        let (_, headers, file) = house.page(path).await;
        assert!(headers["content-type"].to_str().unwrap().starts_with(content_type) && !file.is_empty());
    }
}

/// The descriptions of all properties in a schema: of the property, else of the first of its branches that has one.
fn descriptions<'a>(
    document: &'a Value,
    schema: &'a Value,
    found: &mut BTreeSet<&'a str>,
    seen: &mut BTreeSet<&'a str>,
) {
    if let Some(reference) = schema["$ref"].as_str()
        && seen.insert(reference)
    {
        descriptions(document, document.pointer(&reference[1..]).unwrap(), found, seen);
    }
    let branches = |schema: &'a Value| {
        ["oneOf", "anyOf", "allOf"]
            .into_iter()
            .filter_map(move |keyword| schema[keyword].as_array())
            .flatten()
    };
    for property in schema["properties"].as_object().into_iter().flatten().map(|(_, property)| property) {
        let described = std::iter::once(property).chain(branches(property));
        found.extend(described.filter_map(|schema| schema["description"].as_str()).take(1));
        descriptions(document, property, found, seen);
    }
    for part in branches(schema).chain(schema.get("items")) {
        descriptions(document, part, found, seen);
    }
}

#[tokio::test]
async fn every_description_is_on_the_pages() {
    let house = House::open(TestDatabase::sqlite()).await;
    let document = house.document().await;
    let text = |page: &str| shown(&page.replace("<code>", "").replace("</code>", ""));
    let index = text(&house.page("/docs").await.2);
    let items = ["paths", "webhooks"].into_iter().flat_map(|section| document[section].as_object().unwrap());
    for (name, item) in items {
        for operation in item.as_object().unwrap().values() {
            let tag = operation["tags"][0].as_str().unwrap().to_lowercase().replace(' ', "-");
            let page = text(&house.page(&format!("/docs/{tag}")).await.2);
            let id = operation["operationId"].as_str().unwrap_or(name);
            let (_, article) = page.split_once(&format!("<article id=\"{id}\">")).unwrap();
            let (article, _) = article.split_once("</article>").unwrap();
            let (mut found, mut seen) = (BTreeSet::new(), BTreeSet::new());
            let parameters = operation["parameters"].as_array().into_iter().flatten();
            found.extend(parameters.filter_map(|parameter| parameter["description"].as_str()));
            let bodies = operation["responses"].as_object().unwrap().values();
            for body in bodies.chain(operation.get("requestBody")) {
                let reference = body["$ref"].as_str().and_then(|reference| document.pointer(&reference[1..]));
                let contents = reference.unwrap_or(body)["content"].as_object().into_iter().flatten();
                for (_, content) in contents {
                    descriptions(&document, &content["schema"], &mut found, &mut seen);
                }
            }
            for description in found {
                let description = description.replace('`', "");
                let is_shown = article.contains(&description) || index.contains(&description);
                assert!(is_shown, "{id} lacks: {description}");
            }
        }
    }
}
