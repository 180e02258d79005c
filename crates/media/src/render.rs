//! What a rendering process says on its way, and what comes of it.

use std::io::{BufRead, BufReader, PipeReader, Read};
use std::path::{Path, PathBuf};

use tokio::sync::watch;
use tonearm_domain::{ContentType, FileData};

use crate::MediaError;

/// A finished file.
#[derive(Debug, Clone, PartialEq)]
pub struct Rendered {
    /// Where it is, in a folder of its own inside the scratch folder.
    pub path: PathBuf,
    /// What it is.
    pub content_type: ContentType,
    /// Its bytes, at least 1.
    pub size: u64,
    /// What else is known of it.
    pub data: FileData,
}

/// Reads ffmpeg's `-progress` lines, tells `progress` the finished share (0..=1) of `seconds`, and gives the
/// microseconds of sound that were written.
pub(crate) fn follow(
    stdout: PipeReader,
    seconds: f64,
    progress: Option<&watch::Sender<f32>>,
) -> Result<u64, MediaError> {
    let mut written = 0;
    let mut lines = BufReader::new(stdout);
    let mut line = Vec::new();
    while lines.by_ref().take(1024).read_until(b'\n', &mut line)? > 0 {
        let micros = line.strip_prefix(b"out_time_us=").and_then(|value| str::from_utf8(value).ok());
        // Before the first frame the value is `N/A`, or below zero.
        if let Some(micros) = micros.and_then(|value| value.trim().parse().ok()) {
            written = micros;
            if let Some(progress) = progress {
                let share = (micros as f64 / 1e6 / seconds.max(0.001)).min(1.0);
                progress.send_replace(share as f32);
            }
        }
        line.clear();
    }
    Ok(written)
}

/// The size of a finished file; an error where there is nothing in it.
pub(crate) async fn check_output(path: &Path, written_micros: u64) -> Result<u64, MediaError> {
    let size = match tokio::fs::metadata(path).await {
        Ok(metadata) => metadata.len(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => 0,
        Err(error) => return Err(error.into()),
    };
    if size == 0 || written_micros == 0 {
        return Err(MediaError::Failed(
            "No sound came out: this part of the file cannot be decoded.".to_owned(),
        ));
    }
    Ok(size)
}
