//! Free space on the file systems of this node.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::timeout;
use tonearm_domain::DiskUse;

/// The timeout for reading the file systems. A network file system may hang.
const DEADLINE: Duration = Duration::from_secs(3);

/// The free space of a file system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DiskStatus {
    /// What is stored there.
    pub place: DiskUse,
    /// Bytes that a process without privileges can still write.
    pub free: u64,
    /// The size of the file system in bytes.
    pub size: u64,
}

/// The folders that a node writes to. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Disks(Arc<[(DiskUse, PathBuf)]>);

impl Disks {
    /// Watches these folders. If several are on one file system, only the first is reported.
    pub fn new(places: impl IntoIterator<Item = (DiskUse, PathBuf)>) -> Self {
        Self(places.into_iter().collect())
    }

    /// The free space of each file system. A file system that cannot be read is left out. If one hangs until the
    /// timeout, the result is empty.
    pub async fn look(&self) -> Vec<DiskStatus> {
        let disks = self.clone();
        let asked = tokio::task::spawn_blocking(move || disks.ask());
        match timeout(DEADLINE, asked).await {
            Ok(Ok(found)) => found,
            Ok(Err(_)) => Vec::new(),
            Err(_) => {
                tracing::warn!(deadline = ?DEADLINE, "reading the free space of the file systems timed out");
                Vec::new()
            }
        }
    }

    fn ask(&self) -> Vec<DiskStatus> {
        let mut systems = Vec::new();
        let mut found = Vec::new();
        for (place, path) in self.0.iter() {
            let Ok(about) = rustix::fs::stat(path) else { continue };
            if systems.contains(&about.st_dev) {
                continue;
            }
            let Ok(space) = rustix::fs::statvfs(path) else { continue };
            systems.push(about.st_dev);
            let bytes = |blocks: u64| blocks.saturating_mul(space.f_frsize);
            found.push(DiskStatus {
                place: *place,
                free: bytes(space.f_bavail),
                size: bytes(space.f_blocks),
            });
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn one_file_system_is_told_once() {
        let folder = tempfile::tempdir().unwrap();
        let inside = folder.path().join("objects");
        std::fs::create_dir(&inside).unwrap();
        let disks = Disks::new([
            (DiskUse::Database, "/nonexistent".into()),
            (DiskUse::Data, folder.path().to_owned()),
            (DiskUse::Store, inside),
        ]);
        let found = disks.look().await;
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].place, DiskUse::Data);
        assert!(found[0].size > 0 && found[0].free <= found[0].size, "{found:?}");
    }
}
