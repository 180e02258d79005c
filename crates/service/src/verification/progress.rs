//! The progress of a run, so that another run can continue it.

use serde::{Deserialize, Serialize};
use tonearm_domain::{ObjectKey, Timestamp};

use super::finding::{Finding, FindingKind, Remedy};

/// What is being checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VerifyPhase {
    /// Tracks, and all objects of the store.
    Tracks,
    /// Covers of collections and organizations.
    Owners,
    /// Nothing more.
    Done,
}

/// The progress of a run, and its findings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VerifyState {
    /// When it began.
    pub started_at: Timestamp,
    /// What is being checked.
    pub phase: VerifyPhase,
    /// The last object that was checked.
    pub last_key: Option<ObjectKey>,
    /// The number of tracks checked.
    pub tracks: u64,
    /// The number of objects checked.
    pub objects: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Rows whose object is missing.
    pub missing: u64,
    /// Objects with another length.
    pub wrong_lengths: u64,
    /// Objects with other bytes.
    pub wrong_hashes: u64,
    /// Objects that cannot be read.
    #[serde(default)]
    pub unreadable: u64,
    /// Objects that no row names, and manifests that are newer than the rows.
    pub unknown: u64,
    /// Records with metadata that cannot be read.
    #[serde(default)]
    pub damaged_rows: u64,
    /// Findings whose objects are being made again.
    pub queued: u64,
    /// Findings whose objects cannot be made again.
    pub lost: u64,
}

impl VerifyState {
    /// The state before the first check.
    pub fn new(started_at: Timestamp) -> Self {
        Self {
            started_at,
            phase: VerifyPhase::Tracks,
            last_key: None,
            tracks: 0,
            objects: 0,
            bytes: 0,
            missing: 0,
            wrong_lengths: 0,
            wrong_hashes: 0,
            unreadable: 0,
            unknown: 0,
            damaged_rows: 0,
            queued: 0,
            lost: 0,
        }
    }

    /// The number of findings.
    pub fn findings(&self) -> u64 {
        self.missing
            + self.wrong_lengths
            + self.wrong_hashes
            + self.unreadable
            + self.unknown
            + self.damaged_rows
    }

    pub(super) fn note(&mut self, finding: &Finding) {
        *match finding.kind {
            FindingKind::MissingObject => &mut self.missing,
            FindingKind::WrongLength => &mut self.wrong_lengths,
            FindingKind::WrongHash => &mut self.wrong_hashes,
            FindingKind::UnreadableObject => &mut self.unreadable,
            FindingKind::UnknownObject | FindingKind::UnknownManifest => &mut self.unknown,
        } += 1;
        match finding.remedy {
            Remedy::Queued => self.queued += 1,
            Remedy::Lost => self.lost += 1,
            Remedy::Repairable | Remedy::Busy | Remedy::Sweep => {}
        }
    }
}
