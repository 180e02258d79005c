//! Sources that are fetched from a URL.

use std::time::Duration;

use crate::timestamp::Timestamp;
use crate::{OrganizationId, PersonId, TrackId};

/// A pending import of a source from a URL. It is deleted when the source has arrived or the import has failed, so that
/// the URL, which may contain secrets, is not stored longer than needed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    /// The track.
    pub track_id: TrackId,
    /// The organization that owns the track.
    pub organization_id: OrganizationId,
    /// The URL, sealed. Empty once the right on which it was requested has ended.
    pub url: Vec<u8>,
    /// The host in the URL, the only part of it that is shown.
    pub host: String,
    /// Whether the caller named the file. Then the name is kept, whatever name the server sends.
    pub is_named: bool,
    /// How long it was fetched in all runs.
    pub spent: Duration,
    /// Bytes received in the current run.
    pub received: u64,
    /// Total bytes, if the server reports them.
    pub size: Option<u64>,
    /// When it was requested.
    pub created_at: Timestamp,
    /// The person who requested it, in the dashboard or in the own upload session.
    pub person_id: Option<PersonId>,
}

impl Import {
    /// Whether the right on which it was requested has ended.
    pub fn has_ended(&self) -> bool {
        self.url.is_empty()
    }

    /// Progress in percent, 0..=99, if the total is known.
    pub fn percent(&self) -> Option<u8> {
        let share = u128::from(self.received) * 100 / u128::from(self.size.filter(|size| *size > 0)?);
        Some(u8::try_from(share).unwrap_or(99).min(99))
    }

    /// The progress as a sentence for people.
    pub fn sentence(&self) -> String {
        match self.percent().filter(|percent| *percent > 0) {
            Some(percent) => format!("Importing the file from {}: {percent} %.", self.host),
            None => format!("Importing the file from {}.", self.host),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn import(received: u64, size: Option<u64>) -> Import {
        let now = Timestamp::from_unix_millis(0).unwrap();
        Import {
            track_id: crate::RecordId::from_parts(now, [1; 10]),
            organization_id: crate::RecordId::from_parts(now, [2; 10]),
            url: Vec::new(),
            host: "files.example.com".to_owned(),
            is_named: false,
            spent: Duration::ZERO,
            received,
            size,
            created_at: now,
            person_id: None,
        }
    }

    #[test]
    fn a_share_is_known_where_the_size_is() {
        for (received, size, percent) in [
            (0, None, None),
            (7, None, None),
            (7, Some(0), None),
            (0, Some(9), Some(0)),
            (4, Some(9), Some(44)),
            (9, Some(9), Some(99)),
            (u64::MAX, Some(1), Some(99)),
        ] {
            assert_eq!(import(received, size).percent(), percent, "{received} of {size:?}");
        }
        assert_eq!(import(4, Some(9)).sentence(), "Importing the file from files.example.com: 44 %.");
        assert_eq!(import(4, None).sentence(), "Importing the file from files.example.com.");
    }
}
