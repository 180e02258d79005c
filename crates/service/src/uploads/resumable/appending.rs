//! Appending the next piece to an upload.

use std::time::Duration;

use bytes::Bytes;
use futures::{Stream, StreamExt};
use tokio::time::{MissedTickBehavior, interval};
use tonearm_blobs::{DraftState, DraftWriter};
use tonearm_catalog::UploadHold;
use tonearm_domain::{Origin, PieceError, Upload, UploadId};

use super::lookup::HeldUpload;
use super::{LEASE_SECONDS, OnDurable, PieceCheck, Progress, RECORDED_BYTES, UploadPiece, UploadRefusal};
use crate::admission::quotas::{self, QuotaAllowance};
use crate::refusal::Refusal;
use crate::uploads::Uploads;
use crate::uploads::accept_source::BodyError;

/// How often the lease is renewed, and checked for another request that wants it.
const RENEWED_EVERY: Duration = Duration::from_secs(3);

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
        let held = self.hold_upload(id).await?;
        let lease = held.lease;
        let appended = self.append_held(origin, held, piece).await;
        if let Err(error) = self.catalog.release_upload(id, lease).await {
            tracing::warn!(%error, "could not release an upload; others can continue it in {LEASE_SECONDS} seconds");
        }
        appended
    }

    async fn append_held<S>(
        &self,
        origin: Origin,
        mut held: HeldUpload,
        piece: UploadPiece<S>,
    ) -> Result<Progress, UploadRefusal>
    where
        S: Stream<Item = Result<Bytes, BodyError>> + Send + Unpin,
    {
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
        self.admission.require_space().await?;
        let allowance =
            quotas::source_allowance(&self.catalog, held.upload.organization_id, held.upload.length).await?;
        let draft = Self::draft_of(&held.upload)?;
        let writer = self.blobs.open_draft(held.upload.id, draft, self.names_of(&held.upload)).await?;
        let most = allowance.at_most(limit);
        let mut append = Append { held, writer, allowance, most, received: 0, recorded: 0, on_durable };
        let end = self.receive(&mut append, body, check).await?;
        self.record_piece(&mut append).await?;
        match end {
            End::Broken(error) => Err(UploadRefusal::Interrupted(error)),
            End::Whole if is_last || append.held.upload.has_all() => {
                let Append { held, writer, .. } = append;
                self.finish_upload(origin, held, writer).await
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
    ) -> Result<End, UploadRefusal>
    where
        S: Stream<Item = Result<Bytes, BodyError>> + Send + Unpin,
    {
        let mut renewal = interval(RENEWED_EVERY);
        renewal.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut renewed_at = 0;
        let end = loop {
            let chunk = tokio::select! {
                biased;
                () = append.held.hold.is_wanted() => break End::Broken("another request continues the upload".into()),
                _ = renewal.tick() => {
                    if !self.still_holds(&append.held, append.received > renewed_at).await? {
                        break End::Broken("another node continues the upload".into());
                    }
                    renewed_at = append.received;
                    continue;
                }
                chunk = body.next() => chunk,
            };
            match chunk {
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

    /// Renews the lease if bytes have arrived. The lease of an upload that has stalled can be taken over by other
    /// requests.
    async fn still_holds(&self, held: &HeldUpload, is_alive: bool) -> Result<bool, UploadRefusal> {
        let HeldUpload { upload, lease, .. } = held;
        let hold = if is_alive {
            let until = self.ambient.now().plus_seconds(LEASE_SECONDS);
            self.catalog.renew_upload_lease(upload.id, *lease, until).await?
        } else {
            self.catalog.upload_hold(upload.id, *lease).await?
        };
        match hold {
            UploadHold::Held => Ok(true),
            UploadHold::Wanted => Ok(false),
            UploadHold::Lost => Err(UploadRefusal::Locked),
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

    /// Records the progress of an upload, and makes its track wait until the upload expires.
    pub(super) async fn record_draft(
        &self,
        held: &mut HeldUpload,
        draft: &DraftState,
    ) -> Result<(), UploadRefusal> {
        let now = self.ambient.now();
        let upload = &mut held.upload;
        upload.offset = draft.size();
        upload.draft = serde_json::to_string(draft).map_err(|error| Refusal::Internal(error.into()))?;
        upload.expires_at = Upload::expiry(upload.created_at, now);
        let tx = self.catalog.begin().await?;
        if !tx.record_upload(upload, held.lease, now.plus_seconds(LEASE_SECONDS)).await? {
            return Err(UploadRefusal::Locked);
        }
        tx.commit().await?;
        if let Some(track_id) = upload.track_id {
            self.catalog.renew_upload(upload.organization_id, track_id, upload.expires_at).await?;
        }
        Ok(())
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
        Ok(self.writer.write(chunk).await?)
    }
}
