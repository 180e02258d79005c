//! How far a run is, so that another one can go on.

use serde::{Deserialize, Serialize};
use tonearm_domain::{ObjectKey, Timestamp};

use super::finding::{Finding, FindingKind, Remedy};

/// What is being looked at.
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

/// How far a run is, and what it found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VerifyState {
    /// When it began.
    pub started_at: Timestamp,
    /// What is being looked at.
    pub phase: VerifyPhase,
    /// The last object that was looked at.
    pub last_key: Option<ObjectKey>,
    /// Tracks that were looked at.
    pub tracks: u64,
    /// Objects that were looked at.
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
    /// Objects that no row names.
    pub unknown: u64,
    /// Those of the findings that are being made again.
    pub queued: u64,
    /// Those that cannot be made again.
    pub lost: u64,
}

impl VerifyState {
    /// Before the first look.
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
            queued: 0,
            lost: 0,
        }
    }

    /// How many findings there are.
    pub fn findings(&self) -> u64 {
        self.missing + self.wrong_lengths + self.wrong_hashes + self.unreadable + self.unknown
    }

    pub(super) fn note(&mut self, finding: &Finding) {
        *match finding.kind {
            FindingKind::MissingObject => &mut self.missing,
            FindingKind::WrongLength => &mut self.wrong_lengths,
            FindingKind::WrongHash => &mut self.wrong_hashes,
            FindingKind::UnreadableObject => &mut self.unreadable,
            FindingKind::UnknownObject => &mut self.unknown,
        } += 1;
        match finding.remedy {
            Remedy::Queued => self.queued += 1,
            Remedy::Lost => self.lost += 1,
            Remedy::Repairable | Remedy::Busy | Remedy::Sweep => {}
        }
    }
}
