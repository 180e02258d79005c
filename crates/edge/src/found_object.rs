//! An object that was found for a request, and what has been opened of it.

use std::sync::Arc;

use tonearm_blobs::{ObjectBody, ObjectMeta, OpenObject};
use tonearm_domain::ObjectKey;
use tonearm_signing::DeliveryGrant;

use crate::validators::Validators;
use crate::verified_urls::VerifiedObject;

/// An object that exists.
pub(crate) struct FoundObject {
    pub(crate) meta: ObjectMeta,
    pub(crate) validators: Validators,
    pub(crate) opened: Opened,
}

/// What can be read of an object that was found.
pub(crate) enum Opened {
    /// Nothing yet.
    Not,
    /// Any part can be read, without asking the store again.
    All(OpenObject),
    /// The part that will probably be sent, requested in advance.
    Part(ObjectBody),
}

impl FoundObject {
    /// What is cached for repeated requests, if anything: permissions that end only by expiring, for objects that can
    /// be read at once.
    pub(crate) fn worth_keeping(
        &self,
        key: &ObjectKey,
        grant: &DeliveryGrant,
        by_accept: bool,
    ) -> Option<VerifiedObject> {
        let Opened::All(open) = &self.opened else { return None };
        grant.signing_key.is_none().then(|| VerifiedObject {
            key: Arc::new(key.clone()),
            object: open.handle(),
            meta: self.meta,
            expires_at: grant.expires_at,
            by_accept,
        })
    }
}
