//! Sound and pictures: probe, transcode, levels, covers, behind a sandboxed ffmpeg.
//!
//! Whatever looks into foreign bytes with a decoder of its own (ffprobe, ffmpeg) is a child process that can read
//! one input, write one folder, and is stopped by limits; see [`Media`]. Pictures are decoded in this process, in
//! safe Rust and under limits; see [`covers`]. Nothing here knows of databases or HTTP.

mod analyse;
mod args;
mod bitrate;
mod colour_profile;
mod cover;
mod drawing;
mod error;
mod levels;
mod limits;
mod loudness;
mod media;
mod palette;
mod pcm;
mod peaks;
mod probe;
mod process;
mod quiet;
mod render;
mod sandbox;
mod self_test;
mod sniff;
mod tools;
mod true_peak;
mod turns;
mod vectors;
mod video;
mod wav_header;
mod webp;

pub use analyse::{Analysis, Waveform};
pub use args::{pcm_args, probe_args, transcode_args};
pub use cover::{CoverImage, Covers, covers, embedded_art};
pub use drawing::{bars_across, placeholder, waveform_image};
pub use error::MediaError;
pub use levels::LevelMeter;
pub use limits::{LimitTier, MediaLimits, ProcessLimits, RunScope, TierLimits};
pub use media::{Media, MediaConfig};
pub use palette::palette;
pub use pcm::Pcm;
pub use peaks::Peaks;
pub use probe::{Picture, Probe};
pub use render::{Output, Progress, Rendered, Window};
pub use sniff::sniff;
pub use tools::Tools;
