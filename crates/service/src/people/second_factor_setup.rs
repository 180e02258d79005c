//! Setup and removal of an authenticator app.

use tonearm_catalog::Transaction;
use tonearm_domain::{
    Actor, AuditAction, CodePlace, ErrorCode, Origin, Person, PersonId, SecondFactor, Timestamp, WrongCodes,
};
use tonearm_signing::TotpSecret;

use super::administration::require_another;
use super::second_factor::{recovery_hash, vault_context};
use super::sign_in::end_sign_ins;
use super::throttle::Subjects;
use super::{Device, People, Resumed, SignInError};
use crate::refusal::Refusal;

/// The name of the service in authenticator apps.
const ISSUER: &str = "Tonearm";

/// The state of a person's second factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SecondFactorView {
    /// No code is required at sign-in.
    Off,
    /// A code is required at sign-in.
    On {
        /// Since when.
        since: Timestamp,
        /// How many recovery codes are left.
        recovery_codes: u64,
    },
}

/// What a person enters into an authenticator app.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Enrolment {
    /// The text of the QR code.
    pub uri: String,
    /// The secret, to type in without a camera.
    pub secret: String,
}

impl People {
    /// A person's second factor.
    pub async fn second_factor(&self, person: &Person) -> Result<SecondFactorView, Refusal> {
        let found = self.catalog.second_factor(person.id).await?;
        let Some(since) = found.and_then(|factor| factor.confirmed_at) else {
            return Ok(SecondFactorView::Off);
        };
        let recovery_codes = self.catalog.recovery_code_count(person.id).await?;
        Ok(SecondFactorView::On { since, recovery_codes })
    }

    /// Creates a secret for the app of a person, who must repeat the password. It takes effect with the first correct
    /// code. Until then it belongs to this sign-in and ends with it: nobody else completes a setup that a thief has begun.
    pub async fn begin_second_factor(
        &self,
        resumed: &Resumed,
        current: String,
        device: &Device,
    ) -> Result<(), SignInError> {
        let (id, subjects) = (resumed.person.id, Subjects::of_sign_in(resumed.sign_in.id));
        let stored = self.verify_own_password(resumed, current, device, &subjects).await?;
        let tx = self.begin_verified(resumed, &subjects, &stored).await?;
        if tx.second_factor(id).await?.is_some_and(|factor| factor.is_on()) {
            return Err(is_on().into());
        }
        let secret = TotpSecret::new(self.ambient.random());
        let sealed = self.vault.seal(&vault_context(id), self.ambient.random(), secret.as_bytes());
        let now = self.ambient.now();
        let factor = SecondFactor {
            person_id: id,
            secret: sealed,
            created_at: now,
            sign_in_id: Some(resumed.sign_in.id),
            confirmed_at: None,
            last_step: 0,
            wrong_elsewhere: WrongCodes::none(now),
            wrong_where_known: WrongCodes::none(now),
        };
        tx.put_second_factor(&factor).await?;
        tx.commit().await?;
        Ok(())
    }

    /// The data for the authenticator app, while this sign-in sets it up.
    pub async fn enrolment(&self, resumed: &Resumed) -> Result<Option<Enrolment>, Refusal> {
        let found = self.catalog.second_factor(resumed.person.id).await?;
        let now = self.ambient.now();
        let Some(factor) = found.filter(|factor| factor.is_set_up_by(resumed.sign_in.id, now)) else {
            return Ok(None);
        };
        let secret = self.secret(&factor)?;
        let uri = secret.uri(ISSUER, resumed.person.email.as_str());
        Ok(Some(Enrolment { uri, secret: secret.base32() }))
    }

    /// Turns the second factor on with the first code of the app. Returns the recovery codes, which are shown only
    /// once.
    pub async fn confirm_second_factor(
        &self,
        resumed: &Resumed,
        code: &str,
        device: &Device,
    ) -> Result<Vec<String>, SignInError> {
        let (tx, person) = self.begin_signed_in(resumed).await?;
        let person = &person;
        let factor = tx.second_factor(person.id).await?.ok_or_else(is_off)?;
        if factor.is_on() {
            return Err(is_on().into());
        }
        let now = self.ambient.now();
        if !factor.is_set_up_by(resumed.sign_in.id, now) {
            return Err(is_over().into());
        }
        self.require_no_wait(&factor, CodePlace::Known)?;
        let Some(last_step) = self.secret(&factor)?.check(code, now, factor.last_step) else {
            let origin = Origin { actor: Actor::Person(person.id), address: device.address };
            return Err(self.refuse_code(tx, person, factor, CodePlace::Known, origin).await?);
        };
        let factor = factor.with_wrong_codes(CodePlace::Known, WrongCodes::none(now));
        let factor = SecondFactor { confirmed_at: Some(now), sign_in_id: None, last_step, ..factor };
        tx.put_second_factor(&factor).await?;
        let codes = self.insert_recovery_codes(&tx, person.id).await?;
        self.record_of_person(&tx, AuditAction::SecondFactorEnable, person, device.address).await?;
        tx.commit().await?;
        Ok(codes)
    }

    /// Turns the second factor off. Requires a code.
    pub async fn remove_second_factor(
        &self,
        resumed: &Resumed,
        code: &str,
        device: &Device,
    ) -> Result<(), SignInError> {
        let tx = self.with_code(resumed, code, device).await?;
        tx.delete_second_factor(resumed.person.id).await?;
        let action = AuditAction::SecondFactorDisable;
        self.record_of_person(&tx, action, &resumed.person, device.address).await?;
        tx.commit().await?;
        Ok(())
    }

    /// Replaces the recovery codes with new ones. Requires a code.
    pub async fn renew_recovery_codes(
        &self,
        resumed: &Resumed,
        code: &str,
        device: &Device,
    ) -> Result<Vec<String>, SignInError> {
        let tx = self.with_code(resumed, code, device).await?;
        let codes = self.insert_recovery_codes(&tx, resumed.person.id).await?;
        let action = AuditAction::RecoveryCodesRenew;
        self.record_of_person(&tx, action, &resumed.person, device.address).await?;
        tx.commit().await?;
        Ok(codes)
    }

    /// Removes the second factor of a person who has lost the app and the recovery codes. The person is signed out
    /// everywhere.
    pub async fn reset_second_factor(&self, by: Origin, id: PersonId) -> Result<(), Refusal> {
        let tx = self.catalog.begin().await?;
        let person = self.person_to_administer(&tx, by, id).await?;
        require_another(
            by,
            id,
            "you cannot reset two-factor authentication of your own account; turn it off with a code in your profile, \
             or ask another administrator",
        )?;
        if !tx.delete_second_factor(id).await? {
            return Err(is_off());
        }
        end_sign_ins(&tx, id, None, self.ambient.now()).await?;
        self.record_about(&tx, by, AuditAction::SecondFactorReset, &person).await?;
        Ok(tx.commit().await?)
    }

    /// Checks and uses up a code of a signed-in person. Returns the open transaction.
    async fn with_code(
        &self,
        resumed: &Resumed,
        code: &str,
        device: &Device,
    ) -> Result<Transaction, SignInError> {
        let (tx, person) = self.begin_signed_in(resumed).await?;
        let origin = Origin { actor: Actor::Person(person.id), address: device.address };
        self.take_code(tx, &person, code, CodePlace::Known, origin).await
    }

    /// Begins a transaction in which a person is still signed in, and locks the person.
    async fn begin_signed_in(&self, resumed: &Resumed) -> Result<(Transaction, Person), SignInError> {
        let tx = self.catalog.begin().await?;
        let person = tx.person(resumed.person.id).await?.filter(Person::is_active);
        match person {
            Some(person) if tx.has_sign_in(person.id, resumed.sign_in.id).await? => Ok((tx, person)),
            _ => Err(SignInError::ChallengeOver),
        }
    }

    async fn insert_recovery_codes(&self, tx: &Transaction, id: PersonId) -> Result<Vec<String>, Refusal> {
        let codes: Vec<String> = (0..SecondFactor::RECOVERY_CODES).map(|_| self.recovery_code()).collect();
        let hashes: Vec<[u8; 32]> = codes.iter().map(|code| recovery_hash(id, code)).collect();
        tx.put_recovery_codes(id, &hashes).await?;
        Ok(codes)
    }

    /// Eighty random bits, in groups that are easy to type.
    fn recovery_code(&self) -> String {
        let text = hex::encode(self.ambient.random::<10>());
        let groups = (0..4).map(|at| &text[at * 5..(at + 1) * 5]);
        groups.collect::<Vec<_>>().join("-")
    }
}

fn is_on() -> Refusal {
    let message = "two-factor authentication is already on".to_owned();
    Refusal::Conflict { code: ErrorCode::SecondFactorOn, message }
}

fn is_over() -> Refusal {
    let message = "this setup took too long or was begun elsewhere; begin again".to_owned();
    Refusal::Conflict { code: ErrorCode::SecondFactorOver, message }
}

fn is_off() -> Refusal {
    let message = "two-factor authentication is not set up".to_owned();
    Refusal::Conflict { code: ErrorCode::SecondFactorOff, message }
}
