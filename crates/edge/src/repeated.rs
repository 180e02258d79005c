//! The same object once more. Players fetch a track piece by piece, and what many play is asked for by many: a URL that
//! was verified, and whose object was found, less than a second ago is answered from memory.

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

/// An answer that sends an object, or one part of it.
pub struct RepeatedAnswer {
    /// Names the request, in `X-Request-Id`.
    pub request_id: RequestId,
    /// The part that is sent, and the size of the whole; none where all is sent.
    pub part: Option<(Range<u64>, u64)>,
    /// Bytes that are sent.
    pub length: u64,
    /// All header lines but `Date`, `X-Request-Id`, `Content-Length` and `Content-Range`, each with its end.
    pub lines: Bytes,
    /// What is sent.
    pub content: Sending<Chunks>,
}

impl RepeatedAnswer {
    /// 200, or 206 for a part.
    pub fn status(&self) -> StatusCode {
        if self.part.is_some() { StatusCode::PARTIAL_CONTENT } else { StatusCode::OK }
    }
}

impl Edge {
    /// Answers a request like one that was answered a moment ago by [`answer`](Self::answer). `None` where there was
    /// none, or where the answer needs more thought.
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
