//! Objects that can be read without asking the store whether they are there.

use std::fmt;
use std::ops::Range;
use std::sync::{Arc, Weak};

use tonearm_domain::ObjectKey;

use crate::chunks::Chunks;
use crate::folder::{FileChunks, OpenFile};
use crate::object::{ObjectMeta, clamp};

/// A cache that opens and reads objects without asking the store.
pub(crate) trait ObjectCache: Send + Sync {
    /// The object, if the cache knows it.
    fn open(self: Arc<Self>, key: &ObjectKey) -> Option<OpenObject>;

    /// The bytes of a range that lies inside the object, if the first of them are in memory.
    fn read(self: Arc<Self>, key: &ObjectKey, meta: ObjectMeta, range: Range<u64>) -> Option<Chunks>;
}

/// An object that can be read without asking the store whether it is there.
pub struct OpenObject(ObjectLocation);

enum ObjectLocation {
    File(Arc<OpenFile>),
    Cache { cache: Arc<dyn ObjectCache>, key: ObjectKey, meta: ObjectMeta },
}

impl OpenObject {
    pub(crate) fn of_file(file: Arc<OpenFile>) -> Self {
        Self(ObjectLocation::File(file))
    }

    pub(crate) fn cached(cache: Arc<dyn ObjectCache>, key: ObjectKey, meta: ObjectMeta) -> Self {
        Self(ObjectLocation::Cache { cache, key, meta })
    }

    /// Its size, and when it was put.
    pub fn meta(&self) -> ObjectMeta {
        match &self.0 {
            ObjectLocation::File(file) => file.meta(),
            ObjectLocation::Cache { meta, .. } => *meta,
        }
    }

    /// A handle that opens the object again without looking it up by name.
    pub fn handle(&self) -> ObjectHandle {
        ObjectHandle(match &self.0 {
            ObjectLocation::File(file) => Handle::File(Arc::downgrade(file)),
            ObjectLocation::Cache { cache, key, .. } => {
                Handle::Cache { cache: Arc::clone(cache), key: key.clone() }
            }
        })
    }

    /// The bytes of a range, clamped to the object's size; `None` if they have to be requested from the store.
    pub fn read(self, range: Range<u64>) -> Option<Chunks> {
        let range = clamp(Some(range), self.meta().size);
        match self.0 {
            ObjectLocation::File(file) => Some(Chunks::of_file(FileChunks::new(file, range))),
            ObjectLocation::Cache { cache, key, meta } => cache.read(&key, meta, range),
        }
    }
}

/// A handle to an object that could be read at once. It keeps no file open, and no bytes in memory.
#[derive(Clone)]
pub struct ObjectHandle(Handle);

#[derive(Clone)]
enum Handle {
    File(Weak<OpenFile>),
    Cache { cache: Arc<dyn ObjectCache>, key: ObjectKey },
}

impl ObjectHandle {
    /// The object, if it can still be read at once.
    pub fn open(&self) -> Option<OpenObject> {
        match &self.0 {
            Handle::File(file) => file.upgrade().filter(|file| file.is_current()).map(OpenObject::of_file),
            Handle::Cache { cache, key } => Arc::clone(cache).open(key),
        }
    }
}

impl fmt::Debug for ObjectHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ObjectHandle")
    }
}
