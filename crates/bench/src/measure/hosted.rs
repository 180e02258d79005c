//! One sound on both sides: uploaded to the service, and served as a file by the reference.

use std::fs;

use anyhow::{Context, Result, ensure};
use tempfile::TempDir;
use tonearm_fixtures::audio::{Signal, WavSpec, wav};

use crate::reference::FileServer;
use crate::stage::Stage;

/// Approximate size in bytes of the file whose ranges are requested.
pub(super) const FILE_BYTES: f64 = 10e6;

/// A range of 64 KiB of the file, as the value of `Range`.
pub(super) const RANGE: &str = "1000000-1065535";

/// Number of different signed URLs that are requested in turn.
pub(super) const URLS: u64 = 200;

const NAME: &str = "sound.wav";

const BYTES_PER_SECOND: f64 = 44_100.0 * 2.0 * 2.0;

/// The sound, and the servers that deliver it.
pub(super) struct Hosted {
    pub(super) stage: Stage,
    pub(super) files: FileServer,
    /// The address of the file at the service.
    pub(super) tonearm: FileAddress,
    /// The address of the file at the reference.
    pub(super) reference: FileAddress,
    pub(super) track_id: String,
    _root: TempDir,
}

/// The address of a file: a server, and a signed path.
#[derive(Debug, Clone)]
pub(super) struct FileAddress {
    pub(super) base_url: String,
    pub(super) path: String,
}

impl Hosted {
    pub(super) async fn start(sound: &[u8]) -> Result<Self> {
        let root = tempfile::tempdir()?;
        fs::write(root.path().join(NAME), sound)?;
        let stage = Stage::open().await?;
        let track_id = stage.upload(NAME, sound).await?;
        let base_url = stage.url();
        let url = stage.original(&track_id).await?;
        let path = url.strip_prefix(&base_url).context("files are served where the API is")?.to_owned();
        let files = FileServer::start(root.path())?;
        let reference = FileAddress { base_url: files.url().to_owned(), path: files.path(NAME) };
        Ok(Self { stage, files, tonearm: FileAddress { base_url, path }, reference, track_id, _root: root })
    }

    /// The name of the file at the reference.
    pub(super) fn name(&self) -> &'static str {
        NAME
    }

    /// `count` different signed paths of the sound at the service.
    pub(super) async fn signed_paths(&self, count: u64) -> Result<Vec<String>> {
        let mut paths = Vec::new();
        for _ in 0..count {
            let url = self.stage.original(&self.track_id).await?;
            let path = url.strip_prefix(&self.tonearm.base_url).context("files are where the API is")?;
            paths.push(path.to_owned());
        }
        Ok(paths)
    }

    /// Checks, before speed is measured, that both sides answer with the expected bytes, for the whole file or a range.
    pub(super) async fn are_right(&self, range: Option<&str>, expected: &[u8]) -> Result<()> {
        for url in [self.tonearm.url(), self.reference.url()] {
            let (answer, status) = match range {
                Some(range) => (self.stage.client.get_range(&url, range).await, 206),
                None => (self.stage.client.get(&url).await, 200),
            };
            ensure!(answer.status == status, "{url} answers with {}", answer.status);
            ensure!(answer.bytes == expected, "{url} answers with other bytes");
        }
        Ok(())
    }
}

impl FileAddress {
    pub(super) fn url(&self) -> String {
        format!("{}{}", self.base_url, self.path)
    }
}

/// Noise of about `bytes` bytes, as a WAV file with its header.
pub(super) fn noise_of(bytes: f64) -> Vec<u8> {
    let signal = Signal::Noise { seed: 1, amplitude: 0.3 };
    wav(&WavSpec { seconds: bytes / BYTES_PER_SECOND, signal, ..WavSpec::default() })
}
