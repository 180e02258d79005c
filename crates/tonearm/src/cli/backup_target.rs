//! Where backups are.

use std::env;

use tonearm_blobs::{StorageUrl, StorageUrlError};

use super::Failure;
use crate::config::backup_environment;

/// A folder, or `s3://bucket/prefix` with credentials from the environment, files or systemd.
pub(super) fn backup_target(text: &str) -> Result<StorageUrl, Failure> {
    let wrong = |reason: String| Failure::Usage(format!("the target of the backup: {reason}"));
    if !text.contains("://") {
        let path = std::path::absolute(text).map_err(|error| wrong(error.to_string()))?;
        return Ok(StorageUrl::of_folder(path));
    }
    let url: StorageUrl = text.parse().map_err(|error: StorageUrlError| wrong(error.to_string()))?;
    let environment =
        backup_environment(|name| env::var(name).ok()).map_err(|error| wrong(error.to_string()))?;
    url.with_environment(environment).map_err(|error| wrong(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_folders_or_buckets() {
        let shown = |text: &str| backup_target(text).map(|url| url.to_string()).ok();
        assert_eq!(shown("/srv/backup").as_deref(), Some("file:///srv/backup"));
        assert_eq!(shown("s3://music/backup").as_deref(), Some("s3://music/backup"));
        assert_eq!(shown("ftp://music"), None);
    }
}
