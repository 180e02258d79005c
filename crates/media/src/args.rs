//! The argument lists of ffmpeg and ffprobe: pure functions, so that what runs can be tested without running it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use tonearm_domain::Codec;

use crate::bitrate::fit;
use crate::{Output, Probe};

/// The formats that are read. None of them names other files or addresses, as playlists and scripts do.
const FORMATS: &str = "aac,ac3,aiff,amr,ape,asf,au,caf,dsf,eac3,flac,matroska,mov,mp3,mpc,mpc8,ogg,tak,tta,\
    voc,w64,wav,webm,wv";

/// What ffprobe is asked for.
const ENTRIES: &str = "format=format_name,duration,bit_rate,probe_score:format_tags:\
    stream=index,codec_type,codec_name,sample_rate,channels,channel_layout,bits_per_sample,\
    bits_per_raw_sample,bit_rate,duration,duration_ts,time_base:stream_tags:\
    stream_disposition=default,attached_pic";

/// The loudest that a true peak may be raised to when loudness is normalised, in dBTP.
const PEAK_CEILING: f64 = -1.0;

/// What going back from the limiter's sample rate may add to a peak, in dB.
const LIMITER_MARGIN: f64 = 0.3;

/// How every run of ffmpeg begins. Sound needs no parallel decoding or filtering, and on a machine of many cores the
/// threads would use up the address space; several processes run at once anyway.
pub(crate) const QUIET_SINGLE: &str =
    "-nostdin -hide_banner -loglevel error -nostats -filter_threads 1 -threads 1";

/// When channels are folded down, their sum is kept within full scale. Without this ffmpeg does so only where the
/// encoder takes whole numbers, and a loud 5.1 mix would clip in AAC, Vorbis and Opus.
const FOLD_WITHOUT_CLIPPING: &str = "-rematrix_maxval 1.0";

/// Bare samples, 32 KiB at a time: written packet by packet, a third of the time would go into waking up who reads
/// them.
const PCM_OUT: &str = "-flush_packets 0 -f f32le";
/// The filter that makes packets of them large, for the same reason. The last one is as long as it is.
const LARGE_PACKETS: &str = "asetnsamples=n=8192:p=0";

/// An argument list under construction.
pub(crate) struct Args(Vec<OsString>);

impl Args {
    pub(crate) fn new(words: &str) -> Self {
        Self(Vec::new()).words(words)
    }

    /// Adds words that hold no spaces themselves.
    pub(crate) fn words(mut self, words: &str) -> Self {
        self.0.extend(words.split_ascii_whitespace().map(OsString::from));
        self
    }

    pub(crate) fn pair(mut self, option: &str, value: impl Into<OsString>) -> Self {
        self.0.push(option.into());
        self.0.push(value.into());
        self
    }

    /// Adds an input, which is a file whatever its name looks like.
    pub(crate) fn input(self, path: &Path) -> Self {
        self.pair("-protocol_whitelist", "file").pair("-format_whitelist", FORMATS).pair("-i", file(path))
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

/// A path as ffmpeg's name of a local file. Without the prefix a name such as `concat:x` would be an instruction.
pub(crate) fn file(path: &Path) -> OsString {
    let mut name = OsString::from("file:");
    name.push(path);
    name
}

/// ffprobe's arguments: JSON about the container and its streams.
pub fn probe_args(input: &Path) -> Vec<OsString> {
    Args::new("-hide_banner -loglevel error -of json").pair("-show_entries", ENTRIES).input(input).0
}

/// ffmpeg's arguments to decode the audio stream to interleaved 32-bit floats on stdout, with the sample rate and
/// channels that `probe` found; and, from the same decoding, to encode `outputs` to files that must not exist yet.
pub fn pcm_args(input: &Path, probe: &Probe, outputs: &[(Output<'_>, PathBuf)]) -> Vec<OsString> {
    let mut args = Args::new(QUIET_SINGLE).input(input);
    for (output, path) in outputs {
        args = encode(args, probe, output, 0.0).add(file(path));
    }
    args.pair("-map", format!("0:{}", probe.stream))
        .words("-vn -sn -dn -c:a pcm_f32le")
        .pair("-af", LARGE_PACKETS)
        .pair("-ac", probe.channels.to_string())
        .pair("-ar", probe.sample_rate.to_string())
        .words(PCM_OUT)
        .end("pipe:1")
}

/// [`pcm_args`] without outputs, with the sound folded down to `channels` as encoders get it.
pub(crate) fn folded_pcm_args(input: &Path, probe: &Probe, channels: u32) -> Vec<OsString> {
    Args::new(QUIET_SINGLE)
        .input(input)
        .pair("-map", format!("0:{}", probe.stream))
        .words("-vn -sn -dn -c:a pcm_f32le")
        .maybe("-af", fold(probe, channels))
        .words(FOLD_WITHOUT_CLIPPING)
        .pair("-ac", channels.to_string())
        .pair("-ar", probe.sample_rate.to_string())
        .words(PCM_OUT)
        .end("pipe:1")
}

/// ffmpeg's arguments to write a part of the audio stream, from one second to another, as speech models want it:
/// mono, 16 kHz, a small MP3. Progress goes to stdout.
pub(crate) fn speech_args(input: &Path, output: &Path, probe: &Probe, window: (f64, f64)) -> Vec<OsString> {
    let (start, end) = window;
    Args::new(QUIET_SINGLE)
        .words("-progress pipe:1")
        .pair("-ss", format!("{start:.6}"))
        .pair("-t", format!("{:.6}", end - start))
        .input(input)
        .pair("-map", format!("0:{}", probe.stream))
        .words(
            "-vn -sn -dn -map_chapters -1 -map_metadata -1 -ac 1 -ar 16000 -c:a libmp3lame -b:a 32k -f mp3",
        )
        .end(file(output))
}

/// ffmpeg's arguments to decode a part of the audio stream, from one second to another, to mono samples on stdout.
pub(crate) fn mono_args(input: &Path, probe: &Probe, window: (f64, f64), rate: u32) -> Vec<OsString> {
    let (start, end) = window;
    Args::new(QUIET_SINGLE)
        .pair("-ss", format!("{start:.6}"))
        .pair("-t", format!("{:.6}", end - start))
        .input(input)
        .pair("-map", format!("0:{}", probe.stream))
        .words("-vn -sn -dn -c:a pcm_f32le -ac 1")
        .pair("-ar", rate.to_string())
        .words(PCM_OUT)
        .end("pipe:1")
}

/// ffmpeg's arguments to encode the audio stream to `path`, which must not exist yet. Progress goes to stdout.
///
/// Loudness is normalised by one gain where `probe.info` knows the loudness (put it there after analysis), kept
/// below -1 dBTP; else by ffmpeg's dynamic `loudnorm`.
pub fn transcode_args(input: &Path, path: &Path, probe: &Probe, output: &Output<'_>) -> Vec<OsString> {
    let skipped = output.window.map_or(0.0, |(start, _)| lead_in(start));
    let args = Args::new(QUIET_SINGLE)
        .words("-progress pipe:1")
        .maybe("-ss", output.window.map(|_| format!("{skipped:.6}")))
        .input(input);
    encode(args, probe, output, skipped).end(file(path))
}

/// Adds how one output is made of the input, of which the first `skipped` seconds are not read.
fn encode(args: Args, probe: &Probe, output: &Output<'_>, skipped: f64) -> Args {
    let settings = output.settings;
    let picture = probe
        .picture
        .as_ref()
        .filter(|picture| !settings.is_strip_cover && keeps_picture(settings.codec, &picture.codec));
    let args = encode_sound(args, 0, probe, output, skipped);
    let args = match picture {
        Some(picture) => args
            .pair("-map", format!("0:{}", picture.stream))
            .words("-c:v copy -disposition:v:0 attached_pic"),
        None => args.words("-vn"),
    };
    let args = args.words("-sn -dn -map_chapters -1");
    let args = if settings.is_strip_tags {
        args.words("-map_metadata -1")
    } else {
        // Ogg has its tags in the stream, most others in the container.
        args.words("-map_metadata 0").pair("-map_metadata", format!("0:s:{}", probe.stream))
    };
    // No version numbers, dates or random serials: the same input gives the same bytes.
    args.words("-fflags +bitexact").words(muxer(settings.codec))
}

/// Adds how the sound of one input is encoded, without a container around it.
pub(crate) fn encode_sound(args: Args, input: u32, probe: &Probe, output: &Output<'_>, skipped: f64) -> Args {
    let Output { settings, window } = output;
    let channels = if settings.is_stereo { probe.channels.clamp(1, 2) } else { 1 };
    let filters: Vec<String> = window
        .map(|window| cut(window, skipped))
        .into_iter()
        .chain(fold(probe, channels))
        .chain(settings.loudness_target.map(|target| loudness_filter(target, probe)))
        .collect();
    let fit = fit(settings.codec, probe.sample_rate, channels, settings.bitrate);
    args.pair("-map", format!("{input}:{}", probe.stream))
        .maybe("-af", Some(filters.join(",")).filter(|filters| !filters.is_empty()))
        .words(encoder(settings.codec, probe))
        .words(FOLD_WITHOUT_CLIPPING)
        .pair("-ac", channels.to_string())
        .pair("-ar", fit.rate.to_string())
        .maybe("-b:a", fit.kbps.map(|kbps| format!("{kbps}k")))
        .words("-flags:a +bitexact")
}

/// Where reading begins for a window that begins at `start`: a little before, as the first frames after a jump
/// may refer to ones that were not read (MP3's bit reservoir) and stay silent.
fn lead_in(start: f64) -> f64 {
    (start - 2.0).max(0.0)
}

/// The filter that cuts a window out of what is read, to the sample.
fn cut((start, end): (f64, f64), skipped: f64) -> String {
    let (start, end) = (start - skipped, end - skipped);
    format!("atrim=start={start:.6}:end={end:.6},asetpts=PTS-STARTPTS")
}

/// The filter that folds down channels whose places nobody knows, which ffmpeg itself refuses to: the odd ones to
/// the left, the even ones to the right, as loud as their mean.
fn fold(probe: &Probe, channels: u32) -> Option<String> {
    // Up to eight channels, ffmpeg takes the usual places for granted.
    let is_known =
        probe.channels <= 8 || probe.channel_layout.as_deref().is_some_and(|name| name != "unknown");
    if is_known || channels >= probe.channels {
        return None;
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
        // The index goes to the front, so that playing starts before all is there.
        Codec::Aac => "-movflags +faststart -f ipod",
        // The Xing header carries the exact length, for gapless playing and seeking.
        Codec::Mp3 => "-write_xing 1 -id3v2_version 3 -f mp3",
        Codec::Ogg => "-f ogg",
        Codec::Opus => "-f opus",
        Codec::Flac => "-f flac",
        // Larger than 4 GiB is RF64.
        Codec::Wav => "-rf64 auto -f wav",
    }
}

/// Which containers take a picture beside the sound, and which pictures they take.
fn keeps_picture(codec: Codec, picture: &str) -> bool {
    matches!(codec, Codec::Aac | Codec::Mp3 | Codec::Flac) && matches!(picture, "mjpeg" | "png")
}

/// The loudness target by one gain. Where that would lift peaks above the ceiling, a limiter that looks ahead holds
/// them down, at a rate at which the peaks between samples are samples too.
fn loudness_filter(target: f64, probe: &Probe) -> String {
    let Some(measured) = probe.info.loudness_lufs else {
        return format!("loudnorm=I={target:.1}:TP={PEAK_CEILING:.1}:LRA=11");
    };
    let gain = target - measured;
    let room = probe.info.true_peak_dbtp.map_or(gain, |peak| PEAK_CEILING - peak);
    // Where peaks are above the ceiling already, they are no reason to turn down further than asked.
    if gain <= 0.0 || gain <= room {
        return format!("volume={gain:.2}dB");
    }
    let ceiling = 10_f64.powf((PEAK_CEILING - LIMITER_MARGIN) / 20.0);
    format!(
        "volume={gain:.2}dB,aresample=192000,\
         alimiter=limit={ceiling:.4}:level=false:latency=true:attack=2:release=60"
    )
}
