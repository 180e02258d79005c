//! Signing in, staying signed in, and signing out.

use std::net::IpAddr;

use tonearm_catalog::Transaction;
use tonearm_domain::{Actor, AuditAction, EmailAddress, Origin, Password, Person, SignIn, SignInId};
use tonearm_signing::Token;

use super::People;
use super::throttle::Subjects;
use crate::audit::{self, AuditedAction};
use crate::refusal::Refusal;

/// What a person signs in with.
#[derive(Debug, Clone, Default)]
pub struct Device {
    /// From where.
    pub address: Option<IpAddr>,
    /// What the browser says it is.
    pub user_agent: Option<String>,
    /// The secret of the cookie that was set when somebody signed in there before.
    pub token: Option<Token>,
}

/// A person who has just signed in.
#[derive(Debug)]
pub struct SignedIn {
    /// Who.
    pub person: Person,
    /// For the cookie.
    pub token: Token,
    /// For the cookie by which the device is known, for [`KnownDevice::LIFETIME`](tonearm_domain::KnownDevice::LIFETIME).
    pub device: Token,
}

/// A person who is still signed in.
#[derive(Debug, Clone)]
pub struct Resumed {
    /// Who.
    pub person: Person,
    /// Since when, and from where.
    pub sign_in: SignIn,
}

/// Why somebody was not let in.
#[derive(Debug, thiserror::Error)]
pub enum SignInError {
    /// No such account, or not its password: these are never told apart.
    #[error("the email address or the password is wrong")]
    Wrong,
    /// Too many attempts failed.
    #[error("too many failed attempts; try again in {} minutes", (.0 + 59) / 60)]
    TooMany(i64),
    /// Anything else.
    #[error(transparent)]
    Refusal(#[from] Refusal),
}

impl From<tonearm_catalog::CatalogError> for SignInError {
    fn from(error: tonearm_catalog::CatalogError) -> Self {
        Self::Refusal(error.into())
    }
}

impl People {
    /// Lets a person in who knows the password.
    ///
    /// An attempt is counted before its password is looked at, in a transaction of its own: many at once, on any nodes, are
    /// no way around the limit, and no lock is held while a password is hashed. Whether it would be refused is looked at
    /// before it waits for its turn to have a password hashed, so that who is at a limit takes no turns of others.
    pub async fn sign_in(
        &self,
        email: &str,
        password: String,
        device: Device,
    ) -> Result<SignedIn, SignInError> {
        let email: EmailAddress = email.parse().map_err(|_| SignInError::Wrong)?;
        let known = self.known_device(&email, &device).await?;
        let subjects = match &known {
            Some(token) => Subjects::of_device(token),
            None => Subjects::of_stranger(&email, device.address),
        };
        if let Some(seconds) = self.wait(&subjects).await? {
            return Err(SignInError::TooMany(seconds));
        }
        let turn = match known {
            Some(_) => self.passwords.permit().await,
            None => self.passwords.permit_for_stranger().await,
        };
        let turn = turn.ok_or(SignInError::TooMany(60))?;
        self.begin_attempt(&subjects).await?.map_err(SignInError::TooMany)?;
        let found = self.catalog.person_with_password(&email).await?;
        let (person, hash) = found.map_or((None, None), |(person, hash)| (Some(person), Some(hash)));
        let is_right = match Password::claimed(password) {
            Some(password) => self.passwords.verify(&turn, password, hash).await?,
            None => false,
        };
        let person = match person {
            Some(person) if is_right => person,
            other => {
                let origin = Origin { actor: Actor::Stranger, address: device.address };
                self.note_failure(&subjects, other.as_ref(), origin).await?;
                return Err(SignInError::Wrong);
            }
        };
        drop(turn);
        let tx = self.catalog.begin().await?;
        self.forgive(&tx, &subjects).await?;
        let signed_in = self.let_in(&tx, person, device, known).await?;
        tx.commit().await?;
        Ok(signed_in)
    }

    /// Who holds the token of a cookie, if that is still signed in. Its use is noted now and then.
    pub async fn resume(&self, token: &Token) -> Result<Option<Resumed>, Refusal> {
        let Some((sign_in, person)) = self.catalog.sign_in_by_hash(&token.hash()).await? else {
            return Ok(None);
        };
        let now = self.ambient.now();
        if !sign_in.is_valid_at(now) {
            return Ok(None);
        }
        if sign_in.is_worth_noting_at(now) {
            self.catalog.note_sign_in_seen(sign_in.id, now).await?;
        }
        Ok(Some(Resumed { person, sign_in }))
    }

    /// Ends one sign-in of a person, who asks for it from `address`.
    pub async fn sign_out(
        &self,
        person: &Person,
        id: SignInId,
        address: Option<IpAddr>,
    ) -> Result<(), Refusal> {
        let tx = self.catalog.begin().await?;
        if tx.delete_sign_in(person.id, id).await? {
            self.record_of_person(&tx, AuditAction::SignOut, person, address).await?;
        }
        Ok(tx.commit().await?)
    }

    /// Ends every sign-in of a person, in every browser, and forgets the browsers.
    pub async fn sign_out_everywhere(&self, person: &Person, address: Option<IpAddr>) -> Result<(), Refusal> {
        let tx = self.catalog.begin().await?;
        tx.delete_sign_ins(person.id, None).await?;
        tx.delete_known_devices(person.id).await?;
        self.record_of_person(&tx, AuditAction::SignOut, person, address).await?;
        Ok(tx.commit().await?)
    }

    /// Lets a person in, on a device that is `known` by its secret or is made known now.
    pub(super) async fn let_in(
        &self,
        tx: &Transaction,
        person: Person,
        device: Device,
        known: Option<Token>,
    ) -> Result<SignedIn, Refusal> {
        let (token, now) = (self.token(), self.ambient.now());
        let sign_in = SignIn {
            id: self.ambient.record_id(),
            person_id: person.id,
            address: device.address,
            user_agent: device.user_agent.map(|text| text.chars().take(300).collect()),
            created_at: now,
            seen_at: now,
        };
        tx.insert_sign_in(&sign_in, &token.hash()).await?;
        self.record_of_person(tx, AuditAction::SignIn, &person, sign_in.address).await?;
        let device = self.remember_device(tx, person.id, known).await?;
        Ok(SignedIn { person, token, device })
    }

    /// Writes down what a person did to the own account, which belongs to no single organization.
    pub(super) async fn record_of_person(
        &self,
        tx: &Transaction,
        action: AuditAction,
        person: &Person,
        address: Option<IpAddr>,
    ) -> Result<(), Refusal> {
        let origin = Origin { actor: Actor::Person(person.id), address };
        let done = AuditedAction { action, subject_id: person.id.uuid(), title: person.email.as_str() };
        Ok(audit::record_of(tx, &self.ambient, None, origin, done).await?)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::timeout;
    use tonearm_domain::FailedSignIns;
    use tonearm_fixtures::TestDatabase;

    use super::*;

    #[tokio::test]
    async fn an_address_at_its_limit_takes_no_turn() {
        let database = TestDatabase::sqlite();
        let catalog =
            tonearm_catalog::Catalog::connect(&database.url.parse().unwrap(), Default::default()).await;
        let (ambient, _) = tonearm_fixtures::ambient();
        let people = People::new(catalog.unwrap(), ambient, "https://audio.example.com");
        let device = Device { address: "192.0.2.1".parse().ok(), ..Device::default() };
        let attempt = async |email: &str| people.sign_in(email, "a guess".to_owned(), device.clone()).await;
        for number in 0..FailedSignIns::ADDRESS {
            assert!(matches!(attempt(&format!("{number}@example.com")).await, Err(SignInError::Wrong)));
        }
        // With all turns taken, whoever asks for one waits. These are sent away before they do.
        let _held = (people.passwords.permit().await, people.passwords.permit().await);
        for _ in 0..50 {
            let refused = timeout(Duration::from_secs(20), attempt("ada@example.com")).await.unwrap();
            assert!(matches!(refused, Err(SignInError::TooMany(seconds)) if seconds > 60), "{refused:?}");
        }
    }
}
