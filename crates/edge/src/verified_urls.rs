//! A cache of URLs that have just been verified, and of the objects that they name.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use http::HeaderMap;
use http::header::{self, HeaderName, HeaderValue};
use http::request::Parts;
use tonearm_blobs::{ObjectHandle, ObjectMeta};
use tonearm_domain::{ObjectKey, Timestamp};

use crate::plain_request::PlainRequest;
use crate::response::X_REQUEST_ID;

/// Seconds for which an entry is valid: as long as an open file is assumed to exist.
const LIFETIME_SECONDS: i64 = 1;

/// The number of shards. Shards reduce contention between threads.
const SHARDS: usize = 32;

/// Maximum number of URLs in each shard. With a target and header lines of some hundred bytes, all of them take 2 MB.
const MOST: usize = 64;

/// Headers that differ between responses with the same object.
const OWN: [HeaderName; 3] = [header::CONTENT_LENGTH, header::CONTENT_RANGE, X_REQUEST_ID];

/// The object that was found for a request, whichever part of it is sent.
#[derive(Debug, Clone)]
pub(crate) struct VerifiedObject {
    pub(crate) key: Arc<ObjectKey>,
    pub(crate) object: ObjectHandle,
    pub(crate) meta: ObjectMeta,
    /// When the URL expires.
    pub(crate) expires_at: Timestamp,
    /// Whether clients that accept other types get another form.
    pub(crate) by_accept: bool,
}

/// A verified URL: the object that it names, the request for it, and the headers of the response.
#[derive(Debug)]
pub(crate) struct VerifiedUrl {
    pub(crate) object: VerifiedObject,
    /// The header lines of the response that do not depend on the requested range, each with its line ending.
    pub(crate) lines: Bytes,
    since: Timestamp,
    host: Option<HeaderValue>,
    accept: Option<HeaderValue>,
}

impl VerifiedUrl {
    /// Whether the entry is recent, and not from the future, as after the clock was set back.
    fn is_fresh(&self, now: Timestamp) -> bool {
        self.since <= now && now < self.since.plus_seconds(LIFETIME_SECONDS)
    }

    /// Whether the entry is valid for a request for the same target.
    fn holds_for(&self, plain: &PlainRequest<'_>, now: Timestamp) -> bool {
        let same = |cached: &Option<HeaderValue>, sent| cached.as_ref().map(HeaderValue::as_bytes) == sent;
        self.is_fresh(now)
            && now < self.object.expires_at
            && same(&self.host, plain.host)
            && (!self.object.by_accept || same(&self.accept, plain.accept))
    }
}

type Shard = Mutex<HashMap<Box<str>, Arc<VerifiedUrl>>>;

/// The verified URLs, by path and query. Only URLs with a valid signature are added.
#[derive(Clone, Default)]
pub(crate) struct VerifiedUrls(Arc<[Shard; SHARDS]>);

impl VerifiedUrls {
    pub(crate) fn get(&self, plain: &PlainRequest<'_>, now: Timestamp) -> Option<Arc<VerifiedUrl>> {
        let cached = self.shard(plain.target).get(plain.target).cloned()?;
        cached.holds_for(plain, now).then_some(cached)
    }

    /// Remembers the response to a request, if there is room.
    pub(crate) fn keep(&self, request: &Parts, object: VerifiedObject, answered: &HeaderMap, now: Timestamp) {
        let Some(target) = request.uri.path_and_query() else { return };
        let line = |name| match request.headers.get_all(&name).iter().count() {
            0 => Some(None),
            1 => Some(request.headers.get(name).cloned()),
            _ => None,
        };
        let (Some(host), Some(accept)) = (line(header::HOST), line(header::ACCEPT)) else { return };
        let lines = lines_of(answered);
        let cached = VerifiedUrl { object, lines, since: now, host, accept };
        let mut shard = self.shard(target.as_str());
        if shard.len() >= MOST {
            shard.retain(|_, cached| cached.is_fresh(now));
        }
        if shard.len() < MOST {
            shard.insert(target.as_str().into(), Arc::new(cached));
        }
    }

    /// The shard of a target. Targets end with a signature, whose characters are evenly distributed.
    fn shard(&self, target: &str) -> MutexGuard<'_, HashMap<Box<str>, Arc<VerifiedUrl>>> {
        let number = target.bytes().rev().take(4).fold(0, |sum: usize, byte| sum * 31 + usize::from(byte));
        self.0[number % SHARDS].lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn lines_of(headers: &HeaderMap) -> Bytes {
    let mut lines = Vec::with_capacity(1024);
    for (name, value) in headers.iter().filter(|(name, _)| !OWN.contains(name)) {
        for part in [name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"] {
            lines.extend_from_slice(part);
        }
    }
    lines.into()
}
