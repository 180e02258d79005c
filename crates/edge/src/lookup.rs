//! Finds, opens and reads objects in the store, with timeouts.

use std::error::Error;
use std::fmt;
use std::ops::Range;

use http::Method;
use http::request::Parts;
use tonearm_blobs::Chunks;
use tonearm_domain::{DurableName, ObjectKey};

use crate::conditional;
use crate::edge::Edge;
use crate::found_object::{FoundObject, Opened};
use crate::range::RangeSet;
use crate::refusal::Refusal;
use crate::validators::Validators;

impl Edge {
    /// Finds the object. If one contiguous range will probably be sent, it is opened at once, which saves a round trip
    /// to the store.
    pub(crate) async fn resolve(
        &self,
        key: &ObjectKey,
        request: &Parts,
        ranges: Option<&RangeSet>,
    ) -> Result<FoundObject, Refusal> {
        let blobs = &self.0.blobs;
        let (meta, opened) = match (blobs.at_hand(key), likely_read(request, ranges)) {
            (Some(object), _) => (object.meta(), Opened::All(object)),
            (None, Some(range)) => {
                let body = self.stored(key, blobs.deliver(key, range)).await?;
                (body.meta, Opened::Part(body))
            }
            (None, None) => (self.stored(key, blobs.deliver_head(key)).await?, Opened::Not),
        };
        Ok(FoundObject { meta, validators: Validators::of(key, &meta), opened })
    }

    /// The WebP form of a cover; none if it does not exist, because it was not made or is not smaller.
    pub(crate) async fn smaller_form(
        &self,
        webp: ObjectKey,
        request: &Parts,
        ranges: Option<&RangeSet>,
    ) -> Result<Option<(ObjectKey, FoundObject)>, Refusal> {
        let missing = &self.0.missing_forms;
        if missing.has(&webp, self.now()) {
            return Ok(None);
        }
        match self.resolve(&webp, request, ranges).await {
            Ok(found) => Ok(Some((webp, found))),
            Err(Refusal::NotFound) => {
                missing.note(webp, self.now());
                Ok(None)
            }
            Err(refusal) => Err(refusal),
        }
    }

    /// The bytes of a range: the part that is already open if it matches, else opened now.
    pub(crate) async fn read(
        &self,
        key: &ObjectKey,
        opened: Opened,
        range: Range<u64>,
    ) -> Result<Chunks, Refusal> {
        match opened {
            Opened::All(object) => match object.read(range.clone()) {
                Some(chunks) => Ok(chunks),
                None => self.ask(key, range).await,
            },
            Opened::Part(body) if body.range == range => Ok(body.stream),
            Opened::Part(_) | Opened::Not => self.ask(key, range).await,
        }
    }

    async fn ask(&self, key: &ObjectKey, range: Range<u64>) -> Result<Chunks, Refusal> {
        Ok(self.stored(key, self.0.blobs.deliver(key, Some(range))).await?.stream)
    }

    /// The object that a durable name currently refers to.
    pub(crate) async fn newest(&self, name: &DurableName) -> Result<ObjectKey, Refusal> {
        self.stored(name, self.0.manifests.resolve(name, self.now())).await
    }

    /// Waits for the store, with a timeout.
    async fn stored<T, E: Error + 'static>(
        &self,
        key: &impl fmt::Display,
        answer: impl Future<Output = Result<Option<T>, E>>,
    ) -> Result<T, Refusal> {
        let config = &self.0.config;
        let away = Refusal::Storage { retry_after: config.retry_after_seconds };
        match tokio::time::timeout(config.storage_timeout, answer).await {
            Ok(Ok(found)) => found.ok_or(Refusal::NotFound),
            Ok(Err(error)) => {
                let error: &dyn Error = &error;
                tracing::error!(%key, error, "the object store failed");
                Err(away)
            }
            Err(_) => {
                tracing::error!(%key, timeout = ?config.storage_timeout, "the object store does not respond");
                Err(away)
            }
        }
    }
}

/// The range that will most likely be read: everything (`Some(None)`) or one range. `None` if that depends on something
/// that is not known yet.
fn likely_read(request: &Parts, ranges: Option<&RangeSet>) -> Option<Option<Range<u64>>> {
    if request.method != Method::GET || conditional::is_conditional(&request.headers) {
        return None;
    }
    match ranges {
        None => Some(None),
        Some(ranges) => ranges.known_start().map(Some),
    }
}
