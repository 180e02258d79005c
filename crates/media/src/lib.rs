//! Sound and pictures: probing, transcoding, levels and covers, with a sandboxed ffmpeg.
//!
//! Foreign bytes are only decoded in child processes. ffprobe and ffmpeg can read one input, write one folder, and are
//! stopped by limits; see [`Media`]. Pictures and tags are read in safe Rust, in a confined child of this program
//! itself; see [`Pictures`]. This crate knows nothing of databases or HTTP.

mod analyse;
mod args;
mod bitrate;
mod bounded;
mod confined;
mod confinement;
mod confinement_policy;
mod declared_length;
mod embedded_art;
mod entry;
mod error;
#[cfg(test)]
mod escape_tests;
mod escapes;
mod formats;
mod frames;
mod glance;
mod lame_tag;
mod limiter;
mod limits;
mod measuring;
mod media;
mod memory;
mod most_bytes;
mod own_program;
mod pcm;
mod permits;
mod picture_wire;
mod pictures;
mod probe;
mod probing;
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
mod video;
mod wav_header;
mod webp;

pub use analyse::{Analysis, Waveform};
pub use args::{pcm_args, probe_args, transcode_args};
pub use confined::serve_if_confined;
pub use confinement::{Confinement, Restriction, RestrictionStatus};
pub use confinement_policy::ConfinementPolicy;
pub use declared_length::DeclaredLength;
pub use entry::Entry;
pub use error::MediaError;
pub use limiter::Gain;
pub use limits::{LimitTier, MediaLimits, ProcessLimits, RunScope, TierLimits};
pub use media::{Media, MediaConfig};
pub use memory::memory_for_processes;
pub use pcm::Pcm;
pub use pictures::Pictures;
pub use probe::{Picture, Probe};
pub use render::{Output, Progress, Reading, Rendered, TagOverrides, Window};
pub use sniff::sniff;
pub use tools::Tools;

/// Tests start their own executable again, as the service does.
#[cfg(test)]
#[ctor::ctor(unsafe)]
fn be_confined() {
    serve_if_confined();
}
