//! While bytes arrive, a track is not given up when its upload URL expires.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use bytes::Bytes;
use futures::{Stream, StreamExt};
use tonearm_domain::{OrganizationId, Track, TrackId};
use tracing::Instrument;

use super::Uploads;

/// How many seconds each renewal extends the wait for a track. This is long enough for nodes whose clocks are minutes
/// apart to agree, and short enough to give up soon on a track whose node died.
const WAITED_SECONDS: i64 = 900;

/// A renewal is due when less than this is left, in seconds. Uploads that end well before their URL expires cost no
/// write.
const RENEWED_WITHIN_SECONDS: i64 = 600;

/// Seconds until a failed renewal is retried.
const RETRY_SECONDS: i64 = 30;

impl Uploads {
    /// Passes the bytes through unchanged. At the start and as they arrive, it extends the wait for the track if
    /// needed. An upload that has stalled extends nothing.
    pub(super) fn keep_waited_for<S, E>(
        &self,
        track: &Track,
        body: S,
    ) -> impl Stream<Item = Result<Bytes, E>> + Send + Unpin + use<S, E>
    where
        S: Stream<Item = Result<Bytes, E>> + Send + Unpin,
    {
        let due = track.upload_expires_at.plus_seconds(-RENEWED_WITHIN_SECONDS).unix_millis();
        let renewals = Renewals {
            uploads: self.clone(),
            organization_id: track.organization_id,
            track_id: track.id,
            due: Arc::new(AtomicI64::new(due)),
        };
        renewals.renew_if_due();
        body.inspect(move |_| renewals.renew_if_due())
    }
}

struct Renewals {
    uploads: Uploads,
    organization_id: OrganizationId,
    track_id: TrackId,
    /// When the next renewal is due, in Unix milliseconds. The largest value while one is in progress.
    due: Arc<AtomicI64>,
}

impl Renewals {
    fn renew_if_due(&self) {
        let now = self.uploads.ambient.now();
        if now.unix_millis() < self.due.load(Ordering::Relaxed) {
            return;
        }
        self.due.store(i64::MAX, Ordering::Relaxed);
        let (catalog, due) = (self.uploads.catalog.clone(), Arc::clone(&self.due));
        let (organization_id, track_id) = (self.organization_id, self.track_id);
        // Runs beside the upload, which must not wait for the database.
        let renewing = async move {
            match catalog.renew_upload(organization_id, track_id, now.plus_seconds(WAITED_SECONDS)).await {
                Ok(true) => {
                    let next = now.plus_seconds(WAITED_SECONDS - RENEWED_WITHIN_SECONDS);
                    due.store(next.unix_millis(), Ordering::Relaxed);
                }
                // The track takes no more bytes, or is not waited for: the end of the upload reports that.
                Ok(false) => {}
                Err(error) => {
                    tracing::warn!(%track_id, %error, "could not extend the upload URL of a running upload");
                    due.store(now.plus_seconds(RETRY_SECONDS).unix_millis(), Ordering::Relaxed);
                }
            }
        };
        tokio::spawn(renewing.in_current_span());
    }
}
