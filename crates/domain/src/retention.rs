//! Retention: how long rows are kept that are no longer needed.

use std::fmt;
use std::str::FromStr;

use crate::job_report::AnsweredJob;
use crate::known_device::KnownDevice;
use crate::node::NodeRecord;
use crate::replacement::Replacement;
use crate::sign_in::{FailedSignIns, SignIn};
use crate::timestamp::Timestamp;
use crate::usage::ListenerKey;

/// A retention period.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeepFor {
    /// Rows are never removed.
    Forever,
    /// A number of days, at least one.
    Days(u16),
}

impl KeepFor {
    /// A hundred years.
    pub const MOST_DAYS: u16 = 36_500;

    /// The cutoff at `now`: rows up to this moment are removed. None: all rows are kept.
    pub fn until(self, now: Timestamp) -> Option<Timestamp> {
        match self {
            Self::Forever => None,
            Self::Days(days) => Some(now.plus_seconds(-i64::from(days) * 24 * 3600)),
        }
    }
}

/// Text that is not a valid retention period.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("must be a number of days from 1 to {}, or \"forever\"", KeepFor::MOST_DAYS)]
pub struct KeepForError;

impl FromStr for KeepFor {
    type Err = KeepForError;

    fn from_str(text: &str) -> Result<Self, KeepForError> {
        match text.trim() {
            "forever" => Ok(Self::Forever),
            days => match days.parse() {
                Ok(days) if (1..=Self::MOST_DAYS).contains(&days) => Ok(Self::Days(days)),
                _ => Err(KeepForError),
            },
        }
    }
}

impl fmt::Display for KeepFor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Forever => f.write_str("forever"),
            Self::Days(days) => write!(f, "{days}"),
        }
    }
}

/// How long rows are kept that are no longer needed. Rows without a setting follow other rules: sign-ins and stored
/// responses are removed when they are no longer valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    /// Entries of the audit log.
    pub audit: KeepFor,
    /// Webhook deliveries, from when they were delivered or given up, with their attempts.
    pub webhooks: KeepFor,
    /// Failed jobs, which are no longer retried.
    pub failed_jobs: KeepFor,
    /// Play sessions and upload sessions, from their end. Until they are removed, a client that returns late receives
    /// the error that its session has expired.
    pub sessions: KeepFor,
    /// Sign-ins, from their creation: at most [`Retention::MOST_SIGN_IN_DAYS`], after which they have expired anyway.
    pub sign_ins: KeepFor,
    /// Invitations and links for a new password, from their end.
    pub invitations: KeepFor,
    /// The ids of usage batches that were added. A batch that is submitted again after its id was removed is counted
    /// twice, so this is at least [`Retention::LEAST_USAGE_BATCH_DAYS`].
    pub usage_batches: KeepFor,
}

impl Retention {
    /// Longer than any node retries a batch whose response was lost.
    pub const LEAST_USAGE_BATCH_DAYS: u16 = 7;

    /// The maximum lifetime of a sign-in: after it, a person has to sign in again.
    pub const MOST_SIGN_IN_DAYS: u16 = 90;

    /// The rows that are removed at `now`: each kind, and the cutoff up to which rows are removed.
    pub fn expired(&self, now: Timestamp) -> Vec<(ExpiredRows, Timestamp)> {
        let ago = |seconds: i64| Some(now.plus_seconds(-seconds));
        let ends = [
            (ExpiredRows::PlaySessions, self.sessions.until(now)),
            (ExpiredRows::UploadSessions, self.sessions.until(now)),
            (ExpiredRows::KeptAnswers, Some(now)),
            (ExpiredRows::UnusedSignIns, ago(SignIn::IDLE)),
            (ExpiredRows::OldSignIns, self.sign_ins.until(now)),
            (ExpiredRows::FailedSignIns, ago(FailedSignIns::FORGOTTEN_AFTER)),
            (ExpiredRows::KnownDevices, ago(KnownDevice::LIFETIME)),
            (ExpiredRows::Invitations, self.invitations.until(now)),
            (ExpiredRows::UsageBatches, self.usage_batches.until(now)),
            (ExpiredRows::FailedJobs, self.failed_jobs.until(now)),
            (ExpiredRows::WebhookDeliveries, self.webhooks.until(now)),
            (ExpiredRows::AuditEntries, self.audit.until(now)),
            (ExpiredRows::AnsweredJobs, ago(AnsweredJob::KEPT_SECONDS)),
            (ExpiredRows::Replacements, ago(Replacement::KEPT_SECONDS)),
            (ExpiredRows::ListenerTracks, ago(ListenerKey::KEPT_SECONDS)),
            (ExpiredRows::ListenerSightings, ago(ListenerKey::KEPT_SECONDS)),
            (ExpiredRows::UndoEntries, Some(now)),
            (ExpiredRows::SignInStates, Some(now)),
            (ExpiredRows::OldKeys, Some(now)),
            (ExpiredRows::Nodes, ago(NodeRecord::KEPT_SECONDS)),
            (ExpiredRows::FormerFiles, ago(ListenerKey::KEPT_SECONDS)),
        ];
        ends.into_iter().filter_map(|(rows, until)| Some((rows, until?))).collect()
    }
}

impl Default for Retention {
    fn default() -> Self {
        Self {
            audit: KeepFor::Days(400),
            webhooks: KeepFor::Days(14),
            failed_jobs: KeepFor::Days(90),
            sessions: KeepFor::Days(1),
            sign_ins: KeepFor::Days(Self::MOST_SIGN_IN_DAYS),
            invitations: KeepFor::Days(1),
            usage_batches: KeepFor::Days(14),
        }
    }
}

/// The kinds of rows that are removed when they expire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ExpiredRows {
    /// Play sessions, by their end.
    PlaySessions,
    /// Upload sessions, by their end.
    UploadSessions,
    /// Responses that are stored for retried requests, by their end.
    KeptAnswers,
    /// Sign-ins, by their last use.
    UnusedSignIns,
    /// Sign-ins, by their creation.
    OldSignIns,
    /// Counts of failed sign-ins, by the last failure.
    FailedSignIns,
    /// Known devices, by the last sign-in.
    KnownDevices,
    /// Invitations and links for a new password, by their end.
    Invitations,
    /// Ids of usage batches, by when they were last submitted.
    UsageBatches,
    /// Jobs that were given up, by the time they were given up.
    FailedJobs,
    /// Webhook deliveries with their attempts, by when they were delivered or given up.
    WebhookDeliveries,
    /// Entries of the audit log, by their time.
    AuditEntries,
    /// Jobs whose ids were returned to clients, by when they were queued.
    AnsweredJobs,
    /// Replacements of sources, by when they were requested.
    Replacements,
    /// The bytes of tracks that listeners took, by day.
    ListenerTracks,
    /// Records of counted listeners, by day.
    ListenerSightings,
    /// Changes that can be undone, by their end.
    UndoEntries,
    /// Used states of sign-ins at a provider, stored to prevent replays, by their end.
    SignInStates,
    /// Old secrets of keys, by their end.
    OldKeys,
    /// Nodes that did not report that they stopped, by their last heartbeat.
    Nodes,
    /// What replaced and removed files contained, by when they were replaced.
    FormerFiles,
}

impl ExpiredRows {
    /// Every kind.
    pub const ALL: [Self; 21] = [
        Self::PlaySessions,
        Self::UploadSessions,
        Self::KeptAnswers,
        Self::UnusedSignIns,
        Self::OldSignIns,
        Self::FailedSignIns,
        Self::KnownDevices,
        Self::Invitations,
        Self::UsageBatches,
        Self::FailedJobs,
        Self::WebhookDeliveries,
        Self::AuditEntries,
        Self::AnsweredJobs,
        Self::Replacements,
        Self::ListenerTracks,
        Self::ListenerSightings,
        Self::UndoEntries,
        Self::SignInStates,
        Self::OldKeys,
        Self::Nodes,
        Self::FormerFiles,
    ];

    /// The rows as text, as in logs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::PlaySessions => "play sessions",
            Self::UploadSessions => "upload sessions",
            Self::KeptAnswers => "stored responses",
            Self::UnusedSignIns => "unused sign-ins",
            Self::OldSignIns => "old sign-ins",
            Self::FailedSignIns => "failed sign-ins",
            Self::KnownDevices => "known devices",
            Self::Invitations => "invitations",
            Self::UsageBatches => "usage batches",
            Self::FailedJobs => "failed jobs",
            Self::WebhookDeliveries => "webhook deliveries",
            Self::AuditEntries => "audit entries",
            Self::AnsweredJobs => "reported jobs",
            Self::Replacements => "source replacements",
            Self::ListenerTracks => "listeners of tracks",
            Self::ListenerSightings => "counted listeners",
            Self::UndoEntries => "undo entries",
            Self::SignInStates => "used sign-in states",
            Self::OldKeys => "old secrets of keys",
            Self::Nodes => "lost nodes",
            Self::FormerFiles => "replaced files",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read() {
        for (text, expected) in [("1", 1), ("400", 400), (" 36500 ", 36_500)] {
            assert_eq!(text.parse(), Ok(KeepFor::Days(expected)), "{text}");
        }
        assert_eq!("forever".parse(), Ok(KeepFor::Forever));
        for bad in ["", "0", "-1", "36501", "70000", "1.5", "never", "30d"] {
            assert_eq!(bad.parse::<KeepFor>(), Err(KeepForError), "{bad}");
        }
        for keep in [KeepFor::Forever, KeepFor::Days(7)] {
            assert_eq!(keep.to_string().parse(), Ok(keep));
        }
    }

    #[test]
    fn what_is_kept_forever_never_expires() {
        let now = Timestamp::from_unix_seconds(1_000_000_000).unwrap();
        let usual = Retention::default();
        let kinds = |retention: Retention| -> Vec<_> {
            retention.expired(now).into_iter().map(|(rows, _)| rows).collect()
        };
        assert_eq!(kinds(usual), ExpiredRows::ALL);
        let forever = kinds(Retention { audit: KeepFor::Forever, ..usual });
        assert!(!forever.contains(&ExpiredRows::AuditEntries));
        assert_eq!(forever.len(), ExpiredRows::ALL.len() - 1);
        let audit = usual.expired(now).into_iter().find(|(rows, _)| *rows == ExpiredRows::AuditEntries);
        assert_eq!(audit.unwrap().1, now.plus_seconds(-400 * 24 * 3600));
    }
}
