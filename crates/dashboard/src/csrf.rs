//! Nothing is changed on behalf of a page that is not ours.
//!
//! Every request that may change something is looked at here, so that no page can forget it. Its origin must be
//! our own, as far as the browser tells; and where somebody is signed in, it must carry the form secret of that
//! sign-in: in the field `form_secret` of a form, or in the header `x-form-secret` where a script sends it.

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{FromRequest, Multipart, Request};
use axum::middleware::Next;
use axum::response::Response;
use bytes::BytesMut;
use futures::{StreamExt, future, stream};
use http::header::{CONTENT_TYPE, HOST, ORIGIN};
use http::{HeaderMap, Method};

use crate::error::PageError;
use crate::form;
use crate::session::Session;

/// Room for the fields around a picture.
pub(crate) const AROUND_FILE: u64 = 64 * 1024;

/// Bytes of a form with files in which the secret has to be.
const MOST_BEFORE_FILES: usize = 16 * 1024;

/// Lets a request through that may be one of ours.
pub(crate) async fn check(request: Request, next: Next) -> Result<Response, PageError> {
    if matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS) {
        return Ok(next.run(request).await);
    }
    let origin = origin_of(request.headers());
    // Pages send it with what their scripts ask for.
    let is_script = request.headers().contains_key("x-form-secret");
    let Some(session) = request.extensions().get::<Session>().cloned() else {
        if is_script && origin != Origin::Other {
            return Err(PageError::SignedOut);
        }
        // Nobody's name is at stake, but nobody is to be signed in behind their back either.
        return if origin == Origin::Own { Ok(next.run(request).await) } else { Err(PageError::Forged) };
    };
    if origin == Origin::Other {
        return Err(PageError::Forged);
    }
    // These are forms of people who were not signed in when they got them.
    if is_for_strangers(request.uri().path()) && origin == Origin::Own {
        return Ok(next.run(request).await);
    }
    let (secret, request) = form_secret(request).await?;
    if secret.is_some_and(|secret| session.token.is_form_secret(&secret)) {
        Ok(next.run(request).await)
    } else if is_script {
        // The page is older than the sign-in.
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
    /// The browser says that it is another's.
    Other,
    /// It does not say.
    Untold,
}

/// What the browser says of the page that sends the request. Scripts cannot set these headers.
fn origin_of(headers: &HeaderMap) -> Origin {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    match text("sec-fetch-site") {
        Some("same-origin" | "none") => return Origin::Own,
        Some(_) => return Origin::Other,
        None => {}
    }
    let Some(origin) = text(ORIGIN.as_str()) else { return Origin::Untold };
    let host = origin.split_once("://").map(|(_, host)| host);
    if host.is_some() && host == text(HOST.as_str()) { Origin::Own } else { Origin::Other }
}

/// The form secret that a request carries, and the request as it was. Of a form with files no more is read for that
/// than the secret needs; the rest is read by whoever takes the files.
async fn form_secret(request: Request) -> Result<(Option<String>, Request), PageError> {
    if let Some(header) = request.headers().get("x-form-secret") {
        let secret = header.to_str().ok().map(str::to_owned);
        return Ok((secret, request));
    }
    let kind = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if kind.starts_with("multipart/form-data") {
        return Ok(first_field(request).await);
    }
    if !kind.starts_with("application/x-www-form-urlencoded") {
        return Ok((None, request));
    }
    let (parts, body) = request.into_parts();
    let too_large = |_| PageError::TooLarge { limit: form::MOST_BYTES as u64 };
    let body = to_bytes(body, form::MOST_BYTES).await.map_err(too_large)?;
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
        // A body that breaks off carries no secret.
        let Some(Ok(chunk)) = rest.next().await else { break };
        head.extend_from_slice(&chunk);
        secret = read_first_field(&parts.headers, head.clone().freeze()).await;
    }
    let head = stream::once(future::ready(Ok(head.freeze())));
    (secret, Request::from_parts(parts, Body::from_stream(head.chain(rest))))
}

/// The secret, if this much of a form has it to its end.
async fn read_first_field(headers: &HeaderMap, head: Bytes) -> Option<String> {
    let mut start = Request::new(Body::from(head));
    *start.headers_mut() = headers.clone();
    let mut form = Multipart::from_request(start, &()).await.ok()?;
    let field = form.next_field().await.ok()??;
    if field.name() == Some("form_secret") { field.text().await.ok() } else { None }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

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
    }
}
