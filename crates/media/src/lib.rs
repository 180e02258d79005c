//! Sound and pictures: probe, transcode, levels, covers, behind a sandboxed ffmpeg.
//!
//! Whatever looks into foreign bytes with a decoder of its own (ffprobe, ffmpeg) is a child process that can read
//! one input, write one folder, and is stopped by limits; see [`Media`]. Pictures and tags are read in safe Rust, in
//! such a child of this program's own; see [`Pictures`]. Nothing here knows of databases or HTTP.

mod analyse;
mod args;
mod bitrate;
mod bounded;
mod channels;
mod colour_profile;
mod confined;
mod confinement;
mod cover;
mod declared_length;
mod drawing;
mod entry;
mod error;
#[cfg(test)]
mod escape_tests;
mod escapes;
mod formats;
mod frames;
mod glance;
mod levels;
mod limiter;
mod limits;
mod loudness;
mod media;
mod memory;
mod palette;
mod pcm;
mod peaks;
mod picture_wire;
mod pictures;
mod probe;
mod process;
mod quiet;
mod render;
mod rendering;
mod sandbox;
mod self_test;
mod sniff;
mod speech;
mod target;
mod tools;
mod true_peak;
mod turns;
mod vectors;
mod video;
mod wav_header;
mod webp;
mod working;

pub use analyse::{Analysis, Waveform};
pub use args::{pcm_args, probe_args, transcode_args};
pub use confined::serve_if_confined;
pub use confinement::{Confinement, ConfinementPolicy, Wall, WallReport};
pub use cover::{CoverImage, Covers};
pub use declared_length::DeclaredLength;
pub use drawing::{bars_across, placeholder, waveform_image};
pub use entry::Entry;
pub use error::MediaError;
pub use levels::LevelMeter;
pub use limiter::Gain;
pub use limits::{LimitTier, MediaLimits, ProcessLimits, RunScope, TierLimits};
pub use media::{Media, MediaConfig};
pub use memory::memory_for_processes;
pub use palette::palette;
pub use pcm::Pcm;
pub use peaks::Peaks;
pub use pictures::Pictures;
pub use probe::{Picture, Probe};
pub use render::{Output, OwnWords, Progress, Reading, Rendered, Window};
pub use sniff::sniff;
pub use tools::Tools;

/// Tests start their own program again, as the service does.
#[cfg(test)]
#[ctor::ctor(unsafe)]
fn be_confined() {
    serve_if_confined();
}
