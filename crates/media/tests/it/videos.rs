//! Videos of a waveform, decoded again.

use std::path::Path;
use std::process::Command;

use tonearm_domain::{Colour, FileData, WaveformVideo};
use tonearm_fixtures::audio::WavSpec;
use tonearm_media::{RunScope, sniff};
use tonearm_signal::bars_across;

use crate::bench::Bench;

/// One frame as RGB, decoded by plain ffmpeg.
fn frame(video: &Path, at: f64) -> Vec<u8> {
    let output = Command::new("ffmpeg")
        .args(["-nostdin", "-loglevel", "error", "-ss", &at.to_string(), "-i"])
        .arg(video)
        .args(["-frames:v", "1", "-f", "rawvideo", "-pix_fmt", "rgb24", "-"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// The amount of red in the left and in the right half of a frame.
fn red(frame: &[u8], width: usize) -> [u64; 2] {
    let mut halves = [0; 2];
    for (place, pixel) in frame.as_chunks::<3>().0.iter().enumerate() {
        halves[usize::from(place % width >= width / 2)] += u64::from(pixel[0]);
    }
    halves
}

#[tokio::test]
async fn a_video_shows_how_far_the_sound_has_got() {
    let bench = Bench::new();
    let input = bench.wav("in.wav", &WavSpec { seconds: 6.0, ..WavSpec::default() });
    let probe = bench.probe(&input).await.unwrap();
    let scope = RunScope::default();
    for has_sound in [true, false] {
        let settings = WaveformVideo { width: 320, height: 180, has_sound, ..WaveformVideo::default() };
        let levels = vec![0.8; bars_across(320) as usize];
        let red_ink = Colour::new(255, 0, 0);
        let made = bench
            .media
            .waveform_video(&input, &probe, 6.0, &settings, red_ink, &levels, bench.path(), &scope, None)
            .await
            .unwrap();
        assert_eq!(made.data, FileData::Picture { width: 320, height: 180, colour: None });
        let bytes = std::fs::read(&made.path).unwrap();
        assert!(sniff(&bytes).is_some());
        let place = |name: &[u8]| bytes.windows(4).position(|window| window == name);
        assert!(place(b"moov") < place(b"mdat"), "the index comes first");
        let sound = bench.probe(&made.path).await;
        assert_eq!(sound.is_ok(), has_sound, "{sound:?}");
        if let Ok(probe) = sound {
            let analysis = bench.media.analyse(&made.path, &probe, &[], &scope, None).await.unwrap();
            assert!((analysis.duration - 6.0).abs() <= 0.05, "{analysis:?}");
        }
        let [first, middle, last] = [0.0, 3.0, 5.9].map(|at| red(&frame(&made.path, at), 320));
        // Progress at the start, in the middle and at the end: nothing, the left half, everything.
        assert!(first[0] * 2 < middle[0] && first[1] * 2 < last[1], "{first:?} {middle:?} {last:?}");
        assert!(middle[1] * 2 < middle[0], "{middle:?}");
    }
}
