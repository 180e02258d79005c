//! The folders that a node writes to, and the free space on their file systems.

use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use tonearm_domain::{Ambient, DiskUse};
use tonearm_service::{Disks, Space};

use crate::scratch::Scratch;
use crate::start_error::StartError;
use crate::{Config, Role};

/// The file systems that this node writes to.
pub(crate) fn space(config: &Config) -> Space {
    let database = config.database_url.sqlite_path().filter(|_| config.needs_catalog());
    let places = [
        // The folder is used, because the file itself may not exist yet.
        (DiskUse::Database, database.and_then(Path::parent)),
        (DiskUse::Store, config.storage_url.folder()),
        (DiskUse::Data, Some(config.data_dir.as_path()).filter(|_| config.has_role(Role::Worker))),
    ];
    let places = places.into_iter().filter_map(|(place, path)| Some((place, path?.to_owned())));
    let space = Space::new(config.min_free_space, places);
    match database {
        Some(database) => space.with_reserve(database),
        None => space,
    }
}

/// The folders that this node keeps data in, whose free space is reported.
pub(crate) fn disks(config: &Config) -> Disks {
    let database = config.database_url.sqlite_path().and_then(Path::parent);
    let places = [
        (DiskUse::Data, Some(config.data_dir.as_path())),
        (DiskUse::Database, database.filter(|_| config.needs_catalog())),
        (DiskUse::Store, config.storage_url.folder()),
    ];
    Disks::new(places.into_iter().filter_map(|(place, path)| Some((place, path?.to_owned()))))
}

/// Refuses a command that root runs on the data of another user: the service could not use the files that it makes. What the
/// service wrote tells whose it is; before that, the folder does.
pub(crate) fn require_owner(config: &Config) -> Result<(), StartError> {
    let database = config.database_url.sqlite_path().map(Path::to_owned);
    let written = [database, Some(config.data_dir.join("secret")), Some(config.data_dir.clone())];
    let Some(found) = written.into_iter().flatten().find_map(|path| std::fs::metadata(path).ok()) else {
        return Ok(());
    };
    if !rustix::process::geteuid().is_root() || found.uid() == 0 {
        return Ok(());
    }
    let users = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    let is_owner = |line: &&str| line.split(':').nth(2) == Some(&*found.uid().to_string());
    let name = users.lines().find(is_owner).and_then(|line| line.split(':').next());
    let owner = name.map_or_else(|| format!("#{}", found.uid()), str::to_owned);
    Err(StartError::Owner { path: config.data_dir.clone(), owner })
}

pub(crate) fn make_folder(path: &Path) -> Result<(), StartError> {
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)
        .map_err(|source| StartError::DataDir { path: path.to_owned(), source })
}

pub(crate) fn scratch(config: &Config, ambient: &Ambient) -> Result<Scratch, StartError> {
    let parent = config.data_dir.join("scratch");
    make_folder(&parent)?;
    Scratch::make(&parent, ambient).map_err(|source| StartError::DataDir { path: parent, source })
}

/// The folder for usage that could not be stored before the node ended.
pub(crate) fn unstored_usage(config: &Config) -> PathBuf {
    config.data_dir.join("unstored-usage")
}
