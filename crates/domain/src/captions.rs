//! Captions: the words of a track as WebVTT. They are parsed from callers' files and written for players.

use crate::character_references::character_reference;
use crate::transcription::Utterance;

/// Maximum size of a WebVTT text, in bytes.
pub const MOST_CAPTION_BYTES: usize = 4 * 1024 * 1024;

/// Maximum number of cues.
const MOST_CUES: usize = 50_000;

/// Maximum hours of a cue time: longer than any audio.
const MOST_HOURS: u64 = 10_000;

/// The reason why a text is not accepted as WebVTT.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct CaptionsError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it, and what to do.
    pub message: String,
}

impl CaptionsError {
    fn at(line: usize, message: impl Into<String>) -> Self {
        Self { line, message: message.into() }
    }
}

/// What a WebVTT text says.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Captions {
    /// The cues sorted by start, as plain text with line breaks.
    pub cues: Vec<Utterance>,
    /// The markup, comments, styles, regions and control characters that are not kept, by line.
    pub left_out: Vec<LeftOut>,
}

/// A part of a WebVTT text that is not kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// The line, from 1.
    pub line: usize,
    /// What was there, shortened.
    pub text: String,
}

/// Parses WebVTT leniently. Cue identifiers and settings are dropped. Times may use a comma as the decimal separator, as
/// in SubRip. `duration` is the duration of the audio in seconds; 0 if it is unknown.
pub fn parse_captions(text: &str, duration: f64) -> Result<Captions, CaptionsError> {
    if text.len() > MOST_CAPTION_BYTES {
        let most = MOST_CAPTION_BYTES / (1024 * 1024);
        return Err(CaptionsError::at(1, format!("the text is longer than {most} MiB")));
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n").replace('\r', "\n");
    let lines: Vec<&str> = text.split('\n').collect();
    let first = lines.first().copied().unwrap_or_default().trim_end();
    if first != "WEBVTT" && !first.starts_with("WEBVTT ") && !first.starts_with("WEBVTT\t") {
        return Err(CaptionsError::at(1, "the text must begin with WEBVTT"));
    }
    let (mut cues, mut left_out, mut at) = (Vec::new(), Vec::new(), 0);
    for block in lines[1..].split(|line| line.trim().is_empty()) {
        // Lines are numbered from 1, and the first line was skipped. Each block is followed by an empty line.
        let line = at + 2;
        at += block.len() + 1;
        if let Some(cue) = parse_block(block, line, duration, &mut left_out)? {
            cues.push(cue);
        }
        if cues.len() > MOST_CUES {
            return Err(CaptionsError::at(line, format!("there are more than {MOST_CUES} cues")));
        }
    }
    cues.sort_by(|one: &Utterance, other| one.start.total_cmp(&other.start));
    Ok(Captions { cues, left_out })
}

/// Parses the lines between two empty lines. Returns `None` for a comment, a style, a region, and a cue without words.
fn parse_block(
    block: &[&str],
    line: usize,
    duration: f64,
    left_out: &mut Vec<LeftOut>,
) -> Result<Option<Utterance>, CaptionsError> {
    let Some(first) = block.first() else { return Ok(None) };
    if matches!(first.split_whitespace().next(), Some("NOTE" | "STYLE" | "REGION")) {
        left_out.push(LeftOut { line, text: shortened(first) });
        return Ok(None);
    }
    let timing = block.iter().take(2).position(|line| line.contains("-->"));
    let Some(timing) = timing else {
        // The lines directly after the first line of the file are its header.
        if line == 2 && first.contains(':') {
            return Ok(None);
        }
        let example = "00:00:01.000 --> 00:00:04.000";
        return Err(CaptionsError::at(line, format!("a cue must begin with its times, such as {example}")));
    };
    let (start, end) = parse_timing(block[timing], line + timing)?;
    if duration > 0.0 && start >= duration {
        let message =
            format!("the cue starts at {}, but the track ends at {}", written(start), written(duration));
        return Err(CaptionsError::at(line + timing, message));
    }
    let mut words = Vec::new();
    for (at, text) in block.iter().enumerate().skip(timing + 1) {
        let (plain, dropped) = plain(text);
        words.extend(Some(plain).filter(|plain| !plain.is_empty()));
        if !dropped.is_empty() {
            left_out.push(LeftOut { line: line + at, text: dropped.chars().take(MOST_SHOWN).collect() });
        }
    }
    if words.is_empty() {
        return Ok(None);
    }
    Ok(Some(Utterance { start, end, text: words.join("\n") }))
}

fn parse_timing(text: &str, line: usize) -> Result<(f64, f64), CaptionsError> {
    let (start, rest) = text.split_once("-->").unwrap_or((text, ""));
    let end = rest.split_whitespace().next().unwrap_or_default();
    let read = |text: &str| {
        let text = text.trim();
        parse_time(text).ok_or_else(|| {
            CaptionsError::at(
                line,
                format!("“{}” is not a valid time; write it as 00:01:02.500", shortened(text)),
            )
        })
    };
    let (start, end) = (read(start)?, read(end)?);
    if start >= end {
        let message = format!("the cue ends at {}, before it starts", written(end));
        return Err(CaptionsError::at(line, message));
    }
    Ok((start, end))
}

/// Parses `1:02:03.500`, `02:03.500`, or either with a comma, into seconds.
fn parse_time(text: &str) -> Option<f64> {
    let (clock, millis) = text.split_once(['.', ','])?;
    let number = |text: &str, most: usize| {
        let is_number =
            !text.is_empty() && text.len() <= most && text.bytes().all(|byte| byte.is_ascii_digit());
        if is_number { text.parse::<u64>().ok() } else { None }
    };
    let parts: Vec<&str> = clock.split(':').collect();
    let (hours, minutes, seconds) = match parts[..] {
        [hours, minutes, seconds] => (number(hours, 5)?, number(minutes, 2)?, number(seconds, 2)?),
        [minutes, seconds] => (0, number(minutes, 2)?, number(seconds, 2)?),
        _ => return None,
    };
    let millis = if millis.len() == 3 { number(millis, 3)? } else { return None };
    if hours > MOST_HOURS || minutes > 59 || seconds > 59 {
        return None;
    }
    let whole = ((hours * 60 + minutes) * 60 + seconds) * 1000 + millis;
    Some(whole as f64 / 1000.0)
}

/// A line of a cue without its markup and control characters, and what was left out.
fn plain(line: &str) -> (String, String) {
    let (mut text, mut dropped) = (String::with_capacity(line.len()), String::new());
    let mut rest = line;
    while let Some(at) = rest.find(['<', '&']) {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(behind) = without_tag(rest) {
            dropped.push_str(&rest[..rest.len() - behind.len()]);
            rest = behind;
        } else if let Some((characters, behind)) = character_reference(rest) {
            text.push_str(&characters);
            rest = behind;
        } else {
            text.push_str(&rest[..1]);
            rest = &rest[1..];
        }
    }
    text.push_str(rest);
    for control in text.chars().filter(|character| character.is_control() && !character.is_whitespace()) {
        dropped.push_str(&format!("U+{:04X} ", u32::from(control)));
    }
    (without_controls(&text), without_controls(&dropped))
}

/// A line without control characters. Tabs and the like become spaces, since they separate words.
fn without_controls(line: &str) -> String {
    let spaced = line
        .chars()
        .map(|character| if character.is_control() && character.is_whitespace() { ' ' } else { character });
    spaced.filter(|character| !character.is_control()).collect::<String>().trim().to_owned()
}

/// The spans of WebVTT. Two of them have an annotation: who speaks, and the language.
const SPANS: [&str; 8] = ["b", "c", "i", "lang", "rt", "ruby", "u", "v"];

/// What follows the tag at the start of a text, if WebVTT has such a tag: a span, its end, or a time. Any other `<` is text.
fn without_tag(text: &str) -> Option<&str> {
    let (tag, behind) = text.strip_prefix('<')?.split_once('>')?;
    let (name, annotation) = tag.split_once(char::is_whitespace).unwrap_or((tag, ""));
    let is_bare = annotation.trim().is_empty();
    let is_span = match name.strip_prefix('/') {
        Some(ended) => is_bare && SPANS.contains(&ended),
        None => {
            let name = name.split('.').next().unwrap_or_default();
            SPANS.contains(&name) && (is_bare || matches!(name, "v" | "lang"))
        }
    };
    (is_span || parse_time(tag).is_some()).then_some(behind)
}

/// The most characters of a line that are shown in a message.
const MOST_SHOWN: usize = 30;

fn shortened(text: &str) -> String {
    text.chars().filter(|character| !character.is_control()).take(MOST_SHOWN).collect()
}

/// Writes cues as WebVTT. Those without words or times are left out.
pub fn print_captions(cues: &[Utterance]) -> String {
    let mut text = "WEBVTT\n".to_owned();
    for cue in cues {
        let (start, end) = (written(cue.start), written(cue.end));
        let words: Vec<String> = cue
            .text
            .split(['\n', '\r'])
            .map(|line| escaped(&without_controls(line)))
            .filter(|line| !line.is_empty())
            .collect();
        if words.is_empty() || !cue.has_times() || start == end {
            continue;
        }
        text.push_str(&format!("\n{start} --> {end}\n{}\n", words.join("\n")));
    }
    text
}

fn escaped(line: &str) -> String {
    line.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Formats seconds as a WebVTT time, to the millisecond.
fn written(seconds: f64) -> String {
    let most = (MOST_HOURS * 3600) as f64;
    let millis = (seconds.clamp(0.0, most) * 1000.0).round() as u64;
    let (whole, millis) = (millis / 1000, millis % 1000);
    format!("{:02}:{:02}:{:02}.{millis:03}", whole / 3600, whole / 60 % 60, whole % 60)
}

/// The cues of a part of a track, from `start` to `end` in seconds, with times from its start. Cues that are only
/// partly inside are left out, because it is unknown which of their words are inside.
pub fn captions_within(cues: &[Utterance], (start, end): (f64, f64)) -> Vec<Utterance> {
    let inside = cues.iter().filter(|cue| cue.has_times() && start <= cue.start && cue.end <= end);
    inside
        .map(|cue| Utterance { start: cue.start - start, end: cue.end - start, text: cue.text.clone() })
        .collect()
}

#[cfg(test)]
#[path = "captions_tests.rs"]
mod tests;
