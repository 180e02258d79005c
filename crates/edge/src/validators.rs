//! What identifies a version of an object in HTTP: its entity tag and its date (RFC 9110 section 8.8).

use std::time::{Duration, SystemTime};

use http::HeaderValue;
use tonearm_blobs::ObjectMeta;
use tonearm_domain::{ContentType, ObjectKey, Timestamp};

/// An object's entity tag and date.
#[derive(Debug, Clone)]
pub(crate) struct Validators {
    /// The opaque tag with its quotes. Strong: an object's name never changes its content.
    pub(crate) etag: String,
    /// When it was put, in whole Unix seconds.
    pub(crate) modified: i64,
}

impl Validators {
    /// Those of an object.
    pub(crate) fn of(key: &ObjectKey, meta: &ObjectMeta) -> Self {
        // The same picture in two forms has one version, and two tags.
        let form = if key.file.content_type == ContentType::Webp { "-webp" } else { "" };
        Self { etag: format!("\"{}{form}\"", key.file.version), modified: meta.modified.unix_seconds() }
    }

    /// The value of `ETag`.
    pub(crate) fn etag_header(&self) -> HeaderValue {
        HeaderValue::from_str(&self.etag).expect("a short id is letters and digits, and a form is ASCII")
    }

    /// The value of `Last-Modified`.
    pub(crate) fn date_header(&self) -> HeaderValue {
        HeaderValue::from_str(&format_date(self.modified)).expect("an HTTP date is ASCII")
    }
}

/// The Unix seconds that this program writes as an HTTP date: the years 1970 to 9999.
const DATES: std::ops::RangeInclusive<i64> = 0..=253_402_300_799;

fn format_date(seconds: i64) -> String {
    let seconds = seconds.clamp(*DATES.start(), *DATES.end()).unsigned_abs();
    httpdate::fmt_http_date(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds))
}

/// An HTTP date, in any of the three forms of the standard, in Unix seconds.
pub(crate) fn parse_date(text: &str) -> Option<i64> {
    let since_1970 = httpdate::parse_http_date(text).ok()?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    let seconds = i64::try_from(since_1970.as_secs()).ok()?;
    Timestamp::from_unix_seconds(seconds).map(Timestamp::unix_seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_there_and_back() {
        let text = "Sun, 06 Nov 1994 08:49:37 GMT";
        assert_eq!(format_date(784_111_777), text);
        for form in [text, "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"] {
            assert_eq!(parse_date(form), Some(784_111_777), "{form}");
        }
        for bad in
            ["", "0", "1994-11-06T08:49:37Z", "Sun, 06 Nov 1994 08:49:37", "Sun, 99 Nov 1994 08:49:37 GMT"]
        {
            assert_eq!(parse_date(bad), None, "{bad}");
        }
        assert_eq!(format_date(-5), "Thu, 01 Jan 1970 00:00:00 GMT");
        assert_eq!(format_date(i64::MAX), "Fri, 31 Dec 9999 23:59:59 GMT");
    }
}
