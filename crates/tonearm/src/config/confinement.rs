//! How child processes have to be confined, and what none of them may read.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use tonearm_blobs::StorageUrl;
use tonearm_catalog::DatabaseUrl;
use tonearm_media::ConfinementPolicy;

use super::ConfigError;
use tonearm_server::tls::TlsFiles;

pub(super) fn confinement_policy(
    setting: Option<&str>,
    private: Vec<PathBuf>,
) -> Result<ConfinementPolicy, ConfigError> {
    let is_required = match setting {
        None | Some("best effort") => false,
        Some("required") => true,
        Some(other) => {
            let problem = format!("must be \"required\" or \"best effort\", not {other:?}");
            return Err(ConfigError::new("media.confinement", problem));
        }
    };
    Ok(ConfinementPolicy { is_required, private })
}

/// The paths of all stored data, and of the certificate and its key, wherever they are. The cache of objects is in the
/// data folder.
pub(super) fn private_paths(
    data_dir: &Path,
    database: &DatabaseUrl,
    store: &StorageUrl,
    tls: Option<&TlsFiles>,
) -> Vec<PathBuf> {
    let mut paths = vec![data_dir.to_owned()];
    paths.extend(store.folder().map(Path::to_owned));
    if let Some(file) = database.sqlite_path() {
        // SQLite keeps the latest writes in separate files beside the database.
        paths.extend(["", "-wal", "-shm", "-journal"].map(|suffix| {
            let mut name = OsString::from(file);
            name.push(suffix);
            PathBuf::from(name)
        }));
    }
    if let Some(files) = tls {
        paths.extend([files.certificates.clone(), files.key.clone()]);
    }
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_that_is_kept_is_private() {
        let tls = TlsFiles { certificates: "/opt/tls/cert.pem".into(), key: "/opt/tls/key.pem".into() };
        let paths = private_paths(
            Path::new("/opt/tonearm"),
            &"sqlite:///usr/db/catalog.db".parse().unwrap(),
            &"file:///usr/share/objects".parse().unwrap(),
            Some(&tls),
        );
        for path in [
            "/opt/tonearm",
            "/usr/share/objects",
            "/usr/db/catalog.db",
            "/usr/db/catalog.db-wal",
            "/opt/tls/cert.pem",
            "/opt/tls/key.pem",
        ] {
            assert!(paths.contains(&PathBuf::from(path)), "{path} in {paths:?}");
        }
    }
}
