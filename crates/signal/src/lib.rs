//! Arithmetic on samples and pixels: loudness, peaks, levels, palettes, covers, pictures of waveforms.
//!
//! Pure functions of bytes and numbers. This is a crate of its own because it is compiled with optimisation even for
//! tests; otherwise they would take many times as long.

mod channels;
mod colour_profile;
mod cover;
mod drawing;
mod error;
mod levels;
mod loudness;
mod palette;
mod pcm;
mod peaks;
mod true_peak;
mod vectors;

pub use channels::Layout;
pub use cover::{CoverImage, Covers, MOST_PIXELS, covers, pixels};
pub use drawing::{VideoPictures, bars_across, placeholder, video_pictures, waveform_image};
pub use error::PictureError;
pub use levels::LevelMeter;
pub use loudness::{Gate, LoudnessMeter, Weighing};
pub use palette::palette;
pub use pcm::SampleEncoding;
pub use peaks::{Peaks, PeaksMeter};
pub use true_peak::{TruePeak, highest};
