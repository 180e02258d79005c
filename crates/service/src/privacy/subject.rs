//! Finds the person whose data is requested, even if the account was deleted and only the audit log names it.

use tonearm_catalog::{Catalog, PersonNames};
use tonearm_domain::{AuditEntryId, AuditRecord, EmailAddress, Person, PersonId, Role};

use super::{PersonReference, Privacy};
use crate::refusal::Refusal;

/// The number of audit log entries to read at once.
const BATCH: u64 = 2000;

/// The person whose data is requested.
pub(super) struct PrivacySubject {
    /// The account. `None` if it was removed or never existed.
    pub(super) account: Option<Person>,
    /// The ids and email addresses by which rows name the person.
    pub(super) names: PersonNames,
}

impl PrivacySubject {
    /// Whether an audit log entry concerns the person.
    pub(super) fn concerns(&self, line: &AuditRecord) -> bool {
        self.did(line) || self.is_named_in(line) || self.is_subject_of(line)
    }

    /// Whether the network address in an entry is the person's. A failed sign-in has no actor, but its entry has an
    /// address.
    pub(super) fn was_at_address_of(&self, line: &AuditRecord) -> bool {
        let failed = line.actor == "stranger" && (self.is_named_in(line) || self.is_subject_of(line));
        line.address.is_some() && (self.did(line) || failed)
    }

    /// Whether the title of an entry names the person. The title of some entries about people is a role.
    pub(super) fn is_title_of(&self, line: &AuditRecord) -> bool {
        let is_role = line.title.as_ref().is_none_or(|title| title.parse::<Role>().is_ok());
        self.is_named_in(line) || (self.is_subject_of(line) && !is_role)
    }

    fn did(&self, line: &AuditRecord) -> bool {
        line.actor == "person" && line.actor_id.is_some_and(|id| self.has_id(id))
    }

    fn is_subject_of(&self, line: &AuditRecord) -> bool {
        is_about_people(line) && line.subject_id.is_some_and(|id| self.has_id(id))
    }

    fn is_named_in(&self, line: &AuditRecord) -> bool {
        is_titled_by(line, &self.names.emails)
    }

    fn has_id(&self, id: uuid::Uuid) -> bool {
        self.names.ids.iter().any(|own| own.uuid() == id)
    }
}

fn is_about_people(line: &AuditRecord) -> bool {
    line.action.starts_with("person.") || line.action.starts_with("member.")
}

fn is_titled_by(line: &AuditRecord, emails: &[EmailAddress]) -> bool {
    line.title.as_deref().is_some_and(|title| emails.iter().any(|email| email.as_str() == title))
}

/// Reads the entire audit log, with and without organization, from the oldest entry on.
pub(super) struct AuditWalk<'a> {
    catalog: &'a Catalog,
    after: Option<AuditEntryId>,
}

impl AuditWalk<'_> {
    /// The next entries; `None` at the end.
    pub(super) async fn next(&mut self) -> Result<Option<Vec<AuditRecord>>, Refusal> {
        let lines = self.catalog.audit_walk(self.after, BATCH).await?;
        let Some(last) = lines.last() else { return Ok(None) };
        self.after = Some(last.id);
        Ok(Some(lines))
    }
}

impl Privacy {
    pub(super) fn audit_walk(&self) -> AuditWalk<'_> {
        AuditWalk { catalog: &self.catalog, after: None }
    }

    /// Finds the person to look for. A deleted account is identified by its email address: earlier owners of the
    /// address count as the same person.
    pub(super) async fn find_subject(&self, person: &PersonReference) -> Result<PrivacySubject, Refusal> {
        let account = match person {
            PersonReference::Id(id) => self.catalog.person(*id).await?,
            PersonReference::Email(email) => self.catalog.person_by_email(email).await?,
        };
        let mut names = PersonNames::default();
        match (&account, person) {
            (Some(account), _) => {
                names.ids.push(account.id);
                names.emails.push(account.email.clone());
            }
            (None, PersonReference::Id(id)) => {
                names.ids.push(*id);
                names.emails = self.former_emails(*id).await?;
            }
            (None, PersonReference::Email(email)) => names.emails.push(email.clone()),
        }
        self.add_former_ids(&mut names).await?;
        Ok(PrivacySubject { account, names })
    }

    /// The email addresses of a deleted account, from the audit log. An address that another account has by now belongs
    /// to that account.
    async fn former_emails(&self, id: PersonId) -> Result<Vec<EmailAddress>, Refusal> {
        let mut emails: Vec<EmailAddress> = Vec::new();
        let mut walk = self.audit_walk();
        while let Some(lines) = walk.next().await? {
            let about =
                lines.iter().filter(|line| is_about_people(line) && line.subject_id == Some(id.uuid()));
            for email in about.filter_map(|line| line.title.as_deref()?.parse().ok()) {
                if !emails.contains(&email) && self.catalog.person_by_email(&email).await?.is_none() {
                    emails.push(email);
                }
            }
        }
        Ok(emails)
    }

    /// Adds the ids of accounts that had one of the email addresses before, from the audit log.
    async fn add_former_ids(&self, names: &mut PersonNames) -> Result<(), Refusal> {
        let mut walk = self.audit_walk();
        while let Some(lines) = walk.next().await? {
            let named = lines
                .iter()
                .filter(|line| line.action.starts_with("person.") && is_titled_by(line, &names.emails));
            let ids = named.filter_map(|line| line.subject_id).filter(|id| !id.is_nil());
            for id in ids.map(PersonId::from_uuid) {
                if !names.ids.contains(&id) {
                    names.ids.push(id);
                }
            }
        }
        Ok(())
    }
}
