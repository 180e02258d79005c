//! What a file holds, as ffprobe tells.

use std::collections::BTreeMap;
use std::io::{PipeReader, Read};

use serde::Deserialize;
use tonearm_domain::TrackInfo;

use crate::{MediaError, Pcm};

/// What a file holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Probe {
    /// Seconds, as the headers claim; 0 where they do not say. What [`crate::Analysis`] counts is true.
    pub duration: f64,
    /// Container, codec and tags, for people. `size`, loudness and true peak are left to the caller.
    pub info: TrackInfo,
    /// The audio stream that everything is made of: its index in the container.
    pub stream: u32,
    /// Samples per second of one channel, in Hz.
    pub sample_rate: u32,
    /// Channels, 1..=64.
    pub channels: u32,
    /// The arrangement of the channels, such as `stereo` or `5.1(side)`, where it is known.
    pub channel_layout: Option<String>,
    /// Frames (samples of one channel), as the headers claim.
    pub expected_frames: Option<u64>,
    /// Whether there are moving pictures beside the sound.
    pub has_video: bool,
    /// The attached picture, where there is one.
    pub picture: Option<Picture>,
    /// Where the samples lie, if they can be read without a decoder.
    pub pcm: Option<Pcm>,
}

/// A picture attached to a file: its cover.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// Its index among the container's streams.
    pub stream: u32,
    /// `mjpeg`, `png`, …
    pub codec: String,
}

/// ffprobe's answer about a file with the most streams it reads is far below this, in bytes.
const LONGEST_ANSWER: u64 = 8 << 20;
/// Tags beyond these bounds are left out, or cut off.
const MOST_TAGS: usize = 64;
const LONGEST_TAG: usize = 1000;
/// ffmpeg's certainty about the format, of 100. Noise that happens to hold one MPEG sync word gets 1.
const LEAST_CERTAINTY: u32 = 2;
/// What loudness can be measured of; ffmpeg reads no more either.
const MOST_CHANNELS: u32 = 64;
const RATES: std::ops::RangeInclusive<u32> = 1_000..=1_000_000;

#[derive(Deserialize)]
struct Answer {
    #[serde(default)]
    streams: Vec<Stream>,
    #[serde(default)]
    format: Format,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Format {
    format_name: Option<String>,
    duration: Option<String>,
    bit_rate: Option<String>,
    probe_score: Option<u32>,
    tags: BTreeMap<String, String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Stream {
    index: u32,
    codec_type: Option<String>,
    codec_name: Option<String>,
    sample_rate: Option<String>,
    channels: Option<u32>,
    channel_layout: Option<String>,
    bits_per_sample: Option<u32>,
    bits_per_raw_sample: Option<String>,
    bit_rate: Option<String>,
    duration: Option<String>,
    duration_ts: Option<i64>,
    time_base: Option<String>,
    tags: BTreeMap<String, String>,
    disposition: Disposition,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Disposition {
    default: u8,
    attached_pic: u8,
}

impl Stream {
    fn is(&self, kind: &str) -> bool {
        self.codec_type.as_deref() == Some(kind)
    }

    fn rate(&self) -> Option<u32> {
        number(&self.sample_rate).filter(|rate| RATES.contains(rate))
    }

    fn channels(&self) -> Option<u32> {
        self.channels.filter(|count| (1..=MOST_CHANNELS).contains(count))
    }

    fn is_decodable_audio(&self) -> bool {
        self.is("audio") && self.codec_name.is_some() && self.rate().is_some() && self.channels().is_some()
    }

    /// Frames by the stream's own clock, which for most formats ticks once per sample.
    fn frames(&self, rate: u32) -> Option<u64> {
        let (numerator, denominator) = self.time_base.as_deref()?.split_once('/')?;
        let (numerator, denominator): (u32, u32) = (numerator.parse().ok()?, denominator.parse().ok()?);
        let ticks = u128::try_from(self.duration_ts?).ok()? * u128::from(numerator) * u128::from(rate);
        let frames = (ticks + u128::from(denominator / 2)).checked_div(denominator.into())?;
        u64::try_from(frames).ok().filter(|frames| *frames > 0)
    }
}

fn number<T: std::str::FromStr>(text: &Option<String>) -> Option<T> {
    text.as_deref()?.parse().ok()
}

fn seconds(text: &Option<String>) -> Option<f64> {
    number(text).filter(|seconds: &f64| seconds.is_finite() && *seconds > 0.0)
}

/// Reads what ffprobe writes, within bounds.
pub(crate) fn read_answer(mut stdout: PipeReader) -> Result<Vec<u8>, MediaError> {
    let mut bytes = Vec::new();
    stdout.by_ref().take(LONGEST_ANSWER + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LONGEST_ANSWER {
        return Err(MediaError::LimitHit("The file describes itself at too great length.".to_owned()));
    }
    Ok(bytes)
}

impl Probe {
    /// From ffprobe's JSON. [`MediaError::NotAudio`] where no stream can be decoded to sound.
    pub(crate) fn from_json(json: &[u8]) -> Result<Self, MediaError> {
        let answer: Answer = serde_json::from_slice(json).map_err(|error| {
            tracing::debug!(%error, "ffprobe's answer is not what it should be");
            MediaError::Failed("The file could not be examined.".to_owned())
        })?;
        let Answer { streams, format } = answer;
        if format.probe_score.is_some_and(|score| score < LEAST_CERTAINTY) {
            return Err(MediaError::NotAudio("The file is of no known audio format.".to_owned()));
        }
        let audio = || streams.iter().filter(|stream| stream.is_decodable_audio());
        let chosen = audio().find(|s| s.disposition.default == 1).or_else(|| audio().next());
        let chosen = chosen.ok_or_else(MediaError::silent_file)?;
        let (Some(rate), Some(channels)) = (chosen.rate(), chosen.channels()) else {
            return Err(MediaError::silent_file());
        };
        let is_picture = |s: &&Stream| s.is("video") && s.disposition.attached_pic == 1;
        let picture = streams
            .iter()
            .find(is_picture)
            .and_then(|stream| Some(Picture { stream: stream.index, codec: stream.codec_name.clone()? }));
        let bits = number(&chosen.bits_per_raw_sample).or(chosen.bits_per_sample);
        Ok(Self {
            duration: seconds(&chosen.duration).or(seconds(&format.duration)).unwrap_or(0.0),
            stream: chosen.index,
            sample_rate: rate,
            channels,
            channel_layout: chosen.channel_layout.clone(),
            expected_frames: chosen.frames(rate),
            has_video: streams.iter().any(|s| s.is("video") && s.disposition.attached_pic == 0),
            picture,
            pcm: None,
            info: TrackInfo {
                container: format.format_name,
                codec: chosen.codec_name.clone(),
                sample_rate: Some(rate),
                channels: Some(channels),
                bit_rate: number(&chosen.bit_rate).or(number(&format.bit_rate)),
                bits_per_sample: bits.filter(|bits| *bits > 0),
                tags: tags([&format.tags, &chosen.tags]),
                ..TrackInfo::default()
            },
        })
    }
}

/// Tags of container and stream by lower-case name; the container's win. Bounded, and fit for SQL: no NUL.
fn tags(sources: [&BTreeMap<String, String>; 2]) -> BTreeMap<String, String> {
    let clean = |text: &str| {
        let kept: String = text.chars().filter(|c| *c != '\0').take(LONGEST_TAG).collect();
        kept.trim().to_owned()
    };
    let mut found = BTreeMap::new();
    for (name, value) in sources.into_iter().flatten() {
        let (name, value) = (clean(&name.to_lowercase()), clean(value));
        if !name.is_empty() && !value.is_empty() {
            found.entry(name).or_insert(value);
        }
    }
    found.into_iter().take(MOST_TAGS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn probe(json: &str) -> Result<Probe, MediaError> {
        Probe::from_json(json.as_bytes())
    }

    #[test]
    fn the_default_audio_stream_is_chosen() {
        let probe = probe(
            r#"{"streams":[
                {"index":0,"codec_type":"video","codec_name":"png","disposition":{"attached_pic":1}},
                {"index":1,"codec_type":"audio","codec_name":"flac","sample_rate":"48000","channels":1},
                {"index":2,"codec_type":"audio","codec_name":"aac","sample_rate":"44100","channels":6,
                 "duration_ts":88200,"time_base":"1/44100","duration":"2.0","disposition":{"default":1}}],
               "format":{"format_name":"matroska,webm","duration":"9","tags":{"TITLE":"A\u0000 b "}}}"#,
        )
        .unwrap();
        assert_eq!((probe.stream, probe.channels, probe.sample_rate), (2, 6, 44100));
        assert_eq!((probe.duration, probe.expected_frames), (2.0, Some(88200)));
        assert!(!probe.has_video);
        assert_eq!(probe.picture.map(|p| p.stream), Some(0));
        assert_eq!(probe.info.tags["title"], "A b");
    }

    #[test]
    fn claims_are_not_believed_blindly() {
        for (rate, channels) in [("0", 2), ("44100", 0), ("44100", 4000), ("4000000000", 2), ("x", 1)] {
            let json = format!(
                r#"{{"streams":[{{"codec_type":"audio","codec_name":"pcm","sample_rate":"{rate}","channels":{channels}}}]}}"#
            );
            assert!(matches!(probe(&json), Err(MediaError::NotAudio(_))), "{json}");
        }
        // No clock ticks like that; and reckoning with it would overflow.
        let odd = r#"{"streams":[{"codec_type":"audio","codec_name":"pcm","sample_rate":"44100","channels":1,
            "duration_ts":9223372036854775807,"time_base":"340282366920938463463374607431768211455/1"}]}"#;
        assert_eq!(probe(odd).unwrap().expected_frames, None);
        assert!(matches!(probe("{}"), Err(MediaError::NotAudio(_))));
        assert!(matches!(probe("nonsense"), Err(MediaError::Failed(_))));
    }

    #[test]
    fn tags_are_bounded() {
        let many: BTreeMap<_, _> = (0..100).map(|n| (format!("TAG{n:03}"), "é".repeat(5000))).collect();
        let tags = tags([&many, &BTreeMap::new()]);
        assert_eq!(tags.len(), 64);
        assert!(tags.values().all(|value| value.chars().count() == 1000));
    }
}
