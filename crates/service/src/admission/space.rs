//! Free space on the file systems that the node writes to.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tonearm_domain::{DiskRoom, DiskUse, Shortage};

use super::reserve::{Reserve, free_at};
use crate::refusal::Refusal;

/// The folders that the node writes to, and the free space that the file system of each must have. By default there are
/// none, so there is never a shortage. Cheap to clone; clones share what was found last.
#[derive(Debug, Clone, Default)]
pub struct Space {
    places: Arc<[(DiskUse, PathBuf)]>,
    least: u64,
    /// Beside the database, if that is a file.
    reserve: Option<Reserve>,
    room: DiskRoom,
}

impl Space {
    /// Requires at least `least` free bytes at each place; 0 for no limit. Reads them at once.
    pub fn new(least: u64, places: impl IntoIterator<Item = (DiskUse, PathBuf)>) -> Self {
        let space = Self { places: places.into_iter().collect(), least, ..Self::default() };
        space.look();
        space
    }

    /// Also keeps a reserve beside a database file, which counts as free space. On a full disk it is given up at once, so
    /// that the database can be opened.
    pub fn with_reserve(self, database: &Path) -> Self {
        let reserve = Reserve::beside(database);
        reserve.give_up_if_full();
        let space = Self { reserve: Some(reserve), ..self };
        space.look();
        space
    }

    /// The first place with too little free space when this was last read. A place whose free space cannot be read is
    /// left out: writing to it will report the error.
    pub fn shortage(&self) -> Option<Shortage> {
        self.room.shortage()
    }

    /// What the catalog asks before it adds records.
    pub fn room(&self) -> DiskRoom {
        self.room.clone()
    }

    /// Refuses if there is too little free space.
    pub fn require(&self) -> Result<(), Refusal> {
        match self.shortage() {
            Some(shortage) => Err(Refusal::Full(shortage.into())),
            None => Ok(()),
        }
    }

    /// Reads the free space again, and gives up the reserve or makes it again. A node does this at an interval. It blocks
    /// for as long as a file system does.
    pub fn keep_watch(&self) {
        if let Some(reserve) = &self.reserve {
            reserve.keep();
        }
        self.look();
    }

    fn look(&self) {
        self.room.note(self.find_shortage());
    }

    fn find_shortage(&self) -> Option<Shortage> {
        self.places.iter().find_map(|(place, path)| {
            let free = free_at(path)?.free;
            let reserve = self.reserve.as_ref().filter(|_| *place == DiskUse::Database);
            let (kept, least) = match reserve {
                Some(reserve) => (reserve.kept(), reserve.least(self.least)),
                None => (0, self.least),
            };
            let short = Shortage { place: *place, path: path.clone(), free, least };
            (free.saturating_add(kept) < least).then_some(short)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_little_is_named_and_no_limit_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let places = || [(DiskUse::Store, folder.path().to_owned())];
        assert_eq!(Space::default().shortage(), None);
        assert_eq!(Space::new(0, places()).shortage(), None);
        assert_eq!(Space::new(1, places()).shortage(), None);
        assert_eq!(Space::new(u64::MAX, [(DiskUse::Store, "/nonexistent".into())]).shortage(), None);
        let short = Space::new(u64::MAX, places()).shortage().unwrap();
        assert_eq!((short.place, short.least), (DiskUse::Store, u64::MAX));
        let refused = Space::new(u64::MAX, places()).require();
        assert!(matches!(refused, Err(Refusal::Full(_))), "{refused:?}");
    }
}
