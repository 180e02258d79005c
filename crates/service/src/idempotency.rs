//! Requests that a client may repeat without doing anything twice.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};
use tonearm_catalog::{Catalog, Claim, Gathered, Repetition, Transaction};
use tonearm_domain::{Ambient, RequestId};
use tonearm_signing::{seal, unseal};

use crate::refusal::Refusal;

pub use tonearm_catalog::IdempotentRequest;

/// How long an answer is kept, in seconds: a day.
const KEPT_SECONDS: i64 = 24 * 3600;

/// How long a claim lasts unless it is renewed, in seconds: after so long, others may do the work of a process that died.
const HELD_SECONDS: i64 = 20;

/// How often a claim is renewed.
const RENEWED_EVERY: Duration = Duration::from_secs(5);

/// The longest that the work of one request goes on, with or without a client.
const LONGEST_WORK: Duration = Duration::from_secs(120);

/// The pauses between looks at whether another request with the same key has been answered.
const PAUSES: std::ops::Range<Duration> = Duration::from_millis(20)..Duration::from_millis(500);

/// Most requests at work at once in this process.
const MOST_AT_WORK: usize = 1024;

/// Keeps the answers of requests that carry an idempotency key, for a day.
///
/// What a request does and its answer are one transaction, which commits only while the request's claim stands. So
/// whatever happens to client, process or database, a key has one effect at most; and where it had one, its answer is
/// there. Answers hold secrets (a new API key, signed URLs), so they are stored sealed under the caller's credential, of
/// which only a hash is known here.
#[derive(Clone)]
pub struct IdempotentAnswers {
    catalog: Catalog,
    ambient: Ambient,
    at_work: Arc<Semaphore>,
}

/// What to do with a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RequestAttempt {
    /// Do it, by [`IdempotentAnswers::work`].
    First(Claim),
    /// Answer like this.
    Again(Vec<u8>),
}

/// What the work of a request came to.
#[derive(Debug)]
pub struct AttemptOutcome<T> {
    /// What the client is answered.
    pub answer: T,
    /// The same for whoever repeats the request. None: it was refused, and whatever it did is rolled back.
    pub kept: Option<Vec<u8>>,
}

impl IdempotentAnswers {
    /// Over the catalog.
    pub fn new(catalog: Catalog, ambient: Ambient) -> Self {
        Self { catalog, ambient, at_work: Arc::new(Semaphore::new(MOST_AT_WORK)) }
    }

    /// Whether a request is the first with its key, or what the first was answered. While the first is at work, this waits
    /// for it for so long, then refuses.
    pub async fn begin(
        &self,
        request: &IdempotentRequest,
        credential: &str,
        wait: Duration,
    ) -> Result<RequestAttempt, Refusal> {
        let waits_until = Instant::now() + wait;
        let mut pause = PAUSES.start;
        loop {
            let claim =
                Claim { request: request.clone(), id: self.ambient.credential_id::<RequestId>().uuid() };
            match self.claim(&claim).await? {
                Repetition::First => return Ok(RequestAttempt::First(claim)),
                Repetition::Answered(sealed) => {
                    return unseal(credential, &sealed)
                        .map(RequestAttempt::Again)
                        .ok_or_else(|| Refusal::Internal("a stored response cannot be decrypted".into()));
                }
                Repetition::Mismatch => {
                    return Err(Refusal::Unprocessable {
                        code: "idempotency_key_reused",
                        message: "this Idempotency-Key was used for a different request; use a new one",
                    });
                }
                Repetition::Running if Instant::now() + pause > waits_until => return Err(in_progress()),
                Repetition::Running => sleep(pause).await,
            }
            pause = (pause * 2).min(PAUSES.end);
        }
    }

    /// Reads before it writes: most that is asked for again is answered, or still at work.
    async fn claim(&self, claim: &Claim) -> Result<Repetition, Refusal> {
        let now = self.ambient.now();
        match self.catalog.repetition(&claim.request, now).await? {
            Some(known) => Ok(known),
            None => Ok(self.catalog.claim_repeatable(claim, now, now.plus_seconds(HELD_SECONDS)).await?),
        }
    }

    /// Does the work of a claimed request and commits it together with its answer.
    ///
    /// To be run in a task of its own: a client that goes away must not end it. An error means that nothing was done, with
    /// two exceptions, in which the outcome is not known yet: the database could not be asked
    /// ([`Refusal::Unavailable`]), or somebody else took the claim over. Then, the same request asked again tells.
    pub async fn work<T>(
        &self,
        claim: &Claim,
        credential: &str,
        work: impl Future<Output = AttemptOutcome<T>>,
    ) -> Result<T, Refusal> {
        let Ok(_at_work) = self.at_work.try_acquire() else {
            self.forget(claim).await?;
            return Err(Refusal::Unavailable("too many concurrent requests with an Idempotency-Key".into()));
        };
        let renewing = Renewing(tokio::spawn(self.clone().renew(claim.clone())));
        let work = AssertUnwindSafe(self.catalog.as_one(work)).catch_unwind();
        let (AttemptOutcome { answer, kept }, gathered) = match timeout(LONGEST_WORK, work).await {
            Ok(Ok(worked)) => worked,
            Ok(Err(panic)) => {
                self.forget(claim).await?;
                std::panic::resume_unwind(panic);
            }
            Err(_) => {
                self.forget(claim).await?;
                return Err(Refusal::Unavailable("the request took too long".into()));
            }
        };
        let Some(kept) = kept else {
            drop(gathered);
            self.forget(claim).await?;
            return Ok(answer);
        };
        let tx = match gathered {
            Gathered::Open(tx) => *tx,
            Gathered::Nothing => self.catalog.begin().await?,
            Gathered::Lost => {
                self.forget(claim).await?;
                return Err(Refusal::Internal("the request lost its transaction".into()));
            }
        };
        let committed = self.commit(claim, credential, &kept, tx).await;
        drop(renewing);
        match committed {
            Ok(()) => Ok(answer),
            // Nothing was done, and nothing can be done under this claim any more.
            Err(refusal) if self.forget(claim).await? => Err(refusal),
            // The connection may have broken when the database had already committed.
            Err(_) if self.is_answered(claim, credential, &kept).await? => Ok(answer),
            Err(refusal) => Err(refusal),
        }
    }

    async fn commit(
        &self,
        claim: &Claim,
        credential: &str,
        kept: &[u8],
        tx: Transaction,
    ) -> Result<(), Refusal> {
        let sealed = seal(credential, self.ambient.random(), kept);
        let expires_at = self.ambient.now().plus_seconds(KEPT_SECONDS);
        if !tx.keep_answer(claim, sealed, expires_at).await? {
            return Err(in_progress());
        }
        Ok(tx.commit().await?)
    }

    /// Whether this very answer was committed.
    async fn is_answered(&self, claim: &Claim, credential: &str, kept: &[u8]) -> Result<bool, Refusal> {
        match self.catalog.repetition(&claim.request, self.ambient.now()).await? {
            Some(Repetition::Answered(sealed)) => {
                Ok(unseal(credential, &sealed).is_some_and(|own| own == kept))
            }
            _ => Ok(false),
        }
    }

    /// Frees the key of a request that had no effect. `false`: its claim is gone, or answered.
    async fn forget(&self, claim: &Claim) -> Result<bool, Refusal> {
        Ok(self.catalog.forget_claim(claim).await?)
    }

    /// Holds a claim until it is lost or answered.
    async fn renew(self, claim: Claim) {
        loop {
            sleep(RENEWED_EVERY).await;
            let held_until = self.ambient.now().plus_seconds(HELD_SECONDS);
            match self.catalog.renew_claim(&claim, held_until).await {
                Ok(true) => {}
                Ok(false) => return,
                Err(error) => tracing::warn!(%error, "could not renew the claim to an Idempotency-Key"),
            }
        }
    }
}

fn in_progress() -> Refusal {
    Refusal::Conflict {
        code: "idempotency_key_in_progress",
        message: "the first request with this Idempotency-Key is still in progress; try again shortly"
            .to_owned(),
    }
}

/// Ends with the work.
struct Renewing(JoinHandle<()>);

impl Drop for Renewing {
    fn drop(&mut self) {
        self.0.abort();
    }
}
