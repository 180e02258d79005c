//! Requests that a client may repeat without doing anything twice.

use tonearm_catalog::{Catalog, Repetition};
use tonearm_domain::Ambient;
use tonearm_signing::{seal, unseal};

use crate::Refusal;

pub use tonearm_catalog::RepeatableRequest;

/// How long an answer is kept, in seconds: a day.
const KEPT_SECONDS: i64 = 24 * 3600;

/// How long the first request has the key to itself, in seconds; longer than any request may take.
const HELD_SECONDS: i64 = 120;

/// Keeps the answers of requests that carry an idempotency key, for a day.
///
/// Answers hold secrets (a new API key, signed URLs), so they are stored sealed under the caller's credential, of
/// which only a hash is known here.
#[derive(Clone)]
pub struct Repeats {
    catalog: Catalog,
    ambient: Ambient,
}

/// What to do with a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Turn {
    /// Do it, then [`keep`](Repeats::keep) or [`forget`](Repeats::forget).
    First,
    /// Answer like this.
    Again(Vec<u8>),
}

impl Repeats {
    /// Over the catalog.
    pub fn new(catalog: Catalog, ambient: Ambient) -> Self {
        Self { catalog, ambient }
    }

    /// Whether a request is the first with its key, or what the first was answered.
    pub async fn begin(&self, request: &RepeatableRequest, credential: &str) -> Result<Turn, Refusal> {
        let now = self.ambient.now();
        let held_until = now.plus_seconds(HELD_SECONDS);
        match self.catalog.begin_repeatable(request, now, held_until).await? {
            Repetition::First => Ok(Turn::First),
            Repetition::Answered(sealed) => unseal(credential, &sealed)
                .map(Turn::Again)
                .ok_or_else(|| Refusal::Internal("a kept answer cannot be unsealed".into())),
            Repetition::Running => Err(Refusal::Conflict {
                code: "idempotency_key_in_progress",
                message:
                    "the first request with this Idempotency-Key is still being answered; try again shortly"
                        .to_owned(),
            }),
            Repetition::Mismatch => Err(Refusal::Unprocessable {
                code: "idempotency_key_reused",
                message: "this Idempotency-Key was used for another request; use a fresh one",
            }),
        }
    }

    /// Keeps the answer of a first request.
    pub async fn keep(
        &self,
        request: &RepeatableRequest,
        credential: &str,
        answer: &[u8],
    ) -> Result<(), Refusal> {
        let sealed = seal(credential, self.ambient.random(), answer);
        let expires_at = self.ambient.now().plus_seconds(KEPT_SECONDS);
        Ok(self.catalog.keep_answer(request, sealed, expires_at).await?)
    }

    /// Frees the key of a first request that was refused: nothing was done, so nothing can be done twice.
    pub async fn forget(&self, request: &RepeatableRequest) -> Result<(), Refusal> {
        Ok(self.catalog.forget_repeatable(request).await?)
    }
}
