//! Time from the end of an upload until the track is ready. Reference: ffmpeg, run by hand for the same files.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use tonearm_fixtures::audio::{Signal, WavSpec, transcode, write_wav};

use crate::http;
use crate::plan::{Plan, Sides, median};
use crate::report::{Goal, Row, Unit};
use crate::stage::Stage;

/// The source files by extension, with the arguments for ffmpeg to create them from WAV.
const SOURCES: [(&str, &str); 5] = [
    ("wav", ""),
    ("mp3", "-c:a libmp3lame -b:a 192k"),
    ("m4a", "-c:a aac -b:a 192k"),
    ("opus", "-c:a libopus -b:a 128k"),
    ("flac", "-c:a flac"),
];

/// Length of the short sound in seconds.
const VOICE_NOTE: f64 = 3.0;

/// The time that ffmpeg takes for all files of a track, one after another.
pub(super) struct ByHand {
    /// CPU time in seconds.
    pub(super) cpu: f64,
}

/// Processing times in seconds.
struct Compared {
    /// Elapsed time of both sides.
    wall: Sides<f64>,
    /// CPU time of ffmpeg, run by hand.
    cpu: Vec<f64>,
}

pub(super) async fn run(plan: &Plan) -> Result<Vec<Row>> {
    let stage = Stage::open().await?;
    let cores = std::thread::available_parallelism()?.get() as f64;
    let row = |name: String, figures: (f64, f64), reference, goal| Row {
        name: format!("process, {name}"),
        unit: Unit::Milliseconds,
        figures: (figures.0 * 1e3, figures.1 * 1e3),
        reference,
        goal,
    };
    let mut rows = Vec::new();
    let length = plan.sound_seconds;
    for (extension, how) in SOURCES {
        let song = source(&stage, length, extension, how).await?;
        let song = compare(&stage, plan, &song, |input| by_hand(input, length, stage.folder())).await?;
        let (tonearm, one_core) = song.wall.medians(|wall| *wall);
        let name = extension.to_uppercase();
        rows.push(row(
            format!("{length} s of {name}, to all cores"),
            (tonearm, median(song.cpu) / cores),
            "CPU time of ffmpeg over all cores",
            matches!(extension, "wav" | "mp3").then_some(Goal::AtMost(1.15)),
        ));
        rows.push(row(
            format!("{length} s of {name}, to one core"),
            (tonearm, one_core),
            "ffmpeg, one file after another",
            Some(Goal::AtMost(0.59)),
        ));
    }
    let note = source(&stage, VOICE_NOTE, "wav", SOURCES[0].1).await?;
    let bare = |input: &Path| Ok(ByHand { cpu: encode(input, &hq(), &stage.folder().join("encoded"))? });
    let note = compare(&stage, plan, &note, bare).await?;
    rows.push(row(
        format!("{VOICE_NOTE} s of WAV"),
        note.wall.medians(|wall| *wall),
        "one run of ffmpeg",
        Some(Goal::AtMost(1.5)),
    ));
    Ok(rows)
}

/// Creates a file of noise of this length.
async fn source(stage: &Stage, seconds: f64, extension: &str, how: &str) -> Result<PathBuf> {
    let wav = stage.folder().join("noise.wav");
    let signal = Signal::Noise { seed: 1, amplitude: 0.3 };
    write_wav(&WavSpec { seconds, signal, ..WavSpec::default() }, &wav)?;
    let path = stage.folder().join("source").with_extension(extension);
    if extension == "wav" {
        std::fs::rename(&wav, &path)?;
        return Ok(path);
    }
    transcode(&wav, &path, &how.split(' ').collect::<Vec<_>>()).await;
    Ok(path)
}

/// Processes the same sound on both sides alternately.
async fn compare(
    stage: &Stage,
    plan: &Plan,
    input: &Path,
    reference: impl Fn(&Path) -> Result<ByHand>,
) -> Result<Compared> {
    let mut wall = Sides { tonearm: Vec::new(), reference: Vec::new() };
    let mut cpu = Vec::new();
    for _ in 0..plan.rounds {
        wall.tonearm.push(process(stage, input).await?);
        let begun = Instant::now();
        cpu.push(reference(input)?.cpu);
        wall.reference.push(begun.elapsed().as_secs_f64());
    }
    Ok(Compared { wall, cpu })
}

/// Seconds from the end of the upload to `ready`.
async fn process(stage: &Stage, input: &Path) -> Result<f64> {
    let name = input.file_name().context("the source has a name")?.to_string_lossy();
    // A new organization: it has no track with the same bytes whose files could be reused.
    let tenant = stage.tenant("Round").await?;
    let (track_id, url) = tenant.create_track(&name).await?;
    let bytes = std::fs::read(input)?;
    let reply = http::put(&url, &bytes, bytes.len() as u64)?;
    ensure!(reply.status == 200, "the upload was answered with {}", reply.status);
    let uploaded = Instant::now();
    tenant.wait_until_ready(&track_id).await?;
    Ok(uploaded.elapsed().as_secs_f64())
}

fn hq() -> Vec<String> {
    words("-c:a libmp3lame -b:a 256k -f mp3")
}

fn words(line: &str) -> Vec<String> {
    line.split(' ').map(str::to_owned).collect()
}

/// Renders the variants of a new organization's recipes for a sound of this length, with one run of ffmpeg each: `hq`,
/// `lq` and `preview`. Also decodes the sound for `levels`, without computing anything from the samples.
pub(super) fn by_hand(input: &Path, seconds: f64, folder: &Path) -> Result<ByHand> {
    let output = folder.join("encoded");
    let (start, length) = (seconds / 4.0, (seconds / 2.0).min(30.0));
    let preview = format!("-ss {start} -t {length} -c:a libmp3lame -b:a 128k -f mp3");
    let mut cpu = encode(input, &hq(), &output)?;
    for line in ["-c:a libmp3lame -b:a 96k -f mp3", &preview, "-f null"] {
        cpu += encode(input, &words(line), &output)?;
    }
    Ok(ByHand { cpu })
}

/// Runs ffmpeg. Returns its CPU time in seconds.
fn encode(input: &Path, arguments: &[String], output: &Path) -> Result<f64> {
    let before = children_cpu()?;
    let ran = Command::new("ffmpeg")
        .args(["-nostdin", "-hide_banner", "-loglevel", "error", "-y", "-i"])
        .arg(input)
        .arg("-vn")
        .args(arguments)
        .arg(output)
        .output()?;
    ensure!(ran.status.success(), "ffmpeg: {}", String::from_utf8_lossy(&ran.stderr));
    Ok(children_cpu()? - before)
}

/// CPU time in seconds of the children of this process that have ended, with a resolution of 0.01 s.
fn children_cpu() -> Result<f64> {
    let ticks = parse_children_ticks(&std::fs::read_to_string("/proc/self/stat")?);
    let ticks = ticks.context("/proc/self/stat tells nothing of children")?;
    Ok(ticks as f64 / rustix::param::clock_ticks_per_second() as f64)
}

/// `cutime` and `cstime`, fields 16 and 17 (proc_pid_stat(5)). The second field, the name, is in parentheses.
fn parse_children_ticks(stat: &str) -> Option<u64> {
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_ascii_whitespace().skip(13);
    Some(fields.next()?.parse::<u64>().ok()? + fields.next()?.parse::<u64>().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpu_time_of_children_is_counted() {
        let stat = "77 (a) b) S 1 77 77 0 -1 4194304 100 200 0 0 11 12 300 45 20 0 1 0 5 6 7";
        assert_eq!(parse_children_ticks(stat), Some(345));
        assert_eq!(parse_children_ticks("77 (a"), None);
        let before = children_cpu().unwrap();
        let busy = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done";
        assert!(Command::new("sh").args(["-c", busy]).status().unwrap().success());
        assert!(children_cpu().unwrap() > before);
    }
}
