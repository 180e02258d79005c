//! Quotas of organizations.

use std::fmt;

const MILLIS_PER_MINUTE: u64 = 60_000;

/// The quantity that a quota limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuotaKind {
    /// Bytes of sources, files and covers.
    Bytes,
    /// Tracks.
    Tracks,
    /// Minutes of audio.
    Minutes,
    /// Records in the database.
    Records,
    /// Bytes of text and metadata in these records.
    Metadata,
}

impl QuotaKind {
    /// Every kind.
    pub const ALL: [Self; 5] = [Self::Bytes, Self::Tracks, Self::Minutes, Self::Records, Self::Metadata];

    /// The kind as text.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Bytes => "bytes",
            Self::Tracks => "tracks",
            Self::Minutes => "minutes",
            Self::Records => "records",
            Self::Metadata => "metadata",
        }
    }
}

/// The quotas of an organization; `None` for no limit, 0 to allow nothing more.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Quotas {
    /// Bytes of sources, files and covers.
    pub bytes: Option<u64>,
    /// Tracks.
    pub tracks: Option<u64>,
    /// Minutes of audio.
    pub minutes: Option<u64>,
}

/// The usage of an organization.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct QuotaUsage {
    /// Bytes of sources, files and covers. Those of deleted tracks count until they are purged.
    pub bytes: u64,
    /// Tracks that are not deleted, whatever their status.
    pub tracks: u64,
    /// Milliseconds of audio of the same tracks. The duration of a track is known once it is probed.
    pub milliseconds: u64,
}

impl QuotaUsage {
    /// Minutes of audio, rounded up.
    pub const fn minutes(self) -> u64 {
        self.milliseconds.div_ceil(MILLIS_PER_MINUTE)
    }
}

/// How much every organization may keep in the database; `None` for no limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RecordLimits {
    /// Records of all kinds that keys, sessions and members create, or that are created for them.
    pub records: Option<u64>,
    /// Bytes of the text and metadata in these records.
    pub metadata: Option<u64>,
}

/// How much an organization keeps in the database.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RecordUsage {
    /// Records.
    pub records: u64,
    /// Bytes of the text and metadata in these records.
    pub metadata: u64,
}

impl RecordLimits {
    /// Checks whether anything may be added. What one request adds is bounded by the size of its body, so the last
    /// admitted requests may exceed the limits once.
    pub fn admit(&self, used: RecordUsage) -> Result<(), QuotaExceeded> {
        self.admit_record(used, 1)
    }

    /// Checks whether there is room for a record with `bytes` bytes of text and metadata.
    pub fn admit_record(&self, used: RecordUsage, bytes: u64) -> Result<(), QuotaExceeded> {
        fits(QuotaKind::Records, self.records, used.records, 1)?;
        fits(QuotaKind::Metadata, self.metadata, used.metadata, bytes)
    }
}

/// The error for an exceeded quota.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuotaExceeded {
    /// The quota.
    pub kind: QuotaKind,
    /// Its limit.
    pub limit: u64,
    /// The current usage.
    pub used: u64,
}

impl fmt::Display for QuotaExceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const TRACKS: &str = "delete tracks, or ask the operator to raise the quota";
        let Self { kind, limit, used } = *self;
        let s = if limit == 1 { "" } else { "s" };
        let (unit, advice) = match kind {
            QuotaKind::Bytes => (format!("byte{s}"), TRACKS),
            QuotaKind::Tracks => (format!("track{s}"), TRACKS),
            QuotaKind::Minutes => (format!("minute{s}"), TRACKS),
            QuotaKind::Records => (
                format!("record{s}"),
                "delete what is not needed, or ask the operator to raise limits.max_records",
            ),
            QuotaKind::Metadata => (
                format!("byte{s} of metadata"),
                "delete what is not needed, or ask the operator to raise limits.max_metadata",
            ),
        };
        write!(
            f,
            "this exceeds the organization's quota of {limit} {unit}, of which {used} {} used; {advice}",
            if used == 1 { "is" } else { "are" },
        )
    }
}

impl std::error::Error for QuotaExceeded {}

impl Quotas {
    /// Whether there are no limits.
    pub fn is_unlimited(&self) -> bool {
        *self == Self::default()
    }

    /// Checks whether one more track may be created. The duration of a track is known only after its upload, so the
    /// last admitted tracks may exceed the quota of minutes once.
    pub fn admit_track(&self, used: QuotaUsage) -> Result<(), QuotaExceeded> {
        below(QuotaKind::Tracks, self.tracks, used.tracks)?;
        self.admit_source(used, 1)
    }

    /// Checks whether a source of at least `bytes` bytes may be uploaded.
    pub fn admit_source(&self, used: QuotaUsage, bytes: u64) -> Result<(), QuotaExceeded> {
        below(QuotaKind::Minutes, self.minutes, used.milliseconds / MILLIS_PER_MINUTE)
            .map_err(|exceeded| QuotaExceeded { used: used.minutes(), ..exceeded })?;
        self.admit_bytes(used, bytes)
    }

    /// Checks whether there is room for `bytes` bytes.
    pub fn admit_bytes(&self, used: QuotaUsage, bytes: u64) -> Result<(), QuotaExceeded> {
        match self.remaining_bytes(used) {
            Some(room) if bytes > room => Err(self.out_of_bytes(used)),
            _ => Ok(()),
        }
    }

    /// Checks whether the usage after an undone deletion is within the quotas. Bytes are not checked, because deleted
    /// tracks count until they are purged.
    pub fn admit_restored(&self, used: QuotaUsage) -> Result<(), QuotaExceeded> {
        within(QuotaKind::Tracks, self.tracks, used.tracks)?;
        within(QuotaKind::Minutes, self.minutes, used.minutes())
    }

    /// Bytes that may still be added; `None` for no limit.
    pub fn remaining_bytes(&self, used: QuotaUsage) -> Option<u64> {
        self.bytes.map(|limit| limit.saturating_sub(used.bytes))
    }

    /// The error for the quota of bytes.
    pub fn out_of_bytes(&self, used: QuotaUsage) -> QuotaExceeded {
        QuotaExceeded { kind: QuotaKind::Bytes, limit: self.bytes.unwrap_or(u64::MAX), used: used.bytes }
    }
}

fn below(kind: QuotaKind, limit: Option<u64>, used: u64) -> Result<(), QuotaExceeded> {
    fits(kind, limit, used, 1)
}

fn within(kind: QuotaKind, limit: Option<u64>, used: u64) -> Result<(), QuotaExceeded> {
    fits(kind, limit, used, 0)
}

fn fits(kind: QuotaKind, limit: Option<u64>, used: u64, added: u64) -> Result<(), QuotaExceeded> {
    match limit {
        Some(limit) if used.saturating_add(added) > limit => Err(QuotaExceeded { kind, limit, used }),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn used(bytes: u64, tracks: u64, seconds: u64) -> QuotaUsage {
        QuotaUsage { bytes, tracks, milliseconds: seconds * 1000 }
    }

    fn limits(bytes: u64, tracks: u64, minutes: u64) -> Quotas {
        Quotas { bytes: Some(bytes), tracks: Some(tracks), minutes: Some(minutes) }
    }

    fn kind(result: Result<(), QuotaExceeded>) -> Option<QuotaKind> {
        result.err().map(|exceeded| exceeded.kind)
    }

    #[test]
    fn no_limit_admits_all_and_zero_nothing() {
        let most = QuotaUsage { bytes: u64::MAX, tracks: u64::MAX, milliseconds: u64::MAX };
        let none = Quotas::default();
        assert!(none.is_unlimited() && none.remaining_bytes(most).is_none());
        assert_eq!(none.admit_track(most), Ok(()));
        assert_eq!(none.admit_bytes(most, u64::MAX), Ok(()));
        assert_eq!(none.admit_restored(most), Ok(()));
        let nothing = QuotaUsage::default();
        for (zero, expected) in [
            (Quotas { bytes: Some(0), ..none }, QuotaKind::Bytes),
            (Quotas { tracks: Some(0), ..none }, QuotaKind::Tracks),
            (Quotas { minutes: Some(0), ..none }, QuotaKind::Minutes),
        ] {
            assert_eq!(kind(zero.admit_track(nothing)), Some(expected));
            assert_eq!(zero.admit_restored(nothing), Ok(()));
        }
    }

    #[test]
    fn the_last_one_fits() {
        let quotas = limits(1000, 5, 10);
        assert_eq!(quotas.admit_track(used(999, 4, 599)), Ok(()));
        assert_eq!(kind(quotas.admit_track(used(999, 5, 599))), Some(QuotaKind::Tracks));
        assert_eq!(kind(quotas.admit_track(used(1000, 4, 599))), Some(QuotaKind::Bytes));
        assert_eq!(kind(quotas.admit_track(used(999, 4, 600))), Some(QuotaKind::Minutes));
        assert_eq!(quotas.remaining_bytes(used(400, 0, 0)), Some(600));
        assert_eq!(quotas.remaining_bytes(used(1400, 0, 0)), Some(0));
        assert_eq!(quotas.admit_bytes(used(400, 0, 0), 600), Ok(()));
        assert_eq!(kind(quotas.admit_bytes(used(400, 0, 0), 601)), Some(QuotaKind::Bytes));
        assert_eq!(quotas.admit_restored(used(2000, 5, 600)), Ok(()));
        assert_eq!(kind(quotas.admit_restored(used(0, 6, 0))), Some(QuotaKind::Tracks));
        assert_eq!(kind(quotas.admit_restored(used(0, 5, 601))), Some(QuotaKind::Minutes));
    }

    #[test]
    fn nothing_is_added_to_what_is_full() {
        let used = |records, metadata| RecordUsage { records, metadata };
        assert_eq!(RecordLimits::default().admit(used(u64::MAX, u64::MAX)), Ok(()));
        let limits = RecordLimits { records: Some(10), metadata: Some(500) };
        assert_eq!(limits.admit(used(9, 499)), Ok(()));
        assert_eq!(kind(limits.admit(used(10, 0))), Some(QuotaKind::Records));
        assert_eq!(kind(limits.admit(used(0, 500))), Some(QuotaKind::Metadata));
        assert_eq!(limits.admit_record(used(9, 400), 100), Ok(()));
        assert_eq!(kind(limits.admit_record(used(9, 400), 101)), Some(QuotaKind::Metadata));
        assert_eq!(kind(limits.admit_record(used(10, 0), 0)), Some(QuotaKind::Records));
        let exceeded = limits.admit(used(1, 501)).unwrap_err().to_string();
        assert!(exceeded.contains("quota of 500 bytes of metadata, of which 501 are used;"), "{exceeded}");
        assert!(exceeded.contains("limits.max_metadata"), "{exceeded}");
    }

    #[test]
    fn what_is_exceeded_is_named() {
        let exceeded = limits(1000, 1, 10).admit_track(used(0, 1, 0)).unwrap_err();
        assert_eq!(
            exceeded.to_string(),
            "this exceeds the organization's quota of 1 track, of which 1 is used; delete tracks, or ask the operator to raise \
             the quota"
        );
        let exceeded = limits(1000, 9, 10).admit_bytes(used(700, 1, 0), 301).unwrap_err();
        assert!(exceeded.to_string().contains("quota of 1000 bytes, of which 700 are used;"), "{exceeded}");
    }
}
