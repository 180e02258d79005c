//! The state of a draft between two pieces.

use serde::{Deserialize, Serialize};
use tonearm_domain::ObjectKey;

use super::digest::RunningDigest;

/// The state of a draft between two pieces. It is opaque to callers, which store it as JSON.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DraftState {
    /// Durable bytes.
    pub(crate) size: u64,
    /// The intermediate state of the SHA-256 of these bytes, in hexadecimal; empty while there are none.
    #[serde(default)]
    pub(crate) digest: String,
    /// The name of the object, once it is settled.
    #[serde(default)]
    pub(crate) object: Option<ObjectKey>,
    /// Where the bytes are in a bucket. A folder finds its file by the draft's id.
    #[serde(default)]
    pub(crate) bucket: BucketDraft,
}

/// The bytes of a draft in a bucket: all parts have the same size, and the tail, which has the bytes after them, is
/// smaller.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct BucketDraft {
    /// The multipart upload, from the first part on.
    #[serde(default)]
    pub(crate) upload: Option<String>,
    /// The ETags of the parts.
    #[serde(default)]
    pub(crate) parts: Vec<String>,
    #[serde(default)]
    pub(crate) tail: Option<ObjectKey>,
}

impl DraftState {
    /// Durable bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The object that the draft becomes, once its name is settled. It may be in the store already.
    pub fn object(&self) -> Option<&ObjectKey> {
        self.object.as_ref()
    }

    /// `None` if another version of the program has written the state.
    pub(crate) fn running_digest(&self) -> Option<RunningDigest> {
        if self.size == 0 {
            return Some(RunningDigest::default());
        }
        RunningDigest::restore(&hex::decode(&self.digest).ok()?)
    }

    pub(crate) fn save_digest(&mut self, digest: &RunningDigest) {
        self.digest = hex::encode(digest.save());
    }
}
