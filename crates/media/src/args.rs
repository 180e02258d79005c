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
    bits_per_raw_sample,bit_rate,start_time,duration,duration_ts,time_base:stream_tags:\
    stream_disposition=default,attached_pic:chapter=start_time,end_time:chapter_tags=title";

/// The first arguments of every run of ffmpeg. Sound needs no parallel decoding or filtering, and on a machine with
/// many cores the threads would use up the address space. Several processes run at once anyway.
pub(crate) const QUIET_SINGLE: &str =
    "-nostdin -hide_banner -loglevel error -nostats -filter_threads 1 -threads 1";

/// The filter that takes the times off, so that encoders count samples, from the first one. The clock of some files
/// begins with a picture, has gaps or jumps, and each format would keep another part of that.
const WITHOUT_TIMES: &str = "asetpts=NAN";

/// Corrects the clock of files that were joined from others, which begins again with each.
const ONE_CLOCK: &str = "-dts_delta_threshold 0.05 -dts_error_threshold 0.05";

/// Makes sound of what a float can also be: silence of NaN, and of what exceeds full scale by more than 36 dB, that much.
/// One such sample makes the encoders of AAC and MP3 give up.
const POSSIBLE: &str = "aeval='if(isnan(val(ch)),0,clip(val(ch),-64,64))':c=same";

/// Keeps the sum within full scale when channels are downmixed. Without this option ffmpeg does so only for encoders
/// that take integers, and a loud 5.1 mix would clip in AAC, Vorbis and Opus.
const FOLD_WITHOUT_CLIPPING: &str = "-rematrix_maxval 1.0";

/// The filter that turns samples into floats.
const FLOATS: &str = "aformat=sample_fmts=fltp";

/// The resampler's filter: aliases are 118 dB down, and levels are within 0.1 dB up to 19 kHz of 44.1. By default they
/// are 25 dB down near the new limit.
const STEEP: &str = "filter_type=kaiser:kaiser_beta=12:cutoff=0.96";
/// The samples that this filter looks at, at the lower one of the two rates.
const STEEP_TAPS: u32 = 128;
/// The samples, at that rate, from which on the filter keeps the length of a sound. It swallows what is much shorter.
const SHORTEST: u64 = 2 * STEEP_TAPS as u64;

/// Raw samples, 32 KiB at a time. If they were written packet by packet, a third of the time would go into waking up
/// the reader.
const PCM_OUT: &str = "-flush_packets 0 -f f32le";
/// The filter that makes large packets of the samples, for the same reason. The last packet is not padded.
const LARGE_PACKETS: &str = "asetnsamples=n=8192:p=0";

/// Tags from which players take the level of a sound.
const LEVEL_TAGS: [&str; 13] = [
    "REPLAYGAIN_TRACK_GAIN",
    "REPLAYGAIN_TRACK_PEAK",
    "REPLAYGAIN_TRACK_RANGE",
    "REPLAYGAIN_TRACK_MINMAX",
    "REPLAYGAIN_ALBUM_GAIN",
    "REPLAYGAIN_ALBUM_PEAK",
    "REPLAYGAIN_ALBUM_RANGE",
    "REPLAYGAIN_ALBUM_MINMAX",
    "REPLAYGAIN_REFERENCE_LOUDNESS",
    "REPLAYGAIN_UNDO",
    "R128_TRACK_GAIN",
    "R128_ALBUM_GAIN",
    "iTunNORM",
];

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

    /// Adds the input whose sound is decoded from its beginning.
    pub(crate) fn sound(self, path: &Path, probe: &Probe) -> Self {
        self.words(ONE_CLOCK).input(path, probe.entry)
    }

    /// Adds the chapters that [`chapter_list`] wrote, as the second input.
    fn chapters(self, list: Option<&Path>) -> Self {
        match list {
            Some(list) => self.words("-protocol_whitelist file -f ffmetadata").pair("-i", file(list)),
            None => self,
        }
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
pub fn pcm_args(
    input: &Path,
    probe: &Probe,
    outputs: &[(Output<'_>, PathBuf)],
    chapters: Option<&Path>,
) -> Vec<OsString> {
    let mut args = Args::new(QUIET_SINGLE).sound(input, probe).chapters(chapters);
    for (output, path) in outputs {
        args = encode(args, probe, output, None, chapters.is_some()).add(file(path));
    }
    let layout = probe.layout();
    let filters = layout.name().map(in_layout).into_iter().collect();
    let channels = layout.name().is_none().then_some(probe.channels);
    samples(args, &format!("0:{}", probe.stream), filters, channels, probe.sample_rate)
}

/// ffmpeg's arguments to decode the source of an output to samples on stdout: its window, downmixed as for the encoder,
/// at the source's sample rate.
pub(crate) fn output_pcm_args(input: &Path, probe: &Probe, output: &Output<'_>) -> Vec<OsString> {
    let args = Args::new(QUIET_SINGLE).sound(input, probe);
    let (filters, channels) = (shaping(probe, output), channels_of(probe, output));
    samples(args, &format!("0:{}", probe.stream), filters, Some(channels), probe.sample_rate)
}

/// ffmpeg's arguments to write the samples that an output's encoder receives to stdout.
pub(crate) fn encoder_pcm_args(
    input: &Path,
    probe: &Probe,
    output: &Output<'_>,
    gain: Option<Gain>,
) -> Vec<OsString> {
    let args = Args::new(QUIET_SINGLE).sound(input, probe);
    let (filters, channels) = (filters_of(probe, output, gain), channels_of(probe, output));
    samples(args, &format!("0:{}", probe.stream), filters, Some(channels), rate_of(probe, output))
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
    let skipped = match reading {
        Reading::Jumping => (start - LEAD_IN).max(0.0),
        Reading::Through => 0.0,
    };
    Args::new(QUIET_SINGLE)
        .words("-progress pipe:1")
        .skip(skipped)
        .input(input, probe.entry)
        .pair("-af", shaped(probe, cut(probe, (start - skipped, end - skipped))).join(","))
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
    gain: Option<Gain>,
    chapters: Option<&Path>,
) -> Vec<OsString> {
    let args = Args::new(QUIET_SINGLE).words("-progress pipe:1").sound(input, probe).chapters(chapters);
    encode(args, probe, output, gain, chapters.is_some()).end(file(path))
}

/// Adds how one output is made from the input. `has_chapters`: whether the second input has its chapters.
fn encode(args: Args, probe: &Probe, output: &Output<'_>, gain: Option<Gain>, has_chapters: bool) -> Args {
    let settings = output.settings;
    let picture = probe
        .picture
        .as_ref()
        .filter(|picture| !settings.is_strip_cover && keeps_picture(settings.codec, &picture.codec));
    let args = encode_sound(args, 0, probe, output, gain);
    let args = match picture {
        Some(picture) => args
            .pair("-map", format!("0:{}", picture.stream))
            .words("-c:v copy -disposition:v:0 attached_pic"),
        None => args.words("-vn"),
    };
    let args = describe(args.words("-sn -dn"), probe, output, keeps_level(probe, output, gain), has_chapters);
    // No version numbers, dates or random serials: the same input gives the same bytes.
    // Players find the last sample by the movie's time scale, which is a thousandth of a second by default.
    let timescale = (settings.codec == Codec::Aac).then(|| rate_of(probe, output).to_string());
    // Of Vorbis in a single page, ffmpeg and the browsers that use it play 128 samples less.
    let seconds = output.window.map_or(probe.duration, |(start, end)| end - start);
    let is_short = settings.codec == Codec::Ogg && seconds > 0.0 && seconds < 2.0;
    let page = is_short.then(|| "1".to_owned());
    args.words("-fflags +bitexact")
        .maybe("-movie_timescale", timescale)
        .maybe("-page_duration", page)
        .words(muxer(settings.codec))
}

/// Adds the output's tags: none, or the file's own, replaced by the owner's where set. Tags about the level are kept if
/// the sound is the same.
fn describe(args: Args, probe: &Probe, output: &Output<'_>, is_same: bool, has_chapters: bool) -> Args {
    if output.settings.is_strip_tags {
        return args.words("-map_chapters -1 -map_metadata -1");
    }
    // Ogg stores its tags in the stream, most other formats in the container.
    let args = args.words("-map_metadata 0").pair("-map_metadata", format!("0:s:{}", probe.stream));
    let set = |args: Args, tag: String| args.pair("-metadata", &tag).pair("-metadata:s:a:0", tag);
    let wrong = LEVEL_TAGS.iter().filter(|_| !is_same).chain(&["iTunSMPB"]);
    let args = wrong.map(|name| format!("{name}=")).fold(args, set);
    let args = output.words.tags().fold(args, set);
    let is_whole = output.window.is_none();
    match output.settings.codec {
        Codec::Aac | Codec::Mp3 if is_whole && has_chapters => args.words("-map_chapters 1"),
        Codec::Ogg | Codec::Opus | Codec::Flac if is_whole => {
            // ffmpeg would remove this tag itself and put the last comment in its place, so that a name would precede
            // its chapter.
            let args = args.words("-map_chapters -1 -metadata encoder=");
            comments(&probe.info.chapters).into_iter().fold(args, |args, tag| args.pair("-metadata", tag))
        }
        _ => args.words("-map_chapters -1"),
    }
}

/// The chapters of a sound as ffmpeg's own text format, if the format of an output stores them as ffmpeg does. Those of
/// the source itself would begin earlier by the delay of its encoder, and be as wrong as it has them.
pub(crate) fn chapter_list<'a>(
    probe: &Probe,
    mut outputs: impl Iterator<Item = &'a Output<'a>>,
) -> Option<String> {
    let stores = |output: &Output<'_>| {
        let Transcode { codec, is_strip_tags, .. } = *output.settings;
        matches!(codec, Codec::Aac | Codec::Mp3) && !is_strip_tags && output.window.is_none()
    };
    // If nobody knows where the sound ends, the last chapter would make the file longer than its sound.
    if probe.duration <= 0.0 || probe.info.chapters.is_empty() || !outputs.any(stores) {
        return None;
    }
    let mut list = ";FFMETADATA1\n".to_owned();
    for Chapter { start, end, title } in &probe.info.chapters {
        let [start, end] = [start, end].map(|seconds| (seconds * 1000.0).round() as u64);
        list += &format!("[CHAPTER]\nTIMEBASE=1/1000\nSTART={start}\nEND={end}\n");
        if let Some(title) = title {
            let escape = |c: char| ['\\'].into_iter().filter(move |_| "=;#\\\n".contains(c)).chain([c]);
            list.extend("title=".chars().chain(title.chars().flat_map(escape)).chain(['\n']));
        }
    }
    Some(list)
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

/// Whether an output has the source's tags about its level, which are true if it has that level.
pub(crate) fn keeps_level(probe: &Probe, output: &Output<'_>, gain: Option<Gain>) -> bool {
    let is_same = gain.is_none() && output.window.is_none() && channels_of(probe, output) == probe.channels;
    is_same && !output.settings.is_strip_tags
}

/// The filters that turn the input into the encoder's input: they cut the window and downmix. The downmix is explicit
/// here, and nothing after it changes the channels: if it were left to ffmpeg, any later resampler could do it, with
/// other gains.
fn shaping(probe: &Probe, output: &Output<'_>) -> Vec<String> {
    let part = output.window.map_or(WITHOUT_TIMES.to_owned(), |window| cut(probe, window));
    shaped(probe, part).into_iter().chain(fold(probe, channels_of(probe, output))).collect()
}

/// The filters that give a part of the input as samples that can be heard.
fn shaped(probe: &Probe, part: String) -> Vec<String> {
    let mut filters = vec![part];
    if probe.may_be_impossible {
        filters.push(POSSIBLE.to_owned());
        // That filter forgets the layout, without which the limiter refuses to work.
        let layout = probe.layout();
        let usual = match probe.channels {
            1 => Some("mono"),
            2 => Some("stereo"),
            _ => None,
        };
        filters.extend(layout.name().or(usual).map(in_layout));
    }
    filters
}

/// The filters that bring the input to an output's rate.
fn resampling(probe: &Probe, rate: u32) -> Option<String> {
    let source = u64::from(probe.sample_rate);
    let shortest = (SHORTEST * source).div_ceil(source.min(u64::from(rate)).max(1));
    (rate != probe.sample_rate).then(|| {
        format!("apad=whole_len={shortest},aresample={rate}:osf=fltp:filter_size={STEEP_TAPS}:{STEEP}")
    })
}

/// The filters of an output, before its encoder.
fn filters_of(probe: &Probe, output: &Output<'_>, gain: Option<Gain>) -> Vec<String> {
    let mut filters = shaping(probe, output);
    filters.extend(resampling(probe, rate_of(probe, output)));
    filters.extend(gain.map(Gain::filter));
    filters
}

/// Adds how the sound of one input is encoded, without a container around it.
pub(crate) fn encode_sound(
    args: Args,
    input: u32,
    probe: &Probe,
    output: &Output<'_>,
    gain: Option<Gain>,
) -> Args {
    let codec = output.settings.codec;
    let BitrateFit { rate, kbps } = fit_of(probe, output);
    let mut filters = filters_of(probe, output, gain);
    if codec.is_lossless() && !is_deep(probe) {
        // Samples that have 16 bits already stay as they are.
        filters.push(format!("aresample={rate}:osf=s16:dither_method=triangular"));
    }
    args.pair("-map", format!("{input}:{}", probe.stream))
        .pair("-af", filters.join(","))
        .words(encoder(codec, probe))
        .words(FOLD_WITHOUT_CLIPPING)
        .pair("-ac", channels_of(probe, output).to_string())
        .pair("-ar", rate.to_string())
        .maybe("-b:a", kbps.map(|kbps| format!("{kbps}k")))
        .words("-flags:a +bitexact")
}

/// The filters that cut a window out of the input, exact to the sample.
fn cut(probe: &Probe, (start, end): Window) -> String {
    let sample = |seconds: f64| (seconds * f64::from(probe.sample_rate)).round() as u64;
    if probe.is_bare() {
        // Their times count samples, and go on where the sample rate changes, while the filters begin again.
        let time = |seconds: f64| sample(seconds) as f64 / f64::from(probe.sample_rate);
        format!("atrim=start={:.6}:end={:.6},{WITHOUT_TIMES}", time(start), time(end))
    } else {
        format!("atrim=start_sample={}:end_sample={},{WITHOUT_TIMES}", sample(start), sample(end))
    }
}

/// The filter that gives every frame this layout. Channels that have it already stay as they are: `-ac` alone would
/// remix those whose layout is not the usual one for their number.
fn in_layout(name: &str) -> String {
    format!("aformat=channel_layouts={name}")
}

/// The filter that downmixes, to floats: integers would be rounded without dither. ffmpeg refuses to downmix channels
/// without known positions: the odd ones go to the left, the even ones to the right, as loud as their mean.
fn fold(probe: &Probe, channels: u32) -> Option<String> {
    if channels >= probe.channels {
        return None;
    }
    if probe.layout().folds() {
        return Some(format!("{FLOATS}:channel_layouts={}", if channels == 1 { "mono" } else { "stereo" }));
    }
    let mean = |first: u32, step: u32| {
        let parts: Vec<String> =
            (first..probe.channels).step_by(step as usize).map(|channel| format!("c{channel}")).collect();
        parts.join("+")
    };
    Some(match channels {
        1 => format!("{FLOATS},pan=mono|FC<{}", mean(0, 1)),
        _ => format!("{FLOATS},pan=stereo|FL<{}|FR<{}", mean(0, 2), mean(1, 2)),
    })
}

fn is_deep(probe: &Probe) -> bool {
    probe.info.bits_per_sample.is_some_and(|bits| bits > 16)
}

fn encoder(codec: Codec, probe: &Probe) -> &'static str {
    match codec {
        Codec::Aac => "-c:a aac",
        Codec::Mp3 => "-c:a libmp3lame",
        Codec::Ogg => "-c:a libvorbis",
        Codec::Opus => "-c:a libopus",
        Codec::Flac if is_deep(probe) => "-c:a flac -sample_fmt s32 -bits_per_raw_sample 24",
        Codec::Flac => "-c:a flac -sample_fmt s16",
        Codec::Wav if is_deep(probe) => "-c:a pcm_s24le",
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
