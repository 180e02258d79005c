//! Identities of people at an OpenID Connect provider.

use crate::timestamp::Timestamp;
use crate::{IdentityId, PersonId};

/// An account at a provider that a person signs in with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PersonIdentity {
    /// Its id, used to unlink it.
    pub id: IdentityId,
    /// The person.
    pub person_id: PersonId,
    /// The issuer identifier of the provider. The same subject at another issuer is another account.
    pub issuer: String,
    /// The provider's permanent identifier of the account; addresses and names can change.
    pub subject: String,
    /// The email address that the provider last reported, so that people recognise the account.
    pub email: Option<String>,
    /// When it was linked.
    pub linked_at: Timestamp,
    /// When the person last signed in with it.
    pub used_at: Timestamp,
}

impl PersonIdentity {
    /// Maximum number for one person.
    pub const MOST: usize = 10;

    /// Timeout of a sign-in at the provider, in seconds. After it, the sign-in has to be started again.
    pub const ATTEMPT: i64 = 600;
}
