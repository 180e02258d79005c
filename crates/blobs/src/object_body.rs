//! An object as it is read.

use std::fmt;
use std::ops::Range;

use crate::chunks::Chunks;
use crate::object::ObjectMeta;

/// An object, or a part of it, as it is read.
pub struct ObjectBody {
    /// The metadata of the whole object.
    pub meta: ObjectMeta,
    /// The range of the object that the stream has: the requested range, clamped to the object's size.
    pub range: Range<u64>,
    /// The bytes, in chunks of any size.
    pub stream: Chunks,
}

impl fmt::Debug for ObjectBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ObjectBody")
            .field("meta", &self.meta)
            .field("range", &self.range)
            .finish_non_exhaustive()
    }
}
