//! Covers as WebP. No encoder in safe Rust supports lossy WebP, so ffmpeg's encoder gets raw pixels: foreign bytes
//! never reach a decoder there.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use tonearm_telemetry::Purpose;

use crate::args::{self, Args};
use crate::error::MediaError;
use crate::limits::RunScope;
use crate::media::{Media, fresh_folder};
use crate::pictures::Pictures;
use crate::process::Invocation;
use crate::tools;

/// At this quality the files look much like our JPEGs, and are smaller.
const QUALITY: &str = "82";

impl Media {
    /// Encodes covers, given as JPEG or another format that [`Pictures::covers`] takes, as WebP, in their order.
    /// Returns [`MediaError::Failed`] if this ffmpeg has no WebP encoder; see [`Tools::encodes_webp`].
    pub async fn webp(
        &self,
        pictures: Vec<Vec<u8>>,
        scratch: &Path,
        scope: &RunScope,
    ) -> Result<Vec<Vec<u8>>, MediaError> {
        if pictures.is_empty() {
            return Ok(Vec::new());
        }
        let permit = self.encoder_permit(scope).await?;
        let folder = fresh_folder(scratch).await?;
        let frames = unpack(&self.pictures(), pictures, folder.path()).await?;
        let invocation = Invocation {
            permits: Some(permit),
            folder: Some(folder.path().to_owned()),
            purpose: Purpose::Picture,
            otherwise: "The picture could not be encoded as WebP.",
            ..self.ffmpeg(webp_args(&frames), scope, 0.0, 0)
        };
        invocation.run(&scope.cancel, tools::read_text).await?;
        let mut encoded = Vec::new();
        for frame in frames {
            encoded.push(tokio::fs::read(frame.webp).await?);
        }
        Ok(encoded)
    }
}

/// One picture: its pixels in a file, and where its WebP goes.
struct Frame {
    size: (u32, u32),
    pixels: PathBuf,
    webp: PathBuf,
}

/// Writes the pixels of pictures into the folder that the process may read.
async fn unpack(decoder: &Pictures, pictures: Vec<Vec<u8>>, folder: &Path) -> Result<Vec<Frame>, MediaError> {
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
fn webp_args(frames: &[Frame]) -> Vec<OsString> {
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
            // The encoder converts these colours to its own with less loss than ffmpeg would.
            .words("-frames:v 1 -c:v libwebp -pix_fmt bgra -threads:v 1 -compression_level 4")
            .pair("-quality", QUALITY)
            .words("-fflags +bitexact -f webp")
            .add(args::file(&frame.webp));
    }
    list.finish()
}
