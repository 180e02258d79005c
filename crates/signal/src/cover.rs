//! Covers: pictures scaled to the sizes that players show.

use std::io::Cursor;

use fast_image_resize::images::{TypedImage, TypedImageRef};
use fast_image_resize::pixels::U8x3;
use fast_image_resize::{ResizeOptions, Resizer};
use image::codecs::jpeg::JpegEncoder;
use image::{DynamicImage, ExtendedColorType, ImageDecoder, ImageFormat, ImageReader, Limits, RgbImage};
use tonearm_domain::{ContentType, CoverSize, ThemeColour};

use crate::colour_profile::ToSrgb;
use crate::error::PictureError;
use crate::palette::palette;

/// A square JPEG.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CoverImage {
    /// Its size.
    pub size: CoverSize,
    /// The file.
    pub jpeg: Vec<u8>,
}

/// The covers made from a picture, and its properties.
#[derive(Debug, Clone, PartialEq)]
pub struct Covers {
    /// Every size, smallest first.
    pub images: Vec<CoverImage>,
    /// The dominant colours of the square; see [`palette`].
    pub theme: Vec<ThemeColour>,
    /// The content type of the picture itself.
    pub content_type: ContentType,
}

/// The largest picture that is decoded.
pub const MOST_PIXELS: u64 = 64_000_000;
/// Memory for decoding, in bytes.
const DECODE_MEMORY: u64 = 256 << 20;
const JPEG_QUALITY: u8 = 85;

/// Every size of a cover, and the colours of a picture: a JPEG, PNG, WebP or GIF (its first frame), cropped to a
/// square. Colours are converted to sRGB, and transparent parts become white.
pub fn covers(art: &[u8]) -> Result<Covers, PictureError> {
    let Decoded { picture, content_type, profile } = decode(art)?;
    let picture = flatten(&picture);
    let to_srgb = profile.and_then(|profile| ToSrgb::new(&profile));
    let (width, height) = picture.dimensions();
    let source = TypedImageRef::<U8x3>::from_buffer(width, height, picture.as_raw()).map_err(broken)?;
    let mut resizer = Resizer::new();
    let square = ResizeOptions::new().fit_into_destination(None);
    let mut covers = Covers { images: Vec::new(), theme: Vec::new(), content_type };
    for size in CoverSize::ALL {
        let side = size.side();
        let mut scaled = vec![0; (side * side * 3) as usize];
        let mut view = TypedImage::<U8x3>::from_buffer(side, side, &mut scaled).map_err(broken)?;
        // `Resizer::resize` would be compiled for each of the 13 pixel types.
        resizer.resize_typed(&source, &mut view, &square).map_err(broken)?;
        if let Some(to_srgb) = &to_srgb {
            to_srgb.apply(&mut scaled);
        }
        let jpeg = encode_jpeg(side, &scaled).map_err(broken)?;
        covers.images.push(CoverImage { size, jpeg });
        if size == CoverSize::Regular {
            covers.theme = palette(&scaled);
        }
    }
    Ok(covers)
}

/// The sides of one of our own pictures, and its RGB pixels.
pub fn pixels(picture: &[u8]) -> Result<((u32, u32), Vec<u8>), PictureError> {
    let flat = flatten(&decode(picture)?.picture);
    Ok((flat.dimensions(), flat.into_raw()))
}

/// Encodes `side`² RGB pixels.
pub(crate) fn encode_jpeg(side: u32, rgb: &[u8]) -> image::ImageResult<Vec<u8>> {
    let mut jpeg = Vec::new();
    JpegEncoder::new_with_quality(&mut jpeg, JPEG_QUALITY).encode(
        rgb,
        side,
        side,
        ExtendedColorType::Rgb8,
    )?;
    Ok(jpeg)
}

/// A decoded picture and its properties.
struct Decoded {
    picture: DynamicImage,
    content_type: ContentType,
    /// Its ICC profile, if it has one.
    profile: Option<Vec<u8>>,
}

fn decode(art: &[u8]) -> Result<Decoded, PictureError> {
    let mut reader = ImageReader::new(Cursor::new(art)).with_guessed_format().map_err(broken)?;
    let content_type = match reader.format() {
        Some(ImageFormat::Jpeg) => ContentType::Jpeg,
        Some(ImageFormat::Png) => ContentType::Png,
        Some(ImageFormat::WebP) => ContentType::Webp,
        Some(ImageFormat::Gif) => ContentType::Gif,
        _ => return Err(PictureError::Unreadable),
    };
    let mut limits = Limits::default();
    limits.max_alloc = Some(DECODE_MEMORY);
    reader.limits(limits);
    let mut decoder = reader.into_decoder().map_err(broken)?;
    let (width, height) = decoder.dimensions();
    if u64::from(width) * u64::from(height) > MOST_PIXELS {
        return Err(PictureError::TooLarge);
    }
    let orientation = decoder.orientation().map_err(broken)?;
    let profile = decoder.icc_profile().unwrap_or_default();
    let mut picture = DynamicImage::from_decoder(decoder).map_err(broken)?;
    picture.apply_orientation(orientation);
    Ok(Decoded { picture, content_type, profile })
}

/// Converts to RGB, laid over white where the picture is transparent.
fn flatten(picture: &DynamicImage) -> RgbImage {
    if !picture.color().has_alpha() {
        return picture.to_rgb8();
    }
    let rgba = picture.to_rgba8();
    let over_white = |channel: u8, alpha: u8| {
        let (channel, alpha) = (u32::from(channel), u32::from(alpha));
        ((channel * alpha + 255 * (255 - alpha) + 127) / 255) as u8
    };
    let mut flat = RgbImage::new(rgba.width(), rgba.height());
    for (to, from) in flat.pixels_mut().zip(rgba.pixels()) {
        let [r, g, b, alpha] = from.0;
        to.0 = [r, g, b].map(|channel| over_white(channel, alpha));
    }
    flat
}

fn broken(error: impl std::error::Error) -> PictureError {
    tracing::debug!(%error, "could not read or write a picture");
    PictureError::Unreadable
}
