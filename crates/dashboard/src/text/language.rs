//! The language of a request: the person's setting, else the browser's preference.

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use http::header::{ACCEPT_LANGUAGE, CONTENT_LANGUAGE, VARY};
use http::{HeaderMap, HeaderValue};
use tonearm_domain::Language;

tokio::task_local! {
    static CURRENT: Language;
}

/// The language of the current request; English outside of requests.
///
/// A body that is streamed is written outside its request: its texts need [`in_language`].
pub(crate) fn current() -> Language {
    CURRENT.try_with(|language| *language).unwrap_or_default()
}

/// Runs a function in a language.
pub(crate) fn in_language<T>(language: Language, work: impl FnOnce() -> T) -> T {
    CURRENT.sync_scope(language, work)
}

/// Handles a request in the language that its browser prefers.
pub(crate) async fn negotiate(request: Request, next: Next) -> Response {
    let language = accepted(request.headers());
    answer(language, request, next).await
}

/// Handles a signed-in person's request in the language that the person has set, if any.
pub(crate) async fn of_person(language: Option<Language>, request: Request, next: Next) -> Response {
    match language {
        Some(language) => answer(language, request, next).await,
        None => next.run(request).await,
    }
}

async fn answer(language: Language, request: Request, next: Next) -> Response {
    let mut response = CURRENT.scope(language, next.run(request)).await;
    let headers = response.headers_mut();
    let is_page = headers.get("content-type").is_some_and(|kind| kind.as_bytes().starts_with(b"text/html"));
    if is_page && !headers.contains_key(CONTENT_LANGUAGE) {
        headers.insert(CONTENT_LANGUAGE, HeaderValue::from_static(language.as_str()));
        headers.append(VARY, HeaderValue::from_static("accept-language"));
    }
    response
}

fn accepted(headers: &HeaderMap) -> Language {
    let header = headers.get(ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok());
    Language::accepted(header.unwrap_or_default())
}
