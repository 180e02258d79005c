//! Free space on the file systems that the node writes to.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::refusal::Refusal;

/// The folders that the node writes to, and the free space that the file system of each must have. By default there are
/// none, so there is never a shortage. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Space {
    places: Arc<[(&'static str, PathBuf)]>,
    least: u64,
}

/// A file system with too little free space.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{free} bytes are free on the file system of the {place} ({}), less than limits.min_free_space ({least})",
    .path.display()
)]
pub struct Shortage {
    /// What is stored there, in words.
    pub place: &'static str,
    /// The path of the folder.
    pub path: PathBuf,
    /// Bytes that are free there.
    pub free: u64,
    /// Bytes that must be free.
    pub least: u64,
}

impl Space {
    /// Requires at least `least` free bytes at each named place; 0 for no limit.
    pub fn new(least: u64, places: impl IntoIterator<Item = (&'static str, PathBuf)>) -> Self {
        Self { places: places.into_iter().collect(), least }
    }

    /// The first place with too little free space. A place whose free space cannot be read is skipped: writing to it
    /// will report the error.
    pub async fn shortage(&self) -> Option<Shortage> {
        if self.least == 0 || self.places.is_empty() {
            return None;
        }
        let space = self.clone();
        // A network file system may take long to respond.
        let result = tokio::task::spawn_blocking(move || space.find_shortage()).await;
        result.ok().flatten()
    }

    /// Refuses if there is too little free space.
    pub async fn require(&self) -> Result<(), Refusal> {
        match self.shortage().await {
            Some(shortage) => Err(Refusal::Full(shortage.into())),
            None => Ok(()),
        }
    }

    fn find_shortage(&self) -> Option<Shortage> {
        self.places.iter().find_map(|(place, path)| {
            let free = free_at(path)?;
            let short = Shortage { place, path: path.clone(), free, least: self.least };
            (free < self.least).then_some(short)
        })
    }
}

/// Bytes that a process without privileges can still write.
fn free_at(path: &Path) -> Option<u64> {
    match rustix::fs::statvfs(path) {
        Ok(found) => Some(found.f_bavail.saturating_mul(found.f_frsize)),
        Err(error) => {
            tracing::debug!(path = %path.display(), %error, "could not read the free space");
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn too_little_is_named_and_no_limit_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let places = || [("store", folder.path().to_owned())];
        assert_eq!(Space::default().shortage().await, None);
        assert_eq!(Space::new(0, places()).shortage().await, None);
        assert_eq!(Space::new(1, places()).shortage().await, None);
        assert_eq!(Space::new(u64::MAX, [("store", "/nonexistent".into())]).shortage().await, None);
        let short = Space::new(u64::MAX, places()).shortage().await.unwrap();
        assert_eq!((short.place, short.path.as_path()), ("store", folder.path()));
        let refused = Space::new(u64::MAX, places()).require().await;
        assert!(matches!(refused, Err(Refusal::Full(_))), "{refused:?}");
    }
}
