//! Counting what is delivered.

use axum::body::{Body, Bytes};
use futures::TryStreamExt;
use http::Response;
use tonearm_domain::{Ambient, Meter, ObjectKey, UsageCounts};

/// Counts the deliveries of one object.
#[derive(Clone)]
pub(crate) struct Tally {
    pub(crate) meter: Meter,
    pub(crate) ambient: Ambient,
    pub(crate) key: ObjectKey,
}

impl Tally {
    /// Counts.
    pub(crate) fn add(&self, counts: UsageCounts) {
        let ObjectKey { organization_id, folder, file } = &self.key;
        self.meter.count(*organization_id, *folder, Some(&file.label), counts, self.ambient.now());
    }

    /// The response, whose bytes are counted as they are taken from it; with a start where its first byte is the first
    /// of the object.
    pub(crate) fn around(self, response: Response<Body>, is_start: bool) -> Response<Body> {
        response.map(|body| {
            let mut first = is_start;
            Body::from_stream(body.into_data_stream().inspect_ok(move |chunk: &Bytes| {
                if std::mem::take(&mut first) {
                    self.add(UsageCounts::START);
                }
                self.add(UsageCounts::bytes(chunk.len() as u64));
            }))
        })
    }
}
