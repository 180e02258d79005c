//! URLs that were verified a moment ago, and the objects that they name.

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

/// Seconds for which it is taken to be so still: as long as an open file is taken to be there.
const LIFETIME_SECONDS: i64 = 1;

/// Shards keep threads out of each other's way.
const SHARDS: usize = 32;

/// URLs in each shard. With a target and header lines of some hundred bytes, all of them take 2 MB.
const MOST: usize = 64;

/// Header lines that differ from one answer with an object to the next.
const OWN: [HeaderName; 3] = [header::CONTENT_LENGTH, header::CONTENT_RANGE, X_REQUEST_ID];

/// What was found for a request, whatever part of it is sent.
#[derive(Debug, Clone)]
pub(crate) struct VerifiedObject {
    pub(crate) key: Arc<ObjectKey>,
    pub(crate) object: ObjectHandle,
    pub(crate) meta: ObjectMeta,
    /// When the URL ends.
    pub(crate) expires_at: Timestamp,
    /// Another form is sent to who takes other types.
    pub(crate) by_accept: bool,
}

/// A verified URL: what it names, what was asked for it and how it was answered.
#[derive(Debug)]
pub(crate) struct VerifiedUrl {
    pub(crate) object: VerifiedObject,
    /// The header lines that such an answer has, whichever range is asked for, each with its end.
    pub(crate) lines: Bytes,
    since: Timestamp,
    host: Option<HeaderValue>,
    accept: Option<HeaderValue>,
}

impl VerifiedUrl {
    /// Whether it is no older than it may be, and not from a time to come, as after a clock was set back.
    fn is_fresh(&self, now: Timestamp) -> bool {
        self.since <= now && now < self.since.plus_seconds(LIFETIME_SECONDS)
    }

    /// Whether it holds for a request for the same target.
    fn holds_for(&self, plain: &PlainRequest<'_>, now: Timestamp) -> bool {
        let same = |cached: &Option<HeaderValue>, sent| cached.as_ref().map(HeaderValue::as_bytes) == sent;
        self.is_fresh(now)
            && now < self.object.expires_at
            && same(&self.host, plain.host)
            && (!self.object.by_accept || same(&self.accept, plain.accept))
    }
}

type Shard = Mutex<HashMap<Box<str>, Arc<VerifiedUrl>>>;

/// The verified URLs, by path and query. Only URLs with a valid signature get in.
#[derive(Clone, Default)]
pub(crate) struct VerifiedUrls(Arc<[Shard; SHARDS]>);

impl VerifiedUrls {
    pub(crate) fn get(&self, plain: &PlainRequest<'_>, now: Timestamp) -> Option<Arc<VerifiedUrl>> {
        let cached = self.shard(plain.target).get(plain.target).cloned()?;
        cached.holds_for(plain, now).then_some(cached)
    }

    /// Remembers what a request was answered with. Where there is no room, nothing is.
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

    /// Targets end with a signature, whose characters are spread well.
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
