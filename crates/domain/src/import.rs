//! Sources that are fetched from a URL.

use crate::timestamp::Timestamp;
use crate::{OrganizationId, TrackId};

/// A source that is to be fetched from a URL. It lasts until the source is there or the import has failed, so that the URL,
/// which may contain secrets, is not kept for longer than it is needed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    /// Of which track.
    pub track_id: TrackId,
    /// Whose track.
    pub organization_id: OrganizationId,
    /// The URL, sealed.
    pub url: Vec<u8>,
    /// The host in the URL: all of it that is shown.
    pub host: String,
    /// Whether the file was given a name, which then stays, whatever the server calls it.
    pub is_named: bool,
    /// How many bytes have arrived in the current run.
    pub received: u64,
    /// How many there are, where the server says so.
    pub size: Option<u64>,
    /// When it was asked for.
    pub created_at: Timestamp,
}

impl Import {
    /// How much has arrived, 0..=99, where it is known how much there is.
    pub fn percent(&self) -> Option<u8> {
        let share = u128::from(self.received) * 100 / u128::from(self.size.filter(|size| *size > 0)?);
        Some(u8::try_from(share).unwrap_or(99).min(99))
    }

    /// What happens, as a sentence for people.
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
            received,
            size,
            created_at: now,
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
