//! Interim responses (RFC 9110, section 15.2): what the client of a request is told before the final response.

use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use tokio::sync::mpsc;

/// Interim responses of a request that may wait for the connection. What comes while so many wait is left out: none of them is
/// needed, and a later one says more.
const MOST_WAITING: usize = 4;

/// The version of the draft of resumable uploads that the client speaks.
pub(crate) const INTEROP_VERSION: HeaderName = HeaderName::from_static("upload-draft-interop-version");

/// The versions of the draft that differ in nothing that clients notice here. Version 6 was the first to name the media type of
/// pieces.
const INTEROP_VERSIONS: [&str; 3] = ["6", "7", "8"];

/// A response before the final one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InterimResponse {
    /// A status from 100 to 199.
    pub status: StatusCode,
    /// What the status is called.
    pub reason: &'static str,
    /// Its header lines.
    pub headers: HeaderMap,
}

/// Where the interim responses of a request go. A server that can send them puts this into the extensions of the requests that
/// ask for them.
#[derive(Debug, Clone)]
pub struct InterimResponses(mpsc::Sender<InterimResponse>);

impl InterimResponses {
    /// Where handlers put them, and where the connection gets them.
    pub fn channel() -> (Self, mpsc::Receiver<InterimResponse>) {
        let (sender, receiver) = mpsc::channel(MOST_WAITING);
        (Self(sender), receiver)
    }

    /// Whether the client of a request with these headers understands the ones that handlers send.
    pub fn are_wanted(headers: &HeaderMap) -> bool {
        interop_version(headers).is_some()
    }

    /// Sends one, unless others still wait or the final response is under way.
    pub fn send(&self, response: InterimResponse) {
        let _ = self.0.try_send(response);
    }
}

/// The version of the draft that the client says it speaks, if we do, too. Interim responses are for such clients only, by the
/// rules of the draft.
pub(crate) fn interop_version(headers: &HeaderMap) -> Option<HeaderValue> {
    let version = headers.get(INTEROP_VERSION)?.to_str().ok()?.trim();
    INTEROP_VERSIONS.into_iter().find(|known| *known == version).map(HeaderValue::from_static)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_versions_are_ignored() {
        let read =
            |value: &str| interop_version(&HeaderMap::from_iter([(INTEROP_VERSION, value.parse().unwrap())]));
        assert_eq!((read("6"), read(" 8 ")), (Some("6".parse().unwrap()), Some("8".parse().unwrap())));
        for other in ["", "3", "5", "9", "08", "8;a", "\"8\""] {
            assert_eq!(read(other), None, "{other}");
        }
    }
}
