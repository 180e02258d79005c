//! Deletions that can be undone.
//!
//! A deletion by a person in the dashboard can be undone for a limited time; no data is removed before it ends. API
//! clients see the object as deleted immediately. Deletions by API clients cannot be undone.

use crate::actor::Actor;
use crate::job::Job;
use crate::timestamp::Timestamp;
use crate::track::Track;
use crate::track_status::TrackStatus;

/// How long deletions by people can be undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeepDeleted {
    hours: u32,
}

/// A number of hours above the maximum.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("must be a number of hours from 0 (never keep) to {}", KeepDeleted::MOST_HOURS)]
pub struct KeepDeletedError;

impl KeepDeleted {
    /// A year.
    pub const MOST_HOURS: u32 = 8760;

    /// From a number of hours; 0 disables undoing.
    pub fn new(hours: u32) -> Result<Self, KeepDeletedError> {
        if hours <= Self::MOST_HOURS { Ok(Self { hours }) } else { Err(KeepDeletedError) }
    }

    /// The number of hours.
    pub const fn hours(self) -> u32 {
        self.hours
    }
}

impl Default for KeepDeleted {
    /// A day.
    fn default() -> Self {
        Self { hours: 24 }
    }
}

/// A soft deletion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deletion {
    /// When it was deleted.
    pub at: Timestamp,
    /// Until when it can be undone; none: it cannot be undone.
    pub restorable_until: Option<Timestamp>,
}

impl Deletion {
    /// A deletion by an actor at a time.
    pub fn by(actor: Actor, at: Timestamp, keep: KeepDeleted) -> Self {
        let is_person = matches!(actor, Actor::Person(_));
        let until = at.plus_seconds(i64::from(keep.hours) * 3600);
        Self { at, restorable_until: (is_person && keep.hours > 0).then_some(until) }
    }

    /// When it may be purged.
    pub fn purge_at(self) -> Timestamp {
        self.restorable_until.unwrap_or(self.at)
    }

    /// Whether it can still be undone. As soon as it cannot, the data may be purged; the two never overlap.
    pub fn is_restorable(self, now: Timestamp) -> bool {
        self.restorable_until.is_some_and(|until| now < until)
    }
}

/// A deletion that cannot be undone.
impl From<Timestamp> for Deletion {
    fn from(at: Timestamp) -> Self {
        Self { at, restorable_until: None }
    }
}

/// A deleted object that can be restored.
#[derive(Debug, Clone, PartialEq)]
pub struct Trashed<T> {
    /// The object, as it was.
    pub thing: T,
    /// When it was deleted.
    pub deleted_at: Timestamp,
    /// Until when it can be restored.
    pub restorable_until: Timestamp,
}

impl Track {
    /// The job that its status waits for, and when the job is due. Jobs of deleted tracks end, so a caller that
    /// restores a track queues this job again.
    pub fn awaited_job(&self, now: Timestamp) -> Option<(Job, Timestamp)> {
        let (organization_id, track_id) = (self.organization_id, self.id);
        match self.status {
            TrackStatus::Initialized => {
                Some((Job::ExpireUpload { organization_id, track_id }, self.upload_expires_at))
            }
            TrackStatus::Processing | TrackStatus::FallbackProcessing => {
                Some((Job::ProcessTrack { organization_id, track_id }, now))
            }
            TrackStatus::InitError | TrackStatus::Ready | TrackStatus::Incomplete | TrackStatus::Error => {
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PersonId;

    #[test]
    fn only_people_take_back_and_only_in_time() {
        let at = Timestamp::from_unix_millis(1_000_000).unwrap();
        let person = Actor::Person(PersonId::from_uuid(uuid::Uuid::nil()));
        let day = KeepDeleted::default();
        let deletion = Deletion::by(person, at, day);
        assert_eq!(deletion.purge_at(), at.plus_seconds(24 * 3600));
        assert!(deletion.is_restorable(deletion.purge_at().plus_millis(-1)));
        assert!(!deletion.is_restorable(deletion.purge_at()));
        for deletion in [
            Deletion::by(Actor::CommandLine, at, day),
            Deletion::by(Actor::Uploader, at, day),
            Deletion::by(person, at, KeepDeleted::new(0).unwrap()),
        ] {
            assert_eq!(deletion, at.into());
            assert!(!deletion.is_restorable(at));
            assert_eq!(deletion.purge_at(), at);
        }
    }

    #[test]
    fn a_year_is_the_longest() {
        assert!(KeepDeleted::new(KeepDeleted::MOST_HOURS).is_ok());
        assert_eq!(KeepDeleted::new(KeepDeleted::MOST_HOURS + 1), Err(KeepDeletedError));
    }
}
