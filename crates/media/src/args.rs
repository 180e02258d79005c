//! The argument lists of ffmpeg and ffprobe: pure functions, so that what runs can be tested without running it.

use std::ffi::OsString;
use std::path::Path;

use tonearm_domain::{Codec, Transcode};

use crate::Probe;
use crate::bitrate::fit;

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

/// How every run of ffmpeg begins. Sound needs no parallel decoding or filtering, and on a machine of many cores the
/// threads would use up the address space; several processes run at once anyway.
const QUIET_SINGLE: &str = "-nostdin -hide_banner -loglevel error -nostats -filter_threads 1 -threads 1";

/// An argument list under construction.
struct Args(Vec<OsString>);

impl Args {
    fn new(words: &str) -> Self {
        Self(Vec::new()).words(words)
    }

    /// Adds words that hold no spaces themselves.
    fn words(mut self, words: &str) -> Self {
        self.0.extend(words.split_ascii_whitespace().map(OsString::from));
        self
    }

    fn pair(mut self, option: &str, value: impl Into<OsString>) -> Self {
        self.0.push(option.into());
        self.0.push(value.into());
        self
    }

    /// Adds an input, which is a file whatever its name looks like.
    fn input(self, path: &Path) -> Self {
        self.pair("-protocol_whitelist", "file").pair("-format_whitelist", FORMATS).pair("-i", file(path))
    }

    fn maybe(self, option: &str, value: Option<String>) -> Self {
        match value {
            Some(value) => self.pair(option, value),
            None => self,
        }
    }

    fn end(mut self, output: impl Into<OsString>) -> Vec<OsString> {
        self.0.push(output.into());
        self.0
    }
}

/// A path as ffmpeg's name of a local file. Without the prefix a name such as `concat:x` would be an instruction.
fn file(path: &Path) -> OsString {
    let mut name = OsString::from("file:");
    name.push(path);
    name
}

/// ffprobe's arguments: JSON about the container and its streams.
pub fn probe_args(input: &Path) -> Vec<OsString> {
    Args::new("-hide_banner -loglevel error -of json").pair("-show_entries", ENTRIES).input(input).0
}

/// ffmpeg's arguments to decode the audio stream to interleaved 32-bit floats on stdout, with the sample rate and
/// channels that `probe` found.
pub fn pcm_args(input: &Path, probe: &Probe) -> Vec<OsString> {
    Args::new(QUIET_SINGLE)
        .input(input)
        .pair("-map", format!("0:{}", probe.stream))
        .words("-vn -sn -dn -c:a pcm_f32le")
        .pair("-ac", probe.channels.to_string())
        .pair("-ar", probe.sample_rate.to_string())
        .words("-f f32le")
        .end("pipe:1")
}

/// ffmpeg's arguments to encode the audio stream to `output`, which must not exist yet; all of it, or the `window`
/// from one second to another. Progress goes to stdout.
///
/// Loudness is normalised by one gain where `probe.info` knows the loudness (put it there after analysis), kept
/// below -1 dBTP; else by ffmpeg's dynamic `loudnorm`.
pub fn transcode_args(
    input: &Path,
    output: &Path,
    probe: &Probe,
    settings: &Transcode,
    window: Option<(f64, f64)>,
) -> Vec<OsString> {
    let channels = if settings.is_stereo { probe.channels.clamp(1, 2) } else { 1 };
    let picture = probe
        .picture
        .as_ref()
        .filter(|picture| !settings.is_strip_cover && keeps_picture(settings.codec, &picture.codec));

    let args = Args::new(QUIET_SINGLE)
        .words("-progress pipe:1")
        .maybe("-ss", window.map(|(start, _)| format!("{:.6}", lead_in(start))))
        .input(input)
        .pair("-map", format!("0:{}", probe.stream));
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
    let filters: Vec<String> = window
        .map(cut)
        .into_iter()
        .chain(settings.loudness_target.map(|target| loudness_filter(target, probe)))
        .collect();
    let fit = fit(settings.codec, probe.sample_rate, channels, settings.bitrate);
    args.maybe("-af", Some(filters.join(",")).filter(|filters| !filters.is_empty()))
        .words(encoder(settings.codec, probe))
        .pair("-ac", channels.to_string())
        .pair("-ar", fit.rate.to_string())
        .maybe("-b:a", fit.kbps.map(|kbps| format!("{kbps}k")))
        // No version numbers, dates or random serials: the same input gives the same bytes.
        .words("-fflags +bitexact -flags:a +bitexact")
        .words(muxer(settings.codec))
        .end(file(output))
}

/// Where reading begins for a window that begins at `start`: a little before, as the first frames after a jump
/// may refer to ones that were not read (MP3's bit reservoir) and stay silent.
fn lead_in(start: f64) -> f64 {
    (start - 2.0).max(0.0)
}

/// The filter that cuts a window out of what is read, to the sample.
fn cut((start, end): (f64, f64)) -> String {
    let read_from = lead_in(start);
    let (start, end) = (start - read_from, end - read_from);
    format!("atrim=start={start:.6}:end={end:.6},asetpts=PTS-STARTPTS")
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

fn loudness_filter(target: f64, probe: &Probe) -> String {
    let Some(measured) = probe.info.loudness_lufs else {
        return format!("loudnorm=I={target:.1}:TP={PEAK_CEILING:.1}:LRA=11");
    };
    let wanted = target - measured;
    let room = probe.info.true_peak_dbtp.map_or(wanted, |peak| PEAK_CEILING - peak);
    // Where peaks are above the ceiling already, they are no reason to turn down further than asked.
    let gain = if wanted > 0.0 { wanted.min(room.max(0.0)) } else { wanted };
    format!("volume={gain:.2}dB")
}
