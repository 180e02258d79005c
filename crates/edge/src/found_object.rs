//! An object that was found for a request, and what was read of it so far.

use std::sync::Arc;

use tonearm_blobs::{ObjectBody, ObjectMeta, OpenObject};
use tonearm_domain::ObjectKey;
use tonearm_signing::DeliveryGrant;

use crate::validators::Validators;
use crate::verified_urls::VerifiedObject;

/// An object that is there.
pub(crate) struct FoundObject {
    pub(crate) meta: ObjectMeta,
    pub(crate) validators: Validators,
    pub(crate) opened: Opened,
}

/// What can be read of an object that was found.
pub(crate) enum Opened {
    /// Nothing yet.
    Not,
    /// Any part, without asking the store again.
    All(OpenObject),
    /// What will probably be sent: asked for at once, before that was certain.
    Part(ObjectBody),
}

impl FoundObject {
    /// What is worth remembering: permissions that only time ends, for objects that are at hand.
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
