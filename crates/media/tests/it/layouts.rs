//! Loudness and true peak of every channel layout that ffmpeg knows, against ffmpeg's own meter.

use std::path::Path;
use std::process::Command;

use crate::bench::{Bench, ffmpeg_loudness};

const RATES: [u32; 9] = [8_000, 16_000, 22_050, 32_000, 44_100, 48_000, 88_200, 96_000, 192_000];

/// Layouts in which ffmpeg's meter weights channels differently from ITU-R BS.1770-5, annex 3: ffmpeg weights all rear
/// channels with 1.41, but not channels at 60° to the side.
const FFMPEG_DEVIATES: [&str; 12] = [
    "3.0(back)",
    "4.0",
    "4.1",
    "6.0",
    "hexagonal",
    "6.1",
    "6.1(back)",
    "7.0",
    "7.1",
    "octagonal",
    "hexadecagonal",
    "22.2",
];

/// Name and channel positions of each layout.
fn layouts() -> Vec<(String, Vec<String>)> {
    let output = Command::new("ffmpeg").args(["-hide_banner", "-layouts"]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let (_, standard) = text.split_once("DECOMPOSITION").unwrap();
    let layout = |line: &str| {
        let (name, places) = line.split_once(char::is_whitespace)?;
        Some((name.to_owned(), places.trim().split('+').map(str::to_owned).collect()))
    };
    standard.lines().filter_map(layout).collect()
}

/// A chord in every channel, each at its own level, with a high tone.
fn chords(name: &str, channels: usize, rate: u32) -> String {
    let channel = |place: usize| {
        let level = [0.3, 0.1, 0.2, 0.45, 0.38, 0.15][place % 6];
        let (low, high) = (200 + 37 * place, 0.21 * f64::from(rate) + 13.0 * place as f64);
        format!("{level}*(sin(2*PI*{low}*t+{place})+0.8*sin(2*PI*{high}*t))")
    };
    let channels: Vec<String> = (0..channels).map(channel).collect();
    format!("aevalsrc='{}':c={name}:s={rate}:d=1.5", channels.join("|"))
}

/// The weight of a position (ITU-R BS.1770-5, tables 3 and 4): 1.41 between 60° and 120° at ear height.
fn weight(layout: &str, place: &str, places: &[String]) -> f64 {
    let has_sides = places.iter().any(|place| place == "SL");
    match place {
        "LFE" | "LFE2" => 0.0,
        "SL" | "SR" | "WL" | "WR" => 1.41,
        "BL" | "BR" if !has_sides => 1.41,
        "FL" | "FR" if layout == "22.2" => 1.41,
        _ => 1.0,
    }
}

/// A filter that moves each channel to a position that ffmpeg's meter weights as the standard does.
fn as_the_standard_weighs(layout: &str, places: &[String]) -> String {
    let mut plain = "FL FR FC FLC FRC TC TFL TFC TFR DL DR WL WR TSL TSR BFC BFL BFR".split(' ');
    let mut raised = "SL SR SDL SDR BL BR".split(' ');
    let (mut names, mut moves) = (Vec::new(), Vec::new());
    for (channel, place) in places.iter().enumerate() {
        let weight = weight(layout, place, places);
        if weight == 0.0 {
            continue;
        }
        let to = if weight > 1.0 { raised.next() } else { plain.next() }.unwrap();
        names.push(to);
        moves.push(format!("{channel}-{to}"));
    }
    // ffmpeg requires the positions of a layout in this order.
    let order = "FL FR FC BL BR FLC FRC SL SR TC TFL TFC TFR DL DR WL WR SDL SDR TSL TSR BFC BFL BFR";
    names.sort_by_key(|name| order.split(' ').position(|place| place == *name));
    format!("channelmap={}:{},", moves.join("|"), names.join("+"))
}

async fn assert_measured(bench: &Bench, input: &Path, layout: &str, places: &[String], rate: u32) {
    let found = bench.analyse(input).await;
    let label = format!("{layout} at {rate} Hz: {found:?}");
    let (theirs, peak) = ffmpeg_loudness(input, "");
    let (expected, _) = ffmpeg_loudness(input, &as_the_standard_weighs(layout, places));
    let lufs = found.loudness_lufs.unwrap();
    assert!((lufs - expected).abs() <= 0.1, "{label} {expected} LUFS");
    assert!((found.true_peak_dbtp.unwrap() - peak).abs() <= 0.2, "{label} {peak} dBTP");
    let deviates = (theirs - expected).abs() > 0.1;
    assert!(!deviates || FFMPEG_DEVIATES.contains(&layout), "{label} {theirs} LUFS by ffmpeg");
}

#[tokio::test]
async fn every_layout_is_measured_as_it_is() {
    let bench = Bench::new();
    for (turn, (layout, places)) in layouts().into_iter().enumerate() {
        // Each rate is used with several layouts.
        let rate = RATES[turn % RATES.len()];
        let source = chords(&layout, places.len(), rate);
        let input = bench.made("layout.mov", &source, &["-c:a", "pcm_f32le"]);
        assert_measured(&bench, &input, &layout, &places, rate).await;
    }
}

#[tokio::test]
async fn every_rate_is_measured() {
    let bench = Bench::new();
    for rate in RATES {
        let input = bench.made("rate.wav", &chords("stereo", 2, rate), &["-c:a", "pcm_f32le"]);
        let places = ["FL", "FR"].map(str::to_owned);
        assert_measured(&bench, &input, "stereo", &places, rate).await;
    }
}
