//! Administration of people's accounts. There is always an administrator who can sign in, and every organization keeps
//! an owner who can sign in.

use tonearm_catalog::Transaction;
use tonearm_domain::{
    Actor, AuditAction, Cursor, ErrorCode, InvitationPurpose, Organization, Origin, Page, Person, PersonId,
    Role, SearchWords,
};

use super::links::parse_email;
use super::sign_in::end_sign_ins;
use super::{OneTimeLink, People};
use crate::audit::{self, AuditedAction};
use crate::refusal::{Refusal, Resource};

/// A page of people.
pub type PersonList = Page<Person>;

/// What happens to organizations whose only owner is disabled or removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OwnerlessOrganizations {
    /// The call is refused if there are any.
    Refuse,
    /// This person becomes their owner.
    GiveTo(PersonId),
}

impl People {
    /// A page of the people whose name and email address contain all words, ordered by creation.
    pub async fn person_page(
        &self,
        words: Option<&SearchWords>,
        cursor: Cursor<PersonId>,
        limit: u32,
    ) -> Result<PersonList, Refusal> {
        Ok(self.catalog.person_page(words, cursor, limit).await?)
    }

    /// The person with an email address.
    pub async fn person_by_email(&self, email: &str) -> Result<Person, Refusal> {
        let found = self.catalog.person_by_email(&parse_email(email)?).await?;
        found.ok_or(Refusal::NotFound(Resource::Person))
    }

    /// The id of the person with an email address, even if the rest of the account cannot be read.
    pub async fn person_id_by_email(&self, email: &str) -> Result<PersonId, Refusal> {
        let found = self.catalog.person_id_by_email(&parse_email(email)?).await?;
        found.ok_or(Refusal::NotFound(Resource::Person))
    }

    /// Prevents a person from signing in until [`People::enable_person`]. All sessions end at once, and so do the links
    /// that the person created or received, and the invitations that were made for the person's address. Everything else
    /// stays, including API keys, which belong to organizations.
    pub async fn disable_person(
        &self,
        by: Origin,
        id: PersonId,
        ownerless: OwnerlessOrganizations,
    ) -> Result<(), Refusal> {
        let tx = self.catalog.begin().await?;
        let person = self.person_to_administer(&tx, by, id).await?;
        require_another(by, id, "you cannot disable your own account; ask another administrator")?;
        if !person.is_active() {
            return Ok(());
        }
        require_administrator_besides(&tx, &person).await?;
        self.keep_owners(&tx, by, &person, ownerless).await?;
        tx.set_person_disabled(id, Some(self.ambient.now())).await?;
        self.end_access(&tx, id).await?;
        self.record_about(&tx, by, AuditAction::PersonDisable, &person).await?;
        Ok(tx.commit().await?)
    }

    /// Lets a person sign in again.
    pub async fn enable_person(&self, by: Origin, id: PersonId) -> Result<(), Refusal> {
        let tx = self.catalog.begin().await?;
        let person = self.person_to_administer(&tx, by, id).await?;
        if person.is_active() {
            return Ok(());
        }
        tx.set_person_disabled(id, None).await?;
        self.record_about(&tx, by, AuditAction::PersonEnable, &person).await?;
        Ok(tx.commit().await?)
    }

    /// Removes a person permanently. What the person created stays, and so do API keys, which belong to organizations.
    pub async fn remove_person(
        &self,
        by: Origin,
        id: PersonId,
        ownerless: OwnerlessOrganizations,
    ) -> Result<(), Refusal> {
        let tx = self.catalog.begin().await?;
        require_administrator(&tx, by).await?;
        let person = tx.person_to_end(id).await?.ok_or(Refusal::NotFound(Resource::Person))?;
        require_another(by, id, "you cannot remove your own account; ask another administrator")?;
        require_administrator_besides(&tx, &person).await?;
        self.keep_owners(&tx, by, &person, ownerless).await?;
        for organization_id in tx.organizations_with(id).await? {
            let action = AuditAction::MemberRemove;
            let done = AuditedAction { action, subject_id: id.uuid(), title: person.email.as_str() };
            audit::record_of(&tx, &self.ambient, Some(organization_id), by, done).await?;
        }
        self.end_access(&tx, id).await?;
        tx.delete_person(id).await?;
        self.record_about(&tx, by, AuditAction::PersonRemove, &person).await?;
        Ok(tx.commit().await?)
    }

    /// Ends every session of a person, in every browser, forgets the person's devices, and ends the links that the person
    /// made, and what the person uploads and imports.
    pub async fn end_sessions(&self, by: Origin, id: PersonId) -> Result<(), Refusal> {
        let tx = self.catalog.begin().await?;
        let person = self.person_to_administer(&tx, by, id).await?;
        end_sign_ins(&tx, id, None, self.ambient.now()).await?;
        self.record_about(&tx, by, AuditAction::PersonEndSessions, &person).await?;
        Ok(tx.commit().await?)
    }

    /// Makes a person an administrator, or revokes that, and with it the links for new passwords that the person created.
    /// Memberships do not change.
    pub async fn set_administrator(&self, by: Origin, id: PersonId, is_one: bool) -> Result<(), Refusal> {
        let tx = self.catalog.begin().await?;
        let person = self.person_to_administer(&tx, by, id).await?;
        if person.is_administrator == is_one {
            return Ok(());
        }
        if is_one {
            self.catalog.admit_to_disk()?;
        } else {
            require_administrator_besides(&tx, &person).await?;
            tx.delete_password_links_by(id).await?;
        }
        tx.set_administrator(id, is_one).await?;
        let action = if is_one { AuditAction::PersonPromote } else { AuditAction::PersonDemote };
        self.record_about(&tx, by, action, &person).await?;
        Ok(tx.commit().await?)
    }

    /// Creates a link with which a person chooses a new password, for as long as its maker may create it. Earlier links
    /// stop working.
    pub async fn reset_password(&self, by: Origin, id: PersonId) -> Result<OneTimeLink, Refusal> {
        let tx = self.catalog.begin().await?;
        let person = self.person_to_administer(&tx, by, id).await?;
        // A link for the own account would stand in for its password.
        require_another(
            by,
            id,
            "you cannot create a password link for your own account; change your password in your profile, or ask \
             another administrator",
        )?;
        if !person.is_active() {
            return Err(Refusal::Conflict {
                code: ErrorCode::PersonDisabled,
                message: "this account is disabled; enable it first".to_owned(),
            });
        }
        let (_, link) = self.insert_link(&tx, InvitationPurpose::NewPassword(id), by.actor).await?;
        self.record_about(&tx, by, AuditAction::PersonResetPassword, &person).await?;
        tx.commit().await?;
        Ok(link)
    }

    /// Locks and returns a person. `by` must still be an administrator, and stays one until the end of the transaction.
    pub(super) async fn person_to_administer(
        &self,
        tx: &Transaction,
        by: Origin,
        id: PersonId,
    ) -> Result<Person, Refusal> {
        require_administrator(tx, by).await?;
        tx.person(id).await?.ok_or(Refusal::NotFound(Resource::Person))
    }

    /// Makes sure that every organization keeps an owner who can sign in when this person no longer can.
    async fn keep_owners(
        &self,
        tx: &Transaction,
        by: Origin,
        person: &Person,
        ownerless: OwnerlessOrganizations,
    ) -> Result<(), Refusal> {
        let OwnerlessOrganizations::GiveTo(heir) = ownerless else {
            let alone = tx.organizations_owned_alone(person.id).await?;
            return if alone.is_empty() { Ok(()) } else { Err(last_owner(person, &alone)) };
        };
        // People are locked before organizations.
        let may_own = tx.person(heir).await?.is_some_and(|found| found.is_active()) && heir != person.id;
        let alone = tx.organizations_owned_alone(person.id).await?;
        if alone.is_empty() {
            return Ok(());
        }
        if !may_own {
            return Err(Refusal::Conflict {
                code: ErrorCode::NoNewOwner,
                message: "the new owner must be another person who can sign in".to_owned(),
            });
        }
        for organization in alone {
            if !self.insert_membership(tx, organization.id, heir, Role::Owner).await? {
                tx.set_role(organization.id, heir, Role::Owner).await?;
                let action = AuditAction::MemberUpdate;
                let done = AuditedAction { action, subject_id: heir.uuid(), title: Role::Owner.as_str() };
                audit::record_of(tx, &self.ambient, Some(organization.id), by, done).await?;
            }
        }
        Ok(())
    }

    /// Ends everything with which a person can sign in, come back, let others in or upload.
    async fn end_access(&self, tx: &Transaction, id: PersonId) -> Result<(), Refusal> {
        end_sign_ins(tx, id, None, self.ambient.now()).await?;
        tx.delete_password_links(id).await?;
        Ok(tx.delete_invitations_of(id, None, self.ambient.now()).await?)
    }

    /// Records in the audit log what was done to a person's account. The entry belongs to no organization.
    pub(super) async fn record_about(
        &self,
        tx: &Transaction,
        by: Origin,
        action: AuditAction,
        person: &Person,
    ) -> Result<(), Refusal> {
        let done = AuditedAction { action, subject_id: person.id.uuid(), title: person.email.as_str() };
        Ok(audit::record_of(tx, &self.ambient, None, by, done).await?)
    }
}

pub(super) fn require_another(by: Origin, id: PersonId, message: &str) -> Result<(), Refusal> {
    if by.actor != Actor::Person(id) {
        return Ok(());
    }
    Err(Refusal::Conflict { code: ErrorCode::OwnAccount, message: message.to_owned() })
}

/// Refuses to remove the last administrator who can sign in. Administrators must be locked.
async fn require_administrator_besides(tx: &Transaction, person: &Person) -> Result<(), Refusal> {
    let is_one = person.is_administrator && person.is_active();
    if !is_one || tx.administrators().await?.iter().any(|other| *other != person.id) {
        return Ok(());
    }
    let message = format!(
        "{} is the only administrator who can sign in; make another person an administrator first",
        person.name
    );
    Err(Refusal::Conflict { code: ErrorCode::LastAdministrator, message })
}

fn last_owner(person: &Person, alone: &[Organization]) -> Refusal {
    let mut names: Vec<String> = alone.iter().take(3).map(|found| format!("“{}”", found.name)).collect();
    if alone.len() > names.len() {
        names.push("…".to_owned());
    }
    let named = names.join(", ");
    let message = format!(
        "{} is the only owner of {named} who can sign in; make another member an owner first, or assign a new owner",
        person.name
    );
    Refusal::Conflict { code: ErrorCode::LastOwner, message }
}

/// Refuses whoever may not manage people. `by` must still be an administrator, and stays one until the end of the
/// transaction.
async fn require_administrator(tx: &Transaction, by: Origin) -> Result<(), Refusal> {
    let administrators = tx.administrators_to_change().await?;
    let may = match by.actor {
        Actor::CommandLine => true,
        Actor::Person(own) => administrators.contains(&own),
        Actor::Key(_) | Actor::Uploader | Actor::Stranger => false,
    };
    if !may {
        return Err(Refusal::Forbidden {
            code: ErrorCode::NotAdministrator,
            message: "only administrators can manage people",
        });
    }
    Ok(())
}
