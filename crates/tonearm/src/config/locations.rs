//! The locations of data: the data folder, the database and the object store.

use std::path::{Path, PathBuf};

use tonearm_blobs::StorageUrl;
use tonearm_catalog::DatabaseUrl;
use tonearm_server::tls::TlsFiles;

use super::confinement::private_paths;
use super::resolved_secrets::ResolvedSecrets;
use super::{ConfigError, SecretFile};

/// The locations of data.
pub(super) struct Locations {
    pub(super) data_dir: PathBuf,
    pub(super) database_url: DatabaseUrl,
    pub(super) storage_url: StorageUrl,
}

impl Locations {
    /// The database and the store are in the data folder unless the settings say otherwise.
    pub(super) fn new(
        data_dir: &Path,
        secrets: &ResolvedSecrets,
        lookup: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, ConfigError> {
        let data_dir = std::path::absolute(data_dir).map_err(|error| ConfigError::new("data_dir", error))?;
        let in_data_dir = |scheme: &str, name: &str| format!("{scheme}://{}", data_dir.join(name).display());
        let database_url =
            secrets.database_url.clone().unwrap_or_else(|| in_data_dir("sqlite", "tonearm.db"));
        let storage_url = secrets.storage_url.clone().unwrap_or_else(|| in_data_dir("file", "objects"));
        let credential = |name: &str| secrets.store_credential(name).or_else(|| lookup(name));
        let storage_url = storage_url
            .parse::<StorageUrl>()
            .and_then(|url| url.with_environment(credential))
            .map_err(|error| ConfigError::new("storage_url", error))?;
        let database_url: DatabaseUrl =
            database_url.parse().map_err(|error| ConfigError::new("database_url", error))?;
        Ok(Self { data_dir, database_url, storage_url })
    }

    /// The paths that child processes must not read.
    pub(super) fn private_paths(&self, tls: Option<&TlsFiles>, secrets: &[SecretFile]) -> Vec<PathBuf> {
        let mut paths = private_paths(&self.data_dir, &self.database_url, &self.storage_url, tls);
        paths.extend(secrets.iter().map(|file| file.path.clone()));
        paths
    }
}
