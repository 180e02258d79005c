//! `104 (Upload Resumption Supported)`: a client learns where to continue, and how much is durable, before the final response.

use http::header::LOCATION;
use http::request::Parts;
use http::{HeaderMap, HeaderValue, StatusCode};

use super::fields::{UPLOAD_LIMIT, UPLOAD_OFFSET};
use crate::interim::{INTEROP_VERSION, InterimResponse, InterimResponses, interop_version};

const STATUS: u16 = 104;
const REASON: &str = "Upload Resumption Supported";

/// Informs the client of a request about the progress of its upload.
#[derive(Debug)]
pub(crate) struct Announcements {
    to: InterimResponses,
    /// The version of the draft that the client speaks, which is sent back.
    version: HeaderValue,
}

impl Announcements {
    /// Returns `None` unless the client and the connection support these responses.
    pub(crate) fn of(request: &Parts) -> Option<Self> {
        let to = request.extensions.get::<InterimResponses>()?.clone();
        Some(Self { to, version: interop_version(&request.headers)? })
    }

    /// Announces that the upload can be resumed at this location, within these limits.
    pub(super) fn begun(&self, location: &HeaderValue, limit: Option<HeaderValue>) {
        let limit = limit.map(|limit| (UPLOAD_LIMIT, limit));
        self.send([(LOCATION, location.clone())].into_iter().chain(limit).collect());
    }

    /// Announces that this many bytes are durable.
    pub(super) fn durable(&self, offset: u64) {
        self.send(HeaderMap::from_iter([(UPLOAD_OFFSET, offset.into())]));
    }

    fn send(&self, mut headers: HeaderMap) {
        let Ok(status) = StatusCode::from_u16(STATUS) else { return };
        headers.insert(INTEROP_VERSION, self.version.clone());
        self.to.send(InterimResponse { status, reason: REASON, headers });
    }
}
