//! Resumable uploads: their state, and checks of the next piece.

use crate::object_key::ObjectKey;
use crate::short_id::ShortId;
use crate::timestamp::Timestamp;
use crate::{Ambient, ApiKeyId, OrganizationId, PersonId, ReplacementId, TrackId, UploadId};

/// The destination of the bytes of a source: a track without a source, or a replacement of a track's source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SourceSlot {
    /// The organization that owns the track.
    pub organization_id: OrganizationId,
    /// The track.
    pub track_id: TrackId,
    /// The replacement; none for the first source of a track.
    pub replacement_id: Option<ReplacementId>,
}

impl SourceSlot {
    /// The first source of a track.
    pub const fn of_track(organization_id: OrganizationId, track_id: TrackId) -> Self {
        Self { organization_id, track_id, replacement_id: None }
    }
}

/// Who opened the upload session, made the track or requested the replacement to which an upload belongs. The upload ends
/// when the key is revoked or the person no longer edits. Neither is set if the command line did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct UploadOpener {
    /// The key.
    pub api_key_id: Option<ApiKeyId>,
    /// The person.
    pub person_id: Option<PersonId>,
}

/// The kind of an upload.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UploadKind {
    /// The source of a track, sent to the track's upload URL.
    Url,
    /// The source of a track, sent by the tus protocol.
    Tus,
    /// A part of a source, which another upload joins with others (the concatenation of tus).
    Partial,
}

/// The state of an upload.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UploadState {
    /// More bytes may arrive.
    Receiving,
    /// All bytes have arrived, and the upload no longer changes.
    Complete,
}

/// A resumable upload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Upload {
    /// Its id, which is also the credential for sending its bytes.
    pub id: UploadId,
    /// The organization that owns it.
    pub organization_id: OrganizationId,
    /// The track whose source it becomes; none for some partial uploads.
    pub track_id: Option<TrackId>,
    /// The replacement whose source it becomes, if the track already has a source.
    pub replacement_id: Option<ReplacementId>,
    /// On whose right it depends.
    pub opener: UploadOpener,
    /// Its kind.
    pub kind: UploadKind,
    /// Its state.
    pub state: UploadState,
    /// The folder of its objects.
    pub folder: ShortId,
    /// The version in the name of its object.
    pub version: ShortId,
    /// Total bytes, once known.
    pub length: Option<u64>,
    /// Number of bytes that are durably stored.
    pub offset: u64,
    /// The SHA-256 that the complete upload must have.
    pub sha256: Option<[u8; 32]>,
    /// The client's metadata as received (`Upload-Metadata`), without credentials.
    pub metadata: Option<String>,
    /// The store's state of the unfinished object, as JSON.
    pub draft: String,
    /// The object of a complete partial upload.
    pub object: Option<ObjectKey>,
    /// When it began.
    pub created_at: Timestamp,
    /// When it expires.
    pub expires_at: Timestamp,
}

/// An upload to begin.
#[derive(Debug, Clone)]
pub struct NewUpload {
    /// Its id.
    pub id: UploadId,
    /// The organization that owns it.
    pub organization_id: OrganizationId,
    /// The track whose source it becomes; none for a part.
    pub track_id: Option<TrackId>,
    /// The replacement whose source it becomes.
    pub replacement_id: Option<ReplacementId>,
    /// On whose right it depends.
    pub opener: UploadOpener,
    /// Its kind.
    pub kind: UploadKind,
    /// The folder of its objects.
    pub folder: ShortId,
    /// Total bytes, if known.
    pub length: Option<u64>,
    /// The SHA-256 that the complete upload must have.
    pub sha256: Option<[u8; 32]>,
    /// The client's metadata, without credentials.
    pub metadata: Option<String>,
}

/// The reason why a piece is rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PieceError {
    /// It does not start at the offset of the upload.
    #[error("the upload is at byte {expected}, but the piece begins at byte {provided}")]
    Offset {
        /// The offset of the upload.
        expected: u64,
        /// The offset of the piece.
        provided: u64,
    },
    /// The upload would have a different length than announced.
    #[error("the upload was announced with {announced} bytes, which differs from this request")]
    Length {
        /// The announced length.
        announced: u64,
    },
    /// The upload is complete, so no piece may be added.
    #[error("the upload is complete")]
    Complete,
}

impl UploadKind {
    /// Every kind.
    pub const ALL: [Self; 3] = [Self::Url, Self::Tus, Self::Partial];

    /// The kind as text, as in SQL.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Url => "url",
            Self::Tus => "tus",
            Self::Partial => "partial",
        }
    }

    /// Parses a kind.
    pub fn from_text(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }
}

impl Upload {
    /// How long an upload waits for its next piece, in seconds.
    pub const IDLE_SECONDS: i64 = 24 * 3600;
    /// How long an upload may take in total, in seconds.
    pub const MOST_SECONDS: i64 = 7 * 24 * 3600;

    /// A new upload without any bytes.
    pub fn begin(new: NewUpload, ambient: &Ambient) -> Self {
        let NewUpload {
            id,
            organization_id,
            track_id,
            replacement_id,
            opener,
            kind,
            folder,
            length,
            sha256,
            metadata,
        } = new;
        let now = ambient.now();
        Self {
            id,
            organization_id,
            track_id,
            replacement_id,
            opener,
            kind,
            state: UploadState::Receiving,
            folder,
            version: ambient.short_id(),
            length,
            offset: 0,
            sha256,
            metadata,
            draft: String::new(),
            object: None,
            created_at: now,
            expires_at: Self::expiry(now, now),
        }
    }

    /// The destination of its bytes; none for partial uploads.
    pub fn slot(&self) -> Option<SourceSlot> {
        let track_id = self.track_id.filter(|_| self.kind != UploadKind::Partial)?;
        let Self { organization_id, replacement_id, .. } = *self;
        Some(SourceSlot { organization_id, track_id, replacement_id })
    }

    /// Whether it waits for bytes.
    pub fn is_receiving(&self) -> bool {
        self.state == UploadState::Receiving
    }

    /// Whether it has expired at this moment.
    pub fn is_expired_at(&self, now: Timestamp) -> bool {
        now >= self.expires_at
    }

    /// When it expires unless another piece arrives.
    pub fn expiry(created_at: Timestamp, now: Timestamp) -> Timestamp {
        now.plus_seconds(Self::IDLE_SECONDS).min(created_at.plus_seconds(Self::MOST_SECONDS))
    }

    /// Records the total length.
    pub fn announce(&mut self, length: u64) -> Result<(), PieceError> {
        match self.length {
            Some(announced) if announced != length => Err(PieceError::Length { announced }),
            _ if length < self.offset => Err(PieceError::Length { announced: self.offset }),
            _ => {
                self.length = Some(length);
                Ok(())
            }
        }
    }

    /// Checks whether a piece at `offset` may follow; `size` is its size in bytes, if known.
    pub fn check_piece(&self, offset: u64, size: Option<u64>) -> Result<(), PieceError> {
        if !self.is_receiving() {
            return Err(PieceError::Complete);
        }
        if offset != self.offset {
            return Err(PieceError::Offset { expected: self.offset, provided: offset });
        }
        match (self.length, size) {
            (Some(announced), Some(size)) if size > announced - self.offset => {
                Err(PieceError::Length { announced })
            }
            _ => Ok(()),
        }
    }

    /// Marks it as complete. A partial upload is given its object.
    pub fn complete(&mut self, object: Option<ObjectKey>) {
        self.state = UploadState::Complete;
        self.object = object;
        self.draft = String::new();
    }

    /// Whether all announced bytes have arrived.
    pub fn has_all(&self) -> bool {
        self.length == Some(self.offset)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::id::{CredentialId, RecordId};

    fn upload() -> Upload {
        let now = Timestamp::from_unix_seconds(1_000_000).unwrap();
        Upload {
            id: UploadId::from_random([1; 16]),
            organization_id: OrganizationId::from_parts(now, [1; 10]),
            track_id: None,
            replacement_id: None,
            opener: UploadOpener::default(),
            kind: UploadKind::Tus,
            state: UploadState::Receiving,
            folder: ShortId::from_random([1; 8]),
            version: ShortId::from_random([2; 8]),
            length: None,
            offset: 0,
            sha256: None,
            metadata: None,
            draft: String::new(),
            object: None,
            created_at: now,
            expires_at: Upload::expiry(now, now),
        }
    }

    #[test]
    fn pieces_follow_each_other() {
        let mut upload = upload();
        assert_eq!(upload.check_piece(0, Some(10)), Ok(()));
        upload.offset = 10;
        assert_eq!(upload.check_piece(0, None), Err(PieceError::Offset { expected: 10, provided: 0 }));
        assert_eq!(upload.check_piece(11, None), Err(PieceError::Offset { expected: 10, provided: 11 }));
        upload.announce(12).unwrap();
        assert_eq!(upload.check_piece(10, Some(3)), Err(PieceError::Length { announced: 12 }));
        assert_eq!(upload.check_piece(10, Some(2)), Ok(()));
        upload.state = UploadState::Complete;
        assert_eq!(upload.check_piece(10, Some(0)), Err(PieceError::Complete));
    }

    #[test]
    fn an_upload_ends_a_day_after_its_last_piece_and_a_week_after_its_first() {
        let begun = upload().created_at;
        assert_eq!(Upload::expiry(begun, begun), begun.plus_seconds(Upload::IDLE_SECONDS));
        let late = begun.plus_seconds(Upload::MOST_SECONDS - 60);
        assert_eq!(Upload::expiry(begun, late), begun.plus_seconds(Upload::MOST_SECONDS));
    }

    proptest! {
        #[test]
        fn a_length_is_announced_once(first: u64, second: u64, offset: u64) {
            let mut upload = Upload { offset, ..upload() };
            prop_assert_eq!(upload.announce(first).is_ok(), first >= offset);
            if first >= offset {
                prop_assert_eq!(upload.announce(second).is_ok(), first == second);
                prop_assert_eq!(upload.length, Some(first));
            }
        }
    }
}
