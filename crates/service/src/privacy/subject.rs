//! Who is looked for, also where the account is gone and only the audit log knows of it.

use tonearm_catalog::{Catalog, PersonNames};
use tonearm_domain::{AuditEntryId, AuditRecord, EmailAddress, Person, PersonId, Role};

use super::{PersonReference, Privacy};
use crate::refusal::Refusal;

/// Lines of the audit log that are read at once.
const BATCH: u64 = 2000;

/// The person whose data is asked for.
pub(super) struct PrivacySubject {
    /// The account; none: it is removed, or there was none.
    pub(super) account: Option<Person>,
    /// By what rows name the person.
    pub(super) names: PersonNames,
}

impl PrivacySubject {
    /// Whether a line of the audit log tells something of the person.
    pub(super) fn concerns(&self, line: &AuditRecord) -> bool {
        self.did(line) || self.is_named_in(line) || self.is_subject_of(line)
    }

    /// Whether the network address in a line is the person's. Who fails to sign in is nobody yet, but comes from somewhere.
    pub(super) fn was_at_address_of(&self, line: &AuditRecord) -> bool {
        let failed = line.actor == "stranger" && (self.is_named_in(line) || self.is_subject_of(line));
        line.address.is_some() && (self.did(line) || failed)
    }

    /// Whether the title of a line names the person. Some lines about people have a role for a title.
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

/// The audit log of all organizations and of none, from the oldest line on.
pub(super) struct AuditWalk<'a> {
    catalog: &'a Catalog,
    after: Option<AuditEntryId>,
}

impl AuditWalk<'_> {
    /// The next lines. None at the end.
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

    /// Whom to look for. Accounts that are gone count by their address: whoever had it is the same person.
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

    /// The addresses of an account that is gone, as the audit log tells. One that another account has by now is that account's.
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

    /// Adds the ids of accounts that had one of the addresses before, as the audit log tells.
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
