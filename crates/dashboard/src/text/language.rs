//! The language of a request: what the person has set, else what the browser asks for.

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use http::header::{ACCEPT_LANGUAGE, CONTENT_LANGUAGE, VARY};
use http::{HeaderMap, HeaderValue};
use tonearm_domain::Language;

tokio::task_local! {
    static CURRENT: Language;
}

/// The language of the request that is being answered; English outside of requests.
///
/// A body that is written while it is sent is no longer within its request: what it says is said with [`in_language`].
pub(crate) fn current() -> Language {
    CURRENT.try_with(|language| *language).unwrap_or_default()
}

/// Does something in a language.
pub(crate) fn in_language<T>(language: Language, work: impl FnOnce() -> T) -> T {
    CURRENT.sync_scope(language, work)
}

/// Answers a request in the language that its browser asks for.
pub(crate) async fn negotiate(request: Request, next: Next) -> Response {
    let language = accepted(request.headers());
    answer(language, request, next).await
}

/// Answers the request of somebody who is signed in: in the language that the person has set, if any.
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
