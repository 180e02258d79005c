//! The members of an organization. Every organization keeps an owner.

use tonearm_catalog::Transaction;
use tonearm_domain::{
    Actor, AuditAction, ErrorCode, Invitation, InvitationId, InvitationPurpose, Membership, Person, PersonId,
    Role,
};

use uuid::Uuid;

use super::links::parse_email;
use super::{OneTimeLink, People};
use crate::audit::{self, AuditedAction};
use crate::caller::Caller;
use crate::refusal::{Refusal, Resource};

/// A member of an organization.
#[derive(Debug, Clone)]
pub struct Member {
    /// The person.
    pub person: Person,
    /// The role, and when the membership began.
    pub membership: Membership,
}

/// The members and the open invitations of an organization.
#[derive(Debug, Clone)]
pub struct MemberList {
    /// The members, in the order in which they joined.
    pub members: Vec<Member>,
    /// Invitations that are still valid, latest first.
    pub invitations: Vec<Invitation>,
}

impl People {
    /// The members and the open invitations of the organization.
    pub async fn members(&self, caller: &Caller) -> Result<MemberList, Refusal> {
        caller.require_whole_organization()?;
        let id = caller.organization_id;
        let members = self.catalog.members(id).await?;
        let members = members.into_iter().map(|(person, membership)| Member { person, membership }).collect();
        let mut invitations = self.catalog.open_invitations(id).await?;
        let now = self.ambient.now();
        invitations.retain(|invitation| invitation.is_valid_at(now));
        Ok(MemberList { members, invitations })
    }

    /// Creates an invitation link that makes its holder a member.
    pub async fn invite(&self, caller: &Caller, role: Role, email: &str) -> Result<OneTimeLink, Refusal> {
        let email = if email.trim().is_empty() { None } else { Some(parse_email(email)?) };
        let title = email.as_ref().map_or(role.as_str(), |email| email.as_str()).to_owned();
        let purpose = InvitationPurpose::Member { organization_id: caller.organization_id, role, email };
        let tx = self.begin_as_owner(caller).await?;
        let (id, link) = self.insert_link(&tx, purpose, caller.origin.actor).await?;
        self.record(&tx, caller, AuditAction::MemberInvite, id.uuid(), &title).await?;
        tx.commit().await?;
        Ok(link)
    }

    /// Withdraws an invitation before it is used.
    pub async fn withdraw_invitation(&self, caller: &Caller, id: InvitationId) -> Result<(), Refusal> {
        let tx = self.begin_as_owner(caller).await?;
        if !tx.delete_invitation(caller.organization_id, id, self.ambient.now()).await? {
            return Err(Refusal::NotFound(Resource::Invitation));
        }
        self.record(&tx, caller, AuditAction::MemberWithdraw, id.uuid(), "").await?;
        Ok(tx.commit().await?)
    }

    /// Gives a member another role. With a lesser one, the invitations that the member created, and those made for the
    /// member's address, end, and so do a viewer's upload sessions.
    pub async fn set_role(&self, caller: &Caller, person: PersonId, role: Role) -> Result<(), Refusal> {
        let tx = self.begin_with_member(caller, person).await?;
        let earlier = require_another_owner(&tx, caller, person, Some(role)).await?;
        if role == earlier {
            return Ok(());
        }
        if role > earlier {
            tx.require_room(caller.organization_id).await?;
        } else {
            tx.delete_invitations_of(person, Some(caller.organization_id), self.ambient.now()).await?;
        }
        if role < Role::Editor {
            tx.end_editing(person, Some(caller.organization_id), self.ambient.now()).await?;
        }
        tx.set_role(caller.organization_id, person, role).await?;
        self.record(&tx, caller, AuditAction::MemberUpdate, person.uuid(), role.as_str()).await?;
        Ok(tx.commit().await?)
    }

    /// Ends a membership, and with it the member's upload sessions, and the invitations that the member created or that
    /// were made for the member's address.
    pub async fn remove_member(&self, caller: &Caller, person: PersonId) -> Result<(), Refusal> {
        let tx = self.begin_with_member(caller, person).await?;
        require_another_owner(&tx, caller, person, None).await?;
        tx.delete_invitations_of(person, Some(caller.organization_id), self.ambient.now()).await?;
        tx.end_editing(person, Some(caller.organization_id), self.ambient.now()).await?;
        tx.delete_membership(caller.organization_id, person).await?;
        self.record(&tx, caller, AuditAction::MemberRemove, person.uuid(), "").await?;
        Ok(tx.commit().await?)
    }
}

impl People {
    /// Begins a transaction in which a caller who is a person is still an owner. Locks the organization.
    async fn begin_as_owner(&self, caller: &Caller) -> Result<Transaction, Refusal> {
        caller.require_whole_organization()?;
        Self::as_owner(self.catalog.begin().await?, caller).await
    }

    /// The same, for a change of a member: waits for what the member is writing, and keeps the member from writing more.
    async fn begin_with_member(&self, caller: &Caller, person: PersonId) -> Result<Transaction, Refusal> {
        caller.require_whole_organization()?;
        let tx = self.catalog.begin().await?;
        // People are locked before organizations.
        tx.lock_person(person).await?;
        Self::as_owner(tx, caller).await
    }

    async fn as_owner(tx: Transaction, caller: &Caller) -> Result<Transaction, Refusal> {
        match caller.origin.actor {
            Actor::Person(id) if !tx.is_owner(caller.organization_id, id).await? => {
                Err(Refusal::NotFound(Resource::Organization))
            }
            _ => Ok(tx),
        }
    }

    async fn record(
        &self,
        tx: &Transaction,
        caller: &Caller,
        action: AuditAction,
        subject_id: Uuid,
        title: &str,
    ) -> Result<(), Refusal> {
        Ok(audit::record(tx, &self.ambient, caller, AuditedAction { action, subject_id, title }).await?)
    }
}

/// Refuses to change a person who is not a member, and to demote or remove the last owner. Returns the member's role.
async fn require_another_owner(
    tx: &Transaction,
    caller: &Caller,
    person: PersonId,
    role: Option<Role>,
) -> Result<Role, Refusal> {
    let id = caller.organization_id;
    let member = match role {
        Some(_) => tx.membership(id, person).await?,
        None => tx.membership_to_end(id, person).await?,
    };
    let member = member.ok_or(Refusal::NotFound(Resource::Member))?;
    let loses_owner = member.role == Role::Owner && role != Some(Role::Owner);
    if loses_owner && !tx.has_owner_besides(id, person).await? {
        return Err(Refusal::Conflict {
            code: ErrorCode::LastOwner,
            message: "this is the only owner who can sign in; make another member an owner first".to_owned(),
        });
    }
    Ok(member.role)
}
