//! Idempotency keys: a client can repeat a request without repeating its effect.

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures::FutureExt;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};
use tonearm_catalog::{Catalog, Claim, Gathered, Repetition, Transaction};
use tonearm_domain::{Ambient, ErrorCode, RequestId, Shares};
use tonearm_signing::{seal, unseal};

use crate::refusal::{Refusal, record_again_if_victim};

pub use tonearm_catalog::IdempotentRequest;

/// How long a response is kept, in seconds: a day.
const KEPT_SECONDS: i64 = 24 * 3600;

/// How long a claim lasts unless it is renewed, in seconds. After that, another process may do the work of one that
/// crashed.
const HELD_SECONDS: i64 = 20;

/// The interval at which a claim is renewed.
const RENEWED_EVERY: Duration = Duration::from_secs(5);

/// The timeout for the work of one request, whether or not its client is still connected.
const LONGEST_WORK: Duration = Duration::from_secs(120);

/// The pauses between polls while another request with the same key is in progress.
const PAUSES: std::ops::Range<Duration> = Duration::from_millis(20)..Duration::from_millis(500);

/// The maximum number of concurrent requests in this process.
const MOST_AT_WORK: u64 = 1024;

/// Keeps the responses to requests with an idempotency key, for a day.
///
/// The effect of a request and its response are written in one transaction, which commits only while the request still
/// holds its claim. So whatever happens to the client, the process or the database, a key has at most one effect; and
/// if it had one, its response is stored. Responses contain secrets (a new API key, signed URLs), so they are stored
/// encrypted with the caller's credential, of which the database has only a hash.
#[derive(Clone)]
pub struct IdempotentAnswers {
    catalog: Catalog,
    ambient: Ambient,
    /// By organization.
    at_work: Shares,
}

/// What to do with a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RequestAttempt {
    /// Do the work, with [`IdempotentAnswers::work`].
    First(Claim),
    /// Return this stored response.
    Again(Vec<u8>),
}

/// The outcome of a request's work.
#[derive(Debug)]
pub struct AttemptOutcome<T> {
    /// The response to the client.
    pub answer: T,
    /// The response to store for repetitions of the request. `None` if the request was refused; its changes are rolled
    /// back.
    pub kept: Option<Vec<u8>>,
}

impl IdempotentAnswers {
    /// Stores the responses in this catalog.
    pub fn new(catalog: Catalog, ambient: Ambient) -> Self {
        Self { catalog, ambient, at_work: Shares::new(MOST_AT_WORK) }
    }

    /// Whether a request is the first with its key, or else the response to the first. While the first is in progress,
    /// this waits up to `wait`, then refuses.
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
                        code: ErrorCode::IdempotencyKeyReused,
                        message: "this Idempotency-Key was used for a different request; use a new one",
                    });
                }
                Repetition::Running if Instant::now() + pause > waits_until => return Err(in_progress()),
                Repetition::Running => sleep(pause).await,
            }
            pause = (pause * 2).min(PAUSES.end);
        }
    }

    /// Reads before it writes: most repeated requests have a response already, or are still in progress.
    async fn claim(&self, claim: &Claim) -> Result<Repetition, Refusal> {
        let now = self.ambient.now();
        match self.catalog.repetition(&claim.request, now).await? {
            Some(known) => Ok(known),
            None => {
                let held_until = now.plus_seconds(HELD_SECONDS);
                let claim = || async { Ok(self.catalog.claim_repeatable(claim, now, held_until).await?) };
                record_again_if_victim(&self.ambient, claim).await
            }
        }
    }

    /// Does the work of a claimed request and commits it together with its answer.
    ///
    /// Run it in a task of its own, so that it continues if the client disconnects. An error means that nothing was
    /// done, with two exceptions in which the outcome is not known yet: the database could not be reached
    /// ([`Refusal::Unavailable`]), or another process took over the claim. Then a repeated request returns the outcome.
    pub async fn work<T>(
        &self,
        claim: &Claim,
        credential: &str,
        work: impl Future<Output = AttemptOutcome<T>>,
    ) -> Result<T, Refusal> {
        let Some(_at_work) = self.at_work.take(claim.request.organization_id) else {
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
            // Nothing was done, and nothing can be done under this claim any longer.
            Err(refusal) if self.forget(claim).await? => Err(refusal),
            // The connection may have failed after the database had committed.
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

    /// Whether exactly this response was committed.
    async fn is_answered(&self, claim: &Claim, credential: &str, kept: &[u8]) -> Result<bool, Refusal> {
        match self.catalog.repetition(&claim.request, self.ambient.now()).await? {
            Some(Repetition::Answered(sealed)) => {
                Ok(unseal(credential, &sealed).is_some_and(|own| own == kept))
            }
            _ => Ok(false),
        }
    }

    /// Frees the key of a request that had no effect. Returns `false` if its claim is lost, or already has a response.
    async fn forget(&self, claim: &Claim) -> Result<bool, Refusal> {
        Ok(self.catalog.forget_claim(claim).await?)
    }

    /// Renews a claim until it is lost or has a response.
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
        code: ErrorCode::IdempotencyKeyInProgress,
        message: "the first request with this Idempotency-Key is still in progress; try again shortly"
            .to_owned(),
    }
}

/// The task that renews a claim. It is aborted when this is dropped.
struct Renewing(JoinHandle<()>);

impl Drop for Renewing {
    fn drop(&mut self) {
        self.0.abort();
    }
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};

    use futures::poll;
    use tonearm_domain::{OrganizationId, RecordId, Timestamp};
    use tonearm_fixtures::TestDatabase;
    use uuid::Uuid;

    use super::*;

    fn claim(organization: u8, key: &str) -> Claim {
        let now = Timestamp::from_unix_seconds(1_900_000_000).unwrap();
        let organization_id = OrganizationId::from_parts(now, [organization; 10]);
        let request = IdempotentRequest {
            caller: [organization; 32],
            organization_id,
            key: key.to_owned(),
            fingerprint: [0; 32],
        };
        Claim { request, id: Uuid::nil() }
    }

    #[tokio::test]
    async fn an_organization_with_many_upload_sessions_leaves_places_to_others() {
        let database = TestDatabase::migrated_sqlite(tonearm_fixtures::migrate!()).await;
        let catalog = Catalog::connect(&database.url.parse().unwrap(), Default::default()).await.unwrap();
        let answers = IdempotentAnswers::new(catalog, tonearm_fixtures::ambient().0);
        let answers = IdempotentAnswers { at_work: Shares::new(4), ..answers };
        let claims = ["a", "b", "c"].map(|key| claim(1, key));
        let mut working = claims
            .each_ref()
            .map(|claim| Box::pin(answers.work(claim, &claim.request.key, pending::<AttemptOutcome<()>>())));
        assert!(poll!(&mut working[0]).is_pending() && poll!(&mut working[1]).is_pending());
        let refused = working[2].as_mut().await;
        assert!(matches!(refused, Err(Refusal::Unavailable(_))), "{refused:?}");
        let (other, done) = (claim(2, "d"), ready(AttemptOutcome { answer: (), kept: None }));
        assert!(answers.work(&other, "d", done).await.is_ok());
    }
}
