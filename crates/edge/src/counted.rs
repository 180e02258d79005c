//! Counts deliveries.

use std::net::IpAddr;
use std::ops::Range;
use std::sync::Arc;

use http::header;
use http::request::Parts;
use tonearm_domain::{
    Ambient, ClientAddress, Day, ListenedFile, Meter, ObjectKey, Played, UsageCounts, Visitor,
};
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
    /// A tally of one delivery. `range` is the range that will be sent, or the first of several; none if nothing is
    /// sent. Starts and listening are counted only for objects with sound.
    pub(crate) fn tally(
        self: &Arc<Self>,
        key: Arc<ObjectKey>,
        is_start: bool,
        range: Option<&Range<u64>>,
        size: u64,
        sender: &Sender<'_>,
    ) -> Tally {
        let has_sound = key.file.content_type.has_sound();
        let sound = range.filter(|_| has_sound);
        let listened = sound.and_then(|range| {
            let file = self.listen(&key, size, sender)?;
            Some(Listened::new(file, range))
        });
        Tally { counter: Arc::clone(self), key, is_start: is_start && has_sound, listened }
    }

    /// Records what a listener has played of a file, if it has sound.
    pub(crate) fn played(&self, key: &ObjectKey, size: u64, played: &Played, sender: &Sender<'_>) {
        if key.file.content_type.has_sound()
            && let Some(file) = self.listen(key, size, sender)
        {
            self.meter.play(&file, played, self.ambient.now());
        }
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

/// The parts of a file that a listener receives in one delivery.
struct Listened {
    file: ListenedFile,
    /// Bytes that are handed over before the rest of the current part, and are no part of the file.
    head: u64,
    /// The position up to which the current part is recorded.
    noted: u64,
    /// The position up to which it was handed over.
    at: u64,
    /// Its end.
    end: u64,
    /// The parts that follow, each after a head of this many bytes.
    next: std::vec::IntoIter<(u64, Range<u64>)>,
}

/// Counts one delivery of an object.
pub(crate) struct Tally {
    counter: Arc<Counter>,
    key: Arc<ObjectKey>,
    /// The next byte is the first of an object with sound, which counts as a start.
    is_start: bool,
    listened: Option<Listened>,
}

impl Tally {
    /// Counts a delivery of several parts, each after a head of this many bytes.
    pub(crate) fn of_parts(mut self, parts: Vec<(u64, Range<u64>)>) -> Self {
        if let Some(listened) = &mut self.listened {
            listened.next = parts.into_iter();
            listened.begin_next();
        }
        self
    }

    /// Counts bytes that are handed over.
    pub(crate) fn add(&mut self, bytes: usize) {
        tonearm_telemetry::sent(bytes as u64);
        let starts = u64::from(std::mem::take(&mut self.is_start));
        let counts = UsageCounts { starts, ..UsageCounts::bytes(bytes as u64) };
        let Counter { meter, ambient, .. } = &*self.counter;
        let ObjectKey { organization_id, folder, file } = &*self.key;
        meter.count(*organization_id, *folder, Some(&file.label), counts, ambient.now());
        if let Some(listened) = &mut self.listened {
            listened.add(bytes as u64, &self.counter);
        }
    }
}

impl Listened {
    fn new(file: ListenedFile, range: &Range<u64>) -> Self {
        let Range { start, end } = *range;
        Self { file, head: 0, noted: start, at: start, end, next: Vec::new().into_iter() }
    }

    fn add(&mut self, mut bytes: u64, counter: &Counter) {
        loop {
            let of_head = bytes.min(self.head);
            self.head -= of_head;
            bytes -= of_head;
            let of_part = bytes.min(self.end - self.at);
            self.at += of_part;
            bytes -= of_part;
            if self.at - self.noted >= NOTED_BYTES {
                self.note(counter);
            }
            if bytes == 0 {
                return;
            }
            self.note_rest(counter);
            if !self.begin_next() {
                return;
            }
        }
    }

    /// Goes on to the next part; `false` if there is none.
    fn begin_next(&mut self) -> bool {
        let Some((head, Range { start, end })) = self.next.next() else { return false };
        (self.head, self.noted, self.at, self.end) = (head, start, start, end);
        true
    }

    fn note_rest(&mut self, counter: &Counter) {
        if self.at > self.noted {
            self.note(counter);
        }
    }

    fn note(&mut self, counter: &Counter) {
        let range = std::mem::replace(&mut self.noted, self.at)..self.at;
        counter.meter.take_range(&self.file, range, counter.ambient.now());
    }
}

impl Drop for Tally {
    /// Records the rest, however the delivery ends.
    fn drop(&mut self) {
        if let Some(listened) = &mut self.listened {
            listened.note_rest(&self.counter);
        }
    }
}
