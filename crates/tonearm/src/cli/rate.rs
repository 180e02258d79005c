//! Limits of what is read or copied in a second.

use std::num::NonZeroU64;

use tonearm_blobs::StorageUrl;

use super::Failure;
use crate::config::ByteSize;

/// Bytes in a second, such as `50MB/s`.
pub(super) fn bytes_per_second(text: &str) -> Result<NonZeroU64, String> {
    let size = text.trim().trim_end_matches("/s").parse::<ByteSize>();
    let size = size.map_err(|_| format!("{text:?} is not a rate such as 50MB/s"))?;
    NonZeroU64::new(size.0).ok_or_else(|| "the rate must be more than 0".to_owned())
}

/// Where backups are: a folder, or `s3://bucket/prefix`.
pub(super) fn target(text: &str) -> Result<StorageUrl, Failure> {
    let wrong = |reason: String| Failure::Usage(format!("the target of the backup: {reason}"));
    if !text.contains("://") {
        let path = std::path::absolute(text).map_err(|error| wrong(error.to_string()))?;
        return Ok(StorageUrl::of_folder(path));
    }
    let url: StorageUrl =
        text.parse().map_err(|error: tonearm_blobs::StorageUrlError| wrong(error.to_string()))?;
    url.with_environment(|name| std::env::var(name).ok()).map_err(|error| wrong(error.to_string()))
}

/// Bytes for people.
pub(super) fn shown_bytes(bytes: u64) -> String {
    indicatif::HumanBytes(bytes).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_sizes_in_a_second() {
        assert_eq!(bytes_per_second("50MB/s").unwrap().get(), 50_000_000);
        assert_eq!(bytes_per_second("1 MiB").unwrap().get(), 1 << 20);
        assert!(bytes_per_second("0").is_err() && bytes_per_second("fast").is_err());
    }

    #[test]
    fn targets_are_folders_or_buckets() {
        let shown = |text: &str| target(text).map(|url| url.to_string()).ok();
        assert_eq!(shown("/srv/backup").as_deref(), Some("file:///srv/backup"));
        assert_eq!(shown("s3://music/backup").as_deref(), Some("s3://music/backup"));
        assert_eq!(shown("ftp://music"), None);
    }
}
