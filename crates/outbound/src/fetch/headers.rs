//! What the status and the headers of a response say about a file.

use http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};

use super::error::FetchError;
use crate::retry_after::retry_after;

/// The longest wait before a retry that a server may request, in seconds.
const MOST_SECONDS: u64 = 3600;

/// Content types that are never audio: mostly error pages.
const NO_SOUND: [&str; 5] =
    ["text/html", "application/xhtml+xml", "application/json", "application/xml", "text/xml"];

/// The wait that the server requests, in seconds, within limits.
pub(crate) fn wait(headers: &HeaderMap) -> Option<i64> {
    let seconds = retry_after(headers, MOST_SECONDS)?.max(1);
    i64::try_from(seconds).ok()
}

/// Whether it is a strong tag, which only identical bytes have.
pub(super) fn is_strong(tag: &HeaderValue) -> bool {
    tag.as_bytes().starts_with(b"\"")
}

pub(crate) fn is_temporary(status: StatusCode) -> bool {
    matches!(status.as_u16(), 408 | 425 | 429 | 500..)
}

/// Rejects responses that are clearly not audio, and those in which the file is encoded.
pub(super) fn check_kind(headers: &HeaderMap) -> Result<(), FetchError> {
    let encoding = text(headers, &CONTENT_ENCODING).unwrap_or("identity").trim();
    if !encoding.eq_ignore_ascii_case("identity") && !encoding.is_empty() {
        let encoding = shortened(encoding);
        return Err(FetchError::Final(format!(
            "the server sends the file with Content-Encoding {encoding}, which was not requested; serve it without compression"
        )));
    }
    let kind =
        text(headers, &CONTENT_TYPE).and_then(|text| text.split(';').next()).unwrap_or_default().trim();
    match NO_SOUND.into_iter().find(|no_sound| kind.eq_ignore_ascii_case(no_sound)) {
        Some(kind) => Err(FetchError::Final(format!(
            "the URL leads to a document ({kind}), not to an audio file; use the URL of the file itself"
        ))),
        None => Ok(()),
    }
}

pub(super) fn length(headers: &HeaderMap) -> Option<u64> {
    text(headers, &CONTENT_LENGTH)?.trim().parse().ok()
}

pub(crate) fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

/// Text from a server, shortened to fit into a sentence.
fn shortened(text: &str) -> &str {
    &text[..text.floor_char_boundary(40)]
}

#[cfg(test)]
mod tests {
    use http::header::{DATE, RETRY_AFTER};

    use super::*;

    #[test]
    fn a_server_says_when_to_come_back_in_seconds_or_by_its_own_clock() {
        for (retry_after, expected) in [
            ("15", Some(15)),
            ("0", Some(1)),
            ("86400", Some(3600)),
            ("Sun, 06 Nov 1994 08:49:52 GMT", Some(15)),
            ("Sunday, 06-Nov-94 08:49:52 GMT", Some(15)),
            ("Mon, 06 Nov 1995 08:49:52 GMT", Some(3600)),
            ("Sun, 06 Nov 1994 08:49:37 GMT", Some(1)),
            ("Sun, 06 Nov 1994 08:49:36 GMT", None),
            ("later", None),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(RETRY_AFTER, HeaderValue::from_static(retry_after));
            headers.insert(DATE, HeaderValue::from_static("Sun, 06 Nov 1994 08:49:37 GMT"));
            assert_eq!(wait(&headers), expected, "{retry_after}");
        }
    }
}
