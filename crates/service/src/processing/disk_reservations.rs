//! Reserving disk space for files that are fetched.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tonearm_domain::Outage;

use super::JobError;

/// Bytes that a fetched file must leave free, for the files made from it and for the service itself.
const LEFT_FREE: u64 = 64 << 20;

/// The disk space of the folder for temporary files. Clones share the reservations.
#[derive(Clone)]
pub(super) struct DiskReservations {
    folder: PathBuf,
    /// The files that are being fetched, and the size of each in bytes.
    promised: Arc<Mutex<HashMap<PathBuf, u64>>>,
}

/// Disk space that is reserved for a file until the file is complete.
pub(super) struct DiskReservation {
    room: DiskReservations,
    path: PathBuf,
}

impl DiskReservations {
    pub(super) fn new(folder: PathBuf) -> Self {
        Self { folder, promised: Arc::default() }
    }

    /// Reserves space for a new file of `bytes` bytes. Returns an outage of the disk if there is not enough space
    /// beside what other files still need.
    pub(super) async fn promise(&self, path: &Path, bytes: u64) -> Result<DiskReservation, JobError> {
        let (room, path) = (self.clone(), path.to_owned());
        tokio::task::spawn_blocking(move || room.promise_now(path, bytes))
            .await
            .map_err(JobError::internal)?
    }

    fn promise_now(self, path: PathBuf, bytes: u64) -> Result<DiskReservation, JobError> {
        let mut promised = self.promised();
        let disk = rustix::fs::statvfs(&self.folder).map_err(io::Error::from)?;
        let free = disk.f_bavail.saturating_mul(disk.f_frsize);
        let to_come = promised.iter().map(|(path, bytes)| to_come(path, *bytes)).fold(0, u64::saturating_add);
        if to_come.saturating_add(bytes).saturating_add(LEFT_FREE) > free {
            let reason = format!("the disk for temporary files has no room for another {bytes} bytes");
            return Err(JobError::outage(Outage::Disk, reason));
        }
        promised.insert(path.clone(), bytes);
        drop(promised);
        Ok(DiskReservation { room: self, path })
    }

    fn promised(&self) -> MutexGuard<'_, HashMap<PathBuf, u64>> {
        self.promised.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The bytes of a file that have not been written yet.
fn to_come(path: &Path, bytes: u64) -> u64 {
    let there = std::fs::metadata(path).map_or(0, |file| file.len());
    bytes.saturating_sub(there)
}

impl Drop for DiskReservation {
    fn drop(&mut self) {
        self.room.promised().remove(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn no_more_is_promised_than_is_free() {
        let folder = tempfile::tempdir().unwrap();
        let room = DiskReservations::new(folder.path().to_owned());
        let disk = rustix::fs::statvfs(folder.path()).unwrap();
        let most = disk.f_bavail * disk.f_frsize / 10 * 6;
        let [one, other] = ["one", "other"].map(|name| folder.path().join(name));
        let first = room.promise(&one, most).await.unwrap();
        let refused = room.promise(&other, most).await;
        assert!(matches!(refused, Err(JobError::Outage { outage: Outage::Disk, .. })));
        assert!(room.promise(&other, u64::MAX).await.is_err());
        // Bytes that have arrived are no longer reserved. A sparse file takes no space.
        std::fs::File::create(&one).unwrap().set_len(most).unwrap();
        let second = room.promise(&other, most).await.unwrap();
        drop((first, second));
        assert!(room.promised().is_empty());
    }
}
