//! The second factor of a person: an authenticator app, and recovery codes in case it is lost.

use crate::timestamp::Timestamp;
use crate::{PersonId, SignInId};

/// An authenticator app that a person has set up, or is setting up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecondFactor {
    /// The person.
    pub person_id: PersonId,
    /// The secret that the app and the service share, sealed.
    pub secret: Vec<u8>,
    /// When it was created.
    pub created_at: Timestamp,
    /// The sign-in that is setting it up. None once it is on.
    pub sign_in_id: Option<SignInId>,
    /// When the first code of the app was accepted. Until then, no code is required at sign-in.
    pub confirmed_at: Option<Timestamp>,
    /// The time step of the last accepted code, so that no code is accepted twice.
    pub last_step: i64,
    /// Wrong codes from browsers in which the person has not signed in before.
    pub wrong_elsewhere: WrongCodes,
    /// Wrong codes from known devices and within sign-ins of the person.
    pub wrong_where_known: WrongCodes,
}

/// Where a code is entered. Both places are counted separately, so that somebody who knows the password cannot lock the
/// person out of the browsers in which the person has signed in before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodePlace {
    /// On a known device, or within a sign-in.
    Known,
    /// Anywhere else.
    Elsewhere,
}

/// The wrong codes of an account since the last right one. Nothing but a right code resets them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WrongCodes {
    /// Their number.
    pub count: u32,
    /// When the last one was entered.
    pub last_at: Timestamp,
}

impl WrongCodes {
    /// Number of wrong codes after which each further one has to wait.
    pub const FREE: u32 = 10;
    /// The first wait in seconds. Each further wrong code doubles it.
    pub const FIRST_WAIT: i64 = 15 * 60;
    /// The longest wait in seconds.
    pub const LONGEST_WAIT: i64 = 24 * 3600;

    /// No wrong codes.
    pub fn none(now: Timestamp) -> Self {
        Self { count: 0, last_at: now }
    }

    /// The same with one more.
    #[must_use]
    pub fn and_another(self, now: Timestamp) -> Self {
        Self { count: self.count.saturating_add(1), last_at: now }
    }

    /// The seconds until the next code is accepted, if there were too many wrong ones.
    pub fn wait(self, now: Timestamp) -> Option<i64> {
        let doublings = self.count.checked_sub(Self::FREE)?.min(16);
        let ends = self.last_at.plus_seconds((Self::FIRST_WAIT << doublings).min(Self::LONGEST_WAIT));
        (now < ends).then(|| (ends.unix_millis() - now.unix_millis() + 999) / 1000)
    }
}

impl SecondFactor {
    /// Number of recovery codes of a person.
    pub const RECOVERY_CODES: usize = 10;

    /// Seconds after the password within which the code has to be entered.
    pub const CHALLENGE: i64 = 300;

    /// Seconds within which a setup has to be completed, by the sign-in that began it.
    pub const SETUP: i64 = 600;

    /// The wrong codes that count for a place.
    pub fn wrong_codes(&self, place: CodePlace) -> WrongCodes {
        match place {
            CodePlace::Known => self.wrong_where_known,
            CodePlace::Elsewhere => self.wrong_elsewhere,
        }
    }

    /// The same with other wrong codes for a place.
    #[must_use]
    pub fn with_wrong_codes(self, place: CodePlace, codes: WrongCodes) -> Self {
        match place {
            CodePlace::Known => Self { wrong_where_known: codes, ..self },
            CodePlace::Elsewhere => Self { wrong_elsewhere: codes, ..self },
        }
    }

    /// Whether this sign-in is setting it up and can still complete that.
    pub fn is_set_up_by(&self, sign_in: SignInId, now: Timestamp) -> bool {
        let is_begun = !self.is_on() && self.sign_in_id == Some(sign_in);
        is_begun && now < self.created_at.plus_seconds(Self::SETUP)
    }

    /// Whether a code is required at sign-in.
    pub fn is_on(&self) -> bool {
        self.confirmed_at.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_further_wrong_code_waits_twice_as_long() {
        let mut now = Timestamp::from_unix_seconds(0).unwrap();
        let mut codes = WrongCodes::none(now);
        for _ in 0..WrongCodes::FREE {
            assert_eq!(codes.wait(now), None);
            codes = codes.and_another(now);
        }
        for quarters in [1, 2, 4, 8, 16, 32, 64, 96, 96] {
            let wait = quarters * WrongCodes::FIRST_WAIT;
            assert_eq!(codes.wait(now), Some(wait));
            assert_eq!(codes.wait(now.plus_seconds(wait - 1)), Some(1));
            now = now.plus_seconds(wait);
            assert_eq!(codes.wait(now), None);
            codes = codes.and_another(now);
        }
        assert!(WrongCodes { count: u32::MAX, last_at: now }.and_another(now).wait(now).is_some());
    }
}
