//! Personal data of one person or one listener: access and erasure.

mod erasing;
mod listener;
mod person;
mod subject;

use tonearm_catalog::Catalog;
use tonearm_domain::{Ambient, AuditAction, AuditEntry, Origin};
use tonearm_signing::{ListenerHasher, UrlSigner};

use crate::people::People;

pub use listener::{KeptListener, ListenerReference};
pub use person::{KeptAccount, KeptPerson, NamedRows, PersonReference};
pub use tonearm_catalog::MOST_KEPT_ROWS;

/// Reports and erases personal data.
#[derive(Clone)]
pub struct Privacy {
    catalog: Catalog,
    ambient: Ambient,
    people: People,
    /// One hasher per master secret: listeners of the last days may be hashed under an older one.
    hashers: Vec<ListenerHasher>,
}

impl Privacy {
    /// Creates the use cases for this catalog.
    pub fn new(catalog: Catalog, ambient: Ambient, people: People, signer: &UrlSigner) -> Self {
        Self { catalog, ambient, people, hashers: signer.listener_hashers() }
    }

    /// An audit entry that records an erasure without naming the person.
    fn erasure(&self, by: Origin, subject_id: Option<uuid::Uuid>) -> AuditEntry {
        AuditEntry {
            id: self.ambient.record_id(),
            organization_id: None,
            at: self.ambient.now(),
            origin: by,
            action: AuditAction::PrivacyErase,
            subject_id,
            title: None,
        }
    }
}
