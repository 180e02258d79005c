//! `/docs` is the description in readable form.

use axum::body::Body;
use http::Request;
use tonearm_fixtures::TestDatabase;

use crate::house::House;

#[tokio::test]
async fn the_page_has_every_operation_and_loads_nothing() {
    let house = House::open(TestDatabase::sqlite()).await;
    let request = Request::get("/docs").body(Body::empty()).unwrap();
    let (status, headers, body) = house.send_raw(request).await;
    assert_eq!(status, 200);
    assert!(headers["content-security-policy"].to_str().unwrap().starts_with("default-src 'none'"));
    let page = String::from_utf8(body).unwrap();
    for item in house.document().await["paths"].as_object().unwrap().values() {
        for operation in item.as_object().unwrap().values() {
            let id = operation["operationId"].as_str().unwrap();
            let (_, article) = page
                .split_once(&format!("<article id=\"{id}\">"))
                .unwrap_or_else(|| panic!("{id} is not on the page"));
            let (article, _) = article.split_once("</article>").unwrap();
            assert!(article.contains("<pre>curl -"), "{id} has no command");
        }
    }
    let command = r#"curl -X POST "$base/v1/collection" -H "Authorization: Bearer $key" \
  -H 'Content-Type: application/json' -d '{"title":"…"}'"#;
    let shown = page.replace("&quot;", "\"").replace("&#39;", "'").replace("&#x27;", "'");
    assert!(shown.contains(command));
    assert_eq!(page.matches("unsupported_media_type").count(), 1, "errors are described once");
    for loading in ["<script", "src=", "href=\"http"] {
        assert!(!page.contains(loading), "{loading}");
    }
}
