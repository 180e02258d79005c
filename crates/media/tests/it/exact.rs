//! What is made has the samples, the level and the colours of its source.

use std::path::Path;
use std::process::Command;

use tonearm_domain::{Codec, Colour, PreviewLength, PreviewSettings, RecipeKind, Transcode, WaveformVideo};
use tonearm_fixtures::Dice;
use tonearm_fixtures::audio::{Signal, WavSpec};
use tonearm_media::RunScope;
use tonearm_signal::bars_across;

use crate::bench::{Bench, decode};

/// The output of a plain ffmpeg for these arguments after the input.
fn plain(input: &Path, args: &str) -> Vec<u8> {
    let output = Command::new("ffmpeg")
        .args(["-nostdin", "-loglevel", "error", "-i"])
        .arg(input)
        .args(args.split_ascii_whitespace())
        .arg("-")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// The 32-bit number `at` bytes after the name of the first box of this kind.
fn number_in(bytes: &[u8], name: &[u8; 4], at: usize) -> u32 {
    let place = bytes.windows(4).position(|window| window == name).unwrap() + 4 + at;
    u32::from_be_bytes(bytes[place..place + 4].try_into().unwrap())
}

/// The level of one frequency, in dBFS of a tone.
fn level_of(samples: &[f64], hz: f64) -> f64 {
    let angle = |place: usize| std::f64::consts::TAU * hz * place as f64 / 44_100.0;
    let sum = |wave: fn(f64) -> f64| -> f64 {
        samples.iter().enumerate().map(|(place, sample)| sample * wave(angle(place))).sum()
    };
    20.0 * (2.0 * sum(f64::cos).hypot(sum(f64::sin)) / samples.len() as f64).log10()
}

#[tokio::test]
async fn aac_ends_at_the_last_sample() {
    let bench = Bench::new();
    let mut dice = Dice(7);
    for rate in [8_000_u32, 11_025, 16_000, 22_050, 32_000, 44_100, 48_000, 96_000] {
        let samples = 2_000 + dice.below(40_000) as u32;
        let seconds = f64::from(samples) / f64::from(rate);
        let spec = WavSpec { seconds, sample_rate: rate, channels: 1, ..WavSpec::default() };
        let input = bench.wav("in.wav", &spec);
        let made = bench.transcode(&input, Transcode { codec: Codec::Aac, ..Transcode::default() }).await;
        let bytes = std::fs::read(made.unwrap().path).unwrap();
        // The movie's time scale, and the length of the only part that is played (ISO/IEC 14496-12, mvhd and elst).
        assert_eq!(number_in(&bytes, b"mvhd", 12), rate);
        assert_eq!((number_in(&bytes, b"elst", 4), number_in(&bytes, b"elst", 8)), (1, samples), "{rate} Hz");
    }
}

/// The number of samples that are played, by a plain ffmpeg, of a file with one channel.
fn played(path: &Path) -> usize {
    plain(path, "-f f32le").len() / 4
}

#[tokio::test]
async fn mp3_ends_at_the_last_sample() {
    let bench = Bench::new();
    // LAME adds a whole frame for a few lengths of each frame alone.
    for (rate, first) in [(44_100, 21_885), (16_000, 20_120)] {
        let mut lengths: Vec<u32> = (first..first + 6).collect();
        lengths.extend((0..1152).step_by(576).map(|more| first + 1_000 + more));
        for samples in lengths {
            let seconds = f64::from(samples) / f64::from(rate);
            let input = bench
                .wav("in.wav", &WavSpec { seconds, sample_rate: rate, channels: 1, ..WavSpec::default() });
            let settings = Transcode { codec: Codec::Mp3, bitrate: 64, ..Transcode::default() };
            let made = bench.transcode(&input, settings).await.unwrap();
            assert_eq!(played(&made.path), samples as usize, "{rate} Hz");
        }
    }
}

#[tokio::test]
async fn every_length_is_kept() {
    let bench = Bench::new();
    let mut dice = Dice(11);
    for rate in [8_000_u32, 11_025, 16_000, 22_050, 32_000, 44_100, 48_000, 96_000] {
        let samples = 3_000 + dice.below(20_000) as u32;
        let seconds = f64::from(samples) / f64::from(rate);
        let spec = WavSpec { seconds, sample_rate: rate, channels: 1, ..WavSpec::default() };
        let input = bench.wav("in.wav", &spec);
        // For AAC, ffmpeg itself plays the padding: see above.
        for codec in [Codec::Mp3, Codec::Ogg, Codec::Opus, Codec::Flac, Codec::Wav] {
            let made =
                bench.transcode(&input, Transcode { codec, bitrate: 64, ..Transcode::default() }).await;
            let path = made.unwrap().path;
            let own = bench.probe(&path).await.unwrap().sample_rate;
            let expected = f64::from(samples) * f64::from(own) / f64::from(rate);
            let off = (played(&path) as f64 - expected).abs();
            assert!(off < 1.0, "{codec:?}: {samples} samples at {rate} Hz: {off}");
        }
    }
}

/// A tone that is cut in two, and both parts played one after another, as in a gapless list.
#[tokio::test]
async fn two_halves_of_a_tone_join_without_a_step() {
    let bench = Bench::new();
    let (first, all) = (43_211_usize, 88_200_usize);
    let tone = |from: usize, to: usize| {
        format!(
            "aevalsrc=0.5*sin(2*PI*441.7*t):s=44100:d=3,atrim=start_sample={from}:end_sample={to},asetpts=N"
        )
    };
    let halves = [bench.made("a.wav", &tone(0, first), &[]), bench.made("b.wav", &tone(first, all), &[])];
    for codec in [Codec::Aac, Codec::Mp3, Codec::Ogg, Codec::Opus, Codec::Flac, Codec::Wav] {
        let mut sound = Vec::new();
        for half in &halves {
            let settings = Transcode { codec, bitrate: 192, ..Transcode::default() };
            let path = bench.transcode(half, settings).await.unwrap().path;
            let bytes = plain(&path, "-f f32le");
            let mut samples: Vec<f32> =
                bytes.as_chunks().0.iter().map(|it| f32::from_le_bytes(*it)).collect();
            if codec == Codec::Aac {
                samples.truncate(number_in(&std::fs::read(&path).unwrap(), b"elst", 8) as usize);
            }
            sound.push(samples);
        }
        let seam = sound[0].len();
        let sound = sound.concat();
        let step = |place: usize| (sound[place] - sound[place - 1]).abs();
        let largest = (seam - 2..=seam + 2).map(step).fold(0.0, f32::max);
        // Within the tone, samples differ by at most 0.03.
        assert!(largest < 0.12, "{codec:?}: {largest}");
    }
}

/// Writes a mono WAV file of floats.
fn float_wav(path: &Path, samples: &[f32]) {
    let data: Vec<u8> = samples.iter().flat_map(|sample| sample.to_le_bytes()).collect();
    let size = data.len() as u32;
    let (format, rate): ([u8; 4], u32) = ([3, 0, 1, 0], 44_100);
    let header = [
        b"RIFF".as_slice(),
        &(36 + size).to_le_bytes(),
        b"WAVEfmt ",
        &16_u32.to_le_bytes(),
        &format,
        &rate.to_le_bytes(),
        &(4 * rate).to_le_bytes(),
        &[4, 0, 32, 0],
        b"data",
        &size.to_le_bytes(),
    ];
    std::fs::write(path, [header.concat(), data].concat()).unwrap();
}

#[tokio::test]
async fn one_impossible_sample_is_one_sample() {
    let bench = Bench::new();
    let tone: Vec<f32> = (0..20_000).map(|place| 1.5 * (place as f32 * 0.05).sin()).collect();
    let noise = "aevalsrc='if(eq(n,9000),0/0,0.5*sin(n*0.05))':s=44100:d=0.5";
    let wavpack = bench.made("odd.wv", noise, &["-c:a", "wavpack"]);
    bench.transcode(&wavpack, Transcode { codec: Codec::Aac, ..Transcode::default() }).await.unwrap();
    for odd in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e30] {
        let mut samples = tone.clone();
        samples[9_000] = odd;
        let input = bench.path().join("odd.wav");
        float_wav(&input, &samples);
        let analysis = bench.analyse(&input).await;
        assert!(analysis.loudness_lufs.is_some(), "{odd}");
        assert!(analysis.true_peak_dbtp.is_some_and(|peak| peak < 45.0), "{odd}: {analysis:?}");
        let loud = Transcode { codec: Codec::Aac, loudness_target: Some(-20.0), ..Transcode::default() };
        bench.transcode(&input, loud).await.unwrap_or_else(|error| panic!("{odd}: {error}"));
        for codec in [Codec::Aac, Codec::Mp3, Codec::Ogg, Codec::Opus, Codec::Flac, Codec::Wav] {
            let made = bench.transcode(&input, Transcode { codec, ..Transcode::default() }).await;
            let path = made.unwrap_or_else(|error| panic!("{codec:?} {odd}: {error}")).path;
            assert!(played(&path) >= 20_000, "{codec:?} {odd}");
            if codec == Codec::Wav {
                let bytes = plain(&path, "-f f32le");
                let made: Vec<f32> = bytes.as_chunks().0.iter().map(|it| f32::from_le_bytes(*it)).collect();
                let off = |(place, sample): (usize, &f32)| (sample - tone[place].clamp(-1.0, 1.0)).abs();
                let wrong = made.iter().enumerate().filter(|it| off(*it) > 1e-4).count();
                assert!(wrong <= 1, "{odd}: {wrong}");
                assert!(!odd.is_nan() || made[9_000] == 0.0, "{}", made[9_000]);
            }
        }
    }
}

#[tokio::test]
async fn a_few_samples_are_played() {
    let bench = Bench::new();
    for (rate, samples) in [(44_100, 1), (44_100, 300), (192_000, 2), (8_000, 1)] {
        let source = format!("sine=r={rate},atrim=end_sample={samples}");
        let input = bench.made("in.wav", &source, &[]);
        for codec in [Codec::Aac, Codec::Mp3, Codec::Ogg, Codec::Opus, Codec::Flac, Codec::Wav] {
            let made = bench.transcode(&input, Transcode { codec, ..Transcode::default() }).await;
            let played = played(&made.unwrap().path);
            assert!(played > 0, "{codec:?} {rate} Hz, {samples} samples");
            assert!(codec != Codec::Ogg || rate != 44_100 || played == samples, "{played} of {samples}");
        }
    }
}

/// The sound of a film that begins 2 s after the picture.
#[tokio::test]
async fn sound_begins_with_its_own_first_sample() {
    let bench = Bench::new();
    let sound = bench.made("sound.wav", "aevalsrc=0.3*sin(500*t*t):s=48000:d=5", &[]);
    let late = bench.path().join("late.mkv");
    let arguments = "-nostdin -loglevel error -f lavfi -i color=s=16x16:r=5:d=7 -itsoffset 2 -i";
    let film = Command::new("ffmpeg")
        .args(arguments.split(' '))
        .arg(&sound)
        .args("-map 0:v -map 1:a -c:v mjpeg -c:a pcm_s16le".split(' '))
        .arg(&late)
        .status();
    assert!(film.unwrap().success());
    for codec in [Codec::Aac, Codec::Mp3, Codec::Ogg, Codec::Opus, Codec::Flac, Codec::Wav] {
        let settings = Transcode { codec, bitrate: 192, ..Transcode::default() };
        let made = bench.transcode(&late, settings).await.unwrap();
        let samples = plain(&made.path, "-f f32le");
        let bytes = std::fs::read(&made.path).unwrap();
        if codec == Codec::Aac {
            // ffmpeg itself plays the padding.
            assert_eq!((number_in(&bytes, b"elst", 4), number_in(&bytes, b"elst", 8)), (1, 240_000));
        } else {
            assert_eq!(samples.len() / 4, 240_000, "{codec:?}");
        }
        if codec == Codec::Flac {
            assert_eq!(samples, plain(&sound, "-f f32le"));
        }
    }
}

/// Chapters count on the clock of the film.
#[tokio::test]
async fn chapters_of_films_are_where_their_sound_is() {
    let bench = Bench::new();
    let list = bench.path().join("chapters");
    let chapter = |start: u32, end: u32, title: &str| {
        format!("[CHAPTER]\nTIMEBASE=1/1000\nSTART={start}\nEND={end}\ntitle={title}\n")
    };
    let chapters = [chapter(0, 2_000, "Before"), chapter(2_000, 4_500, "One"), chapter(4_500, 7_000, "Two")];
    std::fs::write(&list, format!(";FFMETADATA1\n{}", chapters.concat())).unwrap();
    let sound = bench.made("sound.wav", "sine=r=48000:d=5", &[]);
    for name in ["late.mkv", "late.mov"] {
        let film = bench.path().join(name);
        let made = Command::new("ffmpeg")
            .args("-nostdin -loglevel error -f lavfi -i color=s=16x16:r=5:d=7 -itsoffset 2 -i".split(' '))
            .arg(&sound)
            .args(["-f", "ffmetadata", "-i"])
            .arg(&list)
            .args("-map 0:v -map 1:a -map_chapters 2 -c:v mjpeg -c:a pcm_s16le".split(' '))
            .arg(&film)
            .status();
        assert!(made.unwrap().success());
        let probe = bench.probe(&film).await.unwrap();
        let starts: Vec<_> = probe.info.chapters.iter().map(|it| (it.start, it.title.as_deref())).collect();
        assert_eq!(starts, [(0.0, Some("One")), (2.5, Some("Two"))], "{name}");
    }
}

#[tokio::test]
async fn a_preview_has_the_samples_of_its_place() {
    let bench = Bench::new();
    let sound = "aevalsrc=0.3*sin(300*t*t):s=44100:d=30";
    for (name, options) in [
        ("in.mp3", &["-b:a", "64k"][..]),
        ("in.m4a", &["-c:a", "aac"]),
        ("in.ogg", &["-c:a", "libvorbis"]),
        ("in.opus", &["-c:a", "libopus", "-b:a", "64k"]),
        ("in.wma", &["-c:a", "wmav2"]),
        ("in.ac3", &["-c:a", "ac3"]),
        ("in.dts", &["-c:a", "dca", "-strict", "-2"]),
        ("in.flac", &[]),
    ] {
        let input = bench.made(name, sound, options);
        let whole = plain(&input, "-f s16le");
        let probe = bench.probe(&input).await.unwrap();
        let length = PreviewLength::Seconds {
            preview_seconds: 4.0,
            preview_min_percent: 0.0,
            preview_max_percent: 100.0,
        };
        let transcode = Transcode { codec: Codec::Flac, ..Transcode::default() };
        let kind = RecipeKind::Preview(PreviewSettings { transcode, length, preview_start_percent: 50.0 });
        let made = bench.render_probed(&input, &probe, 30.0, &kind).await.unwrap();
        let part = plain(&made.path, "-f s16le");
        let rate = probe.sample_rate as usize;
        assert_eq!(part.len(), 2 * 4 * rate, "{name}");
        // Decoders give floats, which are dithered.
        let off = part.as_chunks().0.iter().zip(whole[2 * 15 * rate..].as_chunks().0);
        let off = off.map(|(own, other)| i16::from_le_bytes(*own).abs_diff(i16::from_le_bytes(*other)));
        assert!(off.max().unwrap() <= 3, "{name}");
    }
}

#[tokio::test]
async fn another_sample_rate_has_no_aliases() {
    let bench = Bench::new();
    // The highest frequency of the result is 88.2 kHz.
    for (hz, lowest, highest) in [(60_000.0, -6.1, -5.9), (90_000.0, -200.0, -90.0)] {
        let signal = Signal::Sine { hz, amplitude: 0.5 };
        let spec = WavSpec { seconds: 1.0, sample_rate: 352_800, channels: 1, bits: 24, signal };
        let input = bench.wav("in.wav", &spec);
        let made = bench.transcode(&input, Transcode { codec: Codec::Flac, ..Transcode::default() }).await;
        // Where the tone begins and ends, it is no pure tone.
        let samples = plain(&made.unwrap().path, "-af atrim=start=0.2:end=0.8 -f f32le");
        let (samples, _) = samples.as_chunks();
        let peak = samples.iter().map(|it| f32::from_le_bytes(*it).abs()).fold(1e-9, f32::max);
        let peak = 20.0 * f64::from(peak).log10();
        assert!((lowest..=highest).contains(&peak), "{hz} Hz: {peak} dBFS");
    }
}

#[tokio::test]
async fn samples_become_integers_with_dither() {
    let bench = Bench::new();
    let tone = "aevalsrc=0.0001*sin(2*PI*1000*t):s=44100:d=2";
    let input = bench.made("quiet.mp3", tone, &["-b:a", "320k"]);
    for codec in [Codec::Flac, Codec::Wav] {
        let made = bench.transcode(&input, Transcode { codec, ..Transcode::default() }).await.unwrap();
        let samples = decode(&made.path, 0.5, 1.0);
        let [tone, harmonic] = [1_000.0, 3_000.0].map(|hz| level_of(&samples, hz));
        assert!((-81.0..-79.0).contains(&tone), "{codec:?}: {tone} dBFS");
        assert!(harmonic < -110.0, "{codec:?}: {harmonic} dBFS");
    }
}

#[tokio::test]
async fn lossless_copies_are_the_same() {
    let bench = Bench::new();
    for bits in [8, 16, 24] {
        let signal = Signal::Noise { seed: 3, amplitude: 0.9 };
        let input = bench.wav("in.wav", &WavSpec { seconds: 0.5, bits, signal, ..WavSpec::default() });
        for codec in [Codec::Flac, Codec::Wav] {
            let made = bench.transcode(&input, Transcode { codec, ..Transcode::default() }).await.unwrap();
            let as_integers = "-f s32le -c:a pcm_s32le";
            assert_eq!(plain(&made.path, as_integers), plain(&input, as_integers), "{codec:?} {bits}");
        }
    }
}

#[tokio::test]
async fn tags_about_the_level_go_with_the_level() {
    let bench = Bench::new();
    let said = ["REPLAYGAIN_TRACK_GAIN=-9.00 dB", "R128_TRACK_GAIN=-1000", "title=A title"];
    let options: Vec<&str> = said.iter().flat_map(|tag| ["-metadata", tag]).collect();
    let input = bench.made("loud.flac", "sine=d=2", &options);
    for codec in [Codec::Aac, Codec::Mp3, Codec::Ogg, Codec::Opus, Codec::Flac] {
        for (loudness_target, is_kept) in [(None, true), (Some(-20.0), false)] {
            let settings = Transcode { codec, loudness_target, is_strip_tags: false, ..Transcode::default() };
            let made = bench.transcode(&input, settings).await.unwrap();
            let bytes = std::fs::read(&made.path).unwrap().to_ascii_uppercase();
            let has = |text: &[u8]| bytes.windows(text.len()).any(|window| window == text);
            // MP4 has no place for other tags.
            let is_kept = is_kept && codec != Codec::Aac;
            assert_eq!(has(b"R128_TRACK_GAIN"), is_kept, "{codec:?} {loudness_target:?}");
            assert_eq!(has(b"REPLAYGAIN_TRACK_GAIN"), is_kept, "{codec:?} {loudness_target:?}");
            assert!(has(b"A TITLE"), "{codec:?}");
        }
    }
}

/// The levels in the tag that LAME writes into the first frame of an MP3 file.
#[tokio::test]
async fn the_first_frame_of_mp3_tells_no_other_level() {
    let bench = Bench::new();
    let gain = ["-metadata", "REPLAYGAIN_TRACK_GAIN=-9.00 dB", "-metadata", "REPLAYGAIN_TRACK_PEAK=0.9"];
    let input = bench.made("loud.flac", "sine=d=2", &gain);
    for (loudness_target, is_strip_tags, is_kept) in
        [(None, false, true), (None, true, false), (Some(-20.0), false, false)]
    {
        let settings =
            Transcode { codec: Codec::Mp3, loudness_target, is_strip_tags, ..Transcode::default() };
        let made = bench.transcode(&input, settings).await.unwrap();
        let bytes = std::fs::read(&made.path).unwrap();
        let tag = bytes.windows(4).position(|it| it == b"Xing" || it == b"Info").unwrap();
        assert_eq!(bytes[tag + 131..tag + 139] != [0; 8], is_kept, "{loudness_target:?} {is_strip_tags}");
    }
}

#[tokio::test]
async fn videos_have_the_colour_that_was_asked_for() {
    let bench = Bench::new();
    let input = bench.wav("in.wav", &WavSpec { seconds: 1.0, ..WavSpec::default() });
    let (probe, scope) = (bench.probe(&input).await.unwrap(), RunScope::default());
    let settings = WaveformVideo { width: 1280, height: 720, has_sound: false, ..WaveformVideo::default() };
    let levels = vec![1.0; bars_across(1280) as usize];
    let green = Colour::new(0, 255, 0);
    let made = bench
        .media
        .waveform_video(&input, &probe, 1.0, &settings, green, &levels, bench.path(), &scope, None)
        .await
        .unwrap();
    let bytes = std::fs::read(&made.path).unwrap();
    // Primaries, transfer and matrix of ITU-R BT.709 (ISO/IEC 14496-12, colr).
    let colr = bytes.windows(8).position(|window| window == b"colrnclx").unwrap() + 8;
    assert_eq!(bytes[colr..colr + 6], [0, 1, 0, 1, 0, 1]);
    let last =
        "-vf select=gte(n\\,8),scale=in_color_matrix=bt709:in_range=tv,format=rgb24 -frames:v 1 -f rawvideo";
    let frame = plain(&made.path, last);
    let greens = frame.as_chunks::<3>().0.iter().filter(|[r, g, b]| *r < 6 && *g > 249 && *b < 6).count();
    assert!(greens > 1_000, "{greens} pixels are green");
}
