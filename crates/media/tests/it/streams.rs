//! Files with more than one sound stream, and files with less sound than they claim.

use std::path::{Path, PathBuf};
use std::process::Command;

use tonearm_domain::{Codec, RecipeKind, Transcode};
use tonearm_fixtures::audio::{WavSpec, formats};
use tonearm_media::{Analysis, RunScope};

use crate::bench::Bench;

/// Runs ffmpeg on a mono and a stereo file, in this order.
fn join(bench: &Bench, args: &[&str], name: &str) -> PathBuf {
    let mono = bench.wav("mono.wav", &WavSpec { channels: 1, ..WavSpec::default() });
    let stereo = bench.wav("stereo.wav", &WavSpec::default());
    let path = bench.path().join(name);
    let mut command = Command::new("ffmpeg");
    command.args(["-nostdin", "-loglevel", "error", "-y", "-i"]).arg(mono).arg("-i").arg(stereo);
    let output = command.args(args).arg(&path).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    path
}

async fn analyse(bench: &Bench, path: &Path) -> Analysis {
    let probe = bench.probe(path).await.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    bench.media.analyse(path, &probe, &[], &RunScope::default(), None).await.unwrap()
}

#[tokio::test]
async fn of_several_sounds_the_default_one_is_taken_and_else_the_first() {
    let bench = Bench::new();
    for (name, args, channels) in [
        ("second.mkv", "-map 0 -map 1 -disposition:a:0 0 -disposition:a:1 default", 2),
        ("second.m4a", "-map 0 -map 1 -disposition:a:0 0 -disposition:a:1 default", 2),
        ("first.mkv", "-map 0 -map 1 -disposition:a:0 default -disposition:a:1 0", 1),
        ("none.mkv", "-map 0 -map 1 -disposition:a:0 0 -disposition:a:1 0", 1),
        ("none.ts", "-map 0 -map 1 -c:a mp2", 1),
        ("none.avi", "-map 1 -map 0", 2),
    ] {
        let args: Vec<&str> = args.split(' ').collect();
        let path = join(&bench, &args, name);
        assert_eq!(bench.probe(&path).await.unwrap().channels, channels, "{name}");
    }
}

#[tokio::test]
async fn pictures_and_data_beside_the_sound_do_not_disturb() {
    let bench = Bench::new();
    let film = "-f lavfi -i testsrc=size=64x64:rate=25:duration=2 -map 2:v -map 1:a -c:v mpeg4 -timecode 00:00:00:00";
    for name in ["timecode.mov", "timecode.mp4"] {
        let args: Vec<&str> = film.split(' ').collect();
        let path = join(&bench, &args, name);
        let probe = bench.probe(&path).await.unwrap();
        assert!(probe.has_video);
        assert!((analyse(&bench, &path).await.duration - 2.0).abs() < 0.1);
        let kept = Transcode {
            codec: Codec::Aac,
            is_strip_cover: false,
            is_strip_tags: false,
            ..Transcode::default()
        };
        let made = bench.render_probed(&path, &probe, 2.0, &RecipeKind::Transcode(kept)).await.unwrap();
        let made = bench.probe(&made.path).await.unwrap();
        assert!(!made.has_video && (made.duration - 2.0).abs() < 0.1);
    }
}

/// A truncated file is rendered as far as it goes, and reported as truncated if it claimed a length.
#[tokio::test]
async fn a_file_that_breaks_off_says_so() {
    let bench = Bench::new();
    formats(bench.path());
    join(&bench, &["-map", "1", "-c:a", "aac", "-movflags", "+faststart"], "fast.m4a");
    for name in [
        "mp3.mp3",
        "flac.flac",
        "vorbis.ogg",
        "opus.opus",
        "wav.wav",
        "float.wav",
        "rf64.wav",
        "aiff.aiff",
        "au.au",
        "wavpack.wv",
        "tta.tta",
        "film.avi",
        "film.mkv",
        "dsd64.dsf",
        "dsd64.dff",
        "fast.m4a",
    ] {
        let whole = std::fs::read(bench.path().join(name)).unwrap();
        let path = bench.path().join(format!("half-{name}"));
        std::fs::write(&path, &whole[..whole.len() / 2]).unwrap();
        let analysis = analyse(&bench, &path).await;
        assert!(analysis.is_truncated && analysis.duration > 0.0, "{name}: {analysis:?}");
    }
}
