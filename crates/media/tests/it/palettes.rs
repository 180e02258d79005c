//! Colours extracted from pictures.

use image::{DynamicImage, ImageFormat, Rgb, RgbImage, Rgba, RgbaImage};
use tonearm_domain::{Colour, ThemeColour};
use tonearm_signal::palette;

use crate::pictures::{covers, encode, thirds, turned};

/// Vertical stripes: each colour with its width in pixels.
fn stripes(parts: &[([u8; 3], u32)], height: u32) -> DynamicImage {
    let row: Vec<[u8; 3]> =
        parts.iter().flat_map(|(rgb, width)| std::iter::repeat_n(*rgb, *width as usize)).collect();
    DynamicImage::from(RgbImage::from_fn(row.len() as u32, height, |x, _| Rgb(row[x as usize])))
}

fn theme(picture: &DynamicImage, format: ImageFormat) -> Vec<ThemeColour> {
    covers(&encode(picture, format)).unwrap().theme
}

/// Asserts the colours of a theme in order, each with its expected area.
#[track_caller]
fn assert_theme(theme: &[ThemeColour], expected: &[([u8; 3], f64)]) {
    assert_eq!(theme.len(), expected.len(), "{theme:?}");
    for (colour, (rgb, area)) in theme.iter().zip(expected) {
        let off = colour.hex.rgb.iter().zip(rgb).map(|(a, b)| a.abs_diff(*b)).max();
        assert!(off <= Some(6) && (colour.area - area).abs() < 0.02, "{colour:?} is no {rgb:?} of {area}");
    }
}

#[test]
fn areas_are_shares_of_the_picture() {
    let picture = stripes(&[([30, 60, 180], 200), ([200, 30, 30], 480), ([240, 240, 240], 120)], 800);
    let expected = [([200, 30, 30], 0.6), ([30, 60, 180], 0.25), ([240, 240, 240], 0.15)];
    for format in [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::WebP] {
        assert_theme(&theme(&picture, format), &expected);
    }
    let colour = &theme(&picture, ImageFormat::Png)[0];
    let same = ThemeColour::of(colour.hex, colour.area);
    assert_eq!((colour.lightness, colour.saturation), (same.lightness, same.saturation));
}

#[test]
fn only_what_the_cover_shows_counts() {
    assert_theme(&theme(&thirds(900, 300), ImageFormat::Png), &[([0, 255, 0], 1.0)]);
    // The same picture rotated: upright, it is cropped at the top and at the bottom.
    let wide = stripes(&[([255, 0, 0], 300), ([0, 0, 255], 300)], 200);
    let lying = turned(&encode(&wide, ImageFormat::Jpeg));
    let upright = covers(&lying).unwrap().theme;
    assert_eq!(upright.len(), 2);
    assert!(upright.iter().all(|colour| (colour.area - 0.5).abs() < 0.02), "{upright:?}");
}

#[test]
fn what_is_transparent_counts_as_white() {
    let clear = DynamicImage::from(RgbaImage::from_fn(100, 100, |x, _| {
        if x < 75 { Rgba([0, 0, 0, 0]) } else { Rgba([0, 100, 0, 255]) }
    }));
    let expected = [([255, 255, 255], 0.75), ([0, 100, 0], 0.25)];
    assert_theme(&theme(&clear, ImageFormat::Png), &expected);
}

#[test]
fn more_colours_than_eight_are_the_largest_eight() {
    let hues: Vec<([u8; 3], u32)> = [
        [230, 20, 20],
        [20, 200, 20],
        [20, 20, 230],
        [230, 230, 20],
        [230, 20, 230],
        [20, 220, 220],
        [250, 250, 250],
        [5, 5, 5],
        [128, 64, 0],
        [128, 128, 128],
    ]
    .into_iter()
    .zip((4..14).rev().map(|width| width * 10))
    .collect();
    let largest = theme(&stripes(&hues, 850), ImageFormat::Png);
    assert_eq!(largest.len(), 8);
    for ((rgb, _), colour) in hues.iter().zip(&largest) {
        assert!(colour.hex.rgb.iter().zip(rgb).all(|(a, b)| a.abs_diff(*b) < 12), "{largest:?}");
    }
}

/// The player uses a small spot of a strong colour on a dull background.
#[test]
fn the_most_vibrant_colour_may_be_a_small_one() {
    let picture = stripes(&[([120, 118, 115], 360), ([230, 40, 20], 40)], 400);
    let vibrant = ThemeColour::most_vibrant(&theme(&picture, ImageFormat::Png)).unwrap();
    assert!(vibrant.rgb[0] > 200 && vibrant.rgb[1] < 70, "{vibrant:?}");
}

#[test]
fn the_same_picture_has_the_same_palette() {
    // Gradients and grain, where colours have no clear boundaries.
    let grain = |x: u32, y: u32| ((x * 7919 + y * 104_729) % 23) as u8;
    let picture = RgbImage::from_fn(400, 400, |x, y| {
        let (x8, y8) = ((x * 220 / 400) as u8, (y * 220 / 400) as u8);
        Rgb([x8 + grain(x, y), y8 + grain(y, x), 200 - x8 / 2 + grain(x, x + y)])
    });
    let first = palette(picture.as_raw());
    assert!((2..=8).contains(&first.len()));
    for _ in 0..5 {
        assert_eq!(palette(picture.as_raw()), first);
    }
    // The result is the same on every machine.
    assert_eq!(first[0].hex.to_string().len(), 7);
    assert_eq!(palette(&[]), []);
    assert_eq!(palette(&Colour::DEFAULT.rgb), [ThemeColour::of(Colour::DEFAULT, 1.0)]);
}
