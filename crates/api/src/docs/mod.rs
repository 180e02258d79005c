//! `/docs`: the OpenAPI document as HTML, generated from it once, at the first request: an index of all operations, and a
//! page for each resource.
//!
//! The pages are our own instead of a viewer such as Swagger UI. They load no external resources and add some kilobytes to
//! the program, where a viewer would add megabytes. Without its script, which searches, the index is a list.

mod html;
mod operation;
mod shape;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use axum::Router;
use axum::extract::Path;
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use bytes::Bytes;
use http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE, LOCATION};
use http::{HeaderValue, StatusCode};
use serde_json::{Value, json};

use self::html::escape;
use self::operation::{ERROR, Operation};
use self::shape::Shape;

/// Allows only the pages' own style sheet and script: no frames, no resources from other origins.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
);

/// The pages, by the last part of their path; the index is under "". Their text is the same for all nodes of a version.
static PAGES: LazyLock<BTreeMap<String, Bytes>> = LazyLock::new(|| pages(&crate::document()));

/// `/docs`, its pages, its style sheet and its script.
pub(crate) fn routes() -> Router {
    let resource = async |Path(resource): Path<String>| page(&resource);
    Router::new()
        .route("/docs", get(async || page("")))
        .route("/docs/{resource}", get(resource))
        .route("/docs/style.css", get(async || file("text/css; charset=utf-8", include_str!("style.css"))))
        .route(
            "/docs/search.js",
            get(async || file("text/javascript; charset=utf-8", include_str!("search.js"))),
        )
}

fn file(content_type: &'static str, text: &'static str) -> Response {
    ([(CONTENT_TYPE, content_type)], text).into_response()
}

fn page(resource: &str) -> Response {
    match PAGES.get(resource) {
        Some(page) => ([(CONTENT_SECURITY_POLICY, POLICY)], Html(page.clone())).into_response(),
        None => (StatusCode::SEE_OTHER, [(LOCATION, "/docs")]).into_response(),
    }
}

/// A resource: a tag of the document, and its operations.
struct Resource<'a> {
    name: &'a str,
    operations: Vec<Operation<'a>>,
}

impl<'a> Resource<'a> {
    /// All resources in the order of the document's tags. Tags that are not listed there come last.
    fn all(document: &'a Value) -> Vec<Self> {
        let listed = document["tags"].as_array().into_iter().flatten();
        let named =
            |tag: &'a Value| Self { name: tag["name"].as_str().unwrap_or_default(), operations: Vec::new() };
        let mut all: Vec<Self> = listed.map(named).collect();
        for operation in Operation::all(document) {
            match all.iter_mut().find(|resource| resource.name == operation.tag) {
                Some(resource) => resource.operations.push(operation),
                None => all.push(Self { name: operation.tag, operations: vec![operation] }),
            }
        }
        all
    }

    /// The last part of the path of its page.
    fn slug(&self) -> String {
        slug(self.name)
    }

    fn path(&self) -> String {
        format!("/docs/{}", self.slug())
    }

    /// A list of its operations, in HTML.
    fn list(&self, entry: impl Fn(&Operation<'a>, &str) -> String) -> String {
        let (path, name) = (self.path(), escape(self.name));
        let entries: String = self.operations.iter().map(|operation| entry(operation, &path)).collect();
        format!(r#"<li data-resource><a href="{path}">{name}</a><ul>{entries}</ul></li>"#)
    }
}

fn slug(tag: &str) -> String {
    tag.to_lowercase().replace(' ', "-")
}

fn pages(document: &Value) -> BTreeMap<String, Bytes> {
    let resources = Resource::all(document);
    let contents: String = resources.iter().map(|resource| resource.list(Operation::link)).collect();
    let title = escape(document["info"]["title"].as_str().unwrap_or_default());
    let mut pages = BTreeMap::new();
    for resource in &resources {
        let name = escape(resource.name);
        let articles: String = resource.operations.iter().map(Operation::article).collect();
        let events = events(document, resource);
        let main = format!(
            r#"<p><a href="/docs">{title} API reference</a></p>
<h1>{name}</h1>
<p>{COMMANDS} Every error has <a href="/docs#errors">the same body</a>.</p>
{articles}{events}"#
        );
        pages.insert(resource.slug(), framed(&format!("{name} · {title} API reference"), &contents, &main));
    }
    pages.insert(
        String::new(),
        framed(&format!("{title} API reference"), &contents, &index(document, &resources)),
    );
    pages
}

/// The events of a resource, if it has any.
fn events(document: &Value, resource: &Resource<'_>) -> String {
    let events = Operation::events(document);
    let events = events.iter().filter(|event| event.tag == resource.name).map(Operation::event);
    let events: String = events.collect();
    if events.is_empty() { events } else { format!("<h2>Events</h2><p>{SIGNATURES}</p>{events}") }
}

const SIGNATURES: &str = "Each event is sent as a <code>POST</code> to the URL of the webhook, and signed as Standard Webhooks \
                          describes: the signature is the base64 of HMAC-SHA256 over <code>webhook-id</code>, \
                          <code>webhook-timestamp</code> and the body, with dots between them, and its key is the secret \
                          without <code>whsec_</code>, decoded from base64.";

const COMMANDS: &str = "In the commands, <code>$base</code> is the URL of the service, and <code>$key</code> an API key. Replace \
                        <code>…</code> and other values with yours.";

fn index(document: &Value, resources: &[Resource<'_>]) -> String {
    let info = &document["info"];
    let title = escape(info["title"].as_str().unwrap_or_default());
    let description = escape(info["description"].as_str().unwrap_or_default());
    let error = Shape::new(document, &json!({ "$ref": ERROR })).list();
    let list: String = resources.iter().map(|resource| resource.list(Operation::summary_link)).collect();
    format!(
        r#"<h1>{title}</h1>
<p>{description}</p>
<p>The OpenAPI document is at <a href="/openapi.json">/openapi.json</a>.</p>
<p>{COMMANDS}</p>
<details id="errors"><summary>Every error has this body.</summary>{error}</details>
<ul class="index">{list}</ul>"#
    )
}

fn framed(title: &str, contents: &str, main: &str) -> Bytes {
    format!(
        r#"<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<link rel="stylesheet" href="/docs/style.css">
<script type="module" src="/docs/search.js"></script>
</head>
<body>
<nav aria-label="Operations">
<form role="search" hidden><input type="search" aria-label="Search operations" placeholder="Search operations"><p role="status"></p></form>
<details><summary>Operations</summary><ul>{contents}</ul></details>
</nav>
<main>
{main}
</main>
</body>
</html>
"#
    )
    .into()
}
