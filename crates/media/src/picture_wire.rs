//! The binary format in which a confined child returns a picture. A malicious picture may have taken over the child, so
//! the parent trusts nothing that it reads: numbers are bounded, and a picture is only passed on.
//!
//! The first byte is the result. Covers follow as: the content type, the number of colours, each as three bytes of RGB
//! and its area, and every size as its length and its JPEG. Pixels follow as: width, height, and RGB. Numbers are
//! little-endian: lengths and sides have 32 bits, areas 64.

use std::io::{self, Read, Write};

use tonearm_domain::{Colour, ContentType, CoverSize, Outage, ThemeColour};

use crate::error::MediaError;
use tonearm_signal::{CoverImage, Covers, PictureError};

const MADE: u8 = 0;
const UNREADABLE: u8 = 1;
const TOO_LARGE: u8 = 2;
/// The content types of pictures, by their number.
const CONTENT_TYPES: [ContentType; 4] =
    [ContentType::Jpeg, ContentType::Png, ContentType::Webp, ContentType::Gif];
/// Bytes of the largest cover; a cover of pure noise takes a tenth of it.
const LARGEST_COVER: u32 = 16 << 20;
/// The most bytes of an answer with covers.
pub(crate) const LARGEST_ANSWER: u64 = 4 * LARGEST_COVER as u64 + 1024;

/// Writes the result of making covers.
pub(crate) fn write_covers(to: &mut impl Write, made: Result<Covers, PictureError>) -> io::Result<()> {
    let Covers { images, theme, content_type } = match made {
        Ok(covers) => covers,
        Err(error) => return write_refusal(to, error),
    };
    let kind = CONTENT_TYPES.iter().position(|kind| *kind == content_type).unwrap_or_default();
    to.write_all(&[MADE, kind as u8, theme.len() as u8])?;
    for colour in theme {
        to.write_all(&colour.hex.rgb)?;
        to.write_all(&colour.area.to_le_bytes())?;
    }
    for image in images {
        to.write_all(&(image.jpeg.len() as u32).to_le_bytes())?;
        to.write_all(&image.jpeg)?;
    }
    Ok(())
}

/// Writes the result of decoding: the sides and the pixels.
pub(crate) fn write_pixels(
    to: &mut impl Write,
    decoded: Result<((u32, u32), Vec<u8>), PictureError>,
) -> io::Result<()> {
    match decoded {
        Ok(((width, height), rgb)) => {
            to.write_all(&[MADE])?;
            to.write_all(&width.to_le_bytes())?;
            to.write_all(&height.to_le_bytes())?;
            to.write_all(&rgb)
        }
        Err(error) => write_refusal(to, error),
    }
}

fn write_refusal(to: &mut impl Write, error: PictureError) -> io::Result<()> {
    to.write_all(&[if error == PictureError::TooLarge { TOO_LARGE } else { UNREADABLE }])
}

/// Reads covers, or the reason why there are none.
pub(crate) fn read_covers(mut from: impl Read) -> Result<Covers, MediaError> {
    read_verdict(&mut from)?;
    try_read_covers(from).map_err(|_| garbled())
}

fn try_read_covers(mut from: impl Read) -> io::Result<Covers> {
    let [kind, colours] = read_bytes(&mut from)?;
    let content_type = *CONTENT_TYPES.get(usize::from(kind)).ok_or(io::ErrorKind::InvalidData)?;
    let mut theme = Vec::new();
    for _ in 0..usize::from(colours).min(ThemeColour::MOST) {
        let [r, g, b] = read_bytes(&mut from)?;
        let colour = ThemeColour::of(Colour::new(r, g, b), f64::from_le_bytes(read_bytes(&mut from)?));
        if !colour.is_valid() {
            return Err(io::ErrorKind::InvalidData.into());
        }
        theme.push(colour);
    }
    let mut images = Vec::new();
    for size in CoverSize::ALL {
        let length = u32::from_le_bytes(read_bytes(&mut from)?);
        let mut jpeg = Vec::new();
        let is_whole = length <= LARGEST_COVER
            && from.by_ref().take(length.into()).read_to_end(&mut jpeg)? == length as usize;
        // Checks the first bytes, as it is delivered as a JPEG.
        if !is_whole || !jpeg.starts_with(&[0xff, 0xd8, 0xff]) {
            return Err(io::ErrorKind::InvalidData.into());
        }
        images.push(CoverImage { size, jpeg });
    }
    Ok(Covers { images, theme, content_type })
}

/// Reads the sides of a picture of at most 64 megapixels, or the reason why there is none. The pixels follow, three
/// bytes each.
pub(crate) fn read_sides(mut from: impl Read) -> Result<(u32, u32), MediaError> {
    read_verdict(&mut from)?;
    let mut side = || read_bytes(&mut from).map(u32::from_le_bytes).map_err(|_| garbled());
    let (width, height) = (side()?, side()?);
    if u64::from(width) * u64::from(height) > tonearm_signal::MOST_PIXELS {
        return Err(garbled());
    }
    Ok((width, height))
}

fn read_verdict(from: &mut impl Read) -> Result<(), MediaError> {
    match read_bytes(from) {
        Ok([MADE]) => Ok(()),
        Ok([UNREADABLE]) => Err(PictureError::Unreadable.into()),
        Ok([TOO_LARGE]) => Err(PictureError::TooLarge.into()),
        Ok(_) | Err(_) => Err(garbled()),
    }
}

fn read_bytes<const LENGTH: usize>(from: &mut impl Read) -> io::Result<[u8; LENGTH]> {
    let mut bytes = [0; LENGTH];
    from.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// The error if the child succeeded but returned invalid data.
fn garbled() -> MediaError {
    MediaError::Outage(Outage::Internal, "The process that reads pictures gave no valid result.".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(made: Result<Covers, PictureError>) -> Vec<u8> {
        let mut bytes = Vec::new();
        write_covers(&mut bytes, made).unwrap();
        bytes
    }

    fn some_covers() -> Covers {
        let jpeg = vec![0xff, 0xd8, 0xff, 1, 2, 3];
        Covers {
            images: CoverSize::ALL.map(|size| CoverImage { size, jpeg: jpeg.clone() }).into(),
            theme: vec![ThemeColour::of(Colour::new(1, 2, 3), 0.25)],
            content_type: ContentType::Webp,
        }
    }

    #[test]
    fn covers_and_refusals_arrive_as_they_were() {
        assert_eq!(read_covers(&*written(Ok(some_covers()))).unwrap(), some_covers());
        assert!(matches!(
            read_covers(&*written(Err(PictureError::Unreadable))),
            Err(MediaError::Unsupported(_))
        ));
        assert!(matches!(read_covers(&*written(Err(PictureError::TooLarge))), Err(MediaError::LimitHit(_))));
    }

    #[test]
    fn what_is_cut_off_or_lies_is_nobodys_picture() {
        let whole = written(Ok(some_covers()));
        let mut lies = whole.clone();
        lies[2..6].fill(0xff);
        let cut = (0..whole.len()).map(|end| whole[..end].to_vec());
        for bytes in cut.chain([lies, b"\nrunning 0 tests".to_vec(), vec![MADE, 9, 0]]) {
            assert!(
                matches!(read_covers(&*bytes), Err(MediaError::Outage(Outage::Internal, _))),
                "{bytes:?}"
            );
        }
        let huge = [vec![MADE], vec![0xff; 8]].concat();
        assert!(read_sides(&*huge).is_err());
    }
}
