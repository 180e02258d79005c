//! Repeated requests for the same object. Players fetch a track piece by piece, and many listeners play the same track.
//! A URL that was verified less than a second ago, and whose object was found, is answered from memory.

use std::ops::Range;

use bytes::Bytes;
use http::StatusCode;
use tonearm_blobs::Chunks;
use tonearm_domain::RequestId;
use tonearm_telemetry::Cache;

use crate::body::Sending;
use crate::counted::Sender;
use crate::edge::Edge;
use crate::plain_request::PlainRequest;
use crate::range::{RangeSet, Selection};

/// A response that sends an object, or one part of it.
pub struct RepeatedAnswer {
    /// The id of the request, for `X-Request-Id`.
    pub request_id: RequestId,
    /// The range that is sent, and the size of the whole object; none if the whole object is sent.
    pub part: Option<(Range<u64>, u64)>,
    /// Number of bytes that are sent.
    pub length: u64,
    /// All header lines except `Date`, `X-Request-Id`, `Content-Length` and `Content-Range`, each with its line ending.
    pub lines: Bytes,
    /// The bytes that are sent.
    pub content: Sending<Chunks>,
}

impl RepeatedAnswer {
    /// 200, or 206 for a part.
    pub fn status(&self) -> StatusCode {
        if self.part.is_some() { StatusCode::PARTIAL_CONTENT } else { StatusCode::OK }
    }
}

impl Edge {
    /// Responds to a request like one that [`answer`](Self::answer) has just responded to. `None` if there was none, or
    /// if the request needs the full procedure.
    pub fn answer_repeated(&self, plain: &PlainRequest<'_>) -> Option<RepeatedAnswer> {
        let url = self.0.verified_urls.get(plain, self.now())?;
        let verified = &url.object;
        let object = verified.object.open().filter(|object| object.meta() == verified.meta)?;
        let size = verified.meta.size;
        let selection = match plain.range {
            Some(value) => RangeSet::parse(str::from_utf8(value).ok()?)?.select(size),
            None => Selection::Whole,
        };
        let is_start = selection.begins_at_start();
        let (range, part) = match selection {
            Selection::Whole => (0..size, None),
            Selection::One(range) => (range.clone(), Some((range, size))),
            Selection::Many(_) | Selection::Unsatisfiable => return None,
        };
        let length = range.end - range.start;
        let chunks = object.read(range.clone())?;
        let request_id = self.fresh_id();
        let PlainRequest { agent, referrer, address, host, .. } = *plain;
        let sender = Sender { address, agent, referrer, host };
        let tally = self.0.counter.tally(verified.key.clone(), is_start, Some(&range), size, &sender);
        let content = Sending::new(chunks, length, request_id, tally);
        let answer = RepeatedAnswer { request_id, part, length, lines: url.lines.clone(), content };
        tonearm_telemetry::looked_up(Cache::VerifiedUrls, true);
        tonearm_telemetry::answered_at_once(answer.status().as_u16());
        Some(answer)
    }
}
