//! Argument lists, whatever the settings.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use tonearm_domain::{Codec, TrackInfo, Transcode};
use tonearm_media::{Output, Picture, Probe, pcm_args, probe_args, transcode_args};

/// Options that take a value, and those that stand alone.
const WITH_VALUE: &[&str] = &[
    "-loglevel",
    "-progress",
    "-threads",
    "-filter_threads",
    "-ss",
    "-protocol_whitelist",
    "-format_whitelist",
    "-i",
    "-map",
    "-c:v",
    "-c:a",
    "-disposition:v:0",
    "-map_chapters",
    "-map_metadata",
    "-af",
    "-rematrix_maxval",
    "-ac",
    "-ar",
    "-b:a",
    "-fflags",
    "-flush_packets",
    "-flags:a",
    "-sample_fmt",
    "-bits_per_raw_sample",
    "-movflags",
    "-write_xing",
    "-id3v2_version",
    "-rf64",
    "-f",
    "-of",
    "-show_entries",
];
const ALONE: &[&str] = &["-nostdin", "-hide_banner", "-nostats", "-vn", "-sn", "-dn"];

/// Options with their values, and what is left: the outputs.
fn parse(args: &[OsString]) -> (Vec<(String, String)>, Vec<String>) {
    let mut words = args.iter().map(|word| word.to_string_lossy().into_owned());
    let (mut options, mut outputs) = (Vec::new(), Vec::new());
    while let Some(word) = words.next() {
        if ALONE.contains(&word.as_str()) {
            options.push((word, String::new()));
        } else if word.starts_with('-') {
            assert!(WITH_VALUE.contains(&word.as_str()), "{word}");
            let value = words.next().expect("a value");
            options.push((word, value));
        } else {
            outputs.push(word);
        }
    }
    (options, outputs)
}

fn probes() -> impl Strategy<Value = Probe> {
    let bits = prop::option::of(0..64u32);
    let loudness = prop::option::of(-70.0..0.0f64);
    let picture = prop::option::of(prop::sample::select(vec!["mjpeg", "png", "webp", "gif"]));
    (0..50u32, 1_000..1_000_000u32, 1..=64u32, bits, loudness, picture).prop_map(
        |(stream, sample_rate, channels, bits_per_sample, loudness_lufs, picture)| Probe {
            duration: 1.0,
            stream,
            sample_rate,
            channels,
            channel_layout: None,
            expected_frames: None,
            has_video: false,
            picture: picture.map(|codec| Picture { stream: stream + 1, codec: codec.to_owned() }),
            pcm: None,
            info: TrackInfo { bits_per_sample, loudness_lufs, ..TrackInfo::default() },
        },
    )
}

fn transcodes() -> impl Strategy<Value = Transcode> {
    let codec =
        prop::sample::select(vec![Codec::Aac, Codec::Mp3, Codec::Ogg, Codec::Opus, Codec::Flac, Codec::Wav]);
    let loudness = prop::option::of(-70.0..=-5.0f64);
    (codec, 12..=320u16, any::<[bool; 3]>(), loudness).prop_map(|(codec, bitrate, flags, loudness_target)| {
        Transcode {
            codec,
            bitrate,
            is_stereo: flags[0],
            is_strip_tags: flags[1],
            is_strip_cover: flags[2],
            loudness_target,
        }
    })
}

proptest! {
    #[test]
    fn transcodes_read_one_file_and_write_one(
        probe in probes(),
        settings in transcodes(),
        name in "[^/\0]{1,40}",
        window in prop::option::of((0.0..1e5f64, 0.0..1e5f64)),
    ) {
        let input = Path::new("/scratch").join(&name);
        let output = PathBuf::from("/scratch/render/out");
        let window = window.map(|(start, length)| (start, start + length));
        let args = transcode_args(&input, &output, &probe, &Output { settings: &settings, window });
        let (options, outputs) = parse(&args);
        prop_assert_eq!(outputs, ["file:/scratch/render/out"]);
        prop_assert_eq!(args.last().unwrap(), "file:/scratch/render/out");

        let values = |option: &str| -> Vec<&str> {
            options.iter().filter(|(o, _)| o == option).map(|(_, v)| v.as_str()).collect()
        };
        prop_assert_eq!(values("-i"), [format!("file:/scratch/{name}")]);
        prop_assert_eq!(values("-protocol_whitelist"), ["file"]);
        let audio = format!("0:{}", probe.stream);
        prop_assert_eq!(values("-map")[0], audio);
        let most_streams = if settings.is_strip_cover { 1 } else { 2 };
        prop_assert!(values("-map").len() <= most_streams);
        let channels: u32 = values("-ac")[0].parse().unwrap();
        prop_assert!(channels == 1 || channels == 2 && settings.is_stereo && probe.channels >= 2);
        let rate: u32 = values("-ar")[0].parse().unwrap();
        prop_assert!((8_000..=192_000).contains(&rate));
        prop_assert_eq!(values("-b:a").len(), usize::from(!settings.codec.is_lossless()));
        prop_assert_eq!(values("-ss").len(), usize::from(window.is_some()));
        if settings.is_strip_tags {
            prop_assert_eq!(values("-map_metadata"), ["-1"]);
        }
    }

    #[test]
    fn no_list_reads_from_elsewhere(probe in probes(), name in "[^/\0]{1,40}") {
        let input = Path::new("/scratch").join(name);
        for args in [probe_args(&input), pcm_args(&input, &probe, &[])] {
            let (options, outputs) = parse(&args);
            prop_assert!(outputs.is_empty() || outputs == ["pipe:1"]);
            let formats = options.iter().find(|(o, _)| o == "-format_whitelist").unwrap().1.clone();
            for refused in ["hls", "concat", "dash", "image2", "rtp", "rtsp", "sdp", "tty", "lavfi", "imf", "ffmetadata"] {
                prop_assert!(formats.split(',').all(|format| format != refused));
            }
        }
    }
}
