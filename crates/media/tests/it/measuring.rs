//! Levels and loudness, against plain references.

use std::path::Path;
use std::process::Command;

use tonearm_domain::{LevelsSettings, Metric};
use tonearm_fixtures::audio::{Signal, WavSpec};
use tonearm_media::{Analysis, RunScope};

use crate::bench::Bench;

async fn analyse(bench: &Bench, input: &Path, levels: &[LevelsSettings]) -> Analysis {
    let probe = bench.probe(input).await.unwrap();
    bench.media.analyse(input, &probe, levels, &RunScope::default()).await.unwrap()
}

#[tokio::test]
async fn levels_are_those_of_the_steps() {
    let bench = Bench::new();
    let steps: Vec<f64> = (0..40).map(|n| f64::from(n * 7 % 40) / 40.0).collect();
    // 40 s are more frames than the meter keeps one by one.
    for seconds in [1.0, 40.0] {
        let spec = WavSpec {
            seconds,
            sample_rate: 48_000,
            signal: Signal::Steps(steps.clone()),
            ..WavSpec::default()
        };
        let input = bench.wav("steps.wav", &spec);
        let settings = [Metric::Peak, Metric::Rms].map(|metric| LevelsSettings { num_samples: 40, metric });
        let analysis = analyse(&bench, &input, &settings).await;
        assert_eq!(analysis.frames, spec.frames());
        for levels in &analysis.levels {
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
    let levels = &analysis.levels[0].levels;
    assert_eq!((analysis.frames, levels.len()), (80, 320));
    assert!(levels[..160].iter().all(|l| (l - 0.25).abs() < 0.001));
    assert!(levels[160..].iter().all(|l| (l - 0.75).abs() < 0.001));
}

/// What ffmpeg's own meter prints in its summary: LUFS, and dBFS of the true peak.
fn ffmpeg_loudness(input: &Path) -> (f64, f64) {
    let output = Command::new("ffmpeg")
        .args(["-nostdin", "-hide_banner", "-nostats", "-i"])
        .arg(input)
        .args(["-af", "ebur128=peak=true", "-f", "null", "-"])
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let summary = text.rsplit("Summary:").next().unwrap();
    let after = |label: &str| {
        let line = summary.lines().find(|line| line.trim().starts_with(label)).unwrap();
        line.split_ascii_whitespace().nth(1).unwrap().parse().unwrap()
    };
    (after("I:"), after("Peak:"))
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
        let (lufs, peak) = ffmpeg_loudness(&input);
        assert!((analysis.loudness_lufs.unwrap() - lufs).abs() <= 0.1, "{spec:?} {analysis:?} {lufs}");
        // Between samples of noise there is no truth: every interpolation finds other peaks.
        if matches!(spec.signal, Signal::Sine { .. }) {
            let found = analysis.true_peak_dbtp.unwrap();
            assert!((found - peak).abs() <= 0.3, "{spec:?} {found} {peak}");
        }
    }
}

#[tokio::test]
async fn silence_has_no_loudness() {
    let bench = Bench::new();
    let spec = WavSpec { signal: Signal::Silence, ..WavSpec::default() };
    let input = bench.wav("silence.wav", &spec);
    let analysis = analyse(&bench, &input, &[LevelsSettings::default()]).await;
    assert_eq!((analysis.loudness_lufs, analysis.true_peak_dbtp), (None, None));
    assert_eq!(analysis.levels[0].max, 0.0);
}
