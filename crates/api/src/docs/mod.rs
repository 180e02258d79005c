//! `GET /docs`: the OpenAPI document as an HTML page, generated from `/openapi.json` once, at the first request.
//!
//! The page is our own instead of a viewer such as Swagger UI. It loads no external resources, runs no scripts, and
//! adds some kilobytes to the program, where a viewer would add megabytes.

mod html;
mod operation;
mod shape;

use std::fmt::Write as _;
use std::sync::LazyLock;

use axum::Router;
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use bytes::Bytes;
use http::HeaderValue;
use http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use serde_json::{Value, json};

use self::html::escape;
use self::operation::{ERROR, Operation};
use self::shape::Shape;

/// Allows only the page's own style sheet: no scripts, no frames, no resources from other origins.
const POLICY: HeaderValue =
    HeaderValue::from_static("default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'none'");

/// The page. Its text is the same for all nodes of a version.
static PAGE: LazyLock<Bytes> = LazyLock::new(|| page(&crate::document()).into());

/// `/docs` and its style sheet.
pub(crate) fn routes() -> Router {
    Router::new()
        .route("/docs", get(async || ([(CONTENT_SECURITY_POLICY, POLICY)], Html(PAGE.clone()))))
        .route("/docs/style.css", get(style))
}

async fn style() -> Response {
    ([(CONTENT_TYPE, "text/css; charset=utf-8")], include_str!("style.css")).into_response()
}

fn page(document: &Value) -> String {
    let operations = Operation::all(document);
    let named = document["tags"].as_array().into_iter().flatten();
    let mut tags: Vec<&str> = named.filter_map(|tag| tag["name"].as_str()).collect();
    // Tags that are not in the list come last.
    for operation in &operations {
        if !tags.contains(&operation.tag) {
            tags.push(operation.tag);
        }
    }
    let (mut contents, mut sections) = (String::new(), String::new());
    for tag in tags {
        let tag_name = escape(tag);
        let (mut links, mut articles) = (String::new(), String::new());
        for operation in operations.iter().filter(|operation| operation.tag == tag) {
            links.push_str(&operation.link());
            articles.push_str(&operation.article(document));
        }
        // Writing to a string cannot fail.
        let _ = write!(contents, "<li>{tag_name}<ul>{links}</ul></li>");
        let _ = write!(sections, "<section><h2>{tag_name}</h2>{articles}</section>");
    }
    let error = Shape::new(document, &json!({ "$ref": ERROR })).list();
    let info = &document["info"];
    let title = escape(info["title"].as_str().unwrap_or_default());
    let description = escape(info["description"].as_str().unwrap_or_default());
    format!(
        r#"<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title} API reference</title>
<link rel="stylesheet" href="/docs/style.css">
</head>
<body>
<nav aria-label="Operations"><details><summary>Operations</summary><ul>{contents}</ul></details></nav>
<main>
<header>
<h1>{title}</h1>
<p>{description}</p>
<p>The OpenAPI document is at <a href="/openapi.json">/openapi.json</a>.</p>
<p>In the commands, <code>$base</code> is the URL of the service, and <code>$key</code> an API key. Replace <code>…</code> and other values with
yours.</p>
<details id="errors"><summary>Every error has this body.</summary>{error}</details>
</header>
{sections}
</main>
</body>
</html>
"#
    )
}
