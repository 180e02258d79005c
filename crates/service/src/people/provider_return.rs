//! The return from the provider: whose account it is, and whether that person may sign in.

use tonearm_catalog::{CatalogError, Record, Transaction};
use tonearm_domain::{
    Actor, AuditAction, EmailAddress, IdentityId, Origin, Person, PersonId, PersonIdentity,
};
use tonearm_outbound::{Account, ProviderError};
use tonearm_signing::Token;

use super::passwords;
use super::provider::{SignInProvider, verified_email};
use super::throttle::Subjects;
use super::{Device, Entry, People, ProviderAttempt, Resumed, SignInError};
use crate::refusal::Refusal;

/// The provider's response, which the browser brings back.
#[derive(Default)]
pub struct ProviderAnswer {
    /// The authorization code.
    pub code: Option<String>,
    /// The error, if there is no code.
    pub error: Option<String>,
    /// The issuer, if the provider sends it (RFC 9207).
    pub issuer: Option<String>,
}

/// The result of a return from the provider.
#[derive(Debug)]
pub enum Returned {
    /// The account belongs to a person.
    Entered {
        /// Signed in, or a code is required.
        entry: Entry,
        /// Whether the person was created just now.
        is_new: bool,
    },
    /// The account is linked to the person who is signed in.
    Linked,
}

/// Why a sign-in with the provider failed. The texts are for the log.
#[derive(Debug, thiserror::Error)]
pub enum ProviderSignInError {
    /// No provider is configured.
    #[error("no OpenID Connect provider is configured")]
    NoProvider,
    /// The attempt has expired, began elsewhere, or was used before.
    #[error("the attempt is over")]
    Over,
    /// The person or the provider's rules denied access.
    #[error("the provider denied access")]
    Denied,
    /// The provider did not identify the account.
    #[error(transparent)]
    Provider(#[from] ProviderError),
    /// The account has no verified email address.
    #[error("the provider has not verified the email address")]
    Unverified,
    /// The domain of the account's email address is not allowed.
    #[error("the domain of the email address is not allowed")]
    ForeignDomain,
    /// The account is not linked, and the person with its email address has a password. Nobody has verified that the
    /// address belongs to that person, so only somebody who knows the password can link the account.
    #[error("the account with the email address {0} has a password and is not linked")]
    PasswordFirst(EmailAddress),
    /// The account is not linked, and the person with its email address has signed in with another one before. The
    /// address may belong to somebody else by now.
    #[error("the account with the email address {0} was claimed with another account")]
    Claimed(EmailAddress),
    /// The account is not linked, and there is no invitation for its email address.
    #[error("there is no account with the email address {0}")]
    NoAccount(EmailAddress),
    /// The account is linked to another person.
    #[error("the provider's account is linked to another person")]
    Taken,
    /// The person has too many linked accounts.
    #[error("the person has too many linked accounts")]
    TooManyIdentities,
    /// An error that any sign-in can have.
    #[error(transparent)]
    SignIn(#[from] SignInError),
}

impl From<Refusal> for ProviderSignInError {
    fn from(refusal: Refusal) -> Self {
        Self::SignIn(refusal.into())
    }
}

impl From<CatalogError> for ProviderSignInError {
    fn from(error: CatalogError) -> Self {
        Self::SignIn(error.into())
    }
}

/// The owner of an account, as read before anything is locked.
enum Owner {
    Linked(Box<PersonIdentity>, Box<Person>),
    Address(EmailAddress),
}

impl People {
    /// Completes an attempt: signs a person in, or links the account to `resumed`. Attempts are counted by network
    /// address. They are not counted if the provider fails.
    pub async fn return_from_provider(
        &self,
        attempt: &ProviderAttempt,
        answer: ProviderAnswer,
        resumed: Option<&Resumed>,
        device: Device,
    ) -> Result<Returned, ProviderSignInError> {
        self.require_unused(attempt).await?;
        let returned = self.complete(attempt, answer, resumed, device).await;
        if returned.as_ref().is_err_and(ends_attempt) {
            self.end_attempt(attempt).await?;
        }
        returned
    }

    async fn complete(
        &self,
        attempt: &ProviderAttempt,
        answer: ProviderAnswer,
        resumed: Option<&Resumed>,
        device: Device,
    ) -> Result<Returned, ProviderSignInError> {
        let provider = self.required_provider()?;
        let code = code_of(provider, answer)?;
        let subjects = Subjects::of_provider(device.address);
        if let Some(seconds) = self.wait(&subjects).await? {
            return Err(SignInError::TooMany(seconds).into());
        }
        self.begin_attempt(&subjects).await?.map_err(SignInError::TooMany)?;
        let origin = Origin { actor: Actor::Stranger, address: device.address };
        let identified = provider.provider().identify(code, &attempt.secrets).await;
        let account = match identified {
            Ok(account) => account,
            Err(error) if error.is_outage() => {
                let tx = self.catalog.begin().await?;
                self.forgive(&tx, &subjects).await?;
                tx.commit().await?;
                return Err(error.into());
            }
            Err(error) => {
                self.note_failure(&subjects, None, origin).await?;
                return Err(error.into());
            }
        };
        let returned = match attempt.link {
            Some(link) => {
                self.link_identity(provider, (attempt, link), resumed, &account, &subjects, &device).await
            }
            None => self.enter_with((provider, attempt), &account, &subjects, device).await,
        };
        if returned.as_ref().is_err_and(is_verdict) {
            self.note_failure(&subjects, None, origin).await?;
        }
        returned
    }

    /// Signs in the person to whom the account belongs.
    async fn enter_with(
        &self,
        (provider, attempt): (&SignInProvider, &ProviderAttempt),
        account: &Account,
        subjects: &Subjects,
        device: Device,
    ) -> Result<Returned, ProviderSignInError> {
        require_allowed(provider, account)?;
        let owner = self.owner(provider, account).await?;
        let email = match &owner {
            Owner::Linked(_, person) => &person.email,
            Owner::Address(email) => email,
        };
        let device_token = self.known_device(email, &device).await?.map(|(token, _)| token);
        let tx = self.catalog.begin().await?;
        self.forgive(&tx, subjects).await?;
        self.use_attempt(&tx, attempt).await?;
        match owner {
            Owner::Linked(identity, person) => {
                self.enter_linked(tx, &identity, person.id, account, device, device_token).await
            }
            Owner::Address(email) => {
                self.enter_by_address(tx, provider, &email, account, device, device_token).await
            }
        }
    }

    async fn owner(
        &self,
        provider: &SignInProvider,
        account: &Account,
    ) -> Result<Owner, ProviderSignInError> {
        if let Some(identity) = self.catalog.identity(provider.issuer(), &account.subject).await? {
            let person = self.catalog.person(identity.person_id).await?;
            let person = person.ok_or(ProviderSignInError::Over)?;
            return Ok(Owner::Linked(Box::new(identity), Box::new(person)));
        }
        let email = verified_email(account).ok_or(ProviderSignInError::Unverified)?;
        Ok(Owner::Address(email.clone()))
    }

    async fn enter_linked(
        &self,
        tx: Transaction,
        identity: &PersonIdentity,
        id: PersonId,
        account: &Account,
        device: Device,
        device_token: Option<Token>,
    ) -> Result<Returned, ProviderSignInError> {
        let (person, hash) = tx.person_with_password(id).await?.ok_or(ProviderSignInError::Over)?;
        if !person.is_active() {
            return Err(SignInError::Disabled.into());
        }
        let (email, now) = (account.email.as_ref().map(EmailAddress::as_str), self.ambient.now());
        // The account was unlinked meanwhile.
        if !tx.note_identity_used(person.id, identity.id, email, now).await? {
            return Err(ProviderSignInError::Over);
        }
        let entry = self.enter_identified(tx, person, &hash, identity.id, device, device_token).await?;
        Ok(Returned::Entered { entry, is_new: false })
    }

    /// Links the account to the person who was added with its email address and has not come in yet, neither with a
    /// password nor with another account, or creates the person if there is an invitation or the person may join. People
    /// who joined with a password have entered their address themselves, and it may be somebody else's. Whoever has come
    /// in once links further accounts while signed in: by then, the address may have been given to somebody new.
    async fn enter_by_address(
        &self,
        tx: Transaction,
        provider: &SignInProvider,
        email: &EmailAddress,
        account: &Account,
        device: Device,
        device_token: Option<Token>,
    ) -> Result<Returned, ProviderSignInError> {
        let (person, hash, is_new) = match tx.person_with_password_by_email(email).await? {
            Some((person, _)) if !person.is_active() => return Err(SignInError::Disabled.into()),
            Some((person, hash)) if hash == passwords::NONE => {
                if tx.is_claimed(person.id).await? || !tx.identities(person.id).await?.is_empty() {
                    return Err(ProviderSignInError::Claimed(email.clone()));
                }
                // It was the other way to claim the account.
                tx.delete_password_links(person.id).await?;
                (person, hash, false)
            }
            Some(_) => return Err(ProviderSignInError::PasswordFirst(email.clone())),
            None => {
                let person = self.admit(&tx, provider, email, account).await?;
                (person, passwords::NONE.to_owned(), true)
            }
        };
        let identity = self.insert_identity(&tx, provider, &person, account, device.address).await?;
        let entry = self.enter_identified(tx, person, &hash, identity, device, device_token).await?;
        Ok(Returned::Entered { entry, is_new })
    }

    async fn enter_identified(
        &self,
        tx: Transaction,
        person: Person,
        hash: &str,
        identity: IdentityId,
        device: Device,
        device_token: Option<Token>,
    ) -> Result<Entry, ProviderSignInError> {
        self.record_of_person(&tx, AuditAction::IdentityUse, &person, device.address).await?;
        let entry = self.let_in_or_ask(&tx, person, hash, Some(identity), device, device_token).await?;
        tx.commit().await?;
        Ok(entry)
    }
}

/// The code, if the expected provider has responded with one.
fn code_of(provider: &SignInProvider, answer: ProviderAnswer) -> Result<String, ProviderSignInError> {
    if let Some(issuer) = answer.issuer.filter(|issuer| issuer != provider.issuer()) {
        return Err(ProviderError::WrongIssuer(format!("the answer comes from {issuer:?}")).into());
    }
    match (answer.code, answer.error.as_deref()) {
        (_, Some("access_denied")) => Err(ProviderSignInError::Denied),
        (_, Some("temporarily_unavailable" | "server_error")) => {
            Err(ProviderError::Away("it responded with an error of its own".to_owned()).into())
        }
        (_, Some(error)) => {
            // The text is untrusted: anybody can put it into a URL.
            let error: String = error.chars().filter(char::is_ascii_graphic).take(60).collect();
            Err(ProviderError::Misconfigured(error).into())
        }
        (Some(code), None) if !code.is_empty() => Ok(code),
        _ => Err(ProviderSignInError::Over),
    }
}

/// Refuses accounts whose email addresses the operator does not allow.
pub(super) fn require_allowed(
    provider: &SignInProvider,
    account: &Account,
) -> Result<(), ProviderSignInError> {
    match verified_email(account) {
        _ if provider.takes_any_address() => Ok(()),
        Some(email) if provider.allows(email) => Ok(()),
        Some(_) => Err(ProviderSignInError::ForeignDomain),
        None => Err(ProviderSignInError::Unverified),
    }
}

/// Whether an error counts as a failed attempt. Refusals by the provider were counted already.
fn is_verdict(error: &ProviderSignInError) -> bool {
    !matches!(error, ProviderSignInError::SignIn(SignInError::Refusal(_) | SignInError::TooMany(_)))
}

/// Whether an error is the answer to an attempt. Without one, the browser may return again.
fn ends_attempt(error: &ProviderSignInError) -> bool {
    is_verdict(error) && !matches!(error, ProviderSignInError::Provider(error) if error.is_outage())
}

/// Another request linked the account in between.
pub(super) fn taken(error: CatalogError) -> ProviderSignInError {
    match error {
        CatalogError::Taken(Record::Unique) => ProviderSignInError::Taken,
        other => other.into(),
    }
}
