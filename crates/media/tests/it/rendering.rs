//! Transcodes and previews, decoded again.

use std::path::Path;

use tokio::sync::watch;
use tonearm_domain::{Codec, CoverSettings, FileData, PreviewLength, PreviewSettings, RecipeKind, Transcode};
use tonearm_fixtures::audio::{Signal, WavSpec, transcode};
use tonearm_media::{MediaError, Output, RunScope, TagOverrides, sniff};

use crate::bench::{Bench, decode};

const CODECS: [Codec; 6] = [Codec::Aac, Codec::Mp3, Codec::Ogg, Codec::Opus, Codec::Flac, Codec::Wav];

#[tokio::test]
async fn every_codec_keeps_length_channels_and_rate() {
    let bench = Bench::new();
    for (rate, channels) in [(44_100, 2), (48_000, 1), (48_000, 6), (96_000, 2), (8_000, 1)] {
        let spec = WavSpec { seconds: 3.0, sample_rate: rate, channels, ..WavSpec::default() };
        let input = bench.wav("in.wav", &spec);
        let source = bench.probe(&input).await.unwrap();
        for (codec, is_stereo) in CODECS.into_iter().flat_map(|codec| [(codec, true), (codec, false)]) {
            let label = format!("{codec:?} {rate} Hz {channels} ch stereo {is_stereo}");
            let settings = Transcode { codec, is_stereo, ..Transcode::default() };
            let kind = RecipeKind::Transcode(settings);
            let made = bench.render_probed(&input, &source, 3.0, &kind).await;
            let made = made.unwrap_or_else(|error| panic!("{label}: {error}"));
            assert_eq!(made.content_type, codec.content_type());
            assert_eq!(sniff(&std::fs::read(&made.path).unwrap()), Some(codec.content_type()), "{label}");
            assert_eq!(made.size, std::fs::metadata(&made.path).unwrap().len());

            let probe = bench.probe(&made.path).await.unwrap();
            let scope = RunScope::default();
            let duration = bench.media.analyse(&made.path, &probe, &[], &scope, None).await.unwrap().duration;
            // The end is rounded up to a whole AAC frame, which is long at low rates.
            let tolerance = if codec == Codec::Aac { 1024.0 / f64::from(rate) } else { 0.0 };
            assert!((duration - 3.0).abs() <= tolerance.max(0.05), "{label}: {duration} s");
            assert_eq!(probe.channels, if is_stereo { u32::from(channels.min(2)) } else { 1 }, "{label}");
            let expected_rate = match (codec, rate) {
                (Codec::Opus, _) => 48_000,
                // Vorbis at 8 kHz and AAC at 96 kHz exist; MP3 and our Vorbis go up to 48 kHz.
                (Codec::Mp3 | Codec::Ogg, 96_000) => 48_000,
                _ => rate,
            };
            assert_eq!(probe.sample_rate, expected_rate, "{label}");
        }
    }
}

#[tokio::test]
async fn every_bitrate_is_taken_by_every_codec() {
    let bench = Bench::new();
    for (rate, channels) in [(44_100, 2), (22_050, 1), (16_000, 2), (8_000, 2), (37_800, 1)] {
        let spec = WavSpec { seconds: 0.3, sample_rate: rate, channels, ..WavSpec::default() };
        let input = bench.wav("in.wav", &spec);
        let source = bench.probe(&input).await.unwrap();
        for codec in [Codec::Aac, Codec::Mp3, Codec::Ogg, Codec::Opus] {
            for bitrate in [12, 32, 61, 128, 320] {
                let settings = Transcode { codec, bitrate, ..Transcode::default() };
                let kind = RecipeKind::Transcode(settings);
                let made = bench.render_probed(&input, &source, 0.3, &kind).await;
                assert!(made.is_ok(), "{codec:?} {rate} Hz {channels} ch {bitrate} kbit/s: {made:?}");
            }
        }
    }
}

#[tokio::test]
async fn a_bitrate_is_what_was_asked_for() {
    let bench = Bench::new();
    let noise = Signal::Noise { seed: 5, amplitude: 0.5 };
    let input = bench.wav("in.wav", &WavSpec { seconds: 10.0, signal: noise, ..WavSpec::default() });
    for codec in [Codec::Aac, Codec::Mp3, Codec::Ogg, Codec::Opus] {
        for bitrate in [96_u16, 256] {
            let settings = Transcode { codec, bitrate, ..Transcode::default() };
            let made = bench.transcode(&input, settings).await.unwrap();
            let found = made.size as f64 * 8.0 / 10.0 / 1000.0;
            let share = found / f64::from(bitrate);
            // Vorbis has no constant bitrate, and noise is its worst case.
            let most = if codec == Codec::Ogg { 1.5 } else { 1.1 };
            assert!((0.8..most).contains(&share), "{codec:?} {bitrate}: {found} kbit/s");
        }
    }
}

fn preview(codec: Codec, seconds: f64, start_percent: f64) -> RecipeKind {
    RecipeKind::Preview(PreviewSettings {
        transcode: Transcode { codec, ..Transcode::default() },
        length: PreviewLength::Seconds {
            preview_seconds: seconds,
            preview_min_percent: 0.0,
            preview_max_percent: 100.0,
        },
        preview_start_percent: start_percent,
    })
}

/// Ten steps of two seconds; the preview consists of the third and the fourth.
#[tokio::test]
async fn a_preview_holds_its_window() {
    let bench = Bench::new();
    let steps: Vec<f64> = (1..=10).map(|n| f64::from(n) / 20.0).collect();
    let spec = WavSpec { seconds: 20.0, signal: Signal::Steps(steps), ..WavSpec::default() };
    let wav = bench.wav("steps.wav", &spec);
    for (name, args) in [
        ("in.wav", &["-c:a", "pcm_s16le"][..]),
        ("in.mp3", &["-c:a", "libmp3lame", "-q:a", "2"]),
        ("in.m4a", &["-c:a", "aac", "-b:a", "256k"]),
        ("in.flac", &["-c:a", "flac"]),
        ("in.ogg", &["-c:a", "libvorbis", "-q:a", "8"]),
    ] {
        let input = bench.path().join(name);
        transcode(&wav, &input, args).await;
        let made = bench.render(&input, 20.0, &preview(Codec::Wav, 4.0, 20.0)).await.unwrap();
        let FileData::Preview { duration, capture_start, capture_end, .. } = made.data else {
            panic!("{:?}", made.data)
        };
        assert_eq!((duration, capture_start, capture_end), (4.0, 4.0, 8.0));
        assert_length(&bench, &made.path, 4.0).await;
        // The middle step, identified by its RMS, shows where the window is.
        let loudness = |start: f64| rms(&decode(&made.path, start, 0.02));
        for (at, step) in [(0.06, 0.15), (1.9, 0.15), (2.06, 0.2), (3.9, 0.2)] {
            assert!((loudness(at) - step).abs() < 0.02, "{name} at {at}: {}", loudness(at));
        }
    }
}

fn rms(samples: &[f64]) -> f64 {
    (samples.iter().map(|s| s * s).sum::<f64>() / samples.len() as f64).sqrt()
}

async fn assert_length(bench: &Bench, path: &Path, seconds: f64) {
    let probe = bench.probe(path).await.unwrap();
    let analysis = bench.media.analyse(path, &probe, &[], &RunScope::default(), None).await.unwrap();
    assert!((analysis.duration - seconds).abs() <= 0.05, "{} s", analysis.duration);
}

#[tokio::test]
async fn previews_work_in_every_codec() {
    let bench = Bench::new();
    let input = bench.wav("in.wav", &WavSpec { seconds: 6.0, ..WavSpec::default() });
    for codec in CODECS {
        let made = bench.render(&input, 6.0, &preview(codec, 2.0, 50.0)).await.unwrap();
        assert_length(&bench, &made.path, 2.0).await;
    }
}

#[tokio::test]
async fn nothing_coming_out_is_no_success() {
    let bench = Bench::new();
    let input = bench.wav("in.wav", &WavSpec::default());
    // The claimed duration is far longer than the real one, so the window is after the end.
    let result = bench.render(&input, 1000.0, &preview(Codec::Mp3, 2.0, 50.0)).await;
    assert!(matches!(result, Err(MediaError::Failed(_))), "{result:?}");
    let result = bench.render(&input, 2.0, &preview(Codec::Mp3, 0.0, 50.0)).await;
    assert!(matches!(result, Err(MediaError::Unsupported(_))), "{result:?}");
}

#[tokio::test]
async fn tags_are_kept_or_not_as_asked() {
    let bench = Bench::new();
    let wav = bench.wav("in.wav", &WavSpec::default());
    for source in ["in.mp3", "in.flac", "in.ogg", "in.m4a"] {
        let input = bench.path().join(source);
        transcode(&wav, &input, &["-metadata", "title=A title", "-metadata", "artist=Someone"]).await;
        assert_eq!(bench.probe(&input).await.unwrap().info.tags["title"], "A title");
        for (codec, is_strip_tags) in CODECS.into_iter().flat_map(|codec| [(codec, true), (codec, false)]) {
            let settings = Transcode { codec, is_strip_tags, ..Transcode::default() };
            let made = bench.transcode(&input, settings).await.unwrap();
            let tags = bench.probe(&made.path).await.unwrap().info.tags;
            let expected = (!is_strip_tags).then_some("A title");
            assert_eq!(tags.get("title").map(String::as_str), expected, "{source} to {codec:?}: {tags:?}");
        }
    }
}

#[tokio::test]
async fn the_same_input_gives_the_same_bytes() {
    let bench = Bench::new();
    let input = bench.wav("in.wav", &WavSpec::default());
    for codec in CODECS {
        let settings = Transcode { codec, ..Transcode::default() };
        let [one, two] = [
            bench.transcode(&input, settings.clone()).await.unwrap(),
            bench.transcode(&input, settings).await.unwrap(),
        ];
        assert_ne!(one.path, two.path);
        assert!(std::fs::read(one.path).unwrap() == std::fs::read(two.path).unwrap(), "{codec:?}");
    }
}

#[tokio::test]
async fn loudness_reaches_its_target() {
    let bench = Bench::new();
    let quiet = Signal::Sine { hz: 997.0, amplitude: 0.02 };
    let input = bench.wav("in.wav", &WavSpec { seconds: 12.0, signal: quiet, ..WavSpec::default() });
    let scope = RunScope::default();
    let mut probe = bench.probe(&input).await.unwrap();
    let before = bench.media.analyse(&input, &probe, &[], &scope, None).await.unwrap();
    let kind = RecipeKind::Transcode(Transcode {
        codec: Codec::Flac,
        loudness_target: Some(-20.0),
        ..Transcode::default()
    });
    // If the loudness is not known, it is measured.
    for known in [before.loudness_lufs, None] {
        probe.info.loudness_lufs = known;
        probe.info.true_peak_dbtp = before.true_peak_dbtp;
        let output = Output::of(&kind, 12.0).unwrap();
        let made =
            bench.media.render(&input, &probe, 12.0, output, bench.path(), &scope, None).await.unwrap();
        let after = bench.probe(&made.path).await.unwrap();
        let lufs =
            bench.media.analyse(&made.path, &after, &[], &scope, None).await.unwrap().loudness_lufs.unwrap();
        assert!((lufs + 20.0).abs() <= 0.2, "{known:?}: {lufs}");
        assert_eq!(after.sample_rate, 44_100);
    }
}

#[tokio::test]
async fn loudness_reaches_its_target_though_peaks_are_in_the_way() {
    let bench = Bench::new();
    // Peaks of a hundredth of a second that leave no room for a constant gain, and add almost nothing to the loudness.
    let steps: Vec<f64> = (0..1200).map(|n| if n % 200 == 0 { 0.65 } else { 0.2 }).collect();
    let input =
        bench.wav("in.wav", &WavSpec { seconds: 12.0, signal: Signal::Steps(steps), ..WavSpec::default() });
    let scope = RunScope::default();
    let mut probe = bench.probe(&input).await.unwrap();
    let before = bench.media.analyse(&input, &probe, &[], &scope, None).await.unwrap();
    let target = before.loudness_lufs.unwrap() + 4.0;
    assert!(before.true_peak_dbtp.unwrap() > -5.0);
    probe.info.loudness_lufs = before.loudness_lufs;
    probe.info.true_peak_dbtp = before.true_peak_dbtp;
    let settings = Transcode { codec: Codec::Flac, loudness_target: Some(target), ..Transcode::default() };
    let output = Output { settings: &settings, window: None, words: TagOverrides::default() };
    let made = bench.media.render(&input, &probe, 12.0, output, bench.path(), &scope, None).await.unwrap();
    let after = bench.probe(&made.path).await.unwrap();
    let after = bench.media.analyse(&made.path, &after, &[], &scope, None).await.unwrap();
    assert!((after.loudness_lufs.unwrap() - target).abs() <= 0.3, "{after:?} {target}");
    assert!(after.true_peak_dbtp.unwrap() <= -1.0, "{after:?}");
    assert!((after.duration - 12.0).abs() <= 0.05, "{after:?}");
}

/// Full scale on every channel at once is the worst case of a downmix.
#[tokio::test]
async fn folding_down_never_clips() {
    let bench = Bench::new();
    let full = Signal::Sine { hz: 440.0, amplitude: 0.98 };
    for channels in [2, 3, 6, 8, 10] {
        let spec = WavSpec { seconds: 1.0, channels, signal: full.clone(), ..WavSpec::default() };
        let input = bench.wav("full.wav", &spec);
        for (codec, is_stereo) in
            [(Codec::Aac, true), (Codec::Wav, true), (Codec::Wav, false), (Codec::Ogg, false)]
        {
            let made = bench.transcode(&input, Transcode { codec, is_stereo, ..Transcode::default() }).await;
            let made = made.unwrap_or_else(|error| panic!("{codec:?} of {channels} channels: {error}"));
            let probe = bench.probe(&made.path).await.unwrap();
            let scope = RunScope::default();
            let peak =
                bench.media.analyse(&made.path, &probe, &[], &scope, None).await.unwrap().true_peak_dbtp;
            // The ripple of an encoder is a few tenths of a decibel.
            let peak = peak.unwrap();
            assert!(peak <= 0.6 && peak > -9.0, "{codec:?} of {channels} channels: {peak} dBTP");
        }
    }
}

/// A loudness target applies to the downmixed sound, not to the input.
#[tokio::test]
async fn loudness_is_that_of_the_folded_sound() {
    let bench = Bench::new();
    let noise = Signal::Noise { seed: 4, amplitude: 0.2 };
    let spec =
        WavSpec { seconds: 5.0, sample_rate: 48_000, channels: 6, signal: noise, ..WavSpec::default() };
    let input = bench.wav("in.wav", &spec);
    let scope = RunScope::default();
    let mut probe = bench.probe(&input).await.unwrap();
    let before = bench.media.analyse(&input, &probe, &[], &scope, None).await.unwrap();
    probe.info.loudness_lufs = before.loudness_lufs;
    probe.info.true_peak_dbtp = before.true_peak_dbtp;
    let settings = Transcode { codec: Codec::Flac, loudness_target: Some(-30.0), ..Transcode::default() };
    let output = Output { settings: &settings, window: None, words: TagOverrides::default() };
    let made = bench.media.render(&input, &probe, 5.0, output, bench.path(), &scope, None).await.unwrap();
    let after = bench.probe(&made.path).await.unwrap();
    let lufs = bench.media.analyse(&made.path, &after, &[], &scope, None).await.unwrap().loudness_lufs;
    assert!((lufs.unwrap() + 30.0).abs() <= 0.2, "{lufs:?}");
}

#[tokio::test]
async fn encoding_while_measuring_gives_the_same() {
    let bench = Bench::new();
    let input = bench.wav("in.wav", &WavSpec { seconds: 6.0, ..WavSpec::default() });
    let probe = bench.probe(&input).await.unwrap();
    let scope = RunScope::default();
    let kinds = [
        RecipeKind::Transcode(Transcode { codec: Codec::Mp3, ..Transcode::default() }),
        RecipeKind::Transcode(Transcode::default()),
        preview(Codec::Flac, 2.0, 50.0),
    ];
    let outputs: Vec<Output<'_>> = kinds.iter().map(|kind| Output::of(kind, 6.0).unwrap()).collect();
    let settings = [tonearm_domain::LevelsSettings::default()];
    let (analysis, made) = bench
        .media
        .analyse_and_render(&input, &probe, &settings, &outputs, bench.path(), &scope, None)
        .await
        .unwrap();
    assert_eq!(analysis, bench.media.analyse(&input, &probe, &settings, &scope, None).await.unwrap());
    for (kind, together) in kinds.iter().zip(made) {
        let alone = bench.render_probed(&input, &probe, 6.0, kind).await.unwrap();
        assert_eq!((together.content_type, together.data), (alone.content_type, alone.data));
        let same = std::fs::read(together.path).unwrap() == std::fs::read(alone.path).unwrap();
        assert!(same, "{kind:?}");
    }
}

#[tokio::test]
async fn progress_ends_at_the_end() {
    let bench = Bench::new();
    let input = bench.wav("in.wav", &WavSpec { seconds: 20.0, ..WavSpec::default() });
    let probe = bench.probe(&input).await.unwrap();
    let (progress, watched) = watch::channel(0.0);
    let scope = RunScope::default();
    let settings = Transcode::default();
    let output = Output { settings: &settings, window: None, words: TagOverrides::default() };
    let tell = Box::new(move |share| {
        progress.send_replace(share);
    });
    bench.media.render(&input, &probe, 20.0, output, bench.path(), &scope, Some(tell)).await.unwrap();
    assert!(*watched.borrow() > 0.99);
}

#[tokio::test]
async fn other_recipes_are_made_elsewhere() {
    let bench = Bench::new();
    let input = bench.wav("in.wav", &WavSpec::default());
    for kind in [RecipeKind::Original {}, RecipeKind::Cover(CoverSettings::default())] {
        let result = bench.render(&input, 2.0, &kind).await;
        assert!(matches!(result, Err(MediaError::Unsupported(_))), "{kind:?}");
    }
}
