//! Erasure of a person's data. Each step can be repeated, and still finds the data that it needs after the earlier
//! steps.

use tonearm_catalog::Transaction;
use tonearm_domain::{AuditEntryId, AuditRecord, Origin};

use super::subject::PrivacySubject;
use super::{PersonReference, Privacy};
use crate::people::OwnerlessOrganizations;
use crate::refusal::{Refusal, Resource};

/// The text that replaces an erased person's email address in the audit log.
const ERASED: &str = "erased person";

/// The part of an audit log entry that is removed.
#[derive(Clone, Copy)]
enum Redaction {
    Address,
    Title,
}

impl Redaction {
    /// Network addresses are removed first. The titles are needed to find the ids of a deleted account, if the erasure
    /// has to be completed later.
    const IN_ORDER: [Self; 2] = [Self::Address, Self::Title];

    fn is_of(self, subject: &PrivacySubject, line: &AuditRecord) -> bool {
        match self {
            Self::Address => subject.was_at_address_of(line),
            Self::Title => subject.is_title_of(line),
        }
    }

    async fn apply(self, tx: &Transaction, lines: &[AuditEntryId]) -> Result<(), Refusal> {
        match self {
            Self::Address => tx.clear_audit_addresses(lines).await?,
            Self::Title => tx.replace_audit_titles(lines, ERASED).await?,
        }
        Ok(())
    }
}

impl Privacy {
    /// Removes a person's account, and the person's addresses from all other data. What the person created stays with
    /// the organizations, and so do the entries of the audit log. It can be repeated until nothing names the person.
    pub async fn erase_person(
        &self,
        by: Origin,
        person: &PersonReference,
        ownerless: OwnerlessOrganizations,
    ) -> Result<(), Refusal> {
        let subject = self.find_subject(person).await?;
        if !self.has_data(&subject).await? {
            return Err(Refusal::NotFound(Resource::Person));
        }
        if let Some(account) = &subject.account {
            self.people.remove_person(by, account.id, ownerless).await?;
        }
        let tx = self.catalog.begin().await?;
        tx.forget_person(&subject.names).await?;
        let subject_id = subject.names.ids.first().map(|id| id.uuid());
        tx.audit(&self.erasure(by, subject_id)).await?;
        tx.commit().await?;
        for redaction in Redaction::IN_ORDER {
            self.redact_audit_log(redaction, &subject).await?;
        }
        Ok(self.catalog.empty_log().await?)
    }

    async fn has_data(&self, subject: &PrivacySubject) -> Result<bool, Refusal> {
        if subject.account.is_some() || !self.named_rows(&subject.names).await?.is_empty() {
            return Ok(true);
        }
        let mut walk = self.audit_walk();
        while let Some(lines) = walk.next().await? {
            if lines.iter().any(|line| subject.concerns(line)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    async fn redact_audit_log(&self, redaction: Redaction, subject: &PrivacySubject) -> Result<(), Refusal> {
        let mut walk = self.audit_walk();
        while let Some(lines) = walk.next().await? {
            let concerned = lines.iter().filter(|line| redaction.is_of(subject, line));
            let concerned: Vec<AuditEntryId> = concerned.map(|line| line.id).collect();
            if concerned.is_empty() {
                continue;
            }
            let tx = self.catalog.begin().await?;
            redaction.apply(&tx, &concerned).await?;
            tx.commit().await?;
        }
        Ok(())
    }
}
