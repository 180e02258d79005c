//! A person's linked accounts at the provider: listing, linking and unlinking.

use std::net::IpAddr;

use tonearm_catalog::Transaction;
use tonearm_domain::{
    AuditAction, ErrorCode, IdentityId, Origin, Person, PersonId, PersonIdentity, SignInId,
};
use tonearm_outbound::Account;

use super::provider::SignInProvider;
use super::provider_return::{require_allowed, taken};
use super::sign_in::end_sign_ins;
use super::throttle::Subjects;
use super::{Device, People, ProviderAttempt, ProviderSignInError, Resumed, Returned, passwords};
use crate::refusal::{Refusal, Resource};

impl People {
    /// The linked accounts of a person, the first one linked first.
    pub async fn identities(&self, person: &Person) -> Result<Vec<PersonIdentity>, Refusal> {
        Ok(self.catalog.identities(person.id).await?)
    }

    /// Whether a person can sign in with a password.
    pub async fn has_password(&self, person: &Person) -> Result<bool, Refusal> {
        let hash = self.catalog.password_hash(person.id).await?;
        Ok(hash.is_some_and(|hash| hash != passwords::NONE))
    }

    /// Links an account to the person who requested it, in the session of the request.
    pub(super) async fn link_identity(
        &self,
        provider: &SignInProvider,
        (attempt, (id, sign_in)): (&ProviderAttempt, (PersonId, SignInId)),
        resumed: Option<&Resumed>,
        account: &Account,
        subjects: &Subjects,
        device: &Device,
    ) -> Result<Returned, ProviderSignInError> {
        let is_same = resumed.is_some_and(|now| now.person.id == id && now.sign_in.id == sign_in);
        if !is_same {
            return Err(ProviderSignInError::Over);
        }
        require_allowed(provider, account)?;
        let tx = self.catalog.begin().await?;
        self.forgive(&tx, subjects).await?;
        self.use_attempt(&tx, attempt).await?;
        let person = tx.person(id).await?.filter(Person::is_active).ok_or(ProviderSignInError::Over)?;
        if !tx.has_sign_in(id, sign_in).await? {
            return Err(ProviderSignInError::Over);
        }
        match tx.identity(provider.issuer(), &account.subject).await? {
            Some(found) if found.person_id != id => return Err(ProviderSignInError::Taken),
            Some(_) => {}
            None => {
                self.insert_identity(&tx, provider, &person, account, device.address).await?;
            }
        }
        tx.commit().await?;
        Ok(Returned::Linked)
    }

    /// Links an account to a person, who must be locked or new. Returns the id of the link.
    pub(super) async fn insert_identity(
        &self,
        tx: &Transaction,
        provider: &SignInProvider,
        person: &Person,
        account: &Account,
        address: Option<IpAddr>,
    ) -> Result<IdentityId, ProviderSignInError> {
        if tx.identities(person.id).await?.len() >= PersonIdentity::MOST {
            return Err(ProviderSignInError::TooManyIdentities);
        }
        let now = self.ambient.now();
        let identity = PersonIdentity {
            id: self.ambient.record_id(),
            person_id: person.id,
            issuer: provider.issuer().to_owned(),
            subject: account.subject.clone(),
            email: account.email.as_ref().map(ToString::to_string),
            linked_at: now,
            used_at: now,
        };
        tx.insert_identity(&identity).await.map_err(taken)?;
        self.record_of_person(tx, AuditAction::IdentityLink, person, address).await?;
        Ok(identity.id)
    }

    /// Unlinks an account of a person, unless the person could not sign in without it. All other sessions of the person
    /// end, because the account may have begun them.
    pub async fn unlink_identity(
        &self,
        resumed: &Resumed,
        id: IdentityId,
        device: &Device,
    ) -> Result<(), Refusal> {
        let tx = self.catalog.begin().await?;
        let of_session = tx.person_with_password(resumed.person.id).await?;
        let (person, hash) = of_session.ok_or(Refusal::NotFound(Resource::Person))?;
        if !person.is_active() || !tx.has_sign_in(person.id, resumed.sign_in.id).await? {
            return Err(Refusal::NotFound(Resource::Person));
        }
        let identities = tx.identities(person.id).await?;
        let issuer = self.provider.as_deref().map(SignInProvider::issuer);
        let is_usable = |identity: &PersonIdentity| Some(identity.issuer.as_str()) == issuer;
        let is_way_in = identities.iter().any(|one| one.id == id && is_usable(one));
        let has_another =
            hash != passwords::NONE || identities.iter().any(|one| one.id != id && is_usable(one));
        if is_way_in && !has_another {
            return Err(Refusal::Conflict {
                code: ErrorCode::OnlyWayIn,
                message: "this is your only way to sign in; ask an administrator for a password link first"
                    .to_owned(),
            });
        }
        if tx.delete_identity(person.id, id, self.ambient.now()).await? {
            end_sign_ins(&tx, person.id, Some(resumed.sign_in.id), self.ambient.now()).await?;
            self.record_of_person(&tx, AuditAction::IdentityUnlink, &person, device.address).await?;
        }
        Ok(tx.commit().await?)
    }

    /// Unlinks an account of another person. All sessions of the person end. A person without a password then needs a
    /// password link to sign in.
    pub async fn unlink_identity_of(
        &self,
        by: Origin,
        id: PersonId,
        identity: IdentityId,
    ) -> Result<(), Refusal> {
        let tx = self.catalog.begin().await?;
        let person = self.person_to_administer(&tx, by, id).await?;
        if tx.delete_identity(id, identity, self.ambient.now()).await? {
            end_sign_ins(&tx, id, None, self.ambient.now()).await?;
            self.record_about(&tx, by, AuditAction::IdentityUnlink, &person).await?;
        }
        Ok(tx.commit().await?)
    }

    /// Unlinks every account of a person, who must be locked.
    pub(super) async fn unlink_all_identities(
        &self,
        tx: &Transaction,
        person: &Person,
        address: Option<IpAddr>,
    ) -> Result<(), Refusal> {
        for identity in tx.identities(person.id).await? {
            tx.delete_identity(person.id, identity.id, self.ambient.now()).await?;
            self.record_of_person(tx, AuditAction::IdentityUnlink, person, address).await?;
        }
        Ok(())
    }
}
