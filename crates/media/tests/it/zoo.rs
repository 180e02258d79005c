//! Every kind of file that people, or attackers, might upload.

use std::io::ErrorKind;
use std::net::TcpListener;

use tonearm_domain::ContentType;
use tonearm_fixtures::audio::{WavSpec, samples};
use tonearm_media::{MediaError, RunScope, sniff};

use crate::bench::Bench;

/// Codecs with a fixed frame length round the end up.
const TOLERANCE: f64 = 0.05;

#[tokio::test]
async fn every_kind_of_file_is_judged_and_measured() {
    let bench = Bench::new();
    for sample in samples(bench.path()) {
        let name = sample.name;
        let probe = bench.probe(&sample.path).await;
        let analysis = match &probe {
            Ok(probe) => bench.media.analyse(&sample.path, probe, &[], &RunScope::default(), None).await,
            Err(_) => Err(MediaError::Failed("not probed".to_owned())),
        };
        if !sample.playable {
            let refusal = probe.err().or(analysis.err());
            assert!(matches!(refusal, Some(MediaError::NotAudio(_))), "{name}: {refusal:?}");
            continue;
        }
        let (probe, analysis) = (probe.unwrap(), analysis.unwrap_or_else(|e| panic!("{name}: {e}")));
        if sample.seconds > 0.0 {
            let off = (analysis.duration - sample.seconds).abs();
            assert!(off <= TOLERANCE, "{name}: {} s", analysis.duration);
        }
        assert_eq!(probe.info.channels, Some(probe.channels), "{name}");
        let expected = match name {
            n if n.starts_with("mono") => 1,
            n if n.starts_with("surround") => 6,
            _ => 2,
        };
        assert_eq!(probe.channels, expected, "{name}");
        assert!(sniff(&std::fs::read(&sample.path).unwrap()).is_some(), "{name}");
    }
}

#[tokio::test]
async fn good_files_are_named_by_their_content() {
    let bench = Bench::new();
    for sample in samples(bench.path()).into_iter().filter(|sample| sample.playable) {
        let sniffed = sniff(&std::fs::read(&sample.path).unwrap());
        let extension = sample.name.rsplit('.').next().unwrap();
        let expected = match sample.name {
            "really-wav.mp3" => ContentType::Wav,
            "really-m4a.txt" => ContentType::M4a,
            _ => ContentType::from_extension(extension).unwrap(),
        };
        assert_eq!(sniffed, Some(expected), "{}", sample.name);
    }
}

/// Files that contain an address are not audio, and the address is not contacted.
#[tokio::test]
async fn what_names_an_address_is_not_followed() {
    let bench = Bench::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let address = format!("http://{}/a", listener.local_addr().unwrap());
    let hls = format!("#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\n{address}.ts\n#EXT-X-ENDLIST\n");
    let dash = format!(
        r#"<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static"><BaseURL>{address}</BaseURL></MPD>"#
    );
    let sdp =
        "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=audio 5004 RTP/AVP 0\n".to_owned();
    for (name, text) in [
        ("a.m3u8", &hls),
        ("a.mp3", &hls),
        ("a.ffconcat", &format!("ffconcat version 1.0\nfile '{address}'\n")),
        ("a.mpd", &dash),
        ("a.sdp", &sdp),
        ("a.asx", &format!("<ASX version=\"3.0\"><ENTRY><REF HREF=\"{address}\"/></ENTRY></ASX>")),
        ("a.pls", &format!("[playlist]\nFile1={address}\n")),
        // With the file names of accepted formats, and after the first bytes of such formats.
        ("a.mod", &hls),
        ("a.ts", &hls),
        ("a.flv", &format!("ffconcat version 1.0\nfile '{address}'\n")),
        ("a.dts", &sdp),
        ("a.avi", &dash),
        ("tagged.mp3", &format!("ID3\x04\0\0\0\0\0\0{hls}")),
        ("short-tag.mp3", &format!("ID3\x04\0\0\0\0\0\x05{hls}")),
        ("meta.mp3", &format!(";FFMETADATA1\ntitle={address}\n")),
        ("a.idx", &format!("# VobSub index file, v7\nid: en, index: 0\n{address}\n")),
    ] {
        let path = bench.path().join(name);
        std::fs::write(&path, text).unwrap();
        let result = bench.probe(&path).await;
        assert!(matches!(result, Err(MediaError::NotAudio(_) | MediaError::Failed(_))), "{name}: {result:?}");
    }
    let knocked = listener.accept().map(|_| ());
    assert_eq!(knocked.unwrap_err().kind(), ErrorKind::WouldBlock);
}

/// Sound after a playlist is accepted, and the playlist is ignored.
#[tokio::test]
async fn what_stands_before_the_sound_is_not_read() {
    let bench = Bench::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let address = format!("http://{}/a.ts", listener.local_addr().unwrap());
    let playlist = format!("#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\n{address}\n#EXT-X-ENDLIST\n");
    let frames = [b"\xff\xfb\x90\x64".as_slice(), &[0; 413]].concat().repeat(100);
    let path = bench.path().join("a.mp3");
    std::fs::write(&path, [playlist.as_bytes(), &frames].concat()).unwrap();
    let probe = bench.probe(&path).await.unwrap();
    assert_eq!(probe.info.container.as_deref(), Some("mp3"));
    let analysis = bench.media.analyse(&path, &probe, &[], &RunScope::default(), None).await.unwrap();
    assert!((analysis.duration - 2.61).abs() < TOLERANCE, "{analysis:?}");
    assert_eq!(listener.accept().map(|_| ()).unwrap_err().kind(), ErrorKind::WouldBlock);
}

/// A file name is only a name, even if ffmpeg would interpret it.
#[tokio::test]
async fn names_are_only_names() {
    let bench = Bench::new();
    for name in ["concat:x|y", "-i", "http:", "a b 'c' %d.wav", "é\u{1F3B5}", "pipe:0", "x,y;z"] {
        let path = bench.wav(name, &WavSpec::default());
        assert!(bench.probe(&path).await.is_ok(), "{name}");
    }
}

#[tokio::test]
async fn reasons_name_no_paths() {
    let bench = Bench::new();
    for sample in samples(bench.path()).into_iter().filter(|sample| !sample.playable) {
        if let Err(error) = bench.probe(&sample.path).await {
            let text = error.to_string();
            assert!(!text.contains('/') && text.ends_with('.'), "{text}");
        }
    }
}

#[tokio::test]
async fn tools_are_there() {
    let tools = Bench::new().media.check().await.unwrap();
    assert!(tools.version.starts_with(|c: char| c.is_ascii_digit() || c == 'n' || c == 'N'), "{tools:?}");
}
