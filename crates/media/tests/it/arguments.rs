//! Argument lists for ffmpeg, for any settings.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use tonearm_domain::{Chapter, Codec, TrackInfo, Transcode};
use tonearm_media::{Gain, Output, Picture, Probe, TagOverrides, pcm_args, probe_args, transcode_args};

/// Options that take a value, and options without one.
const WITH_VALUE: &[&str] = &[
    "-loglevel",
    "-progress",
    "-threads",
    "-filter_threads",
    "-dts_delta_threshold",
    "-dts_error_threshold",
    "-skip_initial_bytes",
    "-protocol_whitelist",
    "-format_whitelist",
    "-i",
    "-map",
    "-c:v",
    "-c:a",
    "-disposition:v:0",
    "-map_chapters",
    "-map_metadata",
    "-metadata",
    "-metadata:s:a:0",
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
    "-movie_timescale",
    "-write_xing",
    "-id3v2_version",
    "-rf64",
    "-f",
    "-of",
    "-show_entries",
];
const ALONE: &[&str] = &["-nostdin", "-hide_banner", "-nostats", "-vn", "-sn", "-dn"];

/// Options with their values, and the remaining arguments: the outputs.
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
            duration: 4000.0,
            stream,
            picture: picture.map(|codec| Picture { stream: stream + 1, codec: codec.to_owned() }),
            told_chapters: if stream % 2 == 0 { chapters() } else { Vec::new() },
            info: TrackInfo { bits_per_sample, loudness_lufs, chapters: chapters(), ..TrackInfo::default() },
            ..Probe::of_sound(sample_rate, channels)
        },
    )
}

fn chapters() -> Vec<Chapter> {
    let second = Chapter { start: 3661.6, end: 4000.0, title: Some("-i =x".to_owned()) };
    vec![Chapter { start: 0.0, end: 3661.6, title: None }, second]
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
        gain in prop::option::of((-90.0..90.0f64, prop::option::of(-9.0..9.0f64))),
        has_list: bool,
        title in prop::option::of("(?s)(-|=|-i ).{0,20}|.{0,20}"),
    ) {
        let input = Path::new("/scratch").join(&name);
        let output = PathBuf::from("/scratch/render/out");
        let window = window.map(|(start, length)| (start, start + length));
        let gain = gain.map(|(decibels, ceiling)| Gain { decibels, ceiling });
        let output_of = Output { settings: &settings, window, words: TagOverrides { title: title.as_deref(), artist: Some("-y") } };
        let chapters = Path::new("/scratch/render/chapters");
        let list = has_list.then_some(chapters);
        let args = transcode_args(&input, &output, &probe, &output_of, gain, list);
        let (options, outputs) = parse(&args);
        prop_assert_eq!(outputs, ["file:/scratch/render/out"]);
        prop_assert_eq!(args.last().unwrap(), "file:/scratch/render/out");

        let values = |option: &str| -> Vec<&str> {
            options.iter().filter(|(o, _)| o == option).map(|(_, v)| v.as_str()).collect()
        };
        let mut inputs = vec![format!("file:/scratch/{name}")];
        inputs.extend(has_list.then(|| "file:/scratch/render/chapters".to_owned()));
        prop_assert_eq!(values("-i"), inputs);
        prop_assert_eq!(values("-protocol_whitelist"), vec!["file"; 1 + usize::from(has_list)]);
        let audio = format!("0:{}", probe.stream);
        prop_assert_eq!(values("-map")[0], audio);
        let most_streams = if settings.is_strip_cover { 1 } else { 2 };
        prop_assert!(values("-map").len() <= most_streams);
        let channels: u32 = values("-ac")[0].parse().unwrap();
        prop_assert!(channels == 1 || channels == 2 && settings.is_stereo && probe.channels >= 2);
        let filters: Vec<&str> = values("-af").into_iter().flat_map(|filters| filters.split(',')).collect();
        let place = |name: &str| filters.iter().position(|filter| filter.starts_with(name));
        prop_assert_eq!(filters[usize::from(window.is_some())], "asetpts=NAN");
        let fold = place("pan=").or(place("aformat="));
        prop_assert_eq!(fold.is_some(), channels < probe.channels);
        prop_assert_eq!(place("volume=").is_some(), gain.is_some());
        prop_assert_eq!(place("alimiter=").is_some(), gain.is_some_and(|gain| gain.ceiling.is_some()));
        prop_assert!(place("volume=").is_none_or(|volume| fold.is_none_or(|fold| fold < volume)));
        prop_assert_eq!(place("loudnorm"), None);
        let rate: u32 = values("-ar")[0].parse().unwrap();
        prop_assert!((8_000..=192_000).contains(&rate));
        prop_assert_eq!(values("-b:a").len(), usize::from(!settings.codec.is_lossless()));
        let has_chapters = window.is_none() && !settings.is_strip_tags;
        let is_listed = matches!(settings.codec, Codec::Aac | Codec::Mp3) && has_list && has_chapters;
        prop_assert_eq!(values("-map_chapters"), [if is_listed { "1" } else { "-1" }]);
        let (chapters, words): (Vec<&str>, Vec<&str>) =
            values("-metadata").into_iter().partition(|word| word.starts_with("CHAPTER") || *word == "encoder=");
        let is_written = matches!(settings.codec, Codec::Ogg | Codec::Opus | Codec::Flac);
        let written = ["encoder=", "CHAPTER001=00:00:00.000", "CHAPTER002=01:01:01.600", "CHAPTER002NAME=-i =x"];
        prop_assert_eq!(chapters, if has_chapters && is_written { written.to_vec() } else { Vec::new() });
        prop_assert_eq!(&words, &values("-metadata:s:a:0"));
        if settings.is_strip_tags {
            prop_assert_eq!(values("-map_metadata"), ["-1"]);
            prop_assert!(words.is_empty());
        } else {
            let (removed, words): (Vec<&str>, Vec<&str>) = words.into_iter().partition(|word| word.ends_with('=') && !word.starts_with("title="));
            let is_same = gain.is_none() && window.is_none() && channels == probe.channels;
            prop_assert!(removed.contains(&"iTunSMPB="));
            prop_assert_eq!(removed.contains(&"R128_TRACK_GAIN="), !is_same);
            let is_shown = |text: &String| text.chars().any(|c| !c.is_control() && !c.is_whitespace());
            prop_assert_eq!(words.len(), 1 + usize::from(title.as_ref().is_some_and(is_shown)));
            prop_assert_eq!(words.last().copied(), Some("artist=-y"));
            for word in words {
                let text = word.strip_prefix("title=").or(word.strip_prefix("artist=")).unwrap();
                prop_assert!(!text.is_empty() && !text.contains(char::is_control));
            }
        }
    }

    #[test]
    fn no_list_reads_from_elsewhere(probe in probes(), name in "[^/\0]{1,40}") {
        let input = Path::new("/scratch").join(name);
        for args in [probe_args(&input, None), pcm_args(&input, &probe, &[], None)] {
            let (options, outputs) = parse(&args);
            prop_assert!(outputs.is_empty() || outputs == ["pipe:1"]);
            let formats = options.iter().find(|(o, _)| o == "-format_whitelist").unwrap().1.clone();
            for refused in ["hls", "concat", "dash", "image2", "rtp", "rtsp", "sdp", "tty", "lavfi", "imf", "ffmetadata"] {
                prop_assert!(formats.split(',').all(|format| format != refused));
            }
        }
    }
}
