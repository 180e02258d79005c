//! Accepting the source of a track.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures::{FutureExt as _, Stream, StreamExt as _, TryStreamExt as _, stream};
use tokio::sync::mpsc;
use tokio::task::coop::unconstrained;
use tonearm_blobs::{PutError, PutTerms, Stored};
use tonearm_catalog::{CatalogError, Transaction, spawn_in_request};
use tonearm_domain::{
    Actor, Ambient, AuditAction, ContentType, ErrorCode, Job, ObjectFile, ObjectKey, Origin, Replacement,
    ReplacementId, ReplacementState, Source, SourceSlot, Track, TrackId, TrackStatus, VariantIndex,
};
use tonearm_media::sniff;

use super::Uploads;
use super::upload_session::{ENDED, require_opener};
use crate::admission::quota_claim::QuotaClaim;
use crate::admission::quotas::{self, QuotaAllowance};
use crate::audit::{self, AuditedAction};
use crate::refusal::{Refusal, Resource, record_again_if_victim};
use crate::removal::remove_unnamed;
use crate::request_turns::turn_of;

pub(super) type BodyError = Box<dyn std::error::Error + Send + Sync>;

/// The number of bytes that are examined to detect the file type before the rest has arrived.
const SNIFFED_BYTES: usize = 4096;

/// What the sender states about the bytes. Each value is checked before anything is stored.
#[derive(Debug, Clone, Copy, Default)]
pub struct UploadTerms {
    /// Their number (`Content-Length`).
    pub size: Option<u64>,
    /// Their SHA-256 (`Repr-Digest`).
    pub sha256: Option<[u8; 32]>,
    /// Their MD5 (`Content-MD5`).
    pub md5: Option<[u8; 16]>,
}

/// An accepted upload.
#[derive(Debug, Clone)]
pub struct AcceptedUpload {
    /// The track.
    pub track_id: TrackId,
    /// The number of bytes.
    pub size: u64,
    /// Their SHA-256.
    pub sha256: [u8; 32],
}

/// A source that is in the store.
pub(super) struct Recorded<'a> {
    pub(super) slot: SourceSlot,
    pub(super) key: &'a ObjectKey,
    pub(super) stored: &'a Stored,
    /// The bytes of it that are counted in the quota already.
    pub(super) counted: u64,
}

impl Uploads {
    /// Streams a source into the store and, in one transaction, records it and queues its processing.
    ///
    /// It returns once the bytes and the row are durable. If anything fails before, nothing is left behind and the URL
    /// can be used again. If several uploads to one track run at once, the first to complete wins; the others conflict.
    ///
    /// Dropping the future ends the body. What has arrived as a whole by then is still recorded.
    pub async fn accept_source<S>(
        &self,
        origin: Origin,
        slot: SourceSlot,
        body: S,
        terms: UploadTerms,
    ) -> Result<AcceptedUpload, Refusal>
    where
        S: Stream<Item = Result<Bytes, BodyError>> + Send + Unpin,
    {
        let (sender, body) = relay(body);
        let uploads = self.clone();
        let work = async move { uploads.accept_relayed(origin, slot, Box::pin(body), terms).await };
        let mut accepting = spawn_in_request(work);
        let accepted = tokio::select! {
            biased;
            accepted = &mut accepting => accepted,
            () = sender => accepting.await,
        };
        accepted.unwrap_or_else(|error| Err(Refusal::Internal(error.into())))
    }

    async fn accept_relayed<S>(
        &self,
        origin: Origin,
        slot: SourceSlot,
        body: S,
        terms: UploadTerms,
    ) -> Result<AcceptedUpload, Refusal>
    where
        S: Stream<Item = Result<Bytes, BodyError>> + Send + Unpin,
    {
        let SourceSlot { organization_id, track_id, .. } = slot;
        let turn = turn_of(organization_id).await?;
        let track = self.track_of_open_slot(slot).await?;
        let body = self.keep_waited_for(&track, body);
        let limit = self.limits.max_source_bytes;
        if terms.size.is_some_and(|size| size > limit) {
            return Err(Refusal::TooLarge { limit });
        }
        let opener = self.opener_of(&track, slot).await?;
        let allowance = self.require_room(organization_id, terms.size, 0).await?;
        drop(turn);
        let (key, stored, mut claim) = Box::pin(self.store_source(&track, body, terms, allowance)).await?;
        // What has arrived is recorded even if the organization never has its turn.
        let _turn = turn_of(organization_id).await;
        let record = || async {
            let tx = self.catalog.begin().await?;
            require_opener(&tx, organization_id, opener).await?;
            let recorded = Recorded { slot, key: &key, stored: &stored, counted: claim.claimed() };
            self.record_upload(&tx, origin, recorded).await?;
            claim.release(&tx).await?;
            Ok(tx.commit().await?)
        };
        let recorded = record_again_if_victim(&self.ambient, record).await;
        let Err(refusal) = recorded else {
            claim.forget();
            return Ok(AcceptedUpload { track_id, size: stored.size, sha256: stored.sha256 });
        };
        claim.end().await;
        // A row may name the object. If none does, the sweep removes it.
        if !matches!(refusal, Refusal::UnknownOutcome(_)) {
            self.remove_unrecorded(vec![key]).await;
        }
        Err(refusal)
    }

    /// The track of a slot that is still waiting for its bytes.
    pub(super) async fn track_of_open_slot(&self, slot: SourceSlot) -> Result<Track, Refusal> {
        let SourceSlot { organization_id, track_id, replacement_id } = slot;
        let track = self.catalog.track(organization_id, track_id).await?;
        let track = track.ok_or(Refusal::NotFound(Resource::Track))?;
        let replacement = match replacement_id {
            Some(_) => self.catalog.replacement(organization_id, track_id).await?,
            None => None,
        };
        open_slot(&track, replacement, slot)?;
        Ok(track)
    }

    /// Streams a source into the store. What it takes of the quota is claimed until it is recorded.
    pub(super) async fn store_source<S>(
        &self,
        track: &Track,
        body: S,
        terms: UploadTerms,
        allowance: QuotaAllowance,
    ) -> Result<(ObjectKey, Stored, QuotaClaim), Refusal>
    where
        S: Stream<Item = Result<Bytes, BodyError>> + Send + Unpin,
    {
        let (head, body) = peek(body).await.map_err(Refusal::Interrupted)?;
        if head.is_empty() {
            return Err(Refusal::invalid("body", "is empty; send an audio file"));
        }
        let key = ObjectKey {
            organization_id: track.organization_id,
            folder: track.index,
            file: ObjectFile {
                label: VariantIndex::from_static("source"),
                version: self.ambient.short_id(),
                content_type: sniff(&head).unwrap_or(ContentType::Binary),
            },
        };
        let put_terms = PutTerms {
            max_bytes: allowance.at_most(self.limits.max_source_bytes),
            expected_sha256: terms.sha256,
            expected_md5: terms.md5,
            expected_size: terms.size,
            ..PutTerms::default()
        };
        let whole = stream::iter(head.into_iter().map(Ok)).chain(body);
        let (uses, place) = ((&self.catalog, &self.ambient), (track.organization_id, track.index));
        let mut claim = QuotaClaim::new(uses, place, allowance, terms.size);
        let put = self.blobs.put(&key, claimed(whole, &mut claim), put_terms);
        let refusal = match put.await {
            Ok(stored) => return Ok((key, stored, claim)),
            Err(PutError::TooLarge { limit }) => allowance.refusal(limit),
            Err(error) => refuse_put(error),
        };
        claim.end().await;
        Err(refusal)
    }

    /// Removes objects that were stored and then not recorded. During an outage, they are left to the sweep.
    pub(crate) async fn remove_unrecorded(&self, keys: Vec<ObjectKey>) {
        if let Err(error) = remove_unnamed::<Refusal>(&self.catalog, &self.blobs, keys).await {
            tracing::warn!(%error, "could not remove objects that were not recorded");
        }
    }

    /// Records an upload as the source of its track. The caller commits.
    pub(super) async fn record_upload(
        &self,
        tx: &Transaction,
        origin: Origin,
        recorded: Recorded<'_>,
    ) -> Result<(), Refusal> {
        let Recorded { slot, key, stored, counted } = recorded;
        let SourceSlot { organization_id, track_id, .. } = slot;
        quotas::admit_stored(tx, organization_id, stored.size, counted).await?;
        let (mut track, replacement) = lock_open_slot(tx, slot).await?;
        let person_id = match replacement {
            Some(replacement) => {
                let person_id = replacement.person_id;
                record_new_source(tx, &self.ambient, replacement, source(key, stored)).await?;
                person_id
            }
            None => {
                track.status = accepted_status(&track)?;
                record_source(tx, &self.ambient, &mut track, key, stored).await?;
                match track.upload_session_id {
                    Some(id) => tx.upload_session(id).await?.and_then(|session| session.person_id),
                    None => None,
                }
            }
        };
        let origin = match origin.actor {
            Actor::Uploader => Origin::uploader(person_id, origin.address),
            _ => origin,
        };
        let done = AuditedAction {
            action: AuditAction::TrackUpload,
            subject_id: track_id.uuid(),
            title: &track.file_name,
        };
        audit::record_of(tx, &self.ambient, Some(organization_id), origin, done).await?;
        Ok(())
    }
}

/// Records the source of a track whose status was already updated, and queues its processing. The track then waits for
/// neither an upload nor an import.
pub(super) async fn record_source(
    tx: &Transaction,
    ambient: &Ambient,
    track: &mut Track,
    key: &ObjectKey,
    stored: &Stored,
) -> Result<(), CatalogError> {
    track.status_reason = None;
    track.source = Some(source(key, stored));
    tx.update_track(track).await?;
    tx.delete_upload_expiry(track.id).await?;
    tx.delete_import(track.id).await?;
    let job = Job::ProcessTrack { organization_id: track.organization_id, track_id: track.id };
    tx.enqueue(job, ambient.record_id(), ambient.now(), None).await
}

/// Records the source of a replacement, and queues the job that makes the new files of its track.
async fn record_new_source(
    tx: &Transaction,
    ambient: &Ambient,
    mut replacement: Replacement,
    source: Source,
) -> Result<(), Refusal> {
    let (organization_id, track_id, replacement_id) =
        (replacement.organization_id, replacement.track_id, replacement.id);
    replacement.accept_source(source).map_err(|_| used())?;
    tx.put_replacement(&replacement).await?;
    let job = Job::ReplaceSource { organization_id, track_id, replacement_id };
    Ok(tx.enqueue(job, ambient.record_id(), ambient.now(), None).await?)
}

fn source(key: &ObjectKey, stored: &Stored) -> Source {
    Source { key: key.clone(), size: stored.size, sha256: stored.sha256 }
}

/// The track of a slot that is still waiting for its bytes, locked for a change, and the replacement if the slot
/// belongs to one.
pub(super) async fn lock_open_slot(
    tx: &Transaction,
    slot: SourceSlot,
) -> Result<(Track, Option<Replacement>), Refusal> {
    let SourceSlot { organization_id, track_id, replacement_id } = slot;
    let track = tx.track(organization_id, track_id).await?.ok_or(Refusal::NotFound(Resource::Track))?;
    let replacement = match replacement_id {
        Some(_) => tx.replacement(organization_id, track_id).await?,
        None => None,
    };
    let replacement = open_slot(&track, replacement, slot)?;
    Ok((track, replacement))
}

/// Refuses a slot that is not, or no longer, waiting for bytes. `replacement` is the current one of its track.
fn open_slot(
    track: &Track,
    replacement: Option<Replacement>,
    slot: SourceSlot,
) -> Result<Option<Replacement>, Refusal> {
    match slot.replacement_id {
        Some(id) => open_replacement(replacement, id).map(Some),
        None => {
            accepted_status(track)?;
            if track.upload_has_ended() { Err(ENDED) } else { Ok(None) }
        }
    }
}

/// The replacement with this id, if it is still waiting for its bytes. A conflict if another has replaced it.
fn open_replacement(found: Option<Replacement>, id: ReplacementId) -> Result<Replacement, Refusal> {
    let open = found.filter(|it| it.id == id && it.state == ReplacementState::Waiting).ok_or_else(used)?;
    if open.upload_has_ended() { Err(ENDED) } else { Ok(open) }
}

/// The status of a track once it has its source. A conflict if it already has one. An import has a right of its own.
pub(super) fn accepted_status(track: &Track) -> Result<TrackStatus, Refusal> {
    track.accept_source().map_err(|_| Refusal::Conflict {
        code: ErrorCode::UploadUrlUsed,
        message: "this upload URL has already been used; create a new track for another file".to_owned(),
    })
}

fn used() -> Refusal {
    Refusal::Conflict {
        code: ErrorCode::UploadUrlUsed,
        message:
            "this upload URL has already been used, or the replacement was cancelled; request another one"
                .to_owned(),
    }
}

/// What became of a body that was asked for a chunk; `None` at its end.
type Asked = Option<Result<Bytes, BodyError>>;

/// The chunks of a body for another task, and what sends them: each once the task asks for it. If the sender is dropped, it
/// sends what has arrived, and then the body fails unless that was its end.
fn relay<S>(body: S) -> (Relay<S>, impl Stream<Item = Result<Bytes, BodyError>> + Send + 'static)
where
    S: Stream<Item = Result<Bytes, BodyError>> + Send + Unpin,
{
    let ((asks, asked), (sent, chunks)) = (mpsc::channel(1), mpsc::unbounded_channel());
    let chunks = stream::unfold((asks, chunks), |(asks, mut chunks)| async {
        // A sender that was dropped cannot be asked.
        let _: Result<(), _> = asks.send(()).await;
        let chunk = chunks.recv().await.unwrap_or_else(|| Some(Err("the request was dropped".into())));
        chunk.map(|chunk| (chunk, (asks, chunks)))
    });
    // It is asked again after its end.
    (Relay { body, asked, sent, is_asked: false }, chunks.fuse())
}

struct Relay<S: Stream<Item = Result<Bytes, BodyError>> + Unpin> {
    body: S,
    asked: mpsc::Receiver<()>,
    sent: mpsc::UnboundedSender<Asked>,
    is_asked: bool,
}

impl<S: Stream<Item = Result<Bytes, BodyError>> + Unpin> Future for Relay<S> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let relay = &mut *self;
        loop {
            if !relay.is_asked {
                if ready!(relay.asked.poll_recv(context)).is_none() {
                    return Poll::Ready(());
                }
                relay.is_asked = true;
            }
            let chunk = ready!(relay.body.poll_next_unpin(context));
            relay.is_asked = false;
            // Whoever asks no longer waits for the answer if the task has ended.
            let _: Result<(), _> = relay.sent.send(chunk);
        }
    }
}

/// A client may close the connection right after the last byte. The server then drops the request before it is read.
impl<S: Stream<Item = Result<Bytes, BodyError>> + Unpin> Drop for Relay<S> {
    fn drop(&mut self) {
        // Nobody asks once the task has what it wants.
        while !self.asked.is_closed()
            && let Some(chunk) = unconstrained(self.body.next()).now_or_never()
        {
            let is_end = !matches!(chunk, Some(Ok(_)));
            let _: Result<(), _> = self.sent.send(chunk);
            if is_end {
                break;
            }
        }
    }
}

/// The chunks of a source, each once it is claimed.
fn claimed<'a, S>(
    body: S,
    claim: &'a mut QuotaClaim,
) -> impl Stream<Item = Result<Bytes, BodyError>> + Send + 'a
where
    S: Stream<Item = Result<Bytes, BodyError>> + Send + Unpin + 'a,
{
    stream::try_unfold((body, claim, 0), |(mut body, claim, arrived)| async move {
        let Some(chunk) = body.try_next().await? else { return Ok(None) };
        let arrived = arrived + chunk.len() as u64;
        claim.cover(arrived).await?;
        Ok(Some((chunk, (body, claim, arrived))))
    })
}

/// Reads chunks from a body until there are enough bytes to detect the file type.
async fn peek<S>(mut body: S) -> Result<(Head, S), BodyError>
where
    S: Stream<Item = Result<Bytes, BodyError>> + Send + Unpin,
{
    let mut head = Head::default();
    while head.bytes.len() < SNIFFED_BYTES {
        match body.next().await {
            Some(chunk) => head.push(chunk?),
            None => break,
        }
    }
    Ok((head, body))
}

/// The first chunks of a body, and their first bytes in one piece.
#[derive(Default)]
struct Head {
    chunks: Vec<Bytes>,
    bytes: Vec<u8>,
}

impl Head {
    fn push(&mut self, chunk: Bytes) {
        let room = SNIFFED_BYTES - self.bytes.len();
        self.bytes.extend_from_slice(&chunk[..chunk.len().min(room)]);
        self.chunks.push(chunk);
    }
}

impl std::ops::Deref for Head {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Head {
    fn into_iter(self) -> std::vec::IntoIter<Bytes> {
        self.chunks.into_iter()
    }
}

pub(super) fn refuse_put(error: PutError) -> Refusal {
    match error {
        PutError::TooLarge { limit } => Refusal::TooLarge { limit },
        PutError::Interrupted(source) => match source.downcast() {
            Ok(refusal) => *refusal,
            Err(source) => Refusal::Interrupted(source),
        },
        PutError::DigestMismatch => Refusal::invalid(
            "digest",
            "does not match the received bytes; nothing was stored, send the file again",
        ),
        PutError::Store(error) => error.into(),
    }
}
