//! Signing in, staying signed in, and signing out.

use std::net::IpAddr;

use tonearm_catalog::Transaction;
use tonearm_domain::{Actor, AuditAction, EmailAddress, Origin, Password, Person, SignIn, SignInId};
use tonearm_signing::Token;

use super::People;
use super::throttle::Subjects;
use crate::Refusal;
use crate::audit::{self, Done};

/// What a person signs in with.
#[derive(Debug, Clone, Default)]
pub struct Device {
    /// From where.
    pub address: Option<IpAddr>,
    /// What the browser says it is.
    pub user_agent: Option<String>,
}

/// A person who has just signed in.
#[derive(Debug)]
pub struct SignedIn {
    /// Who.
    pub person: Person,
    /// For the cookie.
    pub token: Token,
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
    #[error("too many attempts failed; try again in {} minutes", (.0 + 59) / 60)]
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
    /// no way around the limit, and no lock is held while a password is hashed.
    pub async fn sign_in(
        &self,
        email: &str,
        password: String,
        device: Device,
    ) -> Result<SignedIn, SignInError> {
        let email: EmailAddress = email.parse().map_err(|_| SignInError::Wrong)?;
        let subjects = Subjects::new(&email, device.address);
        let turn = self.passwords.turn().await.ok_or(SignInError::TooMany(60))?;
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
        let tx = self.catalog.begin().await?;
        self.forgive(&tx, &subjects).await?;
        let token = self.insert_sign_in(&tx, &person, device).await?;
        tx.commit().await?;
        Ok(SignedIn { person, token })
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

    /// Ends every sign-in of a person, in every browser.
    pub async fn sign_out_everywhere(&self, person: &Person, address: Option<IpAddr>) -> Result<(), Refusal> {
        let tx = self.catalog.begin().await?;
        tx.delete_sign_ins(person.id, None).await?;
        self.record_of_person(&tx, AuditAction::SignOut, person, address).await?;
        Ok(tx.commit().await?)
    }

    pub(super) async fn insert_sign_in(
        &self,
        tx: &Transaction,
        person: &Person,
        device: Device,
    ) -> Result<Token, Refusal> {
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
        self.record_of_person(tx, AuditAction::SignIn, person, sign_in.address).await?;
        Ok(token)
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
        let done = Done { action, subject_id: person.id.uuid(), title: person.email.as_str() };
        Ok(audit::record_of(tx, &self.ambient, None, origin, done).await?)
    }
}
