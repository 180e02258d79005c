//! The start of a sign-in with the provider, and the state that the browser keeps until it returns.
//!
//! The state is encrypted text in a cookie. So nothing is stored for attempts that are abandoned, and other browsers
//! cannot complete an attempt. An attempt can be used once.

use serde::{Deserialize, Serialize};
use tonearm_catalog::Transaction;
use tonearm_domain::{PersonId, PersonIdentity, SignInId, Timestamp};
use tonearm_outbound::ProviderSecrets;
use tonearm_signing::{Token, subject_hash};

use super::provider::SignInProvider;
use super::throttle::Subjects;
use super::{Device, People, ProviderSignInError, Resumed};
use crate::refusal::Refusal;
use crate::request_turns::without_turn;

const CONTEXT: &str = "provider_attempt";

/// The maximum length of the path that the browser is sent to afterwards. Cookies have little space.
const MOST_PATH: usize = 500;

/// An attempt that has begun.
pub struct Begun {
    /// The provider's URL to which the browser is redirected.
    pub url: String,
    /// The sealed attempt, for a cookie: letters and digits.
    pub sealed: String,
}

/// An attempt whose browser has returned.
pub struct ProviderAttempt {
    pub(super) state: Token,
    pub(super) secrets: ProviderSecrets,
    pub(super) ends: Timestamp,
    pub(super) link: Option<(PersonId, SignInId)>,
    next: String,
}

impl ProviderAttempt {
    /// The path that the browser is sent to afterwards.
    pub fn next(&self) -> &str {
        &self.next
    }

    /// Whether the attempt links an account to a signed-in person.
    pub fn is_link(&self) -> bool {
        self.link.is_some()
    }
}

#[derive(Serialize, Deserialize)]
struct Sealed {
    issuer: String,
    state: String,
    nonce: String,
    verifier: String,
    at: i64,
    next: String,
    link: Option<(PersonId, SignInId)>,
}

fn hash_of(attempt: &ProviderAttempt) -> [u8; 32] {
    subject_hash("sign_in_state", &attempt.state.reveal())
}

impl People {
    /// Begins a sign-in with the provider. Afterwards the browser is sent to `next`, a path on this service.
    pub async fn begin_provider_sign_in(&self, next: &str) -> Result<Begun, ProviderSignInError> {
        self.begin(next, None).await
    }

    /// Begins to link an account to a signed-in person. People with a password must repeat it, so that nobody can add a
    /// way to sign in from a browser left open.
    pub async fn begin_link(
        &self,
        resumed: &Resumed,
        current: String,
        device: &Device,
        next: &str,
    ) -> Result<Begun, ProviderSignInError> {
        self.required_provider()?;
        if self.has_password(&resumed.person).await? {
            let subjects = Subjects::of_sign_in(resumed.sign_in.id);
            let stored = self.verify_own_password(resumed, current, device, &subjects).await?;
            let tx = self.begin_verified(resumed, &subjects, &stored).await?;
            tx.commit().await?;
        }
        self.begin(next, Some((resumed.person.id, resumed.sign_in.id))).await
    }

    async fn begin(
        &self,
        next: &str,
        link: Option<(PersonId, SignInId)>,
    ) -> Result<Begun, ProviderSignInError> {
        let provider = self.required_provider()?;
        let secrets = ProviderSecrets {
            state: self.token().reveal(),
            nonce: self.token().reveal(),
            verifier: hex::encode(self.ambient.random::<32>()),
        };
        let url = without_turn(provider.provider().authorize_url(&secrets)).await??;
        let next = if next.len() <= MOST_PATH { next } else { "/dashboard" };
        let ProviderSecrets { state, nonce, verifier } = secrets;
        let (issuer, at) = (provider.issuer().to_owned(), self.ambient.now().unix_millis());
        let sealed = Sealed { issuer, state, nonce, verifier, at, next: next.to_owned(), link };
        let text = serde_json::to_vec(&sealed).map_err(|error| Refusal::Internal(error.into()))?;
        let sealed = hex::encode(self.vault.seal(CONTEXT, self.ambient.random(), &text));
        Ok(Begun { url, sealed })
    }

    /// Opens the attempt of a returning browser. `None` unless the attempt began here less than ten minutes ago, and
    /// the browser returns with the same state.
    pub fn open_attempt(&self, sealed: &str, state: &str) -> Option<ProviderAttempt> {
        let provider = self.provider.as_deref()?;
        let text = self.vault.open(CONTEXT, &hex::decode(sealed).ok()?)?;
        let Sealed { issuer, state: own, nonce, verifier, at, next, link } =
            serde_json::from_slice(&text).ok()?;
        let ends = Timestamp::from_unix_millis(at)?.plus_seconds(PersonIdentity::ATTEMPT);
        let (own, state): (Token, Token) = (own.parse().ok()?, state.parse().ok()?);
        // Hashes are compared, so that the timing of the comparison reveals nothing.
        let is_own = own.hash() == state.hash() && issuer == provider.issuer();
        if !is_own || self.ambient.now() >= ends {
            return None;
        }
        let secrets = ProviderSecrets { state: state.reveal(), nonce, verifier };
        Some(ProviderAttempt { state, secrets, ends, link, next })
    }

    /// Uses an attempt up, in the transaction that decides what it leads to. Each is used once.
    pub(super) async fn use_attempt(
        &self,
        tx: &Transaction,
        attempt: &ProviderAttempt,
    ) -> Result<(), ProviderSignInError> {
        match tx.use_sign_in_state(&hash_of(attempt), attempt.ends).await? {
            true => Ok(()),
            false => Err(ProviderSignInError::Over),
        }
    }

    /// Uses an attempt up that led to nothing.
    pub(super) async fn end_attempt(&self, attempt: &ProviderAttempt) -> Result<(), Refusal> {
        let tx = self.catalog.begin().await?;
        tx.use_sign_in_state(&hash_of(attempt), attempt.ends).await?;
        Ok(tx.commit().await?)
    }

    /// Refuses an attempt that was used, before the provider is asked.
    pub(super) async fn require_unused(&self, attempt: &ProviderAttempt) -> Result<(), ProviderSignInError> {
        match self.catalog.sign_in_state_is_used(&hash_of(attempt)).await? {
            true => Err(ProviderSignInError::Over),
            false => Ok(()),
        }
    }

    pub(super) fn required_provider(&self) -> Result<&SignInProvider, ProviderSignInError> {
        self.provider.as_deref().ok_or(ProviderSignInError::NoProvider)
    }
}
