//! `/docs` is the description in readable form.

use axum::body::Body;
use http::{HeaderMap, Request};
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
    let command = r#"curl -X POST "$base/v1/collection" -H "Authorization: Bearer $key" \
  -H 'Content-Type: application/json' -d '{"title":"…"}'"#;
    assert!(shown(&page).contains(command));
    for (path, content_type) in [("/docs/search.js", "text/javascript"), ("/docs/style.css", "text/css")] {
        let (_, headers, file) = house.page(path).await;
        assert!(headers["content-type"].to_str().unwrap().starts_with(content_type) && !file.is_empty());
    }
}
