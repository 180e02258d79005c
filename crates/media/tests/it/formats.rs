//! Accepted formats: a small file of each is probed, measured, cut and encoded. Also checks the document that lists
//! them.

use std::fmt::{Display, Write};
use std::path::Path;

use futures::StreamExt;
use tonearm_domain::{Codec, FileData, PreviewLength, PreviewSettings, RecipeKind, Transcode};
use tonearm_fixtures::audio::{FormatSample, formats};
use tonearm_media::{Probe, RunScope};

use crate::bench::{Bench, decode};

/// Encoders add silence at both ends, not all decoders remove it, and if the rate or the channels of a stream change,
/// ffmpeg loses what its filters hold.
const TOLERANCE: f64 = 0.2;
const DOCUMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/formats.md");
/// The lines of the document that enclose the tables.
const MARKS: [&str; 2] = ["<!-- tables: made by `make formats` -->\n", "<!-- end of tables -->\n"];
/// If set, the test writes the tables.
const WRITE: &str = "TONEARM_WRITE_FORMATS";

#[tokio::test]
async fn every_format_of_the_document_is_taken() {
    let bench = Bench::new();
    let samples = formats(bench.path());
    let looks = samples.iter().map(|sample| look(&bench, sample));
    let found: Vec<Result<Probe, String>> = futures::stream::iter(looks).buffered(4).collect().await;
    let wrong: Vec<&String> = found.iter().filter_map(|found| found.as_ref().err()).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    let probes: Vec<Probe> = found.into_iter().flatten().collect();
    compare(&tables(&samples, &probes));
}

/// Processes a file like an upload.
async fn look(bench: &Bench, sample: &FormatSample) -> Result<Probe, String> {
    let wrong = |what: &str, why: &dyn Display| format!("{}: {what}: {why}", sample.name);
    let is_right = |seconds: f64| (seconds - sample.seconds).abs() <= TOLERANCE;
    let probe = bench.probe(&sample.path).await.map_err(|error| wrong("not taken", &error))?;
    let analysis = bench.media.analyse(&sample.path, &probe, &[], &RunScope::default(), None).await;
    let analysis = analysis.map_err(|error| wrong("not measured", &error))?;
    if !is_right(analysis.duration) {
        return Err(wrong("length", &analysis.duration));
    }
    if analysis.is_truncated {
        return Err(wrong("seems truncated", &format!("{:?}", probe.promise)));
    }
    cut(bench, sample, &probe, analysis.duration).await.map_err(|why| wrong("preview", &why))?;
    let opus = RecipeKind::Transcode(Transcode { codec: Codec::Opus, ..Transcode::default() });
    let made = bench.render_probed(&sample.path, &probe, analysis.duration, &opus).await;
    let made = made.map_err(|error| wrong("not encoded", &error))?;
    let reported = bench.probe(&made.path).await.map_err(|error| wrong("not encoded", &error))?.duration;
    if is_right(reported) { Ok(probe) } else { Err(wrong("encoded length", &reported)) }
}

/// Cuts a fifth of the sound, after its middle.
async fn cut(bench: &Bench, sample: &FormatSample, probe: &Probe, duration: f64) -> Result<(), String> {
    let length =
        PreviewLength::Percent { preview_percent: 20.0, preview_min_seconds: 0.0, preview_max_seconds: 90.0 };
    let transcode = Transcode { codec: Codec::Opus, ..Transcode::default() };
    let kind = RecipeKind::Preview(PreviewSettings { transcode, length, preview_start_percent: 60.0 });
    let made = bench.render_probed(&sample.path, probe, duration, &kind).await.map_err(|e| e.to_string())?;
    let FileData::Preview { duration: reported, .. } = made.data else {
        return Err("it is no preview".to_owned());
    };
    let decoded = decoded_seconds(&made.path);
    let is_right = |seconds: f64| (seconds - sample.seconds / 5.0).abs() <= TOLERANCE;
    if is_right(reported) && is_right(decoded) {
        Ok(())
    } else {
        Err(format!("{reported} s reported, {decoded} s decoded"))
    }
}

fn decoded_seconds(path: &Path) -> f64 {
    decode(path, 0.0, 1e6).len() as f64 / 44_100.0
}

fn tables(samples: &[FormatSample], probes: &[Probe]) -> String {
    let mut text = String::new();
    let mut heading = "";
    for (sample, probe) in samples.iter().zip(probes) {
        if heading != sample.heading {
            heading = sample.heading;
            write!(text, "\n## {heading}\n\n| Format | Container | Codec |\n|---|---|---|\n").unwrap();
        }
        let [container, codec] =
            [&probe.info.container, &probe.info.codec].map(|name| name.as_deref().unwrap_or("-"));
        writeln!(text, "| {} | `{container}` | `{codec}` |", sample.title).unwrap();
    }
    text.push('\n');
    text
}

/// Compares the tables with those of the document, or writes them.
fn compare(tables: &str) {
    let document = std::fs::read_to_string(DOCUMENT).unwrap();
    let (before, rest) = document.split_once(MARKS[0]).unwrap();
    let (written, after) = rest.split_once(MARKS[1]).unwrap();
    if std::env::var_os(WRITE).is_some() {
        std::fs::write(DOCUMENT, [before, MARKS[0], tables, MARKS[1], after].concat()).unwrap();
    } else {
        assert_eq!(written, tables, "docs/formats.md is not what was found; `make formats` writes it anew");
    }
}
