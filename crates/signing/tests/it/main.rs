//! Signed URLs verify, and nothing else does.

// A failure while a test is being prepared fails the test, outside #[test] functions too.
#![allow(clippy::unwrap_used)]

mod forgeries;
mod own_keys;
mod published;
mod tampering;
mod validity;

use tonearm_domain::{ObjectKey, Timestamp, TrackId};
use tonearm_signing::{Secrets, UploadGrant, UploadTarget, UrlSigner};

const NOW: i64 = 1_893_456_000;

fn at(seconds_after_signing: i64) -> Timestamp {
    Timestamp::from_unix_seconds(NOW + seconds_after_signing).unwrap()
}

fn signer(secret: u8) -> UrlSigner {
    UrlSigner::new(Secrets::from_bytes([secret; 32]))
}

fn key() -> ObjectKey {
    "018f0000-0000-7000-8000-000000000001/abcdefghij01/hq.zyxwvutsrq98.mp3".parse().unwrap()
}

fn track() -> TrackId {
    "018f0000-0000-7000-8000-000000000002".parse().unwrap()
}

fn upload(target: UploadTarget) -> UploadGrant {
    UploadGrant { organization_id: key().organization_id, target }
}

/// A URL's path and query, as an HTTP server sees them.
fn split(url: &str) -> (&str, Option<&str>) {
    match url.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (url, None),
    }
}
