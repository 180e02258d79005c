//! Appending the next piece to an upload.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;
use futures::{Stream, StreamExt};
use tokio::time::{Instant, MissedTickBehavior, interval_at};
use tokio_util::sync::CancellationToken;
use tonearm_blobs::{DraftState, DraftWriter};
use tonearm_catalog::UploadHold;
use tonearm_domain::{LeaseId, Origin, PieceError, Upload, UploadId};

use super::lookup::HeldUpload;
use super::{LEASE_SECONDS, OnDurable, PieceCheck, Progress, RECORDED_BYTES, UploadPiece, UploadRefusal};
use crate::admission::quota_claim::QuotaClaim;
use crate::admission::quotas::{self, QuotaAllowance};
use crate::refusal::Refusal;
use crate::request_turns::turn_of;
use crate::uploads::Uploads;
use crate::uploads::accept_source::BodyError;

/// How often the lease is renewed, and checked for another request that wants it.
const RENEWED_EVERY: Duration = Duration::from_secs(3);

const LEASE: Duration = Duration::from_secs(LEASE_SECONDS.unsigned_abs());

/// Whether a request makes progress. The lease of an upload whose sender has stalled is not renewed, so that other
/// requests can take it over.
#[derive(Default)]
pub(super) struct Pace {
    /// The request waits for its sender. Otherwise the database or the store is at work for it.
    is_waiting: AtomicBool,
    /// Something has arrived since the last look.
    has_moved: AtomicBool,
    /// The lease no longer matters: the request is removing the upload.
    is_over: AtomicBool,
}

impl Pace {
    fn set_waiting(&self, is_waiting: bool) {
        self.is_waiting.store(is_waiting, Ordering::Relaxed);
        if !is_waiting {
            self.has_moved.store(true, Ordering::Relaxed);
        }
    }

    /// Ends the renewals, before the request removes the upload.
    pub(super) fn end(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }

    /// Whether the request has made progress since the last call.
    fn take_is_moving(&self) -> bool {
        self.has_moved.swap(false, Ordering::Relaxed) || !self.is_waiting.load(Ordering::Relaxed)
    }
}

/// How the bytes of a piece ended.
enum End {
    Whole,
    Broken(BodyError),
}

/// A piece that is being written.
struct Append {
    held: HeldUpload,
    writer: DraftWriter,
    allowance: QuotaAllowance,
    /// The largest allowed size of the whole upload.
    most: u64,
    /// The bytes of this piece that have arrived.
    received: u64,
    /// Those of them that are recorded.
    recorded: u64,
    /// Called when bytes are recorded while more are to come.
    on_durable: Option<OnDurable>,
}

impl Uploads {
    /// Appends a piece to an upload, and completes the upload if it is the last one.
    ///
    /// If the piece is interrupted, the bytes that have arrived are stored and [`UploadRefusal::Interrupted`] is
    /// returned: the upload can be continued from its new offset. A piece with a check is stored as a whole or not at
    /// all. If the client disconnects, callers should let this future run to its end, which the end of the body brings
    /// about.
    pub async fn append<S>(
        &self,
        origin: Origin,
        id: UploadId,
        piece: UploadPiece<S>,
    ) -> Result<Progress, UploadRefusal>
    where
        S: Stream<Item = Result<Bytes, BodyError>> + Send + Unpin,
    {
        self.append_joined(origin, id, piece, 0).await
    }

    /// The same for an upload whose bytes come from parts of `joined` bytes.
    pub(super) async fn append_joined<S>(
        &self,
        origin: Origin,
        id: UploadId,
        piece: UploadPiece<S>,
        joined: u64,
    ) -> Result<Progress, UploadRefusal>
    where
        S: Stream<Item = Result<Bytes, BodyError>> + Send + Unpin,
    {
        let held = HeldUpload { joined, ..self.hold_upload(id).await? };
        let (lease, stop) = (held.lease, held.hold.stopper());
        let pace = Pace::default();
        let appended = tokio::select! {
            biased;
            // What is dropped then is recorded by nobody: every record needs the lease.
            () = self.keep_lease(id, lease, &pace, stop) => Err(UploadRefusal::Locked),
            appended = self.append_held(origin, held, piece, &pace) => appended,
        };
        if let Err(error) = self.catalog.release_upload(id, lease).await {
            tracing::warn!(%error, "could not release an upload; others can continue it in {LEASE_SECONDS} seconds");
        }
        appended
    }

    /// Renews the lease of an upload for as long as work on it goes on, and tells the request to stop when another node
    /// asks for the upload. Returns once the lease is lost.
    async fn keep_lease(&self, id: UploadId, lease: LeaseId, pace: &Pace, stop: CancellationToken) {
        let mut beats = interval_at(Instant::now() + RENEWED_EVERY, RENEWED_EVERY);
        beats.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut lost_at = Instant::now() + LEASE;
        loop {
            let now = beats.tick().await;
            if pace.is_over.load(Ordering::Relaxed) {
                return std::future::pending().await;
            }
            let hold = if pace.take_is_moving() {
                let until = self.ambient.now().plus_seconds(LEASE_SECONDS);
                self.catalog.renew_upload_lease(id, lease, until).await
            } else {
                self.catalog.upload_hold(id, lease).await
            };
            match hold {
                Ok(UploadHold::Held) => lost_at = now + LEASE,
                Ok(UploadHold::Wanted) => {
                    lost_at = now + LEASE;
                    stop.cancel();
                }
                Ok(UploadHold::Lost) => return,
                Err(error) if now < lost_at => {
                    tracing::warn!(%error, "could not renew the lease of an upload; trying again");
                }
                Err(_) => return,
            }
        }
    }

    async fn append_held<S>(
        &self,
        origin: Origin,
        mut held: HeldUpload,
        piece: UploadPiece<S>,
        pace: &Pace,
    ) -> Result<Progress, UploadRefusal>
    where
        S: Stream<Item = Result<Bytes, BodyError>> + Send + Unpin,
    {
        let turn = turn_of(held.upload.organization_id).await?;
        let announced = piece.announced();
        let UploadPiece { offset, size, is_last, check, on_durable, body, .. } = piece;
        held.upload.check_piece(offset, size)?;
        if let Some(length) = announced {
            held.upload.announce(length)?;
        }
        let limit = self.limits.max_source_bytes;
        if held
            .upload
            .length
            .or(size.and_then(|size| offset.checked_add(size)))
            .is_some_and(|end| end > limit)
        {
            return Err(Refusal::TooLarge { limit }.into());
        }
        // Checks the disk space only, not the length of the queue: an upload that was begun may be completed.
        self.admission.require_space()?;
        let (organization_id, length) = (held.upload.organization_id, held.upload.length);
        let allowance =
            quotas::source_allowance(&self.catalog, organization_id, length, held.counted()).await?;
        let draft = Self::draft_of(&held.upload)?;
        let writer = self.blobs.open_draft(held.upload.id, draft, self.names_of(&held.upload)).await?;
        let most = allowance.at_most(limit);
        // The bytes of parts are counted already.
        if held.joined == 0 {
            let (uses, place) = ((&self.catalog, &self.ambient), (organization_id, held.upload.folder));
            held.claim = Some(QuotaClaim::new(uses, place, allowance, size));
        }
        let mut append = Append { held, writer, allowance, most, received: 0, recorded: 0, on_durable };
        drop(turn);
        let received = self.receive(&mut append, body, check, pace).await;
        // What has arrived is recorded even if the organization never has its turn.
        let _turn = turn_of(organization_id).await;
        let end = match received {
            Ok(end) => self.record_piece(&mut append).await.map(|()| end),
            Err(refusal) => Err(refusal),
        };
        let end = match end {
            Err(refusal) => {
                if is_of_piece(&refusal) {
                    self.drop_unrecorded(append).await;
                }
                return Err(refusal);
            }
            Ok(end) => end,
        };
        match end {
            End::Broken(error) => Err(UploadRefusal::Interrupted(error)),
            End::Whole if is_last || append.held.upload.has_all() => {
                let Append { held, writer, .. } = append;
                self.finish_upload(origin, held, writer, pace).await
            }
            End::Whole => Ok(Progress { upload: append.held.upload, accepted: None }),
        }
    }

    /// Writes the bytes of a piece as they arrive.
    async fn receive<S>(
        &self,
        append: &mut Append,
        mut body: S,
        mut check: Option<Box<dyn PieceCheck>>,
        pace: &Pace,
    ) -> Result<End, UploadRefusal>
    where
        S: Stream<Item = Result<Bytes, BodyError>> + Send + Unpin,
    {
        let end = loop {
            pace.set_waiting(true);
            let chunk = tokio::select! {
                biased;
                () = append.held.hold.is_wanted() => break End::Broken("another request continues the upload".into()),
                chunk = body.next() => chunk,
            };
            pace.set_waiting(false);
            match chunk {
                // A draft that is published already takes no bytes, and these are none.
                Some(Ok(chunk)) if chunk.is_empty() => {}
                Some(Ok(chunk)) => {
                    append.write_chunk(chunk, &mut check).await?;
                    if check.is_none() && append.received - append.recorded >= RECORDED_BYTES {
                        self.record_piece(append).await?;
                        if let Some(on_durable) = &append.on_durable {
                            on_durable(append.held.upload.offset);
                        }
                    }
                }
                Some(Err(error)) => break End::Broken(error),
                None => break End::Whole,
            }
        };
        pace.set_waiting(false);
        match (end, check) {
            (end, None) => Ok(end),
            (End::Whole, Some(check)) => {
                if check.matches() {
                    Ok(End::Whole)
                } else {
                    Err(UploadRefusal::Checksum)
                }
            }
            // It cannot be determined whether these bytes are correct.
            (End::Broken(error), Some(_)) => Err(Refusal::Interrupted(error).into()),
        }
    }

    /// Makes the bytes received so far durable, and then records their number.
    async fn record_piece(&self, append: &mut Append) -> Result<(), UploadRefusal> {
        let draft = append.writer.flush().await?;
        append.recorded = append.received;
        self.record_draft(&mut append.held, &draft).await?;
        append.writer.recorded().await;
        Ok(())
    }

    /// Removes the bytes of a refused piece: they would be there uncounted until the upload expires. Opening a draft cuts off
    /// what is not recorded.
    async fn drop_unrecorded(&self, append: Append) {
        let Append { mut held, writer, .. } = append;
        drop(writer);
        if let Some(claim) = &mut held.claim {
            claim.end().await;
        }
        let cut = async {
            let (draft, names) = (Self::draft_of(&held.upload)?, self.names_of(&held.upload));
            self.blobs.open_draft(held.upload.id, draft, names).await?;
            Ok::<_, UploadRefusal>(())
        };
        if let Err(error) = cut.await {
            tracing::warn!(%error, "could not remove the bytes of a refused piece; they expire with its upload");
        }
    }

    /// Records the progress of an upload, if what has arrived is within the quota, and makes its track wait until the
    /// upload expires.
    pub(super) async fn record_draft(
        &self,
        held: &mut HeldUpload,
        draft: &DraftState,
    ) -> Result<(), UploadRefusal> {
        let now = self.ambient.now();
        let mut upload = held.upload.clone();
        upload.offset = draft.size();
        upload.draft = serde_json::to_string(draft).map_err(|error| Refusal::Internal(error.into()))?;
        upload.expires_at = Upload::expiry(upload.created_at, now);
        let tx = self.catalog.begin().await?;
        if upload.offset > held.upload.offset {
            quotas::admit_stored(&tx, upload.organization_id, upload.offset, held.counted()).await?;
        }
        if !tx.record_upload(&upload, held.lease, now.plus_seconds(LEASE_SECONDS)).await? {
            return Err(UploadRefusal::Locked);
        }
        if let Some(claim) = &held.claim {
            claim.release(&tx).await?;
        }
        tx.commit().await?;
        held.upload = upload;
        if let Some(claim) = &mut held.claim {
            claim.forget();
        }
        let Upload { organization_id, expires_at, .. } = held.upload;
        if let Some(track_id) = held.upload.track_id {
            self.catalog.renew_upload(organization_id, track_id, expires_at).await?;
        }
        Ok(())
    }
}

/// Whether a piece was refused while its request still held the upload. After a lost lease, its bytes are another's, and
/// during an outage nothing can be removed.
fn is_of_piece(refusal: &UploadRefusal) -> bool {
    match refusal {
        UploadRefusal::Gone | UploadRefusal::Locked | UploadRefusal::Interrupted(_) => false,
        UploadRefusal::Piece(_) | UploadRefusal::Checksum => true,
        UploadRefusal::Refused(refusal) => !refusal.is_failure(),
    }
}

impl Append {
    async fn write_chunk(
        &mut self,
        chunk: Bytes,
        check: &mut Option<Box<dyn PieceCheck>>,
    ) -> Result<(), UploadRefusal> {
        let size = chunk.len() as u64;
        let end = self.held.upload.offset + (self.received - self.recorded) + size;
        if let Some(announced) = self.held.upload.length.filter(|&announced| end > announced) {
            return Err(PieceError::Length { announced }.into());
        }
        if end > self.most {
            return Err(self.allowance.refusal(self.most).into());
        }
        if let Some(check) = check {
            check.update(&chunk);
        }
        self.received += size;
        if let Some(claim) = &mut self.held.claim {
            claim.cover(self.received - self.recorded).await?;
        }
        Ok(self.writer.write(chunk).await?)
    }
}
