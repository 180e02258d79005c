//! Protection against cross-site request forgery.
//!
//! Every request that may change something is checked here, so that no page can forget it. Its origin must be our own,
//! as far as the browser reports it. If a person is signed in, it must also carry the form secret of that sign-in: in
//! the field `form_secret` of a form, or in the header `x-form-secret` of a script's request.

use axum::body::{Body, Bytes};
use axum::extract::{FromRequest, Multipart, Request, State};
use axum::middleware::Next;
use axum::response::Response;
use bytes::BytesMut;
use futures::{StreamExt, future, stream};
use http::header::{CONTENT_TYPE, HOST, ORIGIN};
use http::{HeaderMap, HeaderValue, Method};
use tokio::time::timeout;
use tonearm_domain::BodyBudget;
use tonearm_service::CollectedBody;

use crate::app::Dashboard;
use crate::asker;
use crate::error::PageError;
use crate::form;
use crate::session::{self, Session};

/// Bytes allowed for the fields besides a picture.
pub(crate) const AROUND_FILE: u64 = 64 * 1024;

/// The first bytes of a form with files, in which the secret must be.
const MOST_BEFORE_FILES: usize = 16 * 1024;

/// Lets a request through if it may come from one of our pages.
pub(crate) async fn check(
    State(app): State<Dashboard>,
    request: Request,
    next: Next,
) -> Result<Response, PageError> {
    if matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS) {
        return Ok(next.run(request).await);
    }
    let origin = origin_of(request.headers());
    // Our scripts send this header with their requests.
    let is_script = request.headers().contains_key("x-form-secret");
    if request.extensions().get::<Session>().is_none() {
        if is_script && origin != Origin::Other {
            return Err(PageError::SignedOut);
        }
        // No account is affected, but another site must not sign a person in without their knowledge.
        return if origin == Origin::Own { Ok(next.run(request).await) } else { Err(PageError::Forged) };
    }
    if origin == Origin::Other {
        return Err(PageError::Forged);
    }
    // These forms are opened before signing in, so they carry no form secret.
    if is_for_strangers(request.uri().path()) && origin == Origin::Own {
        return Ok(next.run(request).await);
    }
    let (secret, mut request) = form_secret(request).await?;
    // The body may have arrived long after the head.
    session::judge(&app, &mut request).await?;
    let Some(session) = request.extensions().get::<Session>() else {
        let next = asker::page_of(request.headers());
        return Err(if is_script {
            PageError::SignedOut
        } else {
            PageError::SignInFirst { next, sent_form: true }
        });
    };
    if secret.is_some_and(|secret| session.token.is_form_secret(&secret)) {
        Ok(next.run(request).await)
    } else if is_script {
        // The page was opened before the current sign-in.
        Err(PageError::SignedOut)
    } else {
        Err(PageError::Forged)
    }
}

fn is_for_strangers(path: &str) -> bool {
    matches!(path, "/sign-in" | "/sign-in/code") || path.starts_with("/link/")
}

#[derive(Debug, PartialEq, Eq)]
enum Origin {
    /// The browser says that the page is ours.
    Own,
    /// The browser says that the page belongs to another site.
    Other,
    /// It does not say.
    Untold,
}

/// The origin of the page that sends the request, as reported by the browser. Scripts cannot set these headers.
fn origin_of(headers: &HeaderMap) -> Origin {
    // As bytes: a value that is not text is another site's, not a missing one.
    let value = |name: &str| headers.get(name).map(HeaderValue::as_bytes);
    match value("sec-fetch-site") {
        Some(b"same-origin" | b"none") => return Origin::Own,
        Some(_) => return Origin::Other,
        None => {}
    }
    let Some(origin) = value(ORIGIN.as_str()) else { return Origin::Untold };
    let is_own = |origin: &str| {
        origin.split_once("://").is_some_and(|(_, host)| Some(host.as_bytes()) == value(HOST.as_str()))
    };
    if str::from_utf8(origin).is_ok_and(is_own) { Origin::Own } else { Origin::Other }
}

/// Returns the form secret of a request, and the request unchanged. A form with files is only read as far as the secret
/// requires; the handler that takes the files reads the rest.
async fn form_secret(request: Request) -> Result<(Option<String>, Request), PageError> {
    if let Some(header) = request.headers().get("x-form-secret") {
        let secret = header.to_str().ok().map(str::to_owned);
        return Ok((secret, request));
    }
    let kind = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if kind.starts_with("multipart/form-data") {
        let held = BodyBudget::begin(request.extensions().get()).ok_or(PageError::FormIncomplete)?;
        let first = timeout(form::READ_WITHIN, held.during(first_field(request)));
        return first.await.ok().flatten().ok_or(PageError::FormIncomplete);
    }
    if !kind.starts_with("application/x-www-form-urlencoded") {
        return Ok((None, request));
    }
    let (mut parts, body) = request.into_parts();
    // Kept for another run of the request, also where no page reads it.
    parts.extensions.insert(CollectedBody::default());
    let body = form::read(&parts.extensions, body, form::MOST_BYTES).await?;
    Ok((urlencoded_field(&body), Request::from_parts(parts, Body::from(body))))
}

fn urlencoded_field(body: &Bytes) -> Option<String> {
    let fields: Vec<(String, String)> = serde_urlencoded::from_bytes(body).ok()?;
    fields.into_iter().find(|(name, _)| name == "form_secret").map(|(_, value)| value)
}

/// In forms with files the secret is the first field.
async fn first_field(request: Request) -> (Option<String>, Request) {
    let (parts, body) = request.into_parts();
    let (mut rest, mut head, mut secret) = (body.into_data_stream(), BytesMut::new(), None);
    while secret.is_none() && head.len() < MOST_BEFORE_FILES {
        // A body that ends early carries no secret.
        let Some(Ok(chunk)) = rest.next().await else { break };
        head.extend_from_slice(&chunk);
        secret = read_first_field(&parts.headers, head.clone().freeze()).await;
    }
    let head = stream::once(future::ready(Ok(head.freeze())));
    (secret, Request::from_parts(parts, Body::from_stream(head.chain(rest))))
}

/// The secret, if this part of the form contains it completely.
async fn read_first_field(headers: &HeaderMap, head: Bytes) -> Option<String> {
    let mut start = Request::new(Body::from(head));
    *start.headers_mut() = headers.clone();
    let mut form = Multipart::from_request(start, &()).await.ok()?;
    let field = form.next_field().await.ok()??;
    if field.name() == Some("form_secret") { field.text().await.ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_are_told_apart() {
        for (site, origin, host, expected) in [
            (Some("same-origin"), None, None, Origin::Own),
            (Some("none"), None, None, Origin::Own),
            (Some("same-site"), Some("https://a.example"), Some("a.example"), Origin::Other),
            (Some("cross-site"), None, None, Origin::Other),
            (None, Some("https://a.example"), Some("a.example"), Origin::Own),
            (None, Some("https://a.example:8443"), Some("a.example"), Origin::Other),
            (None, Some("null"), Some("null"), Origin::Other),
            (None, Some("https://b.example"), Some("a.example"), Origin::Other),
            (None, Some("https://a.example"), None, Origin::Other),
            (None, None, Some("a.example"), Origin::Untold),
        ] {
            let mut headers = HeaderMap::new();
            for (name, value) in [("sec-fetch-site", site), ("origin", origin), ("host", host)] {
                if let Some(value) = value {
                    headers.insert(name, HeaderValue::from_static(value));
                }
            }
            assert_eq!(origin_of(&headers), expected, "{headers:?}");
        }
        for name in ["sec-fetch-site", "origin"] {
            let headers = HeaderMap::from_iter([(
                http::HeaderName::from_static(name),
                HeaderValue::from_bytes(b"https://a.example\xff").unwrap(),
            )]);
            assert_eq!(origin_of(&headers), Origin::Other, "{name}");
        }
    }
}
