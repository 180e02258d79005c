//! The argument lists of ffmpeg and ffprobe: pure functions, so that what runs can be tested without running it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use tonearm_domain::{Chapter, Codec, Transcode};

use crate::bitrate::{BitrateFit, fit};
use crate::entry::Entry;
use crate::formats::FORMATS;
use crate::limiter::Gain;
use crate::probe::Probe;
use crate::render::{LEAD_IN, Output, Reading, Window};
use crate::target::Encoding;

/// The entries that ffprobe is to show.
const ENTRIES: &str = "format=format_name,duration,bit_rate,probe_score:format_tags:\
    stream=index,codec_type,codec_name,sample_rate,channels,channel_layout,bits_per_sample,\
    bits_per_raw_sample,bit_rate,duration,duration_ts,time_base:stream_tags:\
    stream_disposition=default,attached_pic:chapter=start_time,end_time:chapter_tags=title";

/// The first arguments of every run of ffmpeg. Sound needs no parallel decoding or filtering, and on a machine with
/// many cores the threads would use up the address space. Several processes run at once anyway.
pub(crate) const QUIET_SINGLE: &str =
    "-nostdin -hide_banner -loglevel error -nostats -filter_threads 1 -threads 1";

/// Sound is counted by its samples. In some files, such as those joined from others, the clock disagrees with the
/// samples, and encoders would write files of the wrong length.
const ONE_CLOCK: &str = "-dts_delta_threshold 0.05 -dts_error_threshold 0.05";

/// Keeps the sum within full scale when channels are downmixed. Without this option ffmpeg does so only for encoders
/// that take integers, and a loud 5.1 mix would clip in AAC, Vorbis and Opus.
const FOLD_WITHOUT_CLIPPING: &str = "-rematrix_maxval 1.0";

/// Raw samples, 32 KiB at a time. If they were written packet by packet, a third of the time would go into waking up
/// the reader.
const PCM_OUT: &str = "-flush_packets 0 -f f32le";
/// The filter that makes large packets of the samples, for the same reason. The last packet is not padded.
const LARGE_PACKETS: &str = "asetnsamples=n=8192:p=0";

/// The most chapters in Vorbis comments, where chapter numbers have three digits.
const MOST_COMMENTED: usize = 999;
/// The most bytes of chapters in the arguments of one output. All arguments together must not exceed 2 MiB.
const LONGEST_COMMENTS: usize = 64 << 10;

/// An argument list under construction.
pub(crate) struct Args(Vec<OsString>);

impl Args {
    pub(crate) fn new(words: &str) -> Self {
        Self(Vec::new()).words(words)
    }

    /// Adds words that contain no spaces themselves.
    pub(crate) fn words(mut self, words: &str) -> Self {
        self.0.extend(words.split_ascii_whitespace().map(OsString::from));
        self
    }

    pub(crate) fn pair(mut self, option: &str, value: impl Into<OsString>) -> Self {
        self.0.push(option.into());
        self.0.push(value.into());
        self
    }

    /// Adds an input, always as a file, whatever its name looks like.
    fn input(self, path: &Path, entry: Option<Entry>) -> Self {
        let args = match entry {
            Some(Entry { format, skip }) => {
                self.pair("-skip_initial_bytes", skip.to_string()).pair("-f", format)
            }
            None => self,
        };
        args.pair("-protocol_whitelist", "file")
            .pair("-format_whitelist", FORMATS.join(","))
            .pair("-i", file(path))
    }

    /// Adds a seek in the input that follows. If there is nothing to skip, no seek is added: in some containers even a
    /// seek to the beginning loses the position.
    fn skip(self, seconds: f64) -> Self {
        self.maybe("-ss", Some(format!("{seconds:.6}")).filter(|_| seconds > 0.0))
    }

    /// Adds the input of which a part is decoded. After a seek, its clock is the only reference.
    fn part(self, path: &Path, probe: &Probe, reading: Reading) -> Self {
        match reading {
            Reading::Jumping => self.input(path, probe.entry),
            Reading::Through => self.sound(path, probe),
        }
    }

    /// Adds the input whose sound is decoded from its beginning.
    pub(crate) fn sound(self, path: &Path, probe: &Probe) -> Self {
        self.words(ONE_CLOCK).input(path, probe.entry)
    }

    /// Adds a PNG of our own as one frame of a video.
    pub(crate) fn picture(self, path: &Path, frame_rate: u32) -> Self {
        self.words("-f png_pipe").pair("-framerate", frame_rate.to_string()).pair("-i", file(path))
    }

    pub(crate) fn maybe(self, option: &str, value: Option<String>) -> Self {
        match value {
            Some(value) => self.pair(option, value),
            None => self,
        }
    }

    pub(crate) fn add(mut self, output: impl Into<OsString>) -> Self {
        self.0.push(output.into());
        self
    }

    pub(crate) fn end(self, output: impl Into<OsString>) -> Vec<OsString> {
        self.add(output).finish()
    }

    pub(crate) fn finish(self) -> Vec<OsString> {
        self.0
    }
}

/// A path as ffmpeg's name of a local file. Without the prefix, a name such as `concat:x` would be interpreted as a
/// protocol.
pub(crate) fn file(path: &Path) -> OsString {
    let mut name = OsString::from("file:");
    name.push(path);
    name
}

/// ffprobe's arguments: JSON about the container and its streams. `entry` says how to read the file if ffprobe is not
/// to detect it.
pub fn probe_args(input: &Path, entry: Option<Entry>) -> Vec<OsString> {
    Args::new("-hide_banner -loglevel error -of json=compact=1")
        .pair("-show_entries", ENTRIES)
        .input(input, entry)
        .0
}

/// ffmpeg's arguments to decode the audio stream to interleaved 32-bit floats on stdout, with the sample rate and
/// channels that `probe` found; and, from the same decoding, to encode `outputs` to files that must not exist yet.
pub fn pcm_args(input: &Path, probe: &Probe, outputs: &[(Output<'_>, PathBuf)]) -> Vec<OsString> {
    let mut args = Args::new(QUIET_SINGLE).sound(input, probe);
    for (output, path) in outputs {
        args = encode(args, probe, output, 0.0, None).add(file(path));
    }
    let layout = probe.layout();
    let filters = layout.name().map(in_layout).into_iter().collect();
    let channels = layout.name().is_none().then_some(probe.channels);
    samples(args, &format!("0:{}", probe.stream), filters, channels, probe.sample_rate)
}

/// ffmpeg's arguments to decode the source of an output to samples on stdout: its window, downmixed as for the encoder,
/// at the source's sample rate.
pub(crate) fn output_pcm_args(
    input: &Path,
    probe: &Probe,
    output: &Output<'_>,
    reading: Reading,
) -> Vec<OsString> {
    let (skipped, args) = read(Args::new(QUIET_SINGLE), input, probe, output, reading);
    let (filters, channels) = (shaping(probe, output, skipped), channels_of(probe, output));
    samples(args, &format!("0:{}", probe.stream), filters, Some(channels), probe.sample_rate)
}

/// ffmpeg's arguments to decode a rendered file with this many channels and this rate in Hz to samples on stdout.
pub(crate) fn made_pcm_args(made: &Path, channels: u32, rate: u32) -> Vec<OsString> {
    samples(Args::new(QUIET_SINGLE).input(made, None), "0:a:0", Vec::new(), Some(channels), rate)
}

/// Adds that one stream passes through these filters and goes to stdout as samples.
fn samples(
    args: Args,
    stream: &str,
    mut filters: Vec<String>,
    channels: Option<u32>,
    rate: u32,
) -> Vec<OsString> {
    filters.push(LARGE_PACKETS.to_owned());
    args.pair("-map", stream)
        .words("-vn -sn -dn -c:a pcm_f32le")
        .pair("-af", filters.join(","))
        .words(FOLD_WITHOUT_CLIPPING)
        .maybe("-ac", channels.map(|channels| channels.to_string()))
        .pair("-ar", rate.to_string())
        .words(PCM_OUT)
        .end("pipe:1")
}

/// ffmpeg's arguments to write a part of the audio stream, from one second to another, as speech models want it:
/// mono, 16 kHz, a small MP3. Progress goes to stdout.
pub(crate) fn speech_args(
    input: &Path,
    output: &Path,
    probe: &Probe,
    (start, end): Window,
    reading: Reading,
) -> Vec<OsString> {
    let skipped = reading.skipped(start);
    Args::new(QUIET_SINGLE)
        .words("-progress pipe:1")
        .skip(skipped)
        .part(input, probe, reading)
        .pair("-af", cut((start, end), skipped))
        .pair("-map", format!("0:{}", probe.stream))
        .words(
            "-vn -sn -dn -map_chapters -1 -map_metadata -1 -ac 1 -ar 16000 -c:a libmp3lame -b:a 32k -f mp3",
        )
        .end(file(output))
}

/// ffmpeg's arguments to decode a part of the audio stream, from one second to another, to mono samples on stdout.
pub(crate) fn mono_args(input: &Path, probe: &Probe, window: Window, rate: u32) -> Vec<OsString> {
    let (start, end) = window;
    Args::new(QUIET_SINGLE)
        .pair("-ss", format!("{start:.6}"))
        .pair("-t", format!("{:.6}", end - start))
        .input(input, probe.entry)
        .pair("-map", format!("0:{}", probe.stream))
        .words("-vn -sn -dn -c:a pcm_f32le -ac 1")
        .pair("-ar", rate.to_string())
        .words(PCM_OUT)
        .end("pipe:1")
}

/// ffmpeg's arguments to encode the audio stream to `path`, which must not exist yet. Progress goes to stdout.
pub fn transcode_args(
    input: &Path,
    path: &Path,
    probe: &Probe,
    output: &Output<'_>,
    reading: Reading,
    gain: Option<Gain>,
) -> Vec<OsString> {
    let args = Args::new(QUIET_SINGLE).words("-progress pipe:1");
    let (skipped, args) = read(args, input, probe, output, reading);
    encode(args, probe, output, skipped, gain).end(file(path))
}

/// Adds the input from where an output begins. Returns the seconds that are skipped.
fn read(args: Args, input: &Path, probe: &Probe, output: &Output<'_>, reading: Reading) -> (f64, Args) {
    let skipped = output.window.map_or(0.0, |(start, _)| reading.skipped(start));
    (skipped, args.skip(skipped).part(input, probe, reading))
}

/// Adds how one output is made from the input, of which the first `skipped` seconds are not read.
fn encode(args: Args, probe: &Probe, output: &Output<'_>, skipped: f64, gain: Option<Gain>) -> Args {
    let settings = output.settings;
    let picture = probe
        .picture
        .as_ref()
        .filter(|picture| !settings.is_strip_cover && keeps_picture(settings.codec, &picture.codec));
    let args = encode_sound(args, 0, probe, output, skipped, gain);
    let args = match picture {
        Some(picture) => args
            .pair("-map", format!("0:{}", picture.stream))
            .words("-c:v copy -disposition:v:0 attached_pic"),
        None => args.words("-vn"),
    };
    let args = describe(args.words("-sn -dn"), probe, output);
    // No version numbers, dates or random serials: the same input gives the same bytes.
    args.words("-fflags +bitexact").words(muxer(settings.codec))
}

/// Adds the output's tags: none, or the file's own, replaced by the owner's where set.
fn describe(args: Args, probe: &Probe, output: &Output<'_>) -> Args {
    if output.settings.is_strip_tags {
        return args.words("-map_chapters -1 -map_metadata -1");
    }
    // Ogg stores its tags in the stream, most other formats in the container.
    let args = args.words("-map_metadata 0").pair("-map_metadata", format!("0:s:{}", probe.stream));
    let set = |args: Args, tag: String| args.pair("-metadata", &tag).pair("-metadata:s:a:0", tag);
    let args = output.words.tags().fold(args, set);
    let is_whole = output.window.is_none();
    match output.settings.codec {
        Codec::Aac | Codec::Mp3 if is_whole && probe.has_sound_chapters() => args.words("-map_chapters 0"),
        Codec::Ogg | Codec::Opus | Codec::Flac if is_whole => {
            // ffmpeg would remove this tag itself and put the last comment in its place, so that a name would precede
            // its chapter.
            let args = args.words("-map_chapters -1 -metadata encoder=");
            comments(&probe.info.chapters).into_iter().fold(args, |args, tag| args.pair("-metadata", tag))
        }
        _ => args.words("-map_chapters -1"),
    }
}

/// Chapters as Vorbis comments. ffmpeg itself writes them for Opus only, and writes those in the second half of a
/// second one second late.
fn comments(chapters: &[Chapter]) -> Vec<String> {
    let time = |seconds: f64| {
        let millis = (seconds * 1000.0).round() as u64;
        let (hours, minutes, seconds) = (millis / 3_600_000, millis / 60_000 % 60, millis / 1000 % 60);
        format!("{hours:02}:{minutes:02}:{seconds:02}.{:03}", millis % 1000)
    };
    let comment = |(number, chapter): (usize, &Chapter)| {
        let name = chapter.title.as_ref().map(|title| format!("CHAPTER{number:03}NAME={title}"));
        [Some(format!("CHAPTER{number:03}={}", time(chapter.start))), name].into_iter().flatten()
    };
    let comments: Vec<String> = (1..=MOST_COMMENTED).zip(chapters).flat_map(comment).collect();
    let is_short = comments.iter().map(String::len).sum::<usize>() <= LONGEST_COMMENTS;
    if is_short && chapters.len() <= MOST_COMMENTED { comments } else { Vec::new() }
}

/// The number of channels of an output.
pub(crate) fn channels_of(probe: &Probe, output: &Output<'_>) -> u32 {
    if output.settings.is_stereo { probe.channels.clamp(1, 2) } else { 1 }
}

/// The sample rate of an output, in Hz.
pub(crate) fn rate_of(probe: &Probe, output: &Output<'_>) -> u32 {
    fit_of(probe, output).rate
}

/// The encoding of an output.
pub(crate) fn encoding_of(probe: &Probe, output: &Output<'_>) -> Encoding {
    let (codec, kbps) = (output.settings.codec, fit_of(probe, output).kbps);
    Encoding { codec, kbps, channels: channels_of(probe, output) }
}

fn fit_of(probe: &Probe, output: &Output<'_>) -> BitrateFit {
    let Transcode { codec, bitrate, .. } = *output.settings;
    fit(codec, probe.sample_rate, channels_of(probe, output), bitrate)
}

/// The filters that turn the input into the encoder's input: they cut the window and downmix. The downmix is explicit
/// here, and nothing after it changes the channels: if it were left to ffmpeg, any later resampler could do it, with
/// other gains.
fn shaping(probe: &Probe, output: &Output<'_>, skipped: f64) -> Vec<String> {
    let window = output.window.map(|window| cut(window, skipped));
    window.into_iter().chain(fold(probe, channels_of(probe, output))).collect()
}

/// Adds how the sound of one input is encoded, without a container around it.
pub(crate) fn encode_sound(
    args: Args,
    input: u32,
    probe: &Probe,
    output: &Output<'_>,
    skipped: f64,
    gain: Option<Gain>,
) -> Args {
    let codec = output.settings.codec;
    let mut filters = shaping(probe, output, skipped);
    filters.extend(gain.map(Gain::filter));
    let fit = fit_of(probe, output);
    args.pair("-map", format!("{input}:{}", probe.stream))
        .maybe("-af", Some(filters.join(",")).filter(|filters| !filters.is_empty()))
        .words(encoder(codec, probe))
        .words(FOLD_WITHOUT_CLIPPING)
        .pair("-ac", channels_of(probe, output).to_string())
        .pair("-ar", fit.rate.to_string())
        .maybe("-b:a", fit.kbps.map(|kbps| format!("{kbps}k")))
        .words("-flags:a +bitexact")
}

impl Reading {
    /// The second at which reading begins for a window that begins at `start`.
    fn skipped(self, start: f64) -> f64 {
        match self {
            Self::Jumping => (start - LEAD_IN).max(0.0),
            Self::Through => 0.0,
        }
    }
}

/// The filter that cuts a window out of the input, exact to the sample.
fn cut((start, end): (f64, f64), skipped: f64) -> String {
    let (start, end) = (start - skipped, end - skipped);
    format!("atrim=start={start:.6}:end={end:.6},asetpts=PTS-STARTPTS")
}

/// The filter that gives every frame this layout. Channels that have it already stay as they are: `-ac` alone would
/// remix those whose layout is not the usual one for their number.
fn in_layout(name: &str) -> String {
    format!("aformat=channel_layouts={name}")
}

/// The filter that downmixes. ffmpeg refuses to downmix channels without known positions: the odd ones go to the left,
/// the even ones to the right, as loud as their mean.
fn fold(probe: &Probe, channels: u32) -> Option<String> {
    if channels >= probe.channels {
        return None;
    }
    if probe.layout().folds() {
        return Some(in_layout(if channels == 1 { "mono" } else { "stereo" }));
    }
    let mean = |first: u32, step: u32| {
        let parts: Vec<String> =
            (first..probe.channels).step_by(step as usize).map(|channel| format!("c{channel}")).collect();
        parts.join("+")
    };
    Some(match channels {
        1 => format!("pan=mono|FC<{}", mean(0, 1)),
        _ => format!("pan=stereo|FL<{}|FR<{}", mean(0, 2), mean(1, 2)),
    })
}

fn encoder(codec: Codec, probe: &Probe) -> &'static str {
    let is_deep = probe.info.bits_per_sample.is_some_and(|bits| bits > 16);
    match codec {
        Codec::Aac => "-c:a aac",
        Codec::Mp3 => "-c:a libmp3lame",
        Codec::Ogg => "-c:a libvorbis",
        Codec::Opus => "-c:a libopus",
        Codec::Flac if is_deep => "-c:a flac -sample_fmt s32 -bits_per_raw_sample 24",
        Codec::Flac => "-c:a flac -sample_fmt s16",
        Codec::Wav if is_deep => "-c:a pcm_s24le",
        Codec::Wav => "-c:a pcm_s16le",
    }
}

fn muxer(codec: Codec) -> &'static str {
    match codec {
        // The index goes to the front, so that playback starts before the whole file is loaded.
        Codec::Aac => "-movflags +faststart -f ipod",
        // The Xing header carries the exact length, for gapless playback and seeking.
        Codec::Mp3 => "-write_xing 1 -id3v2_version 3 -f mp3",
        Codec::Ogg => "-f ogg",
        Codec::Opus => "-f opus",
        Codec::Flac => "-f flac",
        // Files larger than 4 GiB become RF64.
        Codec::Wav => "-rf64 auto -f wav",
    }
}

/// Which containers take a picture besides the sound, and which picture codecs they take.
fn keeps_picture(codec: Codec, picture: &str) -> bool {
    matches!(codec, Codec::Aac | Codec::Mp3 | Codec::Flac) && matches!(picture, "mjpeg" | "png")
}
