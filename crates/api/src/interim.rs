//! Interim responses (RFC 9110, section 15.2), which are sent to the client before the final response.

use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use tokio::sync::mpsc;

/// How many interim responses of a request may wait for the connection. Further ones are dropped: none is essential,
/// and a later one contains newer information.
const MOST_WAITING: usize = 4;

/// The version of the draft of resumable uploads that the client speaks.
pub(crate) const INTEROP_VERSION: HeaderName = HeaderName::from_static("upload-draft-interop-version");

/// The supported versions of the draft, which do not differ in anything that clients notice here. Version 6 was the
/// first to define the media type of pieces.
const INTEROP_VERSIONS: [&str; 3] = ["6", "7", "8"];

/// A response before the final one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InterimResponse {
    /// A status from 100 to 199.
    pub status: StatusCode,
    /// The reason phrase of the status.
    pub reason: &'static str,
    /// The headers.
    pub headers: HeaderMap,
}

/// Sends the interim responses of a request. A server that supports them adds this to the extensions of the requests
/// that want them.
#[derive(Debug, Clone)]
pub struct InterimResponses(mpsc::Sender<InterimResponse>);

impl InterimResponses {
    /// The sender for handlers, and the receiver for the connection.
    pub fn channel() -> (Self, mpsc::Receiver<InterimResponse>) {
        let (sender, receiver) = mpsc::channel(MOST_WAITING);
        (Self(sender), receiver)
    }

    /// Whether the client of a request with these headers supports the interim responses that handlers send.
    pub fn are_wanted(headers: &HeaderMap) -> bool {
        interop_version(headers).is_some()
    }

    /// Sends a response, unless too many are waiting or the final response is already being sent.
    pub fn send(&self, response: InterimResponse) {
        let _ = self.0.try_send(response);
    }
}

/// The version of the draft that the client announces, if it is supported. The draft permits interim responses only to
/// such clients.
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
