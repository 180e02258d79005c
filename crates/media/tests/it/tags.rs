//! Tags and chapters as read from containers, and the tags of rendered files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use tonearm_domain::{Chapter, Codec, PreviewLength, PreviewSettings, RecipeKind, Transcode};
use tonearm_fixtures::audio::{Id3, WavSpec, transcode, wav, with_id3, with_info};
use tonearm_media::{Output, Probe, Rendered, RunScope, TagOverrides};

use crate::bench::Bench;

const CODECS: [Codec; 6] = [Codec::Aac, Codec::Mp3, Codec::Ogg, Codec::Opus, Codec::Flac, Codec::Wav];

/// Metadata that every container except WAV can hold.
const SAID: &[&str] = &[
    "-metadata",
    "title=A title",
    "-metadata",
    "artist=Someone",
    "-metadata",
    "album=An album",
    "-metadata",
    "album_artist=Everyone",
    "-metadata",
    "genre=Spoken",
    "-metadata",
    "date=2024-05-01",
    "-metadata",
    "track=3/12",
    "-metadata",
    "disc=1/2",
    "-metadata",
    "lyrics=one\ntwo",
];

/// The same metadata, as read from a file.
const TOLD: [(&str, &str); 10] = [
    ("title", "A title"),
    ("artist", "Someone"),
    ("album", "An album"),
    ("album_artist", "Everyone"),
    ("genre", "Spoken"),
    ("year", "2024"),
    ("track_number", "3"),
    ("track_total", "12"),
    ("disc_number", "1"),
    ("disc_total", "2"),
];

fn three_seconds() -> WavSpec {
    WavSpec { seconds: 3.0, ..WavSpec::default() }
}

async fn encoded(bench: &Bench, name: &str, args: &[&str]) -> PathBuf {
    let wav = bench.wav("in.wav", &three_seconds());
    let path = bench.path().join(name);
    transcode(&wav, &path, args).await;
    path
}

async fn probe(bench: &Bench, path: &Path) -> Probe {
    bench.probe(path).await.unwrap()
}

fn assert_tags(tags: &BTreeMap<String, String>, expected: &[(&str, &str)], of: &str) {
    for (name, value) in expected {
        assert_eq!(tags.get(*name).map(String::as_str), Some(*value), "{name} of {of}: {tags:?}");
    }
}

fn titles(chapters: &[Chapter]) -> Vec<(f64, Option<&str>)> {
    let tenth = |seconds: f64| (seconds * 10.0).round() / 10.0;
    chapters.iter().map(|chapter| (tenth(chapter.start), chapter.title.as_deref())).collect()
}

const TWO: [(f64, Option<&str>); 2] = [(0.0, Some("One")), (1.6, Some("Two"))];

#[tokio::test]
async fn every_container_tells_the_same() {
    let bench = Bench::new();
    for name in ["a.mp3", "a.m4a", "a.ogg", "a.opus", "a.flac", "a.mka", "a.wma"] {
        let path = encoded(&bench, name, SAID).await;
        let tags = probe(&bench, &path).await.info.tags;
        assert_tags(&tags, &TOLD, name);
        assert_eq!(tags.get("lyrics").map(String::as_str), Some("one\ntwo"), "{name}");
    }
    // Vorbis comments of programs that use other names, and APE tags.
    let comments = ["TRACKNUMBER=03", "TRACKTOTAL=12", "DISCNUMBER=1", "UNSYNCEDLYRICS=one", "LANGUAGE=deu"];
    let comments: Vec<&str> = comments.iter().flat_map(|comment| ["-metadata", comment]).collect();
    let expected = [
        ("track_number", "3"),
        ("track_total", "12"),
        ("disc_number", "1"),
        ("lyrics", "one"),
        ("language", "de"),
    ];
    for name in ["b.flac", "b.ogg", "b.wv"] {
        let path = encoded(&bench, name, &comments).await;
        assert_tags(&probe(&bench, &path).await.info.tags, &expected, name);
    }
    // The language of a stream is used if it is a valid one.
    for (language, expected) in [("fre", Some("fr")), ("und", None)] {
        let path = encoded(&bench, "c.m4a", &["-metadata:s:a:0", &format!("language={language}")]).await;
        let tags = probe(&bench, &path).await.info.tags;
        assert_eq!(tags.get("language").map(String::as_str), expected, "{language}: {tags:?}");
    }
}

#[tokio::test]
async fn id3_is_read_in_full() {
    let bench = Bench::new();
    let mp3 =
        std::fs::read(encoded(&bench, "bare.mp3", &["-id3v2_version", "0", "-map_metadata", "-1"]).await);
    let mp3 = mp3.unwrap();
    for version in [3, 4] {
        let tag = Id3::new(version)
            .text(b"TIT2", "Größe")
            .text(b"TPE1", "Someone")
            .text(b"TRCK", "3/12")
            .text(b"TPOS", "2")
            .text(b"TLAN", "ger")
            .text(if version == 3 { b"TYER" } else { b"TDRC" }, "1999")
            .lyrics(b"deu", "eins\nzwei")
            .contents(&["ch0", "ch1"])
            .chapter("ch1", 1600, 3000, "Two")
            .chapter("ch0", 0, 1600, "One");
        let path = bench.path().join("tagged.mp3");
        std::fs::write(&path, tag.before(&mp3)).unwrap();
        let found = probe(&bench, &path).await;
        let expected = [
            ("title", "Größe"),
            ("artist", "Someone"),
            ("track_number", "3"),
            ("track_total", "12"),
            ("disc_number", "2"),
            ("language", "de"),
            ("year", "1999"),
            ("lyrics", "eins\nzwei"),
        ];
        assert_tags(&found.info.tags, &expected, "ID3");
        assert_eq!(titles(&found.info.chapters), TWO, "version {version}");
    }
}

#[tokio::test]
async fn wav_files_have_tags_too() {
    let bench = Bench::new();
    let path = bench.path().join("tagged.wav");
    let tags: [(&[u8; 4], &str); 5] = [
        (b"INAM", "A title"),
        (b"IART", "Someone"),
        (b"IPRD", "An album"),
        (b"ITRK", "3/12"),
        (b"ICRD", "2024"),
    ];
    std::fs::write(&path, with_info(&wav(&three_seconds()), &tags)).unwrap();
    let expected = [
        ("title", "A title"),
        ("artist", "Someone"),
        ("album", "An album"),
        ("track_number", "3"),
        ("year", "2024"),
    ];
    assert_tags(&probe(&bench, &path).await.info.tags, &expected, "WAV");
    let tag =
        Id3::new(3).text(b"TIT2", "A title").chapter("a", 0, 1600, "One").chapter("b", 1600, 3000, "Two");
    std::fs::write(&path, with_id3(&wav(&three_seconds()), &tag)).unwrap();
    let found = probe(&bench, &path).await.info;
    assert_eq!((found.tags["title"].as_str(), titles(&found.chapters)), ("A title", TWO.to_vec()));
}

/// Two chapters as Vorbis comments.
const COMMENTS: &[&str] = &[
    "-metadata",
    "CHAPTER001=00:00:00.000",
    "-metadata",
    "CHAPTER001NAME=One",
    "-metadata",
    "CHAPTER002=00:00:01.600",
    "-metadata",
    "CHAPTER002NAME=Two",
    "-metadata",
    "title=A title",
];

/// A file with two chapters, in its container's own format.
async fn with_chapters(bench: &Bench, name: &str, args: &[&str]) -> PathBuf {
    let comments = encoded(bench, "comments.flac", COMMENTS).await;
    let path = bench.path().join(name);
    transcode(&comments, &path, args).await;
    path
}

#[tokio::test]
async fn chapters_are_read_from_every_container() {
    let bench = Bench::new();
    let chapters = async |path: &Path| probe(&bench, path).await.info.chapters;
    for (name, args) in [
        ("a.mp3", [].as_slice()),
        ("a.mka", &[]),
        ("both.m4a", &[]),
        ("track.m4a", &["-movflags", "disable_chpl"]),
    ] {
        let path = with_chapters(&bench, name, args).await;
        assert_eq!(titles(&chapters(&path).await), TWO, "{name}");
    }
    for name in ["comments.flac", "comments.ogg", "comments.opus"] {
        let path = encoded(&bench, name, COMMENTS).await;
        assert_eq!(titles(&chapters(&path).await), TWO, "{name}");
    }
    // Nero's chapter list alone: nothing references the track with the same chapters.
    let path = bench.path().join("both.m4a");
    let mut file = std::fs::read(&path).unwrap();
    let reference = file.windows(4).position(|name| name == b"tref").unwrap();
    file[reference..reference + 4].copy_from_slice(b"free");
    std::fs::write(&path, file).unwrap();
    assert_eq!(titles(&chapters(&path).await), TWO);
    // A file without chapters has none.
    let plain = encoded(&bench, "plain.mp3", &[]).await;
    assert_eq!(probe(&bench, &plain).await.info.chapters, []);
}

#[tokio::test]
async fn hostile_tags_are_harmless() {
    let bench = Bench::new();
    let mp3 = std::fs::read(encoded(&bench, "bare.mp3", &["-id3v2_version", "0"]).await).unwrap();
    let mut tag = Id3::new(4)
        .text(b"TIT2", "\u{202e}3pm.\u{1b}[31m\r\ngnos")
        .frame(b"TPE1", b"\x03\xff\xfe broken \xc3")
        .text(b"TRCK", "99999999999")
        .text(b"TPOS", "-1/0")
        .text(b"TDRC", "0000")
        .text(b"TLAN", "xxx")
        .lyrics(b"eng", &"la\n".repeat(30_000))
        .chapter("huge", 0, u32::MAX, &"x".repeat(5000));
    for n in 0..3000_u32 {
        let start = (n * 7919) % 4000;
        tag = tag.text(b"TXXX", &format!("name {n}\0value")).chapter(
            &format!("c{n}"),
            start,
            u32::MAX,
            "again",
        );
    }
    let path = bench.path().join("hostile.mp3");
    std::fs::write(&path, tag.before(&mp3)).unwrap();
    let found = probe(&bench, &path).await;
    let (tags, chapters) = (&found.info.tags, &found.info.chapters);
    assert_eq!(tags["title"], "3pm.[31m  gnos");
    assert!(tags["artist"].contains("broken"), "{tags:?}");
    for name in ["track_number", "disc_number", "disc_total", "year", "language"] {
        assert_eq!(tags.get(name), None, "{name}");
    }
    assert_eq!((tags.len(), tags["lyrics"].chars().count()), (64, 20_000));
    assert_eq!(chapters.len(), 1000);
    assert!(chapters.windows(2).all(|two| two[0].end <= two[1].start));
    // The file is processed like any other.
    let settings = Transcode { is_strip_tags: false, ..Transcode::default() };
    let made = bench.transcode(&path, settings).await.unwrap();
    assert_eq!(probe(&bench, &made.path).await.info.chapters.len(), 1000);
}

async fn made(bench: &Bench, input: &Path, kind: &RecipeKind, words: TagOverrides<'_>) -> Rendered {
    let found = probe(bench, input).await;
    let output = Output::of(kind, found.duration).unwrap().with_words(words);
    let scope = RunScope::default();
    bench.media.render(input, &found, found.duration, output, bench.path(), &scope, None).await.unwrap()
}

/// Names that encoders and containers write themselves, whatever is requested.
const OF_THE_ENCODER: [&str; 7] =
    ["encoder", "handler_name", "vendor_id", "major_brand", "minor_version", "compatible_brands", "duration"];

#[tokio::test]
async fn stripped_files_say_nothing() {
    let bench = Bench::new();
    let words = TagOverrides { title: Some("Secret"), artist: Some("Secret") };
    for source in ["in.mp3", "in.m4a", "in.mka", "comments.flac"] {
        let input = match source {
            "comments.flac" => encoded(&bench, source, COMMENTS).await,
            _ => with_chapters(&bench, source, SAID).await,
        };
        for codec in CODECS {
            let kind = RecipeKind::Transcode(Transcode { codec, ..Transcode::default() });
            let made = made(&bench, &input, &kind, words).await;
            let found = probe(&bench, &made.path).await;
            assert_eq!(found.info.chapters, [], "{source} to {codec:?}");
            let left: Vec<&String> =
                found.info.tags.keys().filter(|name| !OF_THE_ENCODER.contains(&name.as_str())).collect();
            assert!(left.is_empty(), "{source} to {codec:?}: {left:?}");
            let bytes = std::fs::read(&made.path).unwrap();
            for text in ["Secret", "A title", "Someone", "Two"] {
                let is_there = bytes.windows(text.len()).any(|at| at == text.as_bytes());
                assert!(!is_there, "{source} to {codec:?}: {text}");
            }
        }
    }
}

#[tokio::test]
async fn what_the_owner_set_wins() {
    let bench = Bench::new();
    let title = "-y =\n\"Ours\"; é";
    let words = TagOverrides { title: Some(title), artist: None };
    for source in ["in.mp3", "in.m4a", "in.ogg", "in.flac"] {
        let input = encoded(&bench, source, SAID).await;
        for codec in CODECS {
            let kind =
                RecipeKind::Transcode(Transcode { codec, is_strip_tags: false, ..Transcode::default() });
            let made = made(&bench, &input, &kind, words).await;
            let tags = probe(&bench, &made.path).await.info.tags;
            let of = format!("{source} to {codec:?}");
            assert_tags(&tags, &[("title", "-y = \"Ours\"; é"), ("artist", "Someone")], &of);
            assert_tags(&tags, &[("album", "An album"), ("track_number", "3"), ("year", "2024")], &of);
            // The file's own title does not occur anywhere any more.
            let bytes = std::fs::read(&made.path).unwrap();
            assert!(!bytes.windows(7).any(|at| at == b"A title"), "{of}");
        }
    }
    // A file without tags gets the tags that were set.
    let plain = bench.wav("plain.wav", &three_seconds());
    for codec in CODECS {
        let kind = RecipeKind::Transcode(Transcode { codec, is_strip_tags: false, ..Transcode::default() });
        let made = made(&bench, &plain, &kind, TagOverrides { title: Some("A"), artist: Some("B") }).await;
        let tags = probe(&bench, &made.path).await.info.tags;
        assert_tags(&tags, &[("title", "A"), ("artist", "B")], &format!("{codec:?}"));
    }
}

#[tokio::test]
async fn chapters_begin_where_they_began_in_every_generation() {
    let bench = Bench::new();
    let mut input = bench.path().join("first.mp3");
    let bare = encoded(&bench, "bare.mp3", &["-id3v2_version", "0", "-map_metadata", "-1"]).await;
    let tag = Id3::new(4)
        .chapter("none", 1600, 1600, "Of no length")
        .chapter("one", 0, 1600, "One; = # \\ two")
        .chapter("two", 1600, 9000, "Goes on after the end");
    std::fs::write(&input, tag.before(&std::fs::read(bare).unwrap())).unwrap();
    for codec in [Codec::Mp3, Codec::Aac, Codec::Mp3, Codec::Aac] {
        let transcode = Transcode { codec, is_strip_tags: false, ..Transcode::default() };
        input = made(&bench, &input, &RecipeKind::Transcode(transcode), TagOverrides::default()).await.path;
        let found = probe(&bench, &input).await;
        let starts: Vec<(f64, Option<&str>)> =
            found.info.chapters.iter().map(|chapter| (chapter.start, chapter.title.as_deref())).collect();
        let expected = [(0.0, Some("One; = # \\ two")), (1.6, Some("Goes on after the end"))];
        assert_eq!(starts, expected, "{codec:?}");
        assert!((found.duration - 3.0).abs() < 0.1, "{}", found.duration);
    }
}

#[tokio::test]
async fn chapters_stay_with_the_whole() {
    let bench = Bench::new();
    let length =
        PreviewLength::Seconds { preview_seconds: 1.0, preview_min_percent: 0.0, preview_max_percent: 100.0 };
    for source in ["in.mp3", "in.m4a", "in.mka"] {
        let input = with_chapters(&bench, source, &[]).await;
        for codec in CODECS {
            let transcode = Transcode { codec, is_strip_tags: false, ..Transcode::default() };
            let preview = RecipeKind::Preview(PreviewSettings {
                transcode: transcode.clone(),
                length: length.clone(),
                preview_start_percent: 50.0,
            });
            let whole =
                made(&bench, &input, &RecipeKind::Transcode(transcode), TagOverrides::default()).await;
            let found = probe(&bench, &whole.path).await;
            let expected = if codec == Codec::Wav { &[] } else { TWO.as_slice() };
            assert_eq!(titles(&found.info.chapters), expected, "{source} to {codec:?}");
            assert!((found.duration - 3.0).abs() < 0.1, "{}", found.duration);
            let part = made(&bench, &input, &preview, TagOverrides::default()).await;
            assert_eq!(probe(&bench, &part.path).await.info.chapters, [], "{source} to {codec:?}");
        }
    }
}
