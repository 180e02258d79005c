//! Covers as WebP. Safe Rust has no encoder that loses what nobody sees, so ffmpeg's is given the bare pixels: foreign
//! bytes never reach a decoder there.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::args::{self, Args};
use crate::error::MediaError;
use crate::pictures::Pictures;

/// At this quality files look much as our JPEGs do, and are smaller.
const QUALITY: &str = "82";

/// One picture: its pixels in a file, and where its WebP goes.
pub(crate) struct Frame {
    size: (u32, u32),
    pixels: PathBuf,
    pub(crate) webp: PathBuf,
}

/// Writes the pixels of pictures into the folder that the process may read.
pub(crate) async fn unpack(
    decoder: &Pictures,
    pictures: Vec<Vec<u8>>,
    folder: &Path,
) -> Result<Vec<Frame>, MediaError> {
    let mut frames = Vec::new();
    for (place, picture) in pictures.into_iter().enumerate() {
        let file = |extension| folder.join(format!("picture-{place}")).with_extension(extension);
        let (pixels, webp) = (file("rgb"), file("webp"));
        let size = decoder.pixels(picture, pixels.clone()).await?;
        frames.push(Frame { size, pixels, webp });
    }
    Ok(frames)
}

/// ffmpeg's arguments to encode all of them.
pub(crate) fn webp_args(frames: &[Frame]) -> Vec<OsString> {
    let mut list = Args::new(args::QUIET_SINGLE);
    for Frame { size: (width, height), pixels, .. } in frames {
        list = list
            .words("-f rawvideo -pixel_format rgb24")
            .pair("-video_size", format!("{width}x{height}"))
            .pair("-i", args::file(pixels));
    }
    for (place, frame) in frames.iter().enumerate() {
        list = list
            .pair("-map", format!("{place}:v"))
            // The encoder goes from these colours to its own, with less loss than ffmpeg would.
            .words("-frames:v 1 -c:v libwebp -pix_fmt bgra -threads:v 1 -compression_level 4")
            .pair("-quality", QUALITY)
            .words("-fflags +bitexact -f webp")
            .add(args::file(&frame.webp));
    }
    list.finish()
}
