//! The data about a person who has or had an account.

use std::fmt;
use std::str::FromStr;

use tonearm_catalog::PersonNames;
use tonearm_domain::{
    AuditRecord, EmailAddress, Invitation, KnownDevice, Membership, Person, PersonId, PersonIdentity,
    Replacement, SignIn, UndoEntry, UploadSession,
};

use super::Privacy;
use crate::refusal::Refusal;

/// A reference to a person. The account may have been deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PersonReference {
    /// The id, as in the audit log.
    Id(PersonId),
    /// The email address with which the person signs in or did so.
    Email(EmailAddress),
}

impl FromStr for PersonReference {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let id = text.parse().map(Self::Id);
        id.or_else(|_| text.parse().map(Self::Email))
            .map_err(|_| "must be an email address or the id of a person".to_owned())
    }
}

impl fmt::Display for PersonReference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Id(id) => id.fmt(f),
            Self::Email(email) => email.fmt(f),
        }
    }
}

/// The data about a person, without the entries of the audit log: see [`Privacy::audit_lines`].
#[derive(Debug, Clone, PartialEq)]
pub struct KeptPerson {
    /// The account and its data. `None` if it was removed or never existed.
    pub account: Option<KeptAccount>,
    /// Other rows that name the person.
    pub named: NamedRows,
}

/// An account, and the data that is removed with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptAccount {
    /// The account itself.
    pub person: Person,
    /// Whether an authenticator app is set up.
    pub has_second_factor: bool,
    /// How many recovery codes are left.
    pub recovery_codes: u64,
    /// Accounts of the identity provider with which the person signs in.
    pub identities: Vec<PersonIdentity>,
    /// The memberships of the person.
    pub memberships: Vec<Membership>,
    /// The sign-ins of the person.
    pub sign_ins: Vec<SignIn>,
    /// The devices with which the person signed in before.
    pub devices: Vec<KnownDevice>,
}

/// Rows that name a person independently of an account.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedRows {
    /// Links that the person created or received.
    pub invitations: Vec<Invitation>,
    /// Bulk changes of tracks that the person can undo.
    pub undo_entries: Vec<UndoEntry>,
    /// Upload sessions that the person opened.
    pub upload_sessions: Vec<UploadSession>,
    /// Replacements of sources that the person requested.
    pub replacements: Vec<Replacement>,
}

impl KeptPerson {
    /// Whether nothing was found.
    pub fn is_empty(&self) -> bool {
        self.account.is_none() && self.named.is_empty()
    }
}

impl NamedRows {
    /// Whether nothing was found.
    pub fn is_empty(&self) -> bool {
        self.invitations.is_empty()
            && self.undo_entries.is_empty()
            && self.upload_sessions.is_empty()
            && self.replacements.is_empty()
    }
}

impl Privacy {
    /// The data about a person, without the entries of the audit log.
    pub async fn person(&self, person: &PersonReference) -> Result<KeptPerson, Refusal> {
        let subject = self.find_subject(person).await?;
        let named = self.named_rows(&subject.names).await?;
        let account = match subject.account {
            Some(person) => Some(self.kept_account(person).await?),
            None => None,
        };
        Ok(KeptPerson { account, named })
    }

    /// Passes each audit log entry about a person to `hear`, oldest first, and returns their number. Only one page of
    /// the log is in memory at a time.
    pub async fn audit_lines(
        &self,
        person: &PersonReference,
        hear: &mut (dyn FnMut(AuditRecord) + Send),
    ) -> Result<u64, Refusal> {
        let subject = self.find_subject(person).await?;
        let (mut count, mut walk) = (0, self.audit_walk());
        while let Some(lines) = walk.next().await? {
            for line in lines.into_iter().filter(|line| subject.concerns(line)) {
                count += 1;
                hear(line);
            }
        }
        Ok(count)
    }

    async fn kept_account(&self, person: Person) -> Result<KeptAccount, Refusal> {
        let id = person.id;
        Ok(KeptAccount {
            person,
            has_second_factor: self.catalog.second_factor(id).await?.is_some(),
            recovery_codes: self.catalog.recovery_code_count(id).await?,
            identities: self.catalog.identities(id).await?,
            memberships: self.catalog.memberships_of(id).await?,
            sign_ins: self.catalog.sign_ins(id).await?,
            devices: self.catalog.known_devices(id).await?,
        })
    }

    pub(super) async fn named_rows(&self, names: &PersonNames) -> Result<NamedRows, Refusal> {
        Ok(NamedRows {
            invitations: self.catalog.invitations_about(names).await?,
            undo_entries: self.catalog.undo_entries_of(names).await?,
            upload_sessions: self.catalog.upload_sessions_of(names).await?,
            replacements: self.catalog.replacements_by(names).await?,
        })
    }
}
