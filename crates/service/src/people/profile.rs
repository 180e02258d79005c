//! Changes that people make to their own accounts.

use tonearm_catalog::Transaction;
use tonearm_domain::{Actor, AuditAction, Language, Origin, Password, Person, SignIn};
use tonearm_signing::Token;

use super::links::{choose_password, person_name, same_password};
use super::sign_in::end_sign_ins;
use super::throttle::Subjects;
use super::{Device, People, Resumed, SignInError};
use crate::refusal::Refusal;

impl People {
    /// The valid sign-ins of a person, last used first.
    pub async fn sign_ins(&self, person: &Person) -> Result<Vec<SignIn>, Refusal> {
        let now = self.ambient.now();
        let mut found = self.catalog.sign_ins(person.id).await?;
        found.retain(|sign_in| sign_in.is_valid_at(now));
        Ok(found)
    }

    /// Changes a person's name.
    pub async fn rename(&self, person: &Person, name: &str) -> Result<(), Refusal> {
        let name = person_name(name)?;
        let tx = self.catalog.begin().await?;
        tx.rename_person(person.id, &name).await?;
        Ok(tx.commit().await?)
    }

    /// Sets the language of a person's pages. `None` for the language of the browser.
    pub async fn set_language(&self, person: &Person, language: Option<Language>) -> Result<(), Refusal> {
        let tx = self.catalog.begin().await?;
        tx.set_person_language(person.id, language).await?;
        Ok(tx.commit().await?)
    }

    /// Changes the password of a person who knows the old one. Ends every other sign-in, and forgets all devices except
    /// this one, for which it returns a new secret. `unlinking` also unlinks the accounts at the provider. Attempts are
    /// limited like attempts to sign in, but per sign-in: a browser left open does not allow unlimited guesses, and failed
    /// attempts elsewhere do not lock the person out.
    pub async fn change_password(
        &self,
        resumed: &Resumed,
        current: String,
        new: String,
        unlinking: bool,
        device: Device,
    ) -> Result<Token, SignInError> {
        let person = &resumed.person;
        if new == current {
            return Err(same_password().into());
        }
        let new = choose_password(new, person)?;
        let subjects = Subjects::of_sign_in(resumed.sign_in.id);
        let stored = self.verify_own_password(resumed, current, &device, &subjects).await?;
        let hash = self.passwords.hash(self.known(person.id).await?, new, self.ambient.random()).await?;
        let tx = self.begin_verified(resumed, &subjects, &stored).await?;
        tx.set_password_hash(person.id, &hash).await?;
        tx.delete_password_links(person.id).await?;
        end_sign_ins(&tx, person.id, Some(resumed.sign_in.id), self.ambient.now()).await?;
        if unlinking {
            self.unlink_all_identities(&tx, person, device.address).await?;
        }
        self.record_of_person(&tx, AuditAction::PasswordChange, person, device.address).await?;
        let token = self.remember_device(&tx, person.id, None).await?;
        tx.commit().await?;
        Ok(token)
    }

    /// Verifies the password of a signed-in person, and returns its hash. The attempt is counted; the caller must
    /// forgive it.
    pub(super) async fn verify_own_password(
        &self,
        resumed: &Resumed,
        current: String,
        device: &Device,
        subjects: &Subjects,
    ) -> Result<String, SignInError> {
        let person = &resumed.person;
        if let Some(seconds) = self.wait(subjects).await? {
            return Err(SignInError::TooMany(seconds));
        }
        let known = self.known(person.id).await?;
        let turn = self.passwords.permit(known).await.ok_or(SignInError::TooMany(60))?;
        self.begin_attempt(subjects).await?.map_err(SignInError::TooMany)?;
        let stored = self.catalog.password_hash(person.id).await?;
        let is_right = match Password::claimed(current) {
            Some(current) => self.passwords.verify(&turn, current, stored.clone()).await?,
            None => false,
        };
        drop(turn);
        match stored {
            Some(hash) if is_right => Ok(hash),
            _ => {
                let origin = Origin { actor: Actor::Person(person.id), address: device.address };
                self.note_failure(subjects, Some(person), origin).await?;
                Err(SignInError::Wrong)
            }
        }
    }

    /// Begins a transaction after the password was verified, and forgives the attempt. Fails if the password was
    /// changed or the session has ended since then.
    pub(super) async fn begin_verified(
        &self,
        resumed: &Resumed,
        subjects: &Subjects,
        stored: &str,
    ) -> Result<Transaction, SignInError> {
        let tx = self.catalog.begin().await?;
        self.forgive(&tx, subjects).await?;
        let id = resumed.person.id;
        let now = tx.person_with_password(id).await?;
        let is_same = now.is_some_and(|(person, hash)| person.is_active() && hash == stored);
        if is_same && tx.has_sign_in(id, resumed.sign_in.id).await? {
            Ok(tx)
        } else {
            Err(SignInError::Wrong)
        }
    }
}
