//! What sends a request in a browser: a person who opens a page, or a script of an open page.

use http::header::{ACCEPT, HOST, REFERER};
use http::{HeaderMap, Uri};

fn text(headers: &HeaderMap, name: impl http::header::AsHeaderName) -> Option<&str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// Whether a script sends the request (`fetch`, `XMLHttpRequest`, `EventSource`). A script would take the page behind a
/// redirect for the response.
pub(crate) fn is_script(headers: &HeaderMap) -> bool {
    if let Some(mode) = text(headers, "sec-fetch-mode") {
        return mode != "navigate";
    }
    // Older browsers do not send this header. In that case, what our scripts accept shows it.
    let accepts_data =
        |accept: &str| accept.starts_with("application/json") || accept.starts_with("text/event-stream");
    headers.contains_key("x-form-secret") || text(headers, ACCEPT).is_some_and(accepts_data)
}

/// The path of our page that sent the request, if the browser sends it.
pub(crate) fn page_of(headers: &HeaderMap) -> Option<String> {
    let page: Uri = text(headers, REFERER)?.parse().ok()?;
    let is_own = page.authority().is_some_and(|site| Some(site.as_str()) == text(headers, HOST));
    let path = page.path_and_query().filter(|_| is_own)?.as_str();
    path.starts_with("/dashboard/").then(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use http::{HeaderName, HeaderValue};

    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let header = |(name, value): &(&'static str, &'static str)| {
            (HeaderName::from_static(name), HeaderValue::from_static(value))
        };
        pairs.iter().map(header).collect()
    }

    #[test]
    fn scripts_are_told_from_people() {
        for (pairs, expected) in [
            (&[("sec-fetch-mode", "navigate"), ("accept", "application/json")][..], false),
            (&[("sec-fetch-mode", "cors"), ("accept", "text/html")], true),
            (&[("sec-fetch-mode", "same-origin")], true),
            (&[("accept", "text/html,application/xhtml+xml,*/*;q=0.8")], false),
            (&[("accept", "*/*")], false),
            (&[], false),
            (&[("accept", "text/event-stream")], true),
            (&[("accept", "application/json")], true),
            (&[("x-form-secret", "x"), ("accept", "*/*")], true),
        ] {
            assert_eq!(is_script(&headers(pairs)), expected, "{pairs:?}");
        }
    }

    #[test]
    fn only_pages_of_ours_are_gone_back_to() {
        let host = ("host", "a.example");
        let page = "https://a.example/dashboard/1/tracks/2?q=3";
        assert_eq!(page_of(&headers(&[host, ("referer", page)])).unwrap(), "/dashboard/1/tracks/2?q=3");
        for other in [
            "https://b.example/dashboard/1",
            "https://a.example:8443/dashboard/1",
            "https://a.example@b.example/dashboard/1",
            "https://a.example/share/1",
            "https://a.example//b.example/dashboard/",
            "/dashboard/1",
            "nonsense",
            "",
        ] {
            assert_eq!(page_of(&headers(&[host, ("referer", other)])), None, "{other}");
        }
        assert_eq!(page_of(&headers(&[("referer", page)])), None);
    }
}
