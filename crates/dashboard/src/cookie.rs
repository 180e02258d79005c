//! Reads and writes cookies, in the few forms that are needed.

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http::header::{COOKIE, SET_COOKIE};
use http::{HeaderMap, HeaderValue};

use crate::app::Dashboard;

const SECURE: &str = "; Secure";

/// The name of the cookie with the sign-in. Over TLS, its prefix makes browsers reject it from other hosts.
pub(crate) const fn sign_in_name(is_https: bool) -> &'static str {
    if is_https { "__Host-tonearm" } else { "tonearm" }
}

/// The name of the cookie that identifies a browser in which a person has signed in before.
pub(crate) const fn device_name(is_https: bool) -> &'static str {
    if is_https { "__Host-tonearm_device" } else { "tonearm_device" }
}

/// The name of the cookie with the state of a sign-in that waits for a code.
pub(crate) const fn challenge_name(is_https: bool) -> &'static str {
    if is_https { "__Host-tonearm_challenge" } else { "tonearm_challenge" }
}

/// The name of the cookie of a browser that was sent to the OpenID Connect provider.
pub(crate) const fn attempt_name(is_https: bool) -> &'static str {
    if is_https { "__Host-tonearm_attempt" } else { "tonearm_attempt" }
}

/// The value of a cookie.
pub(crate) fn read<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers
        .get_all(COOKIE)
        .iter()
        // Each cookie is decoded alone: a page of another subdomain can set one with any bytes.
        .flat_map(|header| header.as_bytes().split(|byte| *byte == b';'))
        .filter_map(|pair| str::from_utf8(pair).ok())
        .find_map(|pair| pair.trim().strip_prefix(name)?.strip_prefix('='))
}

/// A cookie that scripts cannot read and that other sites' forms do not send. `value` must consist of letters and
/// digits.
pub(crate) fn set(name: &str, value: &str, seconds: i64, is_https: bool) -> HeaderValue {
    let secure = if is_https { SECURE } else { "" };
    let text = format!("{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}");
    HeaderValue::try_from(text).unwrap_or_else(|_| HeaderValue::from_static(""))
}

/// Deletes a cookie.
pub(crate) fn clear(name: &str, is_https: bool) -> HeaderValue {
    set(name, "", 0, is_https)
}

/// Over TLS, adds `Secure` to every cookie, even if the code that sets it does not know of TLS.
pub(crate) async fn secure(State(app): State<Dashboard>, request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    if app.is_https() {
        for (name, value) in response.headers_mut().iter_mut() {
            if let Some(text) =
                value.to_str().ok().filter(|text| name == SET_COOKIE && !text.ends_with(SECURE))
                && let Ok(secure) = HeaderValue::try_from(format!("{text}{SECURE}"))
            {
                *value = secure;
            }
        }
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cookie_is_found_by_its_whole_name() {
        let mut headers = HeaderMap::new();
        headers.append(COOKIE, HeaderValue::from_static("xtonearm=1; tonearm2=2;tonearm=3"));
        headers.append(COOKIE, HeaderValue::from_static("other=4"));
        assert_eq!(read(&headers, "tonearm"), Some("3"));
        assert_eq!(read(&headers, "other"), Some("4"));
        assert_eq!(read(&headers, "none"), None);
    }

    #[test]
    fn a_cookie_with_bytes_that_are_not_text_does_not_hide_another() {
        let mut headers = HeaderMap::new();
        headers.append(COOKIE, HeaderValue::from_bytes(b"odd=\xff; tonearm=3; more=\xc3\xa9").unwrap());
        assert_eq!(read(&headers, "tonearm"), Some("3"));
        assert_eq!(read(&headers, "odd"), None);
    }

    #[test]
    fn cookies_are_closed() {
        assert_eq!(set("a", "b", 5, true), "a=b; Path=/; Max-Age=5; HttpOnly; SameSite=Lax; Secure");
        assert_eq!(clear("a", false), "a=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax");
    }
}
