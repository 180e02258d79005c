//! Counts deliveries.

use std::net::IpAddr;
use std::ops::Range;
use std::sync::Arc;

use http::header;
use http::request::Parts;
use tonearm_domain::{Ambient, ClientAddress, Day, ListenedFile, Meter, ObjectKey, UsageCounts, Visitor};
use tonearm_signing::ListenerHasher;

use crate::countries::Countries;

/// The bytes that a listener received are recorded whenever there are this many, and at the end. That is some seconds
/// of sound.
const NOTED_BYTES: u64 = 256 * 1024;

/// Everything needed to count deliveries.
#[derive(Clone)]
pub(crate) struct Counter {
    pub(crate) meter: Meter,
    pub(crate) ambient: Ambient,
    pub(crate) hasher: ListenerHasher,
    pub(crate) countries: Option<Arc<Countries>>,
}

/// What a request says about its sender.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Sender<'a> {
    /// Without it, no listener is counted.
    pub(crate) address: Option<IpAddr>,
    pub(crate) agent: Option<&'a [u8]>,
    pub(crate) referrer: Option<&'a [u8]>,
    pub(crate) host: Option<&'a [u8]>,
}

impl<'a> Sender<'a> {
    pub(crate) fn of(request: &'a Parts) -> Self {
        let line = |name| request.headers.get(name).map(http::HeaderValue::as_bytes);
        Self {
            address: request.extensions.get::<ClientAddress>().map(|client| client.ip()),
            agent: line(header::USER_AGENT),
            referrer: line(header::REFERER),
            host: line(header::HOST),
        }
    }
}

impl Counter {
    /// A tally of one delivery. `range` is the range that will be sent, if it is a single one. Listening is counted
    /// only for objects with sound.
    pub(crate) fn tally(
        self: &Arc<Self>,
        key: Arc<ObjectKey>,
        is_start: bool,
        range: Option<&Range<u64>>,
        size: u64,
        sender: &Sender<'_>,
    ) -> Tally {
        let sound = range.filter(|_| key.file.content_type.has_sound());
        let listened = sound.and_then(|range| {
            let file = self.listen(&key, size, sender)?;
            Some(Listened { file, noted: range.start, at: range.start })
        });
        Tally { counter: Arc::clone(self), key, is_start, listened }
    }

    fn listen(&self, key: &ObjectKey, size: u64, sender: &Sender<'_>) -> Option<ListenedFile> {
        let now = self.ambient.now();
        let Sender { agent, referrer, host, address } = *sender;
        let address = address?;
        let listener = self.hasher.listener(Day::of(now), address, agent);
        let locate = || self.countries.as_ref()?.country(address);
        self.meter.listen(key, size, &Visitor { listener, address, agent, referrer, host }, now, locate)
    }
}

/// The part of a file that a listener receives in one delivery.
struct Listened {
    file: ListenedFile,
    /// The position up to which it is recorded.
    noted: u64,
    /// The position up to which it was handed over.
    at: u64,
}

/// Counts one delivery of an object.
pub(crate) struct Tally {
    counter: Arc<Counter>,
    key: Arc<ObjectKey>,
    /// The next byte is the first of the object, which counts as a start.
    is_start: bool,
    listened: Option<Listened>,
}

impl Tally {
    /// Counts bytes that are handed over.
    pub(crate) fn add(&mut self, bytes: usize) {
        tonearm_telemetry::sent(bytes as u64);
        let starts = u64::from(std::mem::take(&mut self.is_start));
        let counts = UsageCounts { starts, ..UsageCounts::bytes(bytes as u64) };
        let Counter { meter, ambient, .. } = &*self.counter;
        let ObjectKey { organization_id, folder, file } = &*self.key;
        meter.count(*organization_id, *folder, Some(&file.label), counts, ambient.now());
        if let Some(listened) = &mut self.listened {
            listened.at += bytes as u64;
            if listened.at - listened.noted >= NOTED_BYTES {
                listened.note(&self.counter);
            }
        }
    }
}

impl Listened {
    fn note(&mut self, counter: &Counter) {
        let range = std::mem::replace(&mut self.noted, self.at)..self.at;
        counter.meter.take_range(&self.file, range, counter.ambient.now());
    }
}

impl Drop for Tally {
    /// Records the rest, however the delivery ends.
    fn drop(&mut self) {
        if let Some(listened) = &mut self.listened
            && listened.at > listened.noted
        {
            listened.note(&self.counter);
        }
    }
}
