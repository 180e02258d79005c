//! What is kept about a person who can sign in, or could.

use std::collections::HashSet;

use tonearm_domain::{
    AuditEntryId, AuditRecord, EmailAddress, Invitation, KnownDevice, Membership, Origin, Person, PersonId,
    PersonIdentity, SignIn,
};
use uuid::Uuid;

use super::Privacy;
use crate::people::OwnerlessOrganizations;
use crate::refusal::{Refusal, Resource};

/// Lines of the audit log that are read at once.
const BATCH: u64 = 2000;

/// What stands in the place of an erased person's address in the audit log.
const ERASED: &str = "erased person";

/// Who is meant, by either of these. The account need not be there any more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PersonReference {
    /// The id, as in the audit log.
    Id(PersonId),
    /// The address with which the person signs in, or did.
    Email(EmailAddress),
}

impl std::str::FromStr for PersonReference {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let id = text.parse().map(Self::Id);
        id.or_else(|_| text.parse().map(Self::Email))
            .map_err(|_| "must be an email address or the id of a person".to_owned())
    }
}

/// What is kept about a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptPerson {
    /// The account; none: it is removed, or there was none.
    pub account: Option<Person>,
    /// Whether an authenticator app is set up.
    pub has_second_factor: bool,
    /// Accounts of the identity provider with which the person signs in.
    pub identities: Vec<PersonIdentity>,
    /// To which organizations the person belongs.
    pub memberships: Vec<Membership>,
    /// Where the person is signed in.
    pub sign_ins: Vec<SignIn>,
    /// In which browsers the person signed in before.
    pub devices: Vec<KnownDevice>,
    /// Links that the person made, or was sent.
    pub invitations: Vec<Invitation>,
    /// What the audit log says of the person, the oldest line first.
    pub audit: Vec<AuditRecord>,
}

impl KeptPerson {
    /// Whether nothing was found.
    pub fn is_empty(&self) -> bool {
        self.account.is_none() && self.invitations.is_empty() && self.audit.is_empty()
    }
}

/// Who is looked for in the audit log.
struct Sought {
    ids: HashSet<Uuid>,
    email: Option<EmailAddress>,
}

impl Sought {
    fn did(&self, line: &AuditRecord) -> bool {
        line.actor == "person" && line.actor_id.is_some_and(|id| self.ids.contains(&id))
    }

    fn is_named_in(&self, line: &AuditRecord) -> bool {
        let email = self.email.as_ref().map(EmailAddress::as_str);
        line.title.is_some() && line.title.as_deref() == email
    }

    fn is_subject_of(&self, line: &AuditRecord) -> bool {
        is_about_people(line) && line.subject_id.is_some_and(|id| self.ids.contains(&id))
    }
}

fn is_about_people(line: &AuditRecord) -> bool {
    line.action.starts_with("person.") || line.action.starts_with("member.")
}

impl Privacy {
    /// What is kept about a person.
    pub async fn person(&self, person: &PersonReference) -> Result<KeptPerson, Refusal> {
        let account = self.account(person).await?;
        let (id, sought) = self.sought(person, account.as_ref()).await?;
        let mut kept = KeptPerson {
            has_second_factor: false,
            identities: Vec::new(),
            memberships: Vec::new(),
            sign_ins: Vec::new(),
            devices: Vec::new(),
            invitations: self.catalog.invitations_about(id, sought.email.as_ref()).await?,
            audit: Vec::new(),
            account,
        };
        if let Some(id) = id {
            kept.has_second_factor = self.catalog.second_factor(id).await?.is_some();
            kept.identities = self.catalog.identities(id).await?;
            kept.memberships = self.catalog.memberships_of(id).await?;
            kept.sign_ins = self.catalog.sign_ins(id).await?;
            kept.devices = self.catalog.known_devices(id).await?;
        }
        let mut after = None;
        loop {
            let lines = self.catalog.audit_walk(after, BATCH).await?;
            let Some(last) = lines.last() else { return Ok(kept) };
            after = Some(last.id);
            let concerns = |line: &AuditRecord| {
                sought.did(line) || sought.is_named_in(line) || sought.is_subject_of(line)
            };
            kept.audit.extend(lines.into_iter().filter(concerns));
        }
    }

    /// Removes a person's account, and the person's address from the audit log. What the person made stays with the
    /// organizations, and so do the lines of the audit log. Can be repeated.
    pub async fn erase_person(
        &self,
        by: Origin,
        person: &PersonReference,
        ownerless: OwnerlessOrganizations,
    ) -> Result<(), Refusal> {
        let account = self.account(person).await?;
        let (id, sought) = self.sought(person, account.as_ref()).await?;
        if account.is_none() && id.is_none() && sought.ids.is_empty() {
            let invitations = self.catalog.invitations_about(None, sought.email.as_ref()).await?;
            if invitations.is_empty() && !self.is_named(&sought).await? {
                return Err(Refusal::NotFound(Resource::Person));
            }
        }
        if let Some(account) = &account {
            self.people.remove_person(by, account.id, ownerless).await?;
        }
        let tx = self.catalog.begin().await?;
        tx.forget_person(id, sought.email.as_ref()).await?;
        tx.commit().await?;
        self.anonymise(&sought).await?;
        self.record_erasure(by, id.map(PersonId::uuid)).await
    }

    async fn account(&self, person: &PersonReference) -> Result<Option<Person>, Refusal> {
        Ok(match person {
            PersonReference::Id(id) => self.catalog.person(*id).await?,
            PersonReference::Email(email) => self.catalog.person_by_email(email).await?,
        })
    }

    /// Whom to look for: also the ids that an account with the address had, as the audit log tells.
    async fn sought(
        &self,
        person: &PersonReference,
        account: Option<&Person>,
    ) -> Result<(Option<PersonId>, Sought), Refusal> {
        let id = match (person, account) {
            (_, Some(account)) => Some(account.id),
            (PersonReference::Id(id), None) => Some(*id),
            (PersonReference::Email(_), None) => None,
        };
        let email = match (person, account) {
            (_, Some(account)) => Some(account.email.clone()),
            (PersonReference::Email(email), None) => Some(email.clone()),
            (PersonReference::Id(_), None) => None,
        };
        let mut sought = Sought { ids: id.into_iter().map(PersonId::uuid).collect(), email };
        if account.is_none() && sought.email.is_some() {
            let mut after = None;
            loop {
                let lines = self.catalog.audit_walk(after, BATCH).await?;
                let Some(last) = lines.last() else { break };
                after = Some(last.id);
                let named = lines
                    .iter()
                    .filter(|line| line.action.starts_with("person.") && sought.is_named_in(line));
                let ids: Vec<Uuid> =
                    named.filter_map(|line| line.subject_id).filter(|id| !id.is_nil()).collect();
                sought.ids.extend(ids);
            }
        }
        Ok((id, sought))
    }

    async fn is_named(&self, sought: &Sought) -> Result<bool, Refusal> {
        let mut after = None;
        loop {
            let lines = self.catalog.audit_walk(after, BATCH).await?;
            let Some(last) = lines.last() else { return Ok(false) };
            after = Some(last.id);
            if lines.iter().any(|line| sought.is_named_in(line)) {
                return Ok(true);
            }
        }
    }

    async fn anonymise(&self, sought: &Sought) -> Result<(), Refusal> {
        let mut after = None;
        loop {
            let lines = self.catalog.audit_walk(after, BATCH).await?;
            let Some(last) = lines.last() else { return Ok(()) };
            after = Some(last.id);
            let ids = |is_one: &dyn Fn(&AuditRecord) -> bool| -> Vec<AuditEntryId> {
                lines.iter().filter(|line| is_one(line)).map(|line| line.id).collect()
            };
            // Who fails to sign in is nobody yet, but comes from somewhere.
            let failed = |line: &AuditRecord| {
                line.actor == "stranger" && (sought.is_named_in(line) || sought.is_subject_of(line))
            };
            let done_by = ids(&|line| sought.did(line) || failed(line));
            let about = ids(&|line| {
                sought.is_named_in(line)
                    || (sought.is_subject_of(line) && line.title.is_some() && line.action != "member.update")
            });
            if done_by.is_empty() && about.is_empty() {
                continue;
            }
            let tx = self.catalog.begin().await?;
            tx.anonymise_audit(&done_by, &about, ERASED).await?;
            tx.commit().await?;
        }
    }
}
