//! The `Retry-After` of a response (RFC 9110, section 10.2.3).

use http::HeaderMap;
use http::header::{DATE, RETRY_AFTER};

/// The wait that a server requests, in seconds, at most `most`. A date is compared with the `Date` of the response, so that
/// the clocks need not agree.
pub(crate) fn retry_after(headers: &HeaderMap, most: u64) -> Option<u64> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    let seconds = match text.parse::<u64>() {
        Ok(seconds) => seconds,
        Err(_) => {
            let until = httpdate::parse_http_date(text).ok()?;
            let sent = httpdate::parse_http_date(headers.get(DATE)?.to_str().ok()?).ok()?;
            until.duration_since(sent).ok()?.as_secs()
        }
    };
    Some(seconds.min(most))
}
