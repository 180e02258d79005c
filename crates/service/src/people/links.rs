//! One-time links: for the first administrator, new members, and people who forgot their password.

use tonearm_catalog::{CatalogError, Record, Transaction};
use tonearm_domain::{
    Actor, AuditAction, EmailAddress, ErrorCode, Invitation, InvitationId, InvitationPurpose, Membership,
    Organization, Origin, Password, Person, PersonId, Role, Timestamp,
};
use tonearm_signing::Token;

use super::passwords;
use super::sign_in::end_sign_ins;
use super::{Device, Entry, People, SignedIn};
use crate::audit::{self, AuditedAction};
use crate::library::insert_organization;
use crate::refusal::{Refusal, Resource};

/// A one-time link to give to a person.
#[derive(Debug, Clone)]
pub struct OneTimeLink {
    /// The full URL. It is shown only once.
    pub url: String,
    /// When it expires.
    pub expires_at: Timestamp,
}

/// The purpose of an opened link.
#[derive(Debug, Clone)]
pub enum OpenedLink {
    /// Its holder becomes the first administrator.
    FirstAdministrator,
    /// Its holder becomes a member.
    Member {
        /// The organization.
        organization: Box<Organization>,
        /// The role.
        role: Role,
        /// The email address for which it was created.
        email: Option<EmailAddress>,
    },
    /// Its holder chooses a new password.
    NewPassword(Person),
}

/// The details that a new person enters.
#[derive(Debug, Clone)]
pub struct NewPerson {
    /// The person's name.
    pub name: String,
    /// The email address with which the person will sign in.
    pub email: String,
    /// The password with which the person will sign in.
    pub password: String,
}

impl People {
    /// Whether nobody can sign in yet. People who were added and have not chosen a password cannot.
    pub async fn is_unclaimed(&self) -> Result<bool, Refusal> {
        Ok(!self.catalog.has_credentials(passwords::NONE).await?)
    }

    /// Creates a link for the first administrator, as long as nobody can sign in.
    pub async fn first_administrator_link(&self) -> Result<Option<OneTimeLink>, Refusal> {
        if !self.is_unclaimed().await? {
            return Ok(None);
        }
        let tx = self.catalog.begin().await?;
        let purpose = InvitationPurpose::FirstAdministrator;
        let (_, link) = self.insert_link(&tx, purpose, Actor::CommandLine).await?;
        tx.commit().await?;
        Ok(Some(link))
    }

    /// Creates a link with which a person chooses a new password, for the command line. Earlier links stop working.
    pub async fn new_password_link(&self, email: &str) -> Result<OneTimeLink, Refusal> {
        let person = self.person_by_email(email).await?;
        self.reset_password(Origin::command_line(), person.id).await
    }

    /// Adds a person without a password, and returns a link with which to choose one.
    pub async fn add_person(
        &self,
        name: &str,
        email: &str,
        is_administrator: bool,
    ) -> Result<(Person, OneTimeLink), Refusal> {
        let person = self.new_person(name, email, is_administrator)?;
        let tx = self.catalog.begin().await?;
        insert_person(&tx, &person, passwords::NONE).await?;
        if is_administrator {
            self.give_every_organization(&tx, person.id).await?;
        }
        let by = Origin::command_line();
        let (_, link) = self.insert_link(&tx, InvitationPurpose::NewPassword(person.id), by.actor).await?;
        self.record_about(&tx, by, AuditAction::PersonAdd, &person).await?;
        tx.commit().await?;
        Ok((person, link))
    }

    /// The purpose of a link, if it is still valid.
    pub async fn open_link(&self, token: &Token) -> Result<OpenedLink, Refusal> {
        self.open(self.find_link(token).await?.purpose).await
    }

    async fn find_link(&self, token: &Token) -> Result<Invitation, Refusal> {
        let found = self.catalog.invitation_by_hash(&token.hash()).await?;
        found.filter(|found| found.is_valid_at(self.ambient.now())).ok_or_else(dead)
    }

    async fn open(&self, purpose: InvitationPurpose) -> Result<OpenedLink, Refusal> {
        match purpose {
            InvitationPurpose::FirstAdministrator if !self.is_unclaimed().await? => Err(dead()),
            InvitationPurpose::FirstAdministrator => Ok(OpenedLink::FirstAdministrator),
            InvitationPurpose::Member { organization_id, role, email } => {
                let organization = self.catalog.organization(organization_id).await?.ok_or_else(dead)?;
                Ok(OpenedLink::Member { organization: Box::new(organization), role, email })
            }
            InvitationPurpose::NewPassword(id) => {
                Ok(OpenedLink::NewPassword(self.catalog.person(id).await?.ok_or_else(dead)?))
            }
        }
    }

    /// Creates a person with a link for the first administrator or for a new member, and signs the person in. The first
    /// administrator becomes owner of every organization; if there is none, one is created. A link that is tried with the
    /// addresses of several existing accounts ends.
    pub async fn join(&self, token: &Token, new: NewPerson, device: Device) -> Result<SignedIn, Refusal> {
        // The link is checked before the password is hashed, so that strangers cannot cause this work.
        let link = self.find_link(token).await?;
        let is_first = matches!(self.open(link.purpose).await?, OpenedLink::FirstAdministrator);
        let person = self.new_person(&new.name, &new.email, is_first)?;
        let password = choose_password(new.password, &person)?;
        let known = match link.created_by {
            Some(maker) => self.known(maker).await?,
            None => passwords::Known::link(link.id.uuid()),
        };
        let hash = self.passwords.hash(known, password, self.ambient.random()).await?;
        let tx = self.catalog.begin().await?;
        let link = self.lock_link(&tx, token).await?;
        let now = self.ambient.now();
        if let InvitationPurpose::Member { organization_id, .. } = link.purpose
            && tx.taken_addresses(organization_id).await? >= Invitation::MOST_TAKEN_ADDRESSES_TOGETHER
        {
            return Err(too_many_taken());
        }
        if tx.is_address_taken(&person.email).await? {
            let is_valid = tx.note_taken_address(link.id, now).await?;
            tx.commit().await?;
            return Err(if is_valid { address_taken() } else { dead() });
        }
        tx.note_invitation_used(link.id, now).await?;
        match link.purpose {
            InvitationPurpose::FirstAdministrator => {
                insert_person(&tx, &person, &hash).await?;
                self.give_every_organization(&tx, person.id).await?;
            }
            InvitationPurpose::Member { organization_id, role, .. } => {
                insert_person(&tx, &person, &hash).await?;
                self.insert_membership(&tx, organization_id, person.id, role).await?;
            }
            InvitationPurpose::NewPassword(_) => return Err(dead()),
        }
        let signed_in = self.let_in(&tx, person, device, None).await?;
        tx.commit().await?;
        Ok(signed_in)
    }

    /// Makes an existing person a member of the organization of a link. If the person is a member already, the link is
    /// not used up.
    pub async fn join_as(&self, token: &Token, person: &Person) -> Result<(), Refusal> {
        let tx = self.catalog.begin().await?;
        let person = tx.person(person.id).await?.filter(Person::is_active);
        let person = person.ok_or(Refusal::NotFound(Resource::Person))?;
        let link = self.lock_link(&tx, token).await?;
        tx.note_invitation_used(link.id, self.ambient.now()).await?;
        let InvitationPurpose::Member { organization_id, role, .. } = link.purpose else {
            return Err(dead());
        };
        if !self.insert_membership(&tx, organization_id, person.id, role).await? {
            return Err(Refusal::Conflict {
                code: ErrorCode::AlreadyMember,
                message: "you are already a member of this organization, so the invitation was not used"
                    .to_owned(),
            });
        }
        Ok(tx.commit().await?)
    }

    /// Sets a new password with a link. Ends all sign-ins, forgets all devices, and unlinks all accounts at the
    /// provider: somebody who had the old password may have linked them.
    pub async fn choose_new_password(
        &self,
        token: &Token,
        password: String,
        device: Device,
    ) -> Result<Entry, Refusal> {
        let OpenedLink::NewPassword(person) = self.open_link(token).await? else {
            return Err(dead());
        };
        let current = self.catalog.password_hash(person.id).await?;
        let new = choose_password(password.clone(), &person)?;
        let known = self.known(person.id).await?;
        if self.passwords.is_current(known, password, current).await? {
            return Err(same_password());
        }
        let hash = self.passwords.hash(known, new, self.ambient.random()).await?;
        let tx = self.catalog.begin().await?;
        let link = self.lock_link(&tx, token).await?;
        tx.note_invitation_used(link.id, self.ambient.now()).await?;
        tx.set_password_hash(person.id, &hash).await?;
        end_sign_ins(&tx, person.id, None, self.ambient.now()).await?;
        self.unlink_all_identities(&tx, &person, device.address).await?;
        self.record_of_person(&tx, AuditAction::PasswordChange, &person, device.address).await?;
        let entry = self.let_in_or_ask(&tx, person, &hash, None, device, None).await?;
        tx.commit().await?;
        Ok(entry)
    }

    /// Creates a link. A link for a new password replaces earlier ones.
    pub(super) async fn insert_link(
        &self,
        tx: &Transaction,
        purpose: InvitationPurpose,
        by: Actor,
    ) -> Result<(InvitationId, OneTimeLink), Refusal> {
        let created_by = match by {
            Actor::Person(id) => Some(id),
            Actor::CommandLine | Actor::Key(_) | Actor::Uploader | Actor::Stranger => None,
        };
        if let InvitationPurpose::NewPassword(person) = purpose {
            tx.delete_password_links(person).await?;
        }
        let (invitation, token) = (self.invitation(purpose, created_by), self.token());
        tx.insert_invitation(&invitation, &token.hash()).await?;
        let url = format!("{}/dashboard/link/{}", self.public_url, token.reveal());
        Ok((invitation.id, OneTimeLink { url, expires_at: invitation.expires_at }))
    }

    /// Locks a link that is still valid, in the transaction of the action that it allows.
    async fn lock_link(&self, tx: &Transaction, token: &Token) -> Result<Invitation, Refusal> {
        let found = tx.invitation_by_hash(&token.hash()).await?.ok_or_else(dead)?;
        if !self.lock_reason(tx, &found).await? {
            return Err(dead());
        }
        let now = self.ambient.now();
        tx.invitation(found.id).await?.filter(|found| found.is_valid_at(now)).ok_or_else(dead)
    }

    /// Whether the reason of a link still holds: its maker may still create it, and what it is for exists. It then holds
    /// until the end of the transaction, because everything that it depends on is locked: people, then organizations.
    pub(super) async fn lock_reason(&self, tx: &Transaction, link: &Invitation) -> Result<bool, Refusal> {
        Ok(match (&link.purpose, link.created_by) {
            (InvitationPurpose::FirstAdministrator, _) => {
                tx.lock_first_administrator_links().await?;
                !tx.has_credentials(passwords::NONE).await?
            }
            (InvitationPurpose::Member { organization_id, .. }, Some(maker)) => {
                tx.is_owner(*organization_id, maker).await?
            }
            (InvitationPurpose::Member { organization_id, .. }, None) => {
                tx.organization(*organization_id).await?.is_some()
            }
            (InvitationPurpose::NewPassword(id), maker) => {
                let administrators = tx.administrators_to_change().await?;
                let may_make = maker.is_none_or(|maker| maker != *id && administrators.contains(&maker));
                may_make && tx.person(*id).await?.is_some_and(|found| found.is_active())
            }
        })
    }

    fn new_person(&self, name: &str, email: &str, is_administrator: bool) -> Result<Person, Refusal> {
        Ok(Person {
            id: self.ambient.record_id(),
            email: parse_email(email)?,
            name: person_name(name)?,
            is_administrator,
            created_at: self.ambient.now(),
            disabled_at: None,
            language: None,
        })
    }

    pub(super) async fn insert_membership(
        &self,
        tx: &Transaction,
        organization_id: tonearm_domain::OrganizationId,
        person_id: PersonId,
        role: Role,
    ) -> Result<bool, Refusal> {
        let membership = Membership { organization_id, person_id, role, created_at: self.ambient.now() };
        let is_new = tx.insert_membership(&membership).await?;
        if is_new {
            let origin = Origin { actor: Actor::Person(person_id), address: None };
            let action = AuditAction::MemberJoin;
            let done = AuditedAction { action, subject_id: person_id.uuid(), title: role.as_str() };
            audit::record_of(tx, &self.ambient, Some(organization_id), origin, done).await?;
        }
        Ok(is_new)
    }

    async fn give_every_organization(&self, tx: &Transaction, person: PersonId) -> Result<(), Refusal> {
        let mut organizations = tx.organization_ids().await?;
        if organizations.is_empty() {
            organizations.push(insert_organization(tx, &self.ambient, "My audio").await?.id);
        }
        for id in organizations {
            self.insert_membership(tx, id, person, Role::Owner).await?;
        }
        Ok(())
    }
}

/// The answer for a link that was used, has expired, has lost its reason, or never existed.
fn dead() -> Refusal {
    Refusal::NotFound(Resource::Invitation)
}

/// Says nothing about the address.
fn too_many_taken() -> Refusal {
    Refusal::Conflict {
        code: ErrorCode::TooManyAccountsTried,
        message: "too many addresses of existing accounts were tried with invitations of this organization; sign in with \
                  your account and open the link again, or ask an administrator to add you"
            .to_owned(),
    }
}

fn address_taken() -> Refusal {
    let message = "an account with this address already exists; sign in with it, then open the link again";
    Refusal::invalid("email", message)
}

/// Validates the name of a person.
pub(super) fn person_name(name: &str) -> Result<String, Refusal> {
    let name = name.trim();
    if name.is_empty() || name.chars().count() > 100 || name.contains(char::is_control) {
        return Err(Refusal::invalid("name", "must have 1 to 100 characters"));
    }
    Ok(name.to_owned())
}

pub(super) fn parse_email(email: &str) -> Result<EmailAddress, Refusal> {
    email
        .parse()
        .map_err(|error: tonearm_domain::EmailAddressError| Refusal::invalid("email", error.to_string()))
}

pub(super) fn choose_password(text: String, person: &Person) -> Result<Password, Refusal> {
    Password::choose(text, &[person.email.as_str(), &person.name])
        .map_err(|error| Refusal::invalid("password", error.to_string()))
}

pub(super) fn same_password() -> Refusal {
    Refusal::invalid("password", "must differ from the current password")
}

pub(super) async fn insert_person(tx: &Transaction, person: &Person, hash: &str) -> Result<(), Refusal> {
    match tx.insert_person(person, hash).await {
        Err(CatalogError::Taken(Record::EmailAddress)) => Err(address_taken()),
        other => Ok(other?),
    }
}
