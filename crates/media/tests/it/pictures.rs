//! Covers: extracted, cropped and drawn.

use std::io::Cursor;
use std::path::Path;

use image::{DynamicImage, GenericImageView, ImageFormat, Rgb, RgbImage, Rgba, RgbaImage};
use tonearm_domain::{
    Codec, Colour, CoverSize, PreviewLength, PreviewSettings, RecipeKind, Transcode, WaveformImage,
};
use tonearm_fixtures::audio::{WavSpec, transcode};
use tonearm_media::{MediaError, Pictures, RunScope};
use tonearm_signal::{CoverImage, Covers, placeholder, waveform_image};

use crate::bench::Bench;

/// Red, green and blue thirds, side by side.
pub(crate) fn thirds(width: u32, height: u32) -> DynamicImage {
    let colours = [Rgb([255, 0, 0]), Rgb([0, 255, 0]), Rgb([0, 0, 255])];
    DynamicImage::from(RgbImage::from_fn(width, height, |x, _| colours[(x * 3 / width) as usize]))
}

pub(crate) fn encode(picture: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    picture.write_to(&mut bytes, format).unwrap();
    bytes.into_inner()
}

pub(crate) fn decode(cover: &CoverImage) -> DynamicImage {
    image::load_from_memory_with_format(&cover.jpeg, ImageFormat::Jpeg).unwrap()
}

/// Renders the covers of a picture as the service does. Blocks the calling thread.
pub(crate) fn covers(picture: &[u8]) -> Result<Covers, MediaError> {
    let picture = picture.to_owned();
    let make = || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(Pictures::default().covers(RunScope::default().organization_id, picture))
    };
    // The thread of a test may not block on another runtime.
    std::thread::scope(|scope| scope.spawn(make).join().unwrap())
}

async fn embedded_art(input: &Path) -> Option<Vec<u8>> {
    Pictures::default().embedded_art(input).await.unwrap()
}

pub(crate) fn is_near(pixel: [u8; 4], expected: [u8; 3]) -> bool {
    pixel.iter().zip(expected).all(|(a, b)| a.abs_diff(b) < 40)
}

#[test]
fn covers_are_centred_squares() {
    let wide = thirds(900, 300);
    for format in [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::WebP, ImageFormat::Gif] {
        let made = covers(&encode(&wide, format)).unwrap();
        let sizes: Vec<_> = made.images.iter().map(|cover| cover.size).collect();
        assert_eq!(sizes, CoverSize::ALL);
        for cover in &made.images {
            let picture = decode(cover);
            let side = cover.size.side();
            assert_eq!(picture.dimensions(), (side, side));
            // Only the middle third is left.
            for x in [side / 8, side / 2, side - side / 8] {
                assert!(is_near(picture.get_pixel(x, side / 2).0, [0, 255, 0]), "{format:?} {side}");
            }
        }
    }
}

#[test]
fn what_is_transparent_becomes_white() {
    let clear = DynamicImage::from(RgbaImage::from_pixel(100, 100, Rgba([0, 0, 0, 0])));
    let made = covers(&encode(&clear, ImageFormat::Png)).unwrap();
    assert!(is_near(decode(&made.images[0]).get_pixel(40, 40).0, [255; 3]));
}

/// A JPEG with EXIF orientation 6: rotate by 90° to the right.
pub(crate) fn turned(jpeg: &[u8]) -> Vec<u8> {
    let exif: &[u8] =
        b"\xff\xe1\x00\x22Exif\0\0MM\0\x2a\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0";
    [&jpeg[..2], exif, &jpeg[2..]].concat()
}

#[test]
fn covers_are_upright() {
    let halves = DynamicImage::from(RgbImage::from_fn(400, 400, |x, _| {
        if x < 200 { Rgb([255, 0, 0]) } else { Rgb([0, 0, 255]) }
    }));
    let made = covers(&turned(&encode(&halves, ImageFormat::Jpeg))).unwrap();
    let picture = decode(&made.images[2]);
    assert!(is_near(picture.get_pixel(200, 50).0, [255, 0, 0]));
    assert!(is_near(picture.get_pixel(200, 350).0, [0, 0, 255]));
}

#[test]
fn what_is_no_picture_is_refused() {
    let png = encode(&thirds(300, 300), ImageFormat::Png);
    for bytes in
        [b"".as_slice(), b"hello", &png[..png.len() / 2], b"<svg xmlns='http://www.w3.org/2000/svg'/>"]
    {
        assert!(matches!(covers(bytes), Err(MediaError::Unsupported(_))));
    }
}

#[tokio::test]
async fn art_is_found_in_tags_and_kept_where_asked() {
    let bench = Bench::new();
    let art = encode(&thirds(300, 300), ImageFormat::Png);
    let picture = bench.path().join("art.png");
    std::fs::write(&picture, &art).unwrap();
    let wav = bench.wav("in.wav", &WavSpec::default());
    assert_eq!(embedded_art(&wav).await, None);

    let picture = picture.to_str().unwrap();
    for name in ["in.mp3", "in.flac", "in.m4a"] {
        let input = bench.path().join(name);
        let attach =
            ["-i", picture, "-map", "0:a", "-map", "1:v", "-c:v", "copy", "-disposition:v", "attached_pic"];
        transcode(&wav, &input, &attach).await;
        assert_eq!(embedded_art(&input).await.as_deref(), Some(art.as_slice()), "{name}");
        let probe = bench.probe(&input).await.unwrap();
        assert!(probe.picture.is_some() && !probe.has_video, "{name}");

        for codec in [Codec::Mp3, Codec::Aac, Codec::Flac, Codec::Ogg, Codec::Opus, Codec::Wav] {
            for is_strip_cover in [true, false] {
                let settings = Transcode { codec, is_strip_cover, ..Transcode::default() };
                let made = bench.transcode(&input, settings).await.unwrap();
                let kept = embedded_art(&made.path).await;
                let holds_pictures = matches!(codec, Codec::Mp3 | Codec::Aac | Codec::Flac);
                let expected = (!is_strip_cover && holds_pictures).then_some(art.as_slice());
                assert!(kept.as_deref() == expected, "{name} to {codec:?}, stripped: {is_strip_cover}");
            }
        }
    }
}

#[tokio::test]
async fn previews_keep_art_too() {
    let bench = Bench::new();
    let art = bench.path().join("art.png");
    std::fs::write(&art, encode(&thirds(300, 300), ImageFormat::Png)).unwrap();
    let wav = bench.wav("in.wav", &WavSpec { seconds: 20.0, ..WavSpec::default() });
    let input = bench.path().join("in.mp3");
    let art = art.to_str().unwrap();
    let attach = ["-i", art, "-map", "0:a", "-map", "1:v", "-c:v", "copy", "-disposition:v", "attached_pic"];
    transcode(&wav, &input, &attach).await;
    let kind = RecipeKind::Preview(PreviewSettings {
        transcode: Transcode { codec: Codec::Mp3, is_strip_cover: false, ..Transcode::default() },
        length: PreviewLength::Seconds {
            preview_seconds: 4.0,
            preview_min_percent: 0.0,
            preview_max_percent: 50.0,
        },
        preview_start_percent: 50.0,
    });
    let made = bench.render(&input, 20.0, &kind).await.unwrap();
    assert!(embedded_art(&made.path).await.is_some());
    assert!((3.95..4.1).contains(&bench.probe(&made.path).await.unwrap().duration));
}

#[tokio::test]
async fn broken_tags_hold_no_art() {
    let bench = Bench::new();
    let path = bench.path().join("x.mp3");
    for bytes in [b"".as_slice(), b"ID3\x04\0\0\x7f\x7f\x7f\x7fAPIC\x7f\x7f\x7f\x7f", &[0xff; 5000]] {
        std::fs::write(&path, bytes).unwrap();
        assert_eq!(embedded_art(&path).await, None);
    }
    let missing = Pictures::default().embedded_art(&bench.path().join("missing")).await;
    assert!(matches!(missing, Err(MediaError::Outage(..))), "a file that is gone says nothing of its tags");
}

fn wave() -> Vec<f64> {
    (0..320).map(|n| (f64::from(n) / 17.0).sin().abs() * (f64::from(n) / 101.0).cos().abs()).collect()
}

#[test]
fn placeholders_show_the_colour_and_the_sound() {
    for colour in [Colour::DEFAULT, Colour::new(20, 30, 90), Colour::new(255, 255, 255), Colour::new(0, 0, 0)]
    {
        let made = placeholder(colour, &wave(), &CoverSize::LISTED);
        assert_eq!(made, placeholder(colour, &wave(), &CoverSize::LISTED));
        let picture = decode(&made[2]);
        let (corner, middle) = (picture.get_pixel(40, 40).0, picture.get_pixel(200, 200).0);
        assert!(is_near(corner, colour.rgb));
        assert!(!is_near(middle, colour.rgb));
    }
    assert_eq!(placeholder(Colour::DEFAULT, &[], &CoverSize::ALL).len(), 4);
}

#[test]
fn waveform_images_are_bars_on_nothing() {
    let settings = WaveformImage { width: 600, height: 120, ..WaveformImage::default() };
    let png = waveform_image(&settings, Colour::DEFAULT, &wave()).unwrap();
    let picture = image::load_from_memory_with_format(&png, ImageFormat::Png).unwrap();
    assert_eq!(picture.dimensions(), (600, 120));
    let alphas = || picture.pixels().map(|(.., pixel)| pixel.0[3]);
    assert!(alphas().any(|alpha| alpha == 0) && alphas().any(|alpha| alpha == 255));
    let red = Colour::new(255, 0, 0);
    let settings = WaveformImage { color: Some(red), background: Some(Colour::new(0, 0, 255)), ..settings };
    let png = waveform_image(&settings, Colour::DEFAULT, &wave()).unwrap();
    let picture = image::load_from_memory_with_format(&png, ImageFormat::Png).unwrap();
    assert_eq!(picture.get_pixel(0, 0).0, [0, 0, 255, 255]);
    assert!(picture.pixels().any(|(.., pixel)| pixel.0 == [255, 0, 0, 255]));
}

#[test]
fn colours_are_those_that_the_profile_means() {
    use image::ImageEncoder;
    let pale = RgbImage::from_pixel(200, 200, Rgb([234, 51, 35]));
    let mut png = Vec::new();
    let mut encoder = image::codecs::png::PngEncoder::new(&mut png);
    encoder.set_icc_profile(moxcms::ColorProfile::new_display_p3().encode().unwrap()).unwrap();
    encoder.write_image(pale.as_raw(), 200, 200, image::ExtendedColorType::Rgb8).unwrap();
    let shown = decode(&covers(&png).unwrap().images[0]).get_pixel(40, 40).0;
    assert!(shown[0] >= 250 && shown[1] <= 12 && shown[2] <= 12, "{shown:?}");
}

/// The difference of two pictures: the mean of squares over all channels.
fn apart(one: &DynamicImage, other: &DynamicImage) -> f64 {
    let (one, other) = (one.to_rgb8().into_raw(), other.to_rgb8().into_raw());
    let squares = one.iter().zip(&other).map(|(a, b)| f64::from(a.abs_diff(*b)).powi(2));
    squares.sum::<f64>() / one.len() as f64
}

#[tokio::test]
async fn webp_is_smaller_and_looks_the_same() {
    let bench = Bench::new();
    // Waves of all lengths: smooth in places, busy in others.
    let picture = DynamicImage::from(RgbImage::from_fn(500, 500, |x, y| {
        let wave = |scale: f32| ((x as f32 * y as f32) / scale).sin() * 60.0 + 120.0;
        Rgb([wave(4_000.0), wave(6_000.0), wave(9_000.0)].map(|value| value as u8))
    }));
    let jpegs: Vec<Vec<u8>> = covers(&encode(&picture, ImageFormat::Png))
        .unwrap()
        .images
        .into_iter()
        .chain(placeholder(Colour::new(20, 60, 200), &[0.3, 0.8], &CoverSize::LISTED))
        .map(|cover| cover.jpeg)
        .collect();
    let made = bench.media.webp(jpegs.clone(), bench.path(), &RunScope::default()).await.unwrap();
    assert_eq!(made.len(), 7);
    for (jpeg, webp) in jpegs.iter().zip(&made) {
        assert!(webp.len() < jpeg.len(), "{} {}", webp.len(), jpeg.len());
        let [before, after] = [(jpeg, ImageFormat::Jpeg), (webp, ImageFormat::WebP)]
            .map(|(bytes, format)| image::load_from_memory_with_format(bytes, format).unwrap());
        assert_eq!(before.dimensions(), after.dimensions());
        assert!(apart(&before, &after) < 60.0, "{:?} {}", before.dimensions(), apart(&before, &after));
    }
    let broken = bench.media.webp(vec![b"no picture".to_vec()], bench.path(), &RunScope::default()).await;
    assert!(matches!(broken, Err(MediaError::Unsupported(_))), "{broken:?}");
}
