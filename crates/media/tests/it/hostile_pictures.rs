//! Malicious pictures, and pictures in unusual formats.

use image::{DynamicImage, ImageFormat, Rgb, RgbImage};
use tonearm_media::MediaError;

use crate::pictures::{covers, decode, encode, is_near, thirds};

/// The checksum of a PNG chunk.
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(
            crc ^ u32::from(*byte),
            |crc, _| if crc & 1 == 1 { crc >> 1 ^ 0xEDB8_8320 } else { crc >> 1 },
        )
    })
}

/// A real PNG whose header claims another size, with a valid checksum.
fn claiming(width: u32, height: u32) -> Vec<u8> {
    let mut png = encode(&thirds(3, 3), ImageFormat::Png);
    png[16..20].copy_from_slice(&width.to_be_bytes());
    png[20..24].copy_from_slice(&height.to_be_bytes());
    let checksum = crc32(&png[12..29]);
    png[29..33].copy_from_slice(&checksum.to_be_bytes());
    png
}

#[test]
fn a_huge_claim_costs_nothing() {
    for (width, height) in [(60_000, 60_000), (2_000_000_000, 2_000_000_000), (64_000_001, 1)] {
        assert!(covers(&claiming(width, height)).is_err(), "{width} by {height}");
    }
    assert!(matches!(covers(&claiming(8001, 8000)), Err(MediaError::LimitHit(_))));
    for (width, height) in [(0, 0), (0, 3), (3, 0)] {
        assert!(covers(&claiming(width, height)).is_err(), "{width} by {height}");
    }
    // A GIF of a few bytes that claims the largest possible screen.
    let mut gif = encode(&thirds(3, 3), ImageFormat::Gif);
    gif[6..10].fill(0xff);
    assert!(covers(&gif).is_err());
}

#[test]
fn extreme_shapes_are_cut_like_any_other() {
    for (width, height) in [(1, 1), (1, 5000), (5000, 1), (2, 3)] {
        let picture = DynamicImage::from(RgbImage::from_pixel(width, height, Rgb([10, 200, 30])));
        let made = covers(&encode(&picture, ImageFormat::Png)).unwrap();
        assert_eq!(made.theme.len(), 1, "{width} by {height}");
        assert!(is_near(decode(&made.images[0]).to_rgba8().get_pixel(40, 40).0, [10, 200, 30]));
    }
}

/// A truncated file is refused or rendered as far as it goes, and nothing panics.
#[test]
fn truncated_files_do_no_harm() {
    for format in [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::WebP, ImageFormat::Gif] {
        let whole = encode(&thirds(64, 64), format);
        for end in (0..whole.len()).step_by(37) {
            if let Ok(made) = covers(&whole[..end]) {
                assert_eq!(made.images.len(), 4, "{format:?} {end}");
            }
        }
    }
}

#[test]
fn flipped_bits_do_no_harm() {
    for format in [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::WebP, ImageFormat::Gif] {
        let whole = encode(&thirds(24, 24), format);
        for place in (0..whole.len()).step_by(29) {
            let mut bytes = whole.clone();
            bytes[place] ^= 0x55;
            // Any result is acceptable, as long as the call returns.
            drop(covers(&bytes));
        }
    }
}

/// Writes bits, for the entropy-coded part of a JPEG.
#[derive(Default)]
struct Bits(Vec<u8>, u32, u32);

impl Bits {
    fn push(&mut self, value: u32, count: u32) {
        for shift in (0..count).rev() {
            (self.1, self.2) = (self.1 << 1 | value >> shift & 1, self.2 + 1);
            if self.2 == 8 {
                self.0.push(self.1 as u8);
                if self.1 == 0xff {
                    // A 0xFF byte is followed by a zero byte, so that it is not a marker.
                    self.0.push(0);
                }
                (self.1, self.2) = (0, 0);
            }
        }
    }

    fn end(mut self) -> Vec<u8> {
        while self.2 != 0 {
            self.push(1, 1);
        }
        self.0
    }
}

/// An 8 by 8 JPEG of one colour in CMYK as Adobe writes it: four components, stored inverted.
fn cmyk_jpeg(cmyk: [u8; 4]) -> Vec<u8> {
    let mut jpeg = b"\xff\xd8\xff\xee\x00\x0eAdobe\x00\x64\x00\x00\x00\x00\x00".to_vec();
    jpeg.extend(b"\xff\xdb\x00\x43\x00");
    jpeg.extend([1; 64]);
    jpeg.extend(b"\xff\xc0\x00\x14\x08\x00\x08\x00\x08\x04");
    for component in 1..=4 {
        jpeg.extend([component, 0x11, 0]);
    }
    // Twelve sizes of a first coefficient in four bits each, and one code for "end of block".
    jpeg.extend(b"\xff\xc4\x00\x1f\x00\x00\x00\x00\x0c\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00");
    jpeg.extend(0..12);
    jpeg.extend(b"\xff\xc4\x00\x14\x10\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00");
    jpeg.extend(b"\xff\xda\x00\x0e\x04\x01\x00\x02\x00\x03\x00\x04\x00\x00\x3f\x00");
    let mut bits = Bits::default();
    for ink in cmyk {
        let difference = 8 * (255 - i32::from(ink) - 128);
        let size = i32::BITS - difference.abs().leading_zeros();
        bits.push(size, 4);
        let value = if difference < 0 { difference + (1 << size) - 1 } else { difference };
        bits.push(value as u32, size);
        bits.push(0, 1);
    }
    jpeg.extend(bits.end());
    jpeg.extend(b"\xff\xd9");
    jpeg
}

#[test]
fn covers_from_print_shops_keep_their_colours() {
    for (cmyk, rgb) in [
        ([0, 255, 255, 0], [255, 0, 0]),
        ([255, 0, 255, 0], [0, 255, 0]),
        ([0, 0, 0, 0], [255, 255, 255]),
        ([0, 0, 0, 255], [0, 0, 0]),
    ] {
        let made = covers(&cmyk_jpeg(cmyk)).unwrap();
        let seen = decode(&made.images[0]).to_rgba8().get_pixel(40, 40).0;
        assert!(is_near(seen, rgb), "{cmyk:?} is {seen:?}");
    }
}
