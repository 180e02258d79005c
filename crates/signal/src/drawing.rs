//! Pictures of a waveform, drawn here: the same levels and colour always give the same bytes.

use image::codecs::png::PngEncoder;
use image::{ExtendedColorType, ImageEncoder};
use tonearm_domain::{Colour, CoverSize, WaveformImage, WaveformVideo};

use crate::cover::{CoverImage, encode_jpeg};
use crate::error::PictureError;

/// Vertical bars with round ends, side by side along a horizontal middle line.
struct Bars {
    /// Half the height of each, in pixels.
    halves: Vec<f64>,
    /// Half the width, in pixels.
    radius: f64,
    /// From one bar's middle to the next, in pixels.
    pitch: f64,
    /// Where the first bar's middle is, in pixels from the left.
    first: f64,
    /// Where the middle line is, in pixels from the top.
    middle: f64,
}

/// The share of a bar in its space; the rest is gap.
const BAR_SHARE: f64 = 0.58;

impl Bars {
    /// This many bars in a box of `width` by `height` pixels, with margins left and right, and above and below.
    fn in_box(levels: &[f64], count: usize, (width, height): (f64, f64), (across, down): (f64, f64)) -> Self {
        let pitch = (width - 2.0 * across) / count.max(1) as f64;
        let radius = pitch * BAR_SHARE / 2.0;
        let tallest = (height / 2.0 - down).max(radius);
        let bars = resample(levels, count);
        // Quiet tracks are drawn as tall as loud ones: the shape distinguishes them.
        let loudest = bars.iter().copied().fold(0.0, f64::max);
        let scale = if loudest > 0.0 { 1.0 / loudest } else { 0.0 };
        Self {
            halves: bars.iter().map(|level| (level * scale * tallest).max(radius)).collect(),
            radius,
            pitch,
            first: across + pitch / 2.0,
            middle: height / 2.0,
        }
    }

    /// How much of a pixel is covered, 0..=1: computed from the distance of its centre to the nearest bar's edge.
    fn coverage(&self, x: u32, y: u32) -> f64 {
        let (x, y) = (f64::from(x) + 0.5, f64::from(y) + 0.5);
        let nearest = ((x - self.first) / self.pitch).round().max(0.0) as usize;
        let Some(half) = self.halves.get(nearest.min(self.halves.len().saturating_sub(1))) else {
            return 0.0;
        };
        let dx = x - (self.first + nearest.min(self.halves.len() - 1) as f64 * self.pitch);
        let dy = ((y - self.middle).abs() - (half - self.radius)).max(0.0);
        (self.radius + 0.5 - (dx * dx + dy * dy).sqrt()).clamp(0.0, 1.0)
    }
}

/// As many levels as bars: the loudest of each share, which preserves the outline.
fn resample(levels: &[f64], count: usize) -> Vec<f64> {
    (0..count)
        .map(|bar| {
            let from = bar * levels.len() / count;
            let to = ((bar + 1) * levels.len() / count).max(from + 1).min(levels.len());
            let part = levels.get(from..to).unwrap_or_default();
            part.iter().copied().filter(|level| level.is_finite()).fold(0.0, f64::max).min(1.0)
        })
        .collect()
}

/// A cover for a track without one: its waveform as light or dark bars on a square of the player colour, a little
/// darker towards the bottom. `levels` are amplitudes 0..=1, any number; without any, a row of dots is drawn.
pub fn placeholder(colour: Colour, levels: &[f64], sizes: &[CoverSize]) -> Vec<CoverImage> {
    sizes
        .iter()
        .map(|&size| {
            let side = size.side();
            // Fewer and wider bars if there is less room.
            let count = match side {
                0..100 => 9,
                100..300 => 17,
                300..700 => 25,
                _ => 41,
            };
            let width = f64::from(side);
            let bars = Bars::in_box(levels, count, (width, width), (width * 0.14, width * 0.22));
            let jpeg = encode_jpeg(side, &paint(colour, &bars, side))
                .expect("a small square of side * side pixels in memory is a valid JPEG");
            CoverImage { size, jpeg }
        })
        .collect()
}

/// The pixels of a placeholder, as RGB.
fn paint(colour: Colour, bars: &Bars, side: u32) -> Vec<u8> {
    let ink = if colour.is_dark() { [255.0; 3] } else { [24.0; 3] };
    let pixels = (0..side).flat_map(|y| (0..side).map(move |x| (x, y)));
    pixels
        .flat_map(|(x, y)| {
            // From 6 % lighter to 14 % darker, along the diagonal.
            let along = f64::from(x + y) / f64::from(2 * side);
            let shade = 1.06 - 0.20 * along;
            let ink_share = bars.coverage(x, y) * 0.92;
            let [ground, ink] = [colour.rgb.map(|c| (f64::from(c) * shade).min(255.0)), ink];
            [0, 1, 2].map(|c| (ground[c] * (1.0 - ink_share) + ink[c] * ink_share).round() as u8)
        })
        .collect()
}

/// How many bars a waveform of this width has: with one every 6 pixels, bars and gaps are just visible.
pub fn bars_across(width: u32) -> u32 {
    (width / 6).max(1)
}

/// The waveform as a PNG: bars in the colour of the settings, else in `colour`. `levels` are amplitudes 0..=1,
/// preferably as many as [`bars_across`] returns.
pub fn waveform_image(
    settings: &WaveformImage,
    colour: Colour,
    levels: &[f64],
) -> Result<Vec<u8>, PictureError> {
    let WaveformImage { width, height, color, background } = settings;
    let bars = across(levels, *width, *height, 1.0);
    paint_png(&bars, (*width, *height), color.unwrap_or(colour), *background)
}

/// Bars from edge to edge.
fn across(levels: &[f64], width: u32, height: u32, margin: f64) -> Bars {
    let size = (f64::from(width), f64::from(height));
    Bars::in_box(levels, bars_across(width) as usize, size, (0.0, margin))
}

/// Bars as a PNG, on a transparent or coloured background.
fn paint_png(
    bars: &Bars,
    (width, height): (u32, u32),
    ink: Colour,
    ground: Option<Colour>,
) -> Result<Vec<u8>, PictureError> {
    let mut pixels = Vec::with_capacity(4 * width as usize * height as usize);
    for (y, x) in (0..height).flat_map(|y| (0..width).map(move |x| (y, x))) {
        let coverage = bars.coverage(x, y);
        match ground {
            None => {
                pixels.extend(ink.rgb);
                pixels.push((coverage * 255.0).round() as u8);
            }
            Some(ground) => {
                pixels.extend(mixed(ink, ground, coverage).rgb);
                pixels.push(255);
            }
        }
    }
    encode_png(&pixels, (width, height), ExtendedColorType::Rgba8)
}

fn mixed(ink: Colour, ground: Colour, share: f64) -> Colour {
    let [r, g, b] = [0, 1, 2].map(|channel| {
        let (ink, ground) = (f64::from(ink.rgb[channel]), f64::from(ground.rgb[channel]));
        (ink * share + ground * (1.0 - share)).round() as u8
    });
    Colour::new(r, g, b)
}

fn encode_png(
    pixels: &[u8],
    (width, height): (u32, u32),
    colours: ExtendedColorType,
) -> Result<Vec<u8>, PictureError> {
    let mut png = Vec::new();
    PngEncoder::new(&mut png).write_image(pixels, width, height, colours).map_err(|error| {
        tracing::error!(%error, "a picture could not be written");
        PictureError::Unwritable
    })?;
    Ok(png)
}

/// The pictures that a video of the waveform is composed of.
pub struct VideoPictures {
    /// All bars as already played.
    pub heard: Vec<u8>,
    /// All bars as not yet played.
    pub unheard: Vec<u8>,
    /// A mask twice as wide: white on the left, black on the right. It moves over the pictures and selects which of the
    /// two is visible.
    pub mask: Vec<u8>,
}

/// The share of its colour that a bar has before it is played.
const UNHEARD: f64 = 0.3;

/// The pictures of a video, in the colours of the settings, else in `colour`. `levels` are amplitudes 0..=1.
pub fn video_pictures(
    settings: &WaveformVideo,
    colour: Colour,
    levels: &[f64],
) -> Result<VideoPictures, PictureError> {
    let (width, height) = (settings.width, settings.height);
    let ground = settings.background.unwrap_or(Colour::new(0, 0, 0));
    let ink = settings.color.unwrap_or(colour);
    let bars = across(levels, width, height, f64::from(height) * 0.15);
    let mask: Vec<u8> =
        (0..height).flat_map(|_| (0..2 * width).map(|x| if x < width { 255 } else { 0 })).collect();
    Ok(VideoPictures {
        heard: paint_png(&bars, (width, height), ink, Some(ground))?,
        unheard: paint_png(&bars, (width, height), mixed(ink, ground, UNHEARD), Some(ground))?,
        mask: encode_png(&mask, (2 * width, height), ExtendedColorType::L8)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_take_the_loudest_of_their_share() {
        assert_eq!(resample(&[0.1, 0.5, 0.2, 0.3], 2), [0.5, 0.3]);
        assert_eq!(resample(&[0.4], 3), [0.4; 3]);
        assert_eq!(resample(&[], 3), [0.0; 3]);
        assert_eq!(resample(&[f64::NAN, 7.0], 2), [0.0, 1.0]);
    }

    #[test]
    fn a_bar_is_solid_inside_soft_at_its_edge_and_nothing_beside() {
        let bars = Bars::in_box(&[1.0], 1, (20.0, 40.0), (0.0, 0.0));
        assert_eq!(bars.coverage(10, 20), 1.0);
        assert_eq!(bars.coverage(0, 20), 0.0);
        let edge: Vec<f64> = (0..10).map(|x| bars.coverage(x, 20)).filter(|c| *c > 0.0 && *c < 1.0).collect();
        assert!(!edge.is_empty() && edge.len() <= 2);
    }
}
