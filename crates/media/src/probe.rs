//! What a file holds, as ffprobe reports it.

use std::collections::BTreeMap;
use std::io::{PipeReader, Read};

use serde::Deserialize;
use tonearm_domain::{Chapter, Tags, TrackInfo};

use crate::bounded::first;
use crate::declared_length::DeclaredLength;
use crate::entry::Entry;
use crate::error::MediaError;
use crate::glance::HeaderScan;
use crate::pcm::Pcm;
use tonearm_signal::Layout;

/// What a file holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Probe {
    /// Duration in seconds, as the headers declare it; 0 if they do not. [`crate::Analysis`] counts the true one.
    pub duration: f64,
    /// Container, codec and tags, for people. `size`, loudness and true peak are left to the caller.
    pub info: TrackInfo,
    /// The audio stream that all renders use: its index in the container.
    pub stream: u32,
    /// Samples per second of one channel, in Hz.
    pub sample_rate: u32,
    /// Channels, 1..=64.
    pub channels: u32,
    /// The arrangement of the channels, such as `stereo` or `5.1(side)`, if it is known.
    pub channel_layout: Option<String>,
    /// Frames (samples of one channel), as the headers declare.
    pub expected_frames: Option<u64>,
    /// Whether there is video besides the sound.
    pub has_video: bool,
    /// The attached picture, if there is one.
    pub picture: Option<Picture>,
    /// Where the samples are stored, if they can be read without a decoder.
    pub pcm: Option<Pcm>,
    /// Whether samples may be NaN, or exceed full scale by more than 36 dB, as floats can.
    pub may_be_impossible: bool,
    /// How ffmpeg has to read the file, if it would not detect it.
    pub entry: Option<Entry>,
    /// How much sound the file declares.
    pub promise: DeclaredLength,
    /// Whether `duration` is only estimated, from the size and the bitrate of the beginning.
    pub is_estimated: bool,
    /// The chapters as the file declares them, plausible or not: at most 10,000, in any order, NaN for a missing time.
    /// Those of `info` are derived from them.
    pub told_chapters: Vec<Chapter>,
}

/// A picture attached to a file: its cover.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// Its index among the container's streams.
    pub stream: u32,
    /// `mjpeg`, `png`, …
    pub codec: String,
}

/// The most bytes of ffprobe's answer. An answer for a file with the most streams it reads, or with a chapter in every
/// second of a day, is far smaller.
const LONGEST_ANSWER: u64 = 16 << 20;
/// The most streams and chapters that are read from an answer. ffmpeg opens no more streams. At most a thousand
/// chapters are used, but the earliest may be listed last.
const MOST_STREAMS: usize = 1_000;
const MOST_CHAPTERS: usize = 10_000;
/// ffmpeg's probe score, out of 100, for noise that happens to hold one MPEG sync word.
const NO_CERTAINTY: u32 = 1;
/// Limits within which loudness can be measured; ffmpeg accepts no more channels either.
const MOST_CHANNELS: u32 = 64;
const RATES: std::ops::RangeInclusive<u32> = 1_000..=6_000_000;
/// The highest sample rate that is used, in Hz. Anything beyond it in one-bit formats is noise.
const HIGHEST_RATE: u32 = 384_000;
/// A clock that differs by more than this many seconds is considered wrong.
const WRONG_BY: f64 = 0.5;
/// Containers with one clock for pictures, sound and chapters.
const ONE_CLOCK: [&str; 2] = ["matroska,webm", "mov,mp4,m4a,3gp,3g2,mj2"];
/// Containers whose index or header counts the sound. Durations in other containers are computed from bytes, or read
/// from their end.
const COUNTING: [&str; 19] = [
    "aiff",
    "ape",
    "asf",
    "au",
    "caf",
    "flac",
    "flv",
    "iff",
    "matroska,webm",
    "mov,mp4,m4a,3gp,3g2,mj2",
    "mp3",
    "mpc",
    "mpc8",
    "rm",
    "tak",
    "tta",
    "w64",
    "wav",
    "wv",
];

#[derive(Deserialize)]
struct Answer {
    #[serde(default, deserialize_with = "first::<_, _, MOST_STREAMS>")]
    streams: Vec<Stream>,
    #[serde(default, deserialize_with = "first::<_, _, MOST_CHAPTERS>")]
    chapters: Vec<ProbedChapter>,
    #[serde(default)]
    format: Format,
}

#[derive(Deserialize)]
struct ProbedChapter {
    start_time: Option<String>,
    end_time: Option<String>,
    #[serde(default)]
    tags: BTreeMap<String, String>,
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
    start_time: Option<String>,
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

    /// Seconds from the beginning of the file's clock to the first sample, as in films whose sound begins after the picture.
    fn late(&self, format: &Format) -> f64 {
        let has_clock = format.format_name.as_deref().is_some_and(|name| ONE_CLOCK.contains(&name));
        seconds(&self.start_time).filter(|_| has_clock).unwrap_or(0.0)
    }

    fn rate(&self) -> Option<u32> {
        let mut rate = number(&self.sample_rate).filter(|rate| RATES.contains(rate))?;
        while rate > HIGHEST_RATE {
            rate /= 2;
        }
        Some(rate)
    }

    fn channels(&self) -> Option<u32> {
        self.channels.filter(|count| (1..=MOST_CHANNELS).contains(count))
    }

    fn is_decodable_audio(&self) -> bool {
        self.is("audio") && self.codec_name.is_some() && self.rate().is_some() && self.channels().is_some()
    }

    /// The number of frames by the stream's own clock, which for most formats ticks once per sample.
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

/// Reads ffprobe's output, within bounds. An answer that is too long is [`MediaError::Unsupported`]: larger limits
/// would not help.
pub(crate) fn read_answer(mut stdout: PipeReader) -> Result<Vec<u8>, MediaError> {
    let mut bytes = Vec::new();
    stdout.by_ref().take(LONGEST_ANSWER + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LONGEST_ANSWER {
        return Err(MediaError::Unsupported("The metadata of the file is too large.".to_owned()));
    }
    Ok(bytes)
}

impl Probe {
    /// Whether the file may hold tags or pictures. A plain WAV file, whose header is read in this process, holds only
    /// samples.
    pub fn may_have_tags(&self) -> bool {
        self.pcm.is_none()
    }

    /// A probe of sound with this sample rate and number of channels. All else is unknown, including its duration.
    pub fn of_sound(sample_rate: u32, channels: u32) -> Self {
        Self {
            duration: 0.0,
            info: TrackInfo::default(),
            stream: 0,
            sample_rate,
            channels,
            channel_layout: None,
            expected_frames: None,
            has_video: false,
            picture: None,
            pcm: None,
            may_be_impossible: false,
            entry: None,
            promise: DeclaredLength::Unknown,
            is_estimated: false,
            told_chapters: Vec::new(),
        }
    }

    /// The channel positions.
    pub(crate) fn layout(&self) -> Layout {
        Layout::new(self.channels, self.channel_layout.as_deref())
    }

    /// Whether it is a stream without a container, which ffmpeg may detect in the middle of any data.
    pub(crate) fn is_bare(&self) -> bool {
        matches!(self.info.container.as_deref(), Some("aac" | "mp3" | "flac"))
    }

    /// The duration in seconds; 0 if the file declares none, so that it is only estimated.
    pub fn declared_seconds(&self) -> f64 {
        if self.is_estimated { 0.0 } else { self.duration }
    }

    /// Whether the file's clock agrees with the duration, which may be counted.
    pub(crate) fn has_true_clock(&self) -> bool {
        let expected = self.expected_frames.map(|frames| frames as f64 / f64::from(self.sample_rate));
        expected.is_none_or(|expected| (expected - self.duration).abs() <= WRONG_BY)
    }

    /// Adds the result of the header scan.
    pub(crate) fn with(self, glance: HeaderScan, entry: Option<Entry>) -> Self {
        let is_estimated = match self.info.container.as_deref() {
            Some("mp3") => !glance.has_frame_count,
            container => container == Some("aac"),
        };
        let promise = match self.promise {
            _ if glance.is_cut => DeclaredLength::Broken,
            _ if is_estimated => DeclaredLength::Unknown,
            promise => promise,
        };
        Self { entry, promise, is_estimated, ..self }
    }

    /// Parses ffprobe's JSON. Returns [`MediaError::NotAudio`] if no stream can be decoded to sound.
    pub(crate) fn from_json(json: &[u8]) -> Result<Self, MediaError> {
        let answer: Answer = serde_json::from_slice(json).map_err(|error| {
            tracing::debug!(%error, "could not parse the output of ffprobe");
            MediaError::Failed("The file could not be analysed.".to_owned())
        })?;
        let Answer { streams, chapters, format } = answer;
        if format.probe_score.is_some_and(|score| score == NO_CERTAINTY) {
            return Err(MediaError::NotAudio("The file is not in a known audio format.".to_owned()));
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
        let duration = seconds(&chosen.duration).or(seconds(&format.duration)).unwrap_or(0.0);
        let late = chosen.late(&format);
        let told_chapters: Vec<Chapter> = chapters.into_iter().map(|chapter| chapter.claimed(late)).collect();
        Ok(Self {
            duration,
            stream: chosen.index,
            sample_rate: rate,
            channels,
            channel_layout: chosen.channel_layout.clone(),
            expected_frames: chosen.frames(rate),
            has_video: streams.iter().any(|s| s.is("video") && s.disposition.attached_pic == 0),
            picture,
            pcm: None,
            may_be_impossible: may_be_impossible(chosen, bits),
            entry: None,
            promise: promise(chosen, &format, streams.len()),
            is_estimated: false,
            info: TrackInfo {
                container: format.format_name,
                codec: chosen.codec_name.clone(),
                sample_rate: number(&chosen.sample_rate),
                channels: Some(channels),
                bit_rate: number(&chosen.bit_rate).or(number(&format.bit_rate)),
                bits_per_sample: bits.filter(|bits| *bits > 0),
                tags: tags([&format.tags, &chosen.tags]),
                chapters: Chapter::plausible(told_chapters.clone(), duration),
                ..TrackInfo::default()
            },
            told_chapters,
        })
    }
}

/// Whether the samples of a stream may be floats as they were put in. WavPack stores them as 32 bits.
fn may_be_impossible(stream: &Stream, bits: Option<u32>) -> bool {
    stream
        .codec_name
        .as_deref()
        .is_some_and(|codec| codec.starts_with("pcm_f") || (codec == "wavpack" && bits == Some(32)))
}

/// The length that the file declares for a stream. The length of the whole file only counts if it has a single stream.
fn promise(stream: &Stream, format: &Format, streams: usize) -> DeclaredLength {
    let counts = format.format_name.as_deref().is_some_and(|name| COUNTING.contains(&name));
    let of_whole = || seconds(&format.duration).filter(|_| streams == 1);
    match seconds(&stream.duration).or_else(|| clock(stream.tags.get("DURATION")?)).or_else(of_whole) {
        Some(seconds) if counts => DeclaredLength::Seconds(seconds),
        _ => DeclaredLength::Unknown,
    }
}

/// Parses `01:02:03.456`, the form in which Matroska stores the length of a stream, to seconds.
fn clock(text: &str) -> Option<f64> {
    let parts = text.split(':').map(|part| part.parse().ok());
    let seconds = parts.reduce(|sum: Option<f64>, part| Some(sum? * 60.0 + part?)).flatten()?;
    (seconds.is_finite() && seconds > 0.0).then_some(seconds)
}

/// The tags that are kept of container and stream; the container's take precedence.
fn tags(sources: [&BTreeMap<String, String>; 2]) -> BTreeMap<String, String> {
    Tags::kept(sources.into_iter().flatten().map(|(name, value)| (name.as_str(), value.as_str())))
}

impl ProbedChapter {
    /// The declared chapter, in seconds of the sound, which begins this much after the file's clock. With NaN for a missing
    /// time.
    fn claimed(self, late: f64) -> Chapter {
        let time = |text| match number(text).unwrap_or(f64::NAN) {
            seconds if late > 0.0 => f64::clamp(seconds - late, 0.0, f64::INFINITY),
            seconds => seconds,
        };
        Chapter::claimed(
            time(&self.start_time),
            time(&self.end_time),
            self.tags.get("title").map(String::as_str),
        )
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

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
        // No real clock has such a time base, and computing with it would overflow.
        let odd = r#"{"streams":[{"codec_type":"audio","codec_name":"pcm","sample_rate":"44100","channels":1,
            "duration_ts":9223372036854775807,"time_base":"340282366920938463463374607431768211455/1"}]}"#;
        assert_eq!(probe(odd).unwrap().expected_frames, None);
        assert!(matches!(probe("{}"), Err(MediaError::NotAudio(_))));
        assert!(matches!(probe("nonsense"), Err(MediaError::Failed(_))));
    }

    #[test]
    fn only_a_count_is_a_promise() {
        let of = |format: &str, stream: &str, more: &str| {
            probe(&format!(
                r#"{{"streams":[{{"codec_type":"audio","codec_name":"x","sample_rate":"44100","channels":1{stream}}}{more}],
                   "format":{{"format_name":"{format}","duration":"9"}}}}"#
            ))
            .unwrap()
            .promise
        };
        let video = r#",{"codec_type":"video"}"#;
        assert_eq!(of("flac", r#","duration":"2.5""#, ""), DeclaredLength::Seconds(2.5));
        assert_eq!(of("aac", r#","duration":"2.5""#, ""), DeclaredLength::Unknown);
        assert_eq!(of("matroska,webm", "", ""), DeclaredLength::Seconds(9.0));
        assert_eq!(of("matroska,webm", "", video), DeclaredLength::Unknown);
        let tagged = r#","tags":{"DURATION":"00:01:05.500000000"}"#;
        assert_eq!(of("matroska,webm", tagged, video), DeclaredLength::Seconds(65.5));
        assert_eq!(clock("x"), None);
    }

    #[test]
    fn one_bit_sound_is_worked_with_at_a_lower_rate() {
        let dsd = r#"{"streams":[{"codec_type":"audio","codec_name":"dsd_lsbf_planar","sample_rate":"1411200","channels":2,
            "duration_ts":1411200,"time_base":"1/1411200"}]}"#;
        let probe = probe(dsd).unwrap();
        assert_eq!((probe.sample_rate, probe.expected_frames), (352_800, Some(352_800)));
        assert_eq!(probe.info.sample_rate, Some(1_411_200));
    }

    #[test]
    fn chapters_are_those_that_can_be() {
        let of = |chapters: &str| {
            probe(&format!(
                r#"{{"streams":[{{"codec_type":"audio","codec_name":"x","sample_rate":"44100","channels":1,"duration":"9"}}],
                   "chapters":[{chapters}]}}"#
            ))
            .unwrap()
        };
        let two = of(r#"{"start_time":"0.000000","end_time":"4.5","tags":{"title":"One"}},
                        {"start_time":"4.5","end_time":"9.2","tags":{}}"#);
        let title = Some("One".to_owned());
        let expected =
            [Chapter { start: 0.0, end: 4.5, title }, Chapter { start: 4.5, end: 9.0, title: None }];
        assert_eq!(two.info.chapters, expected);
        let odd = of(
            r#"{"start_time":"N/A"},{"start_time":"99","end_time":"100"},{"start_time":"1","end_time":"x"}"#,
        );
        assert_eq!(odd.info.chapters, [Chapter { start: 1.0, end: 9.0, title: None }]);
        assert_eq!(of("").info.chapters, []);
    }

    #[test]
    fn long_lists_are_read_to_their_end_but_not_kept() {
        let many = "{},".repeat(30_000);
        let json =
            format!(r#"{{"chapters":[{many}{{}}],"streams":[{many}{{}}],"format":{{"format_name":"x"}}}}"#);
        let answer: Answer = serde_json::from_str(&json).unwrap();
        assert_eq!((answer.chapters.len(), answer.streams.len()), (MOST_CHAPTERS, MOST_STREAMS));
        assert_eq!(answer.format.format_name.as_deref(), Some("x"), "what follows is read");
        let exactly = format!(r#"{{"streams":[{}{{}}]}}"#, "{},".repeat(MOST_STREAMS - 1));
        assert_eq!(serde_json::from_str::<Answer>(&exactly).unwrap().streams.len(), MOST_STREAMS);
        assert!(serde_json::from_str::<Answer>(r#"{"chapters":7}"#).is_err());
    }

    #[test]
    fn an_answer_that_is_too_long_is_final() {
        let (reader, mut writer) = std::io::pipe().unwrap();
        // Until the reader is closed.
        let writing = std::thread::spawn(move || while writer.write_all(&[b' '; 4096]).is_ok() {});
        assert!(matches!(read_answer(reader), Err(MediaError::Unsupported(_))));
        writing.join().unwrap();
    }
}
