//! What is known of the sound of a track.

use tonearm_domain::TrackInfo;

use crate::amount::{bytes, clock, count};

/// What was measured and read, with names that people know. What is not known is left out.
pub(super) fn facts(info: &TrackInfo, duration: f64) -> Vec<(&'static str, String)> {
    let decibels = |value: f64, unit: &str| Some(format!("{value:.1} {unit}")).filter(|_| value.is_finite());
    let known = [
        ("Duration", Some(clock(duration)).filter(|_| duration > 0.0)),
        ("Container", info.container.clone()),
        ("Codec", info.codec.clone()),
        ("Sample rate", info.sample_rate.map(|hz| format!("{} Hz", count(hz.into())))),
        ("Channels", info.channels.map(channels)),
        ("Bit depth", info.bits_per_sample.filter(|bits| *bits > 0).map(|bits| format!("{bits} bit"))),
        ("Bit rate", info.bit_rate.map(|rate| format!("{} kbit/s", count(rate.div_ceil(1000))))),
        ("Size", info.size.map(bytes)),
        ("Loudness", info.loudness_lufs.and_then(|value| decibels(value, "LUFS"))),
        ("True peak", info.true_peak_dbtp.and_then(|value| decibels(value, "dBTP"))),
    ];
    known.into_iter().filter_map(|(name, text)| Some((name, text?))).collect()
}

fn channels(number: u32) -> String {
    match number {
        1 => "1 (mono)".to_owned(),
        2 => "2 (stereo)".to_owned(),
        number => number.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_known_is_told() {
        assert_eq!(facts(&TrackInfo::default(), 0.0), []);
        let info = TrackInfo {
            codec: Some("flac".to_owned()),
            sample_rate: Some(44_100),
            channels: Some(2),
            bits_per_sample: Some(0),
            loudness_lufs: Some(-14.04),
            true_peak_dbtp: Some(f64::NEG_INFINITY),
            ..TrackInfo::default()
        };
        let told = [
            ("Duration", "1:05"),
            ("Codec", "flac"),
            ("Sample rate", "44\u{202f}100 Hz"),
            ("Channels", "2 (stereo)"),
            ("Loudness", "-14.0 LUFS"),
        ];
        assert_eq!(facts(&info, 65.4), told.map(|(name, text)| (name, text.to_owned())));
    }
}
