//! ffmpeg and ffprobe, and what they may use.

use std::path::PathBuf;

use tonearm_media::{MediaConfig, MediaLimits};

use super::confinement::confinement_policy;
use super::error::{ConfigError, positive};
use super::file::MediaSettings;
use super::limits::media_memory;

/// `private` are the paths that child processes must not read.
pub(super) fn media_config(
    settings: MediaSettings,
    private: Vec<PathBuf>,
) -> Result<MediaConfig, ConfigError> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let concurrency = settings.concurrency.unwrap_or(cores);
    positive("media.concurrency", concurrency as u64)?;
    Ok(MediaConfig {
        memory: media_memory(&settings)?,
        confinement: confinement_policy(settings.confinement.as_deref(), private)?,
        ffmpeg: settings.ffmpeg.unwrap_or_else(|| PathBuf::from("ffmpeg")),
        ffprobe: settings.ffprobe.unwrap_or_else(|| PathBuf::from("ffprobe")),
        concurrency,
        limits: MediaLimits::default(),
    })
}
