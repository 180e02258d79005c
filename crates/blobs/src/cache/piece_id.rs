//! How objects are divided into pieces.

use tonearm_domain::ObjectKey;

use crate::object::ObjectMeta;

/// Bytes of a piece; an object's last one may be shorter.
pub(super) const PIECE_BYTES: u64 = 256 * 1024;

/// Pieces fetched by one request.
pub(super) const RUN: u64 = 4;

/// A piece of an object.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct PieceId {
    pub(super) key: ObjectKey,
    /// Its number within the object, from 0.
    pub(super) index: u64,
}

impl PieceId {
    /// Its size in bytes, in an object with this metadata.
    pub(super) fn size(&self, object: &ObjectMeta) -> u64 {
        object.size.saturating_sub(self.index * PIECE_BYTES).min(PIECE_BYTES)
    }
}
