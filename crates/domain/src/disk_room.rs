//! Whether the disks of a node have room for what is added.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// The purpose of a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiskUse {
    /// The data of the node.
    Data,
    /// The file of the database.
    Database,
    /// The objects.
    Store,
}

impl DiskUse {
    /// The place as text.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Data => "data",
            Self::Database => "database",
            Self::Store => "store",
        }
    }
}

/// A file system with too little free space.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{free} bytes are free on the file system of the {} ({}); nothing is added to it below {least} bytes",
    .place.as_str(),
    .path.display()
)]
pub struct Shortage {
    /// What is stored there.
    pub place: DiskUse,
    /// The path of the folder.
    pub path: PathBuf,
    /// Bytes that are free there.
    pub free: u64,
    /// Bytes that must be free.
    pub least: u64,
}

/// The shortage that was found when the disks of a node were last read. Clones share it. By default there is none.
#[derive(Debug, Clone, Default)]
pub struct DiskRoom(Arc<Mutex<Option<Shortage>>>);

impl DiskRoom {
    /// Notes what was found.
    pub fn note(&self, found: Option<Shortage>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = found;
    }

    /// The shortage, if there is one.
    pub fn shortage(&self) -> Option<Shortage> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The same for records, which need no space for temporary files.
    pub fn shortage_for_records(&self) -> Option<Shortage> {
        self.shortage().filter(|shortage| shortage.place != DiskUse::Data)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_need_no_space_for_temporary_files() {
        let room = DiskRoom::default();
        assert_eq!(room.shortage(), None);
        for (place, stops_records) in
            [(DiskUse::Database, true), (DiskUse::Store, true), (DiskUse::Data, false)]
        {
            let found = Shortage { place, path: "/data".into(), free: 1, least: 2 };
            room.clone().note(Some(found.clone()));
            assert_eq!(room.shortage(), Some(found.clone()));
            assert_eq!(room.shortage_for_records(), Some(found).filter(|_| stops_records));
        }
        room.note(None);
        assert_eq!(room.shortage(), None);
    }
}
