//! The second factor of a person: an authenticator app, and codes for when it is lost.

use crate::PersonId;
use crate::timestamp::Timestamp;

/// An authenticator app that a person has set up, or is setting up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecondFactor {
    /// Whose.
    pub person_id: PersonId,
    /// What the app and the service share, sealed.
    pub secret: Vec<u8>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When a code of the app was right for the first time. Until then, nobody is asked for one.
    pub confirmed_at: Option<Timestamp>,
    /// The step of the last code that was right: no code is good twice.
    pub last_step: i64,
}

impl SecondFactor {
    /// Recovery codes of a person.
    pub const RECOVERY_CODES: usize = 10;

    /// Seconds after the password within which the code has to follow.
    pub const CHALLENGE: i64 = 300;

    /// Whether a code is asked for.
    pub fn is_on(&self) -> bool {
        self.confirmed_at.is_some()
    }
}
