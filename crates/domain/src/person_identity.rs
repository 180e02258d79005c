//! Identities of people at an OpenID Connect provider.

use crate::timestamp::Timestamp;
use crate::{IdentityId, PersonId};

/// An account at a provider with which a person signs in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PersonIdentity {
    /// Names it for whoever unlinks it.
    pub id: IdentityId,
    /// Whose.
    pub person_id: PersonId,
    /// The provider. Subjects of another one are other accounts.
    pub issuer: String,
    /// What the provider calls the account, for ever: addresses and names change.
    pub subject: String,
    /// The address that the provider told last, for people to recognise the account by.
    pub email: Option<String>,
    /// Since when it is linked.
    pub linked_at: Timestamp,
    /// When the person last signed in with it.
    pub used_at: Timestamp,
}

impl PersonIdentity {
    /// Most of one person.
    pub const MOST: usize = 10;

    /// Seconds that a person has at the provider before the sign-in has to be begun again.
    pub const ATTEMPT: i64 = 600;
}
