//! Sign-in with a second factor: after the password, a code of the authenticator app or a recovery code.
//!
//! Between the two steps, the browser holds a challenge: encrypted text that says whose password was correct, and is
//! valid for some minutes. Nothing is stored for it, and it does not allow a sign-in by itself.

use serde::{Deserialize, Serialize};
use tonearm_catalog::Transaction;
use tonearm_domain::{
    Actor, AuditAction, CodePlace, IdentityId, Origin, Person, PersonId, SecondFactor, Timestamp, WrongCodes,
};
use tonearm_signing::{Token, TotpSecret, subject_hash};

use super::{Device, People, SignInError, SignedIn};
use crate::refusal::Refusal;

/// The challenge that must accompany a code.
#[derive(Clone)]
pub struct Challenge(String);

impl Challenge {
    /// Reads a challenge from a cookie.
    pub fn new(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// The text for a cookie: letters and digits.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for Challenge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Challenge")
    }
}

/// The result of a sign-in after the first step.
#[derive(Debug)]
pub enum Entry {
    /// The person is signed in.
    SignedIn(SignedIn),
    /// A code is required.
    CodeNeeded(Challenge),
}

impl Entry {
    /// The signed-in person, if no code is required.
    pub fn signed_in(self) -> Option<SignedIn> {
        match self {
            Self::SignedIn(signed_in) => Some(signed_in),
            Self::CodeNeeded(_) => None,
        }
    }
}

#[derive(Serialize, Deserialize)]
struct Claim {
    person_id: PersonId,
    /// A hash that identifies the correct password. If the password changes, the challenge is no longer valid.
    password: String,
    /// The account at the provider that took the place of the password. If it is unlinked, the challenge is no longer
    /// valid.
    #[serde(default)]
    identity: Option<IdentityId>,
    at: i64,
}

const CONTEXT: &str = "second_factor_challenge";

pub(crate) fn vault_context(id: PersonId) -> String {
    format!("second_factor/{id}")
}

fn password_name(hash: &str) -> String {
    hex::encode(subject_hash("password", hash))
}

/// The hash of a recovery code. Case and separators do not matter.
pub(super) fn recovery_hash(person: PersonId, code: &str) -> [u8; 32] {
    let plain: String = code.chars().filter(char::is_ascii_alphanumeric).collect();
    subject_hash("recovery_code", &format!("{person}/{}", plain.to_ascii_lowercase()))
}

impl People {
    /// Signs a person in after the first step, or requests a code. The person must be locked, and `hash` must be the
    /// current password hash. `identity` is the account at the provider, if that was the first step.
    pub(super) async fn let_in_or_ask(
        &self,
        tx: &Transaction,
        person: Person,
        hash: &str,
        identity: Option<IdentityId>,
        device: Device,
        device_token: Option<Token>,
    ) -> Result<Entry, Refusal> {
        if tx.second_factor(person.id).await?.is_some_and(|factor| factor.is_on()) {
            return Ok(Entry::CodeNeeded(self.challenge(person.id, hash, identity)?));
        }
        Ok(Entry::SignedIn(self.let_in(tx, person, device, device_token).await?))
    }

    fn challenge(
        &self,
        person_id: PersonId,
        hash: &str,
        identity: Option<IdentityId>,
    ) -> Result<Challenge, Refusal> {
        let at = self.ambient.now().unix_millis();
        let claim = Claim { person_id, password: password_name(hash), identity, at };
        let text = serde_json::to_vec(&claim).map_err(|error| Refusal::Internal(error.into()))?;
        Ok(Challenge(hex::encode(self.vault.seal(CONTEXT, self.ambient.random(), &text))))
    }

    fn open_challenge(&self, challenge: &Challenge) -> Option<Claim> {
        let sealed = hex::decode(&challenge.0).ok()?;
        let claim: Claim = serde_json::from_slice(&self.vault.open(CONTEXT, &sealed)?).ok()?;
        let ends = Timestamp::from_unix_millis(claim.at)?.plus_seconds(SecondFactor::CHALLENGE);
        (self.ambient.now() < ends).then_some(claim)
    }

    /// Whether a challenge is still valid, so that a code can be requested.
    pub fn is_challenge(&self, challenge: &Challenge) -> bool {
        self.open_challenge(challenge).is_some()
    }

    /// Completes a sign-in with a code of the app or a recovery code.
    pub async fn enter_code(
        &self,
        challenge: &Challenge,
        code: &str,
        device: Device,
    ) -> Result<SignedIn, SignInError> {
        let claim = self.open_challenge(challenge).ok_or(SignInError::ChallengeOver)?;
        let person = self.catalog.person(claim.person_id).await?.ok_or(SignInError::ChallengeOver)?;
        let device_token = self.known_device(&person.email, &device).await?.map(|(token, _)| token);
        let place = if device_token.is_some() { CodePlace::Known } else { CodePlace::Elsewhere };
        // Also checked before the transaction, so that attempts that have to wait take no locks.
        if let Some(factor) = self.catalog.second_factor(person.id).await? {
            self.require_no_wait(&factor, place)?;
        }
        let tx = self.catalog.begin().await?;
        let (person, hash) =
            tx.person_with_password(claim.person_id).await?.ok_or(SignInError::ChallengeOver)?;
        let is_unlinked = match claim.identity {
            Some(id) => !tx.identities(person.id).await?.iter().any(|identity| identity.id == id),
            None => false,
        };
        if !person.is_active() || password_name(&hash) != claim.password || is_unlinked {
            return Err(SignInError::ChallengeOver);
        }
        let origin = Origin { actor: Actor::Stranger, address: device.address };
        let tx = self.take_code(tx, &person, code, place, origin).await?;
        let signed_in = self.let_in(&tx, person, device, device_token).await?;
        tx.commit().await?;
        Ok(signed_in)
    }

    /// Uses up a code of the app or a recovery code, and returns the transaction. The person must be locked. A wrong code
    /// is counted instead, and the transaction committed. Only a right one resets the count, which has nothing to do with
    /// that of passwords: somebody who knows the password could otherwise guess codes without limit.
    pub(super) async fn take_code(
        &self,
        tx: Transaction,
        person: &Person,
        code: &str,
        place: CodePlace,
        origin: Origin,
    ) -> Result<Transaction, SignInError> {
        let factor = tx.second_factor(person.id).await?.filter(SecondFactor::is_on);
        let factor = factor.ok_or(SignInError::WrongCode)?;
        self.require_no_wait(&factor, place)?;
        let now = self.ambient.now();
        let last_step = match self.secret(&factor)?.check(code, now, factor.last_step) {
            Some(step) => step,
            None if tx.take_recovery_code(person.id, &recovery_hash(person.id, code)).await? => {
                self.record_of_person(&tx, AuditAction::RecoveryCodeUse, person, origin.address).await?;
                factor.last_step
            }
            None => return Err(self.refuse_code(tx, person, factor, place, origin).await?),
        };
        let factor = factor.with_wrong_codes(place, WrongCodes::none(now));
        tx.put_second_factor(&SecondFactor { last_step, ..factor }).await?;
        Ok(tx)
    }

    /// Counts a wrong code, and commits the transaction.
    pub(super) async fn refuse_code(
        &self,
        tx: Transaction,
        person: &Person,
        factor: SecondFactor,
        place: CodePlace,
        origin: Origin,
    ) -> Result<SignInError, Refusal> {
        let codes = factor.wrong_codes(place).and_another(self.ambient.now());
        tx.put_second_factor(&factor.with_wrong_codes(place, codes)).await?;
        self.record_failure(&tx, Some(person), origin).await?;
        tx.commit().await?;
        Ok(SignInError::WrongCode)
    }

    pub(super) fn require_no_wait(&self, factor: &SecondFactor, place: CodePlace) -> Result<(), SignInError> {
        let wait = factor.wrong_codes(place).wait(self.ambient.now());
        wait.map_or(Ok(()), |seconds| Err(SignInError::TooMany(seconds)))
    }

    pub(super) fn secret(&self, factor: &SecondFactor) -> Result<TotpSecret, Refusal> {
        let opened = self.vault.open(&vault_context(factor.person_id), &factor.secret);
        opened.and_then(|bytes| TotpSecret::from_slice(&bytes)).ok_or_else(|| {
            Refusal::Internal(
                "the secret of an authenticator app cannot be decrypted, as its master secret is gone; reset the \
                 second factor with `tonearm person reset-second-factor`"
                    .into(),
            )
        })
    }
}
