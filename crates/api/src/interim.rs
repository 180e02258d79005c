//! Interim responses (RFC 9110, section 15.2): what the client of a request is told before the final response.

use http::{HeaderMap, StatusCode};
use tokio::sync::mpsc;

use crate::endpoint::upload::resumable::fields::interop_version;

/// Interim responses of a request that may wait for the connection. What comes while so many wait is left out: none of them is
/// needed, and a later one says more.
const MOST_WAITING: usize = 4;

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
