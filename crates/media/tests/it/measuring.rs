//! Levels and loudness, compared with simple references.

use std::path::Path;

use tonearm_domain::{LevelsFormat, LevelsSettings, Metric};
use tonearm_fixtures::audio::{Signal, WavSpec};
use tonearm_media::{Analysis, MediaError, Probe, RunScope, Waveform};

use crate::bench::{Bench, ffmpeg_loudness};

async fn analyse(bench: &Bench, input: &Path, levels: &[LevelsSettings]) -> Analysis {
    let probe = bench.probe(input).await.unwrap();
    bench.media.analyse(input, &probe, levels, &RunScope::default(), None).await.unwrap()
}

#[tokio::test]
async fn levels_are_those_of_the_steps() {
    let bench = Bench::new();
    let steps: Vec<f64> = (0..40).map(|n| f64::from(n * 7 % 40) / 40.0).collect();
    // 40 s are more frames than the meter keeps individually.
    for seconds in [1.0, 40.0] {
        let spec = WavSpec {
            seconds,
            sample_rate: 48_000,
            signal: Signal::Steps(steps.clone()),
            ..WavSpec::default()
        };
        let input = bench.wav("steps.wav", &spec);
        let settings = [Metric::Peak, Metric::Rms].map(|metric| LevelsSettings {
            num_samples: 40,
            metric,
            ..LevelsSettings::default()
        });
        let analysis = analyse(&bench, &input, &settings).await;
        assert_eq!(analysis.frames, spec.frames());
        for levels in analysis.levels.iter().map(|waveform| waveform.levels().unwrap()) {
            for (found, step) in levels.levels.iter().zip(&steps) {
                assert!((found - step).abs() <= 0.0002, "{found} {step}");
            }
        }
    }
}

#[tokio::test]
async fn fewer_frames_than_levels_repeat() {
    let bench = Bench::new();
    let spec = WavSpec {
        seconds: 0.01,
        sample_rate: 8000,
        channels: 1,
        signal: Signal::Steps(vec![0.25, 0.75]),
        ..WavSpec::default()
    };
    let input = bench.wav("short.wav", &spec);
    let analysis = analyse(&bench, &input, &[LevelsSettings::default()]).await;
    let levels = &analysis.levels[0].levels().unwrap().levels;
    assert_eq!((analysis.frames, levels.len()), (80, 320));
    assert!(levels[..160].iter().all(|l| (l - 0.25).abs() < 0.001));
    assert!(levels[160..].iter().all(|l| (l - 0.75).abs() < 0.001));
}

#[tokio::test]
async fn loudness_is_what_ffmpeg_measures() {
    let bench = Bench::new();
    let sine = |amplitude| Signal::Sine { hz: 997.0, amplitude };
    let noise = Signal::Noise { seed: 3, amplitude: 0.3 };
    for (rate, channels, signal) in [
        (48_000, 2, sine(0.5)),
        (44_100, 1, sine(0.1)),
        (44_100, 2, noise.clone()),
        (48_000, 6, noise),
        (96_000, 2, sine(0.9)),
    ] {
        let spec = WavSpec { seconds: 5.0, sample_rate: rate, channels, signal, ..WavSpec::default() };
        let input = bench.wav("loud.wav", &spec);
        let analysis = analyse(&bench, &input, &[]).await;
        let (lufs, peak) = ffmpeg_loudness(&input, "");
        assert!((analysis.loudness_lufs.unwrap() - lufs).abs() <= 0.1, "{spec:?} {analysis:?} {lufs}");
        // Between samples of noise there is no correct value: every interpolation finds other peaks.
        if matches!(spec.signal, Signal::Sine { .. }) {
            let found = analysis.true_peak_dbtp.unwrap();
            assert!((found - peak).abs() <= 0.1, "{spec:?} {found} {peak}");
        }
    }
}

/// Sound as in real music: fading chords, and all pitches at once, loud enough to clip.
#[tokio::test]
async fn true_peaks_are_what_ffmpeg_measures() {
    let bench = Bench::new();
    let chord = "0.25*exp(-3*mod(t,0.5))*(sin(1382*t)+sin(1740*t+1)+sin(6535*t+2)+sin(32673*t))";
    for (name, source) in [
        ("chords.wav", format!("aevalsrc='{chord}':s=44100:d=5")),
        ("chords48.wav", format!("aevalsrc='{chord}|{chord}':s=48000:d=5")),
        ("pink.wav", "anoisesrc=color=pink:amplitude=0.8:seed=7:r=44100:d=5".to_owned()),
        ("cut.wav", "anoisesrc=color=pink:amplitude=1:seed=8:r=48000:d=5,volume=4".to_owned()),
    ] {
        let input = bench.made(name, &source, &["-c:a", "pcm_s24le"]);
        let analysis = analyse(&bench, &input, &[]).await;
        let (lufs, peak) = ffmpeg_loudness(&input, "");
        assert!((analysis.loudness_lufs.unwrap() - lufs).abs() <= 0.1, "{name} {analysis:?} {lufs}");
        assert!((analysis.true_peak_dbtp.unwrap() - peak).abs() <= 0.1, "{name} {analysis:?} {peak}");
    }
}

/// Plain PCM samples are read without ffmpeg, with the same result.
#[tokio::test]
async fn samples_read_directly_are_those_that_ffmpeg_decodes() {
    let bench = Bench::new();
    let signal = Signal::Noise { seed: 5, amplitude: 0.7 };
    for (bits, channels) in [(8, 1), (16, 2), (24, 2), (32, 1)] {
        let spec = WavSpec { seconds: 2.0, bits, channels, signal: signal.clone(), ..WavSpec::default() };
        let input = bench.wav("plain.wav", &spec);
        let probe = bench.probe(&input).await.unwrap();
        assert!(probe.pcm.is_some(), "{spec:?}");
        let decoded = Probe { pcm: None, ..probe.clone() };
        let settings = [LevelsSettings { metric: Metric::Rms, ..LevelsSettings::default() }];
        let scope = RunScope::default();
        let measure = |probe| bench.media.analyse(&input, probe, &settings, &scope, None);
        let [mut own, expected] = [measure(&probe).await.unwrap(), measure(&decoded).await.unwrap()];
        // The last digits of sums depend on the chunk boundaries.
        let apart = own.loudness_lufs.unwrap() - expected.loudness_lufs.unwrap();
        assert!(apart.abs() < 1e-9, "{spec:?} {apart}");
        own.loudness_lufs = expected.loudness_lufs;
        assert_eq!(own, expected, "{spec:?}");
    }
}

#[tokio::test]
async fn reading_directly_can_be_called_off() {
    let bench = Bench::new();
    let input = bench.wav("plain.wav", &WavSpec::default());
    let probe = bench.probe(&input).await.unwrap();
    let scope = RunScope::default();
    scope.cancel.cancel();
    let result = bench.media.analyse(&input, &probe, &[], &scope, None).await;
    assert!(matches!(result, Err(MediaError::Cancelled)), "{result:?}");
}

#[tokio::test]
async fn silence_has_no_loudness() {
    let bench = Bench::new();
    let spec = WavSpec { signal: Signal::Silence, ..WavSpec::default() };
    let input = bench.wav("silence.wav", &spec);
    let analysis = analyse(&bench, &input, &[LevelsSettings::default()]).await;
    assert_eq!((analysis.loudness_lufs, analysis.true_peak_dbtp), (None, None));
    assert_eq!(analysis.levels[0].levels().unwrap().max, 0.0);
}

/// Peaks in the format of audiowaveform, from the samples of the file itself.
#[tokio::test]
async fn peaks_are_those_of_the_samples() {
    let bench = Bench::new();
    let noise = Signal::Noise { seed: 9, amplitude: 0.9 };
    let spec = WavSpec { seconds: 1.3, channels: 2, signal: noise, ..WavSpec::default() };
    let input = bench.wav("noise.wav", &spec);
    let bytes = std::fs::read(&input).unwrap();
    let data = bytes.windows(4).position(|window| window == b"data").unwrap() + 8;
    let samples: Vec<i16> =
        bytes[data..].as_chunks().0.iter().map(|sample| i16::from_le_bytes(*sample)).collect();
    let settings = LevelsSettings {
        format: LevelsFormat::AudiowaveformJson,
        samples_per_pixel: 256,
        bits: 16,
        is_split_channels: true,
        ..LevelsSettings::default()
    };
    let analysis = analyse(&bench, &input, &[settings, LevelsSettings::default()]).await;
    assert!(analysis.levels[1].levels().is_some());
    let Waveform::Peaks(peaks) = &analysis.levels[0] else { panic!("no peaks") };
    let json: serde_json::Value = serde_json::from_slice(&peaks.file()).unwrap();
    let expected: Vec<i16> = samples
        .chunks(2 * 256)
        .flat_map(|part| {
            [0, 1].into_iter().flat_map(|channel| {
                let of_channel = || part.iter().skip(channel).step_by(2);
                [*of_channel().min().unwrap(), *of_channel().max().unwrap()]
            })
        })
        .collect();
    assert_eq!(json["data"], serde_json::json!(expected));
    assert_eq!(json["length"], expected.len() / 4);
    assert_eq!(json["sample_rate"], 44_100);
}
