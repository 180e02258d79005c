//! Sign-ins: their lifetime, limits on failures, and invitation links.

use std::net::IpAddr;

use crate::person::{EmailAddress, Role};
use crate::timestamp::Timestamp;
use crate::{InvitationId, OrganizationId, PersonId, SignInId};

/// A sign-in of a person, in a browser that holds its cookie with the secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignIn {
    /// The record's id.
    pub id: SignInId,
    /// The person who signed in.
    pub person_id: PersonId,
    /// The address of the client.
    pub address: Option<IpAddr>,
    /// The browser's `User-Agent`.
    pub user_agent: Option<String>,
    /// When the person signed in.
    pub created_at: Timestamp,
    /// When it was last used, to within [`SignIn::SEEN_EVERY`].
    pub seen_at: Timestamp,
}

impl SignIn {
    /// Lifetime without use, in seconds: two weeks.
    pub const IDLE: i64 = 14 * 24 * 3600;
    /// Maximum lifetime, in seconds: ninety days.
    pub const MOST: i64 = 90 * 24 * 3600;
    /// Minimum seconds between two updates of the last use.
    pub const SEEN_EVERY: i64 = 300;

    /// When it expires unless it is used again.
    pub fn expires_at(&self) -> Timestamp {
        self.seen_at.plus_seconds(Self::IDLE).min(self.created_at.plus_seconds(Self::MOST))
    }

    /// Whether it is valid at this moment.
    pub fn is_valid_at(&self, now: Timestamp) -> bool {
        now < self.expires_at()
    }

    /// Whether the last use should be updated.
    pub fn is_worth_noting_at(&self, now: Timestamp) -> bool {
        now >= self.seen_at.plus_seconds(Self::SEEN_EVERY)
    }
}

/// Failed attempts to sign in, of one account, from one address or from one known device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FailedSignIns {
    /// The number of failures in a row.
    pub count: u32,
    /// When the last one was.
    pub last_at: Timestamp,
}

impl FailedSignIns {
    /// Seconds after which failures are forgotten.
    pub const FORGOTTEN_AFTER: i64 = 15 * 60;
    /// Failures of one account after which further attempts have to wait.
    pub const ACCOUNT: u32 = 10;
    /// Failures of one known device, or within one sign-in, after which further attempts have to wait.
    pub const DEVICE: u32 = 10;
    /// Failures from one address after which further attempts have to wait. Many people may share an address.
    pub const ADDRESS: u32 = 50;

    /// The seconds until the next attempt is accepted, if there were too many failures.
    pub fn wait(self, most: u32, now: Timestamp) -> Option<i64> {
        let ends = self.last_at.plus_seconds(Self::FORGOTTEN_AFTER);
        (self.count >= most && now < ends).then(|| (ends.unix_millis() - now.unix_millis() + 999) / 1000)
    }

    /// Adds an attempt, which counts as failed until it succeeds. If there were too many failures, returns the seconds
    /// until the next attempt is accepted as the error.
    ///
    /// [`Self::last_at`] does not change: an attempt that succeeds must not extend the time for which earlier failures
    /// count.
    pub fn with_attempt(earlier: Option<Self>, most: u32, now: Timestamp) -> Result<Self, i64> {
        let counted = earlier.filter(|failed| now < failed.last_at.plus_seconds(Self::FORGOTTEN_AFTER));
        let Some(counted) = counted else {
            return Ok(Self { count: 1, last_at: now });
        };
        match counted.wait(most, now) {
            Some(seconds) => Err(seconds),
            None => Ok(Self { count: counted.count.saturating_add(1), ..counted }),
        }
    }
}

/// An invitation: a link that can be used once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invitation {
    /// The record's id.
    pub id: InvitationId,
    /// Its purpose.
    pub purpose: InvitationPurpose,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it expires.
    pub expires_at: Timestamp,
    /// When it was used, if it was.
    pub used_at: Option<Timestamp>,
    /// The person who created it; none: the command line. It is valid only as long as this person may create it: an
    /// owner of the organization, or an administrator for a new password.
    pub created_by: Option<PersonId>,
}

/// The purpose of an invitation link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InvitationPurpose {
    /// Become the first administrator.
    FirstAdministrator,
    /// Become a member of an organization.
    Member {
        /// The organization.
        organization_id: OrganizationId,
        /// The role.
        role: Role,
        /// The intended recipient. Shown to people who manage members, but not verified.
        email: Option<EmailAddress>,
    },
    /// Choose a new password.
    NewPassword(PersonId),
}

impl Invitation {
    /// Number of times that an invitation may be tried with the address of an existing account. Then it ends, because
    /// each time tells its holder that the account exists.
    pub const MOST_TAKEN_ADDRESSES: i32 = 5;

    /// The same for all invitations of an organization together, for as long as they are kept: an owner can make any number
    /// of them. Then no new account is created with any of them.
    pub const MOST_TAKEN_ADDRESSES_TOGETHER: i64 = 50;

    /// The lifetime of a link in seconds: a day for a new password, otherwise a week.
    pub const fn lifetime(purpose: &InvitationPurpose) -> i64 {
        match purpose {
            InvitationPurpose::FirstAdministrator | InvitationPurpose::Member { .. } => 7 * 24 * 3600,
            InvitationPurpose::NewPassword(_) => 24 * 3600,
        }
    }

    /// Whether it is valid at this moment.
    pub fn is_valid_at(&self, now: Timestamp) -> bool {
        self.used_at.is_none() && now < self.expires_at
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::RecordId;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_unix_seconds(seconds).unwrap()
    }

    fn sign_in(created: i64, seen: i64) -> SignIn {
        SignIn {
            id: SignInId::from_parts(at(created), [1; 10]),
            person_id: PersonId::from_parts(at(created), [2; 10]),
            address: None,
            user_agent: None,
            created_at: at(created),
            seen_at: at(seen),
        }
    }

    #[test]
    fn a_sign_in_slides_but_not_for_ever() {
        let day = 24 * 3600;
        assert!(sign_in(0, 0).is_valid_at(at(14 * day - 1)));
        assert!(!sign_in(0, 0).is_valid_at(at(14 * day)));
        assert!(sign_in(0, 10 * day).is_valid_at(at(23 * day)));
        assert!(!sign_in(0, 89 * day).is_valid_at(at(90 * day)));
    }

    proptest! {
        #[test]
        fn waiting_ends(count in 0_u32..100, last in 0_i64..10_000, now in 0_i64..20_000) {
            let failed = FailedSignIns { count, last_at: at(last) };
            match failed.wait(FailedSignIns::ACCOUNT, at(now)) {
                Some(seconds) => {
                    prop_assert!(count >= FailedSignIns::ACCOUNT && seconds > 0);
                    prop_assert_eq!(failed.wait(FailedSignIns::ACCOUNT, at(now + seconds)), None);
                }
                None => prop_assert!(count < FailedSignIns::ACCOUNT || now >= last + FailedSignIns::FORGOTTEN_AFTER),
            }
        }

        #[test]
        fn failures_add_up_until_they_are_forgotten(gaps in proptest::collection::vec(0_i64..2000, 1..40)) {
            let (mut now, mut failed, mut expected) = (0, None, 0);
            for gap in gaps {
                now += gap;
                expected = if gap >= FailedSignIns::FORGOTTEN_AFTER { 1 } else { expected + 1 };
                match FailedSignIns::with_attempt(failed, FailedSignIns::ACCOUNT, at(now)) {
                    Ok(next) => {
                        prop_assert_eq!(next.count, expected);
                        failed = Some(FailedSignIns { last_at: at(now), ..next });
                    }
                    Err(seconds) => {
                        prop_assert!(expected > FailedSignIns::ACCOUNT && seconds > 0);
                        (expected, now) = (FailedSignIns::ACCOUNT, now - gap);
                    }
                }
            }
        }

        #[test]
        fn an_attempt_prolongs_nothing(count in 1_u32..10, last in 0_i64..1000, gap in 0_i64..900) {
            let earlier = FailedSignIns { count, last_at: at(last) };
            let next = FailedSignIns::with_attempt(Some(earlier), FailedSignIns::ACCOUNT, at(last + gap));
            prop_assert_eq!(next, Ok(FailedSignIns { count: count + 1, ..earlier }));
        }
    }
}
