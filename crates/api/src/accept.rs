//! `Accept`: requests from clients that do not accept JSON are refused at once.

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::header::ACCEPT;
use http::{HeaderMap, StatusCode};
use tonearm_domain::ErrorCode;

use crate::error::ApiError;

/// Refuses requests whose response would be JSON if the client does not accept it. A share link is exempt: its response
/// is a redirect without a body, and audio players request it with an `Accept` that allows only audio.
pub(crate) async fn require_json(request: Request, next: Next) -> Response {
    // Nested routers see the path without `/v1`.
    let redirects = request.uri().path().trim_start_matches("/v1").starts_with("/stream/");
    let has_events = request.uri().path().ends_with("/progress") && takes_events(request.headers());
    if redirects || has_events || takes_json(request.headers()) {
        return next.run(request).await;
    }
    let message =
        "the response is JSON, but the Accept header does not allow it; send `Accept: application/json`";
    ApiError::new(StatusCode::NOT_ACCEPTABLE, ErrorCode::NotAcceptable, message).into_response()
}

/// Whether the header requests server-sent events. If it names JSON as well, the response is JSON.
pub(crate) fn takes_events(headers: &HeaderMap) -> bool {
    let names = |wanted: &str| {
        let lines = headers.get_all(ACCEPT).iter().filter_map(|line| line.to_str().ok());
        lines.flat_map(|line| line.split(',')).any(|element| {
            let mut parts = element.split(';').map(str::trim);
            parts.next().is_some_and(|range| range.eq_ignore_ascii_case(wanted)) && !is_refused(parts)
        })
    };
    names("text/event-stream") && !names("application/json")
}

/// Whether the header allows JSON or is absent. The most specific range that matches JSON decides (RFC 9110 section
/// 12.5.1).
fn takes_json(headers: &HeaderMap) -> bool {
    let mut best: Option<(u8, bool)> = None;
    let mut is_empty = true;
    for line in headers.get_all(ACCEPT) {
        for element in
            line.to_str().unwrap_or_default().split(',').filter(|element| !element.trim().is_empty())
        {
            is_empty = false;
            if let Some(found) = about_json(element)
                && best.is_none_or(|best| best < found)
            {
                best = Some(found);
            }
        }
    }
    is_empty || best.is_some_and(|(_, allowed)| allowed)
}

/// How specifically a media range matches JSON, if it does, and whether it allows JSON.
fn about_json(element: &str) -> Option<(u8, bool)> {
    let mut parts = element.split(';').map(str::trim);
    let weight = match parts.next()?.to_ascii_lowercase().as_str() {
        "application/json" => 2,
        "application/*" => 1,
        "*/*" => 0,
        _ => return None,
    };
    Some((weight, !is_refused(parts)))
}

/// Whether the parameters of a media range exclude it (`q=0`).
fn is_refused<'a>(parameters: impl Iterator<Item = &'a str>) -> bool {
    let mut named = parameters.filter_map(|part| part.split_once('='));
    let q = named.find(|(name, _)| name.trim().eq_ignore_ascii_case("q"));
    q.is_some_and(|(_, q)| q.trim().parse::<f32>().is_ok_and(|q| q <= 0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_range_that_says_most_decides() {
        let takes = |lines: &[&str]| {
            let mut headers = HeaderMap::new();
            for line in lines {
                headers.append(ACCEPT, line.parse().unwrap());
            }
            takes_json(&headers)
        };
        assert!(takes(&[]));
        for good in [
            "application/json",
            "Application/JSON; charset=utf-8",
            "*/*",
            "application/*;q=0.1",
            "text/html, */*;q=0.5",
            "text/html,application/json;q=0.001",
            "",
            " , ",
            "*/*;q=0, application/json",
        ] {
            assert!(takes(&[good]), "{good}");
        }
        for bad in [
            "text/html",
            "image/png, audio/*",
            "application/json;q=0",
            "application/json; Q = 0.0",
            "*/*;q=0",
            "application/json;q=0, */*",
            "application/xml",
            "nonsense",
        ] {
            assert!(!takes(&[bad]), "{bad}");
        }
        assert!(takes(&["text/html", "application/json"]));
        assert!(!takes(&["text/html", "image/png"]));
    }

    #[test]
    fn events_are_only_for_those_who_name_them() {
        let takes = |text: &str| {
            let mut headers = HeaderMap::new();
            headers.append(ACCEPT, text.parse().unwrap());
            takes_events(&headers)
        };
        for good in ["text/event-stream", "Text/Event-Stream;q=0.5, */*", "text/html, text/event-stream"] {
            assert!(takes(good), "{good}");
        }
        for bad in ["", "*/*", "text/event-stream;q=0", "text/event-stream, application/json", "text/*"] {
            assert!(!takes(bad), "{bad}");
        }
        assert!(!takes_events(&HeaderMap::new()));
    }
}
