//! The second factor of a person: an authenticator app, and recovery codes in case it is lost.

use crate::PersonId;
use crate::timestamp::Timestamp;

/// An authenticator app that a person has set up, or is setting up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecondFactor {
    /// The person.
    pub person_id: PersonId,
    /// The secret that the app and the service share, sealed.
    pub secret: Vec<u8>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When the first code of the app was accepted. Until then, no code is required at sign-in.
    pub confirmed_at: Option<Timestamp>,
    /// The time step of the last accepted code, so that no code is accepted twice.
    pub last_step: i64,
}

impl SecondFactor {
    /// Number of recovery codes of a person.
    pub const RECOVERY_CODES: usize = 10;

    /// Seconds after the password within which the code has to be entered.
    pub const CHALLENGE: i64 = 300;

    /// Whether a code is required at sign-in.
    pub fn is_on(&self) -> bool {
        self.confirmed_at.is_some()
    }
}
