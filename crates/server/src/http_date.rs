//! The value of `Date` (RFC 9110, section 5.6.7).

use std::cell::RefCell;
use std::io::Write as _;
use std::time::{Duration, SystemTime};

use tonearm_domain::Timestamp;

/// 29 characters in every year up to 9999.
type Text = [u8; 29];

thread_local! {
    /// The last formatted second, and its text.
    static LAST: RefCell<(i64, Text)> = const { RefCell::new((i64::MIN, [0; 29])) };
}

/// Formats a moment for the `Date` header.
pub(crate) fn http_date(now: Timestamp) -> Text {
    LAST.with_borrow_mut(|(second, text)| {
        if *second != now.unix_seconds() {
            *second = now.unix_seconds();
            let since_1970 = Duration::from_secs(u64::try_from(*second).unwrap_or(0));
            let date = httpdate::HttpDate::from(SystemTime::UNIX_EPOCH + since_1970);
            // The text has room for the date.
            let _ = write!(&mut text[..], "{date}");
        }
        *text
    })
}
