//! Properties of a track's sound.

use tonearm_domain::TrackInfo;

use crate::amount::{bytes, clock, count, decimal};
use crate::text::{Message, t};

/// The measured and declared properties, with names for people. Unknown properties are left out.
pub(super) fn facts(info: &TrackInfo, duration: f64) -> Vec<(Message, String)> {
    let decibels =
        |value: f64, unit: &str| Some(format!("{} {unit}", decimal(value))).filter(|_| value.is_finite());
    let facts = [
        ("track-duration", Some(clock(duration)).filter(|_| duration > 0.0)),
        ("track-container", info.container.clone()),
        ("track-codec", info.codec.clone()),
        ("track-sample-rate", info.sample_rate.map(|hz| format!("{} Hz", count(hz.into())))),
        ("track-channels", info.channels.map(channels)),
        ("track-bit-depth", info.bits_per_sample.filter(|bits| *bits > 0).map(|bits| format!("{bits} bit"))),
        ("track-bit-rate", info.bit_rate.map(|rate| format!("{} kbit/s", count(rate.div_ceil(1000))))),
        ("track-size", info.size.map(bytes)),
        ("track-loudness", info.loudness_lufs.and_then(|value| decibels(value, "LUFS"))),
        ("track-true-peak", info.true_peak_dbtp.and_then(|value| decibels(value, "dBTP"))),
    ];
    facts.into_iter().filter_map(|(id, text)| Some((t(id), text?))).collect()
}

fn channels(number: u32) -> String {
    match number {
        1 => t("track-channels-mono").to_string(),
        2 => t("track-channels-stereo").to_string(),
        number => number.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use tonearm_domain::Language;

    use super::*;
    use crate::text::in_language;

    #[test]
    fn only_what_is_known_is_told() {
        assert!(facts(&TrackInfo::default(), 0.0).is_empty());
        let info = TrackInfo {
            codec: Some("flac".to_owned()),
            sample_rate: Some(44_100),
            channels: Some(2),
            bits_per_sample: Some(0),
            loudness_lufs: Some(-14.04),
            true_peak_dbtp: Some(f64::NEG_INFINITY),
            ..TrackInfo::default()
        };
        let expected = [
            ("Duration", "1:05"),
            ("Codec", "flac"),
            ("Sample rate", "44\u{202f}100 Hz"),
            ("Channels", "2 (stereo)"),
            ("Loudness", "-14.0 LUFS"),
        ];
        let facts = |language| {
            in_language(language, || {
                let facts = facts(&info, 65.4).into_iter();
                facts.map(|(name, text)| (name.to_string(), text)).collect::<Vec<_>>()
            })
        };
        let owned = |(name, text): (&str, &str)| (name.to_owned(), text.to_owned());
        assert_eq!(facts(Language::English), expected.map(owned));
        assert_eq!(
            facts(Language::German)[3..],
            [("Kanäle", "2 (Stereo)"), ("Lautheit", "-14,0 LUFS")].map(owned)
        );
    }
}
