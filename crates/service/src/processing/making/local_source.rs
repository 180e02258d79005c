//! A track's source as a local file, and whether a failure may be blamed on it.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use tempfile::TempDir;
use tokio::sync::OnceCell;
use tonearm_domain::{Outage, Source};
use tonearm_media::RunScope;
use tracing::Instrument;

use crate::processing::job_error::JobError;
use crate::processing::runner::Processing;

/// Bytes hashed at a time.
const CHUNK: usize = 256 * 1024;

/// A track's source as a local file.
pub(super) struct LocalSource {
    pub(super) source: Source,
    /// Its path: in place if the store is a folder, else in `scratch`, to which it is fetched.
    pub(super) path: PathBuf,
    /// A folder for temporary files, removed with this value.
    pub(super) scratch: TempDir,
    blamable: OnceCell<()>,
}

impl Processing {
    /// Gets the source as a local file. A source that the store lacks is waited for, since a row names it. A source for which the disk has no space is not fetched.
    pub(super) async fn local_source(&self, source: &Source, prefix: &str) -> Result<LocalSource, JobError> {
        let scratch = tempfile::Builder::new().prefix(prefix).tempdir_in(&self.scratch)?;
        let missing = || JobError::outage(Outage::Source, "the store does not have the uploaded file");
        let path = match self.blobs.local_path(&source.key) {
            Some(path) => path,
            None => {
                let path = scratch.path().join("source");
                let _room = self.room.promise(&path, source.size).await?;
                let fetching = tracing::info_span!("fetch_source", bytes = source.size);
                if !self.blobs.fetch_to(&source.key, &path).instrument(fetching).await? {
                    return Err(missing());
                }
                path
            }
        };
        let size = match tokio::fs::metadata(&path).await {
            Ok(metadata) => metadata.len(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(missing()),
            Err(error) => return Err(error.into()),
        };
        if size != source.size {
            let reason = "the store returned the uploaded file with a different length";
            return Err(JobError::outage(Outage::Source, reason));
        }
        Ok(LocalSource { source: source.clone(), path, scratch, blamable: OnceCell::new() })
    }

    /// Checks whether a failure may be blamed on the file. Returns an outage if the bytes are not those that were
    /// uploaded, or if the tools also fail on a sound that is known to be good. Checked once in a run.
    pub(super) async fn confirm_blame(&self, local: &LocalSource, scope: &RunScope) -> Result<(), JobError> {
        let confirm = async {
            self.media.self_test(local.scratch.path(), scope).await.map_err(JobError::from)?;
            if sha256(&local.path).await? != local.source.sha256 {
                let reason = "the store returned the uploaded file with different contents";
                return Err(JobError::outage(Outage::Source, reason));
            }
            Ok(())
        };
        local.blamable.get_or_try_init(|| confirm).await.copied()
    }
}

async fn sha256(path: &Path) -> Result<[u8; 32], JobError> {
    let path = path.to_owned();
    let hash = move || {
        let mut file = std::fs::File::open(path)?;
        let (mut hash, mut chunk) = (Sha256::new(), vec![0; CHUNK]);
        loop {
            match file.read(&mut chunk)? {
                0 => return Ok::<_, io::Error>(hash.finalize().into()),
                read => hash.update(&chunk[..read]),
            }
        }
    };
    Ok(tokio::task::spawn_blocking(hash).await.map_err(JobError::internal)??)
}
