//! Sign-in with a second factor: after the password, a code of the authenticator app or a recovery code.
//!
//! Between the two steps, the browser holds a challenge: encrypted text that says whose password was correct, and is
//! valid for some minutes. Nothing is stored for it, and it does not allow a sign-in by itself.

use serde::{Deserialize, Serialize};
use tonearm_catalog::Transaction;
use tonearm_domain::{Actor, AuditAction, Origin, Person, PersonId, SecondFactor, Timestamp};
use tonearm_signing::{Token, TotpSecret, subject_hash};

use super::throttle::Subjects;
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
    /// current password hash.
    pub(super) async fn let_in_or_ask(
        &self,
        tx: &Transaction,
        person: Person,
        hash: &str,
        device: Device,
        device_token: Option<Token>,
    ) -> Result<Entry, Refusal> {
        if tx.second_factor(person.id).await?.is_some_and(|factor| factor.is_on()) {
            return Ok(Entry::CodeNeeded(self.challenge(person.id, hash)?));
        }
        Ok(Entry::SignedIn(self.let_in(tx, person, device, device_token).await?))
    }

    fn challenge(&self, person_id: PersonId, hash: &str) -> Result<Challenge, Refusal> {
        let at = self.ambient.now().unix_millis();
        let claim = Claim { person_id, password: password_name(hash), at };
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

    /// Completes a sign-in with a code of the app or a recovery code. Attempts are limited like those with passwords. A
    /// known device is counted separately, so that somebody who knows the password cannot lock the owner out.
    pub async fn enter_code(
        &self,
        challenge: &Challenge,
        code: &str,
        device: Device,
    ) -> Result<SignedIn, SignInError> {
        let claim = self.open_challenge(challenge).ok_or(SignInError::ChallengeOver)?;
        let person = self.catalog.person(claim.person_id).await?.ok_or(SignInError::ChallengeOver)?;
        let device_token = self.known_device(&person.email, &device).await?;
        let subjects = match &device_token {
            Some(token) => Subjects::of_code_on(token),
            None => Subjects::of_code(person.id),
        };
        if let Some(seconds) = self.wait(&subjects).await? {
            return Err(SignInError::TooMany(seconds));
        }
        self.begin_attempt(&subjects).await?.map_err(SignInError::TooMany)?;
        let tx = self.catalog.begin().await?;
        self.forgive(&tx, &subjects).await?;
        let (person, hash) =
            tx.person_with_password(claim.person_id).await?.ok_or(SignInError::ChallengeOver)?;
        if !person.is_active() || password_name(&hash) != claim.password {
            return Err(SignInError::ChallengeOver);
        }
        if !self.take_code(&tx, &person, code, device.address).await? {
            drop(tx);
            let origin = Origin { actor: Actor::Stranger, address: device.address };
            self.note_failure(&subjects, Some(&person), origin).await?;
            return Err(SignInError::WrongCode);
        }
        let signed_in = self.let_in(&tx, person, device, device_token).await?;
        tx.commit().await?;
        Ok(signed_in)
    }

    /// Uses up a code of the app or a recovery code. Returns whether it was correct. The person must be locked.
    pub(super) async fn take_code(
        &self,
        tx: &Transaction,
        person: &Person,
        code: &str,
        address: Option<std::net::IpAddr>,
    ) -> Result<bool, Refusal> {
        let Some(factor) = tx.second_factor(person.id).await?.filter(SecondFactor::is_on) else {
            return Ok(false);
        };
        if let Some(step) = self.secret(&factor)?.check(code, self.ambient.now(), factor.last_step) {
            tx.put_second_factor(&SecondFactor { last_step: step, ..factor }).await?;
            return Ok(true);
        }
        let is_recovery = tx.take_recovery_code(person.id, &recovery_hash(person.id, code)).await?;
        if is_recovery {
            self.record_of_person(tx, AuditAction::RecoveryCodeUse, person, address).await?;
        }
        Ok(is_recovery)
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
