//! Speech to text by a provider, with the widely supported `POST {base}/audio/transcriptions`.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use bytes::Bytes;
use reqwest::multipart::{Form, Part};
use serde::Deserialize;
use serde_json::value::RawValue;
use tonearm_domain::Utterance;

use crate::fetch::headers::wait;
use crate::guard::GuardError;
use crate::outbound::{Answer, CallError, CallLimits, Outbound};

/// Models are slow; the text of twenty minutes fits easily.
const LIMITS: CallLimits = CallLimits { timeout: Duration::from_secs(600), body: 8 * 1024 * 1024 };

/// The longest time in a transcript, in seconds: ten thousand hours. What is beyond it is no time.
const MOST_TIME: f64 = 36_000_000.0;

/// How many characters of a key must not be repeated.
const SECRET_PART: usize = 12;

/// A request to a provider.
#[derive(Clone)]
pub struct TranscribeCall {
    /// The base URL of the provider, without `/audio/transcriptions`.
    pub base_url: String,
    /// The API key, if the provider requires one.
    pub key: Option<String>,
    /// The model.
    pub model: String,
    /// The language, if it is known.
    pub language: Option<String>,
    /// An MP3 file.
    pub sound: Bytes,
}

/// The transcript of one piece of sound.
#[derive(Debug, Clone, PartialEq)]
pub struct TranscribedAudio {
    /// The words, with their seconds in this piece, in the order of time. Where the provider gives no sound time, the
    /// start and the end are the same.
    pub utterances: Vec<Utterance>,
    /// The language as the provider names it.
    pub language: Option<String>,
}

/// Why there is no transcript. The text is a sentence for people and never contains the key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TranscribeError {
    /// A retry would fail in the same way: the settings or the audio are at fault.
    #[error("{0}")]
    Final(String),
    /// A later retry may succeed; not before this many seconds, if the provider said so.
    #[error("{0}")]
    Later(String, Option<i64>),
}

/// `verbose_json`, or a segment in it; providers that support only `json` send nothing but the text. Each field is read by
/// itself: an odd one, such as a number that no type can hold, must not spoil the words of the others.
type Fields = HashMap<String, Box<RawValue>>;

fn field<'a, T: Deserialize<'a>>(fields: &'a Fields, name: &str) -> Option<T> {
    serde_json::from_str(fields.get(name)?.get()).ok()
}

/// A text, without control characters.
fn text(fields: &Fields, name: &str) -> Option<String> {
    let text: String = field(fields, name)?;
    Some(text.chars().map(|c| if c.is_control() && c != '\n' { ' ' } else { c }).collect())
}

/// A time in seconds; none if it is no number, or one that no sound has.
fn time(fields: &Fields, name: &str) -> Option<f64> {
    let seconds: f64 = fields.get(name)?.get().parse().ok()?;
    (seconds.abs() <= MOST_TIME).then_some(seconds.max(0.0))
}

/// The segments of a response in the order of time. One without a start stays behind the one before it.
fn in_order(segments: Vec<Fields>) -> Vec<Utterance> {
    let mut last = 0.0;
    let parsed = segments.into_iter().map(|segment| {
        let start = time(&segment, "start").unwrap_or(last);
        let end = time(&segment, "end").filter(|end| *end > start).unwrap_or(start);
        last = end;
        Utterance { start, end, text: text(&segment, "text").unwrap_or_default() }
    });
    let mut utterances: Vec<Utterance> = parsed.collect();
    utterances.sort_by(|one, other| one.start.total_cmp(&other.start));
    utterances
}

impl Outbound {
    /// Has one piece of sound transcribed.
    pub async fn transcribe(&self, call: TranscribeCall) -> Result<TranscribedAudio, TranscribeError> {
        let url = format!("{}/audio/transcriptions", call.base_url.trim_end_matches('/'));
        let sound = Part::stream(call.sound).file_name("sound.mp3");
        let sound =
            sound.mime_str("audio/mpeg").map_err(|error| TranscribeError::Final(error.to_string()))?;
        let mut form =
            Form::new().text("model", call.model).text("response_format", "verbose_json").part("file", sound);
        if let Some(language) = call.language {
            form = form.text("language", language);
        }
        let answer = self.post(&url, LIMITS, |request| {
            let request = match &call.key {
                Some(key) => request.bearer_auth(key),
                None => request,
            };
            request.multipart(form)
        });
        match answer.await {
            Ok(answer) if answer.is_success() => read(&answer),
            Ok(answer) => Err(refused(&answer, call.key.as_deref())),
            Err(CallError::Refused(error @ GuardError::Unresolvable(_))) => {
                Err(TranscribeError::Later(error.to_string(), None))
            }
            Err(CallError::Refused(error)) => Err(TranscribeError::Final(error.to_string())),
            Err(error) => Err(TranscribeError::Later(format!("the provider: {error}"), None)),
        }
    }
}

fn read(answer: &Answer) -> Result<TranscribedAudio, TranscribeError> {
    let later = |sentence: &str| TranscribeError::Later(sentence.to_owned(), None);
    if answer.is_truncated {
        return Err(later("the provider's response is larger than 8 MiB"));
    }
    let verbose: Fields = serde_json::from_slice(&answer.body)
        .map_err(|_| later("the provider's response is not a transcription"))?;
    let segments: Vec<&RawValue> = field(&verbose, "segments").unwrap_or_default();
    let segments = segments.into_iter().filter_map(|segment| serde_json::from_str(segment.get()).ok());
    let utterances = in_order(segments.collect());
    let has_words = utterances.iter().any(|utterance| !utterance.text.trim().is_empty());
    let utterances = match text(&verbose, "text") {
        Some(text) if !has_words => vec![Utterance { start: 0.0, end: 0.0, text }],
        None if utterances.is_empty() => return Err(later("the provider's response contains no text")),
        _ => utterances,
    };
    Ok(TranscribedAudio { utterances, language: text(&verbose, "language") })
}

/// 429 and errors of the provider are temporary. All other errors are caused by the request.
fn refused(answer: &Answer, key: Option<&str>) -> TranscribeError {
    let status = answer.status;
    let sentence = if repeats(&answer.body, key) {
        format!("the provider responded with {status}, and with the API key, so its message is not kept")
    } else {
        let body = String::from_utf8_lossy(&answer.body[..answer.body.len().min(300)]);
        format!("the provider responded with {status}: {}", body.replace(['\n', '\0'], " ").trim())
    };
    if matches!(status, 408 | 409 | 425 | 429 | 500..) {
        TranscribeError::Later(sentence, wait(&answer.headers))
    } else {
        TranscribeError::Final(sentence)
    }
}

/// Whether a text contains a key, or enough of it to be a secret. Providers that mask it show fewer characters.
fn repeats(text: &[u8], key: Option<&str>) -> bool {
    let Some(key) = key.map(str::as_bytes).filter(|key| !key.is_empty()) else { return false };
    let length = SECRET_PART.min(key.len());
    let parts: HashSet<&[u8]> = key.windows(length).collect();
    text.windows(length).any(|part| parts.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(segments: &str) -> Vec<(f64, f64, String)> {
        let body = format!("{{\"segments\": {segments}}}").into_bytes();
        let answer =
            Answer { status: 200, headers: http::HeaderMap::new(), body: body.into(), is_truncated: false };
        let heard = read(&answer).unwrap().utterances;
        heard.into_iter().map(|it| (it.start, it.end, it.text)).collect()
    }

    #[test]
    fn times_are_sound_whatever_a_provider_says() {
        let of = |start: f64, end: f64, text: &str| (start, end, text.to_owned());
        assert_eq!(
            heard(r#"[{"start": 3, "end": 4, "text": "b"}, {"start": -0.5, "end": 2, "text": "a"}]"#),
            [of(0.0, 2.0, "a"), of(3.0, 4.0, "b")]
        );
        let odd = r#"[
            {"start": 1, "end": 2, "text": "a"}, {"start": 1e999, "end": 1e300, "text": "b"},
            {"start": null, "end": "3", "text": "c"}, {"text": "d"}, {"start": 5, "end": 4, "text": "e"},
            {"start": 6, "end": -1e300}
        ]"#;
        assert_eq!(
            heard(odd),
            [
                of(1.0, 2.0, "a"),
                of(2.0, 2.0, "b"),
                of(2.0, 2.0, "c"),
                of(2.0, 2.0, "d"),
                of(5.0, 5.0, "e"),
                of(6.0, 6.0, ""),
            ]
        );
    }

    #[test]
    fn an_odd_field_spoils_nothing_else() {
        type Read = Result<(String, Option<String>), TranscribeError>;
        let read = |body: &str| -> Read {
            let body = body.to_owned().into_bytes().into();
            let answer = Answer { status: 200, headers: http::HeaderMap::new(), body, is_truncated: false };
            let heard = read(&answer)?;
            let texts: Vec<String> = heard.utterances.into_iter().map(|it| it.text).collect();
            Ok((texts.join("|"), heard.language))
        };
        let said = |text: &str, language: Option<&str>| -> Read {
            Ok((text.to_owned(), language.map(str::to_owned)))
        };
        for (body, expected) in [
            (r#"{"text": "x", "segments": [{"text": null}, 7, {"text": "good"}]}"#, said("|good", None)),
            (
                r#"{"text": "all", "segments": [{"text": "\ud800"}], "language": "de"}"#,
                said("all", Some("de")),
            ),
            (r#"{"text": "all", "segments": "none", "language": 5}"#, said("all", None)),
            (r#"{"text": "one", "text": "two"}"#, said("two", None)),
            (r#"{"text": "a\u0001\u001b[31mb\nc"}"#, said("a  [31mb\nc", None)),
            (r#"{"text": ""}"#, said("", None)),
        ] {
            assert_eq!(read(body), expected, "{body}");
        }
        for nothing in ["<html>", "{}", r#"{"text": 5, "segments": []}"#] {
            assert!(matches!(read(nothing), Err(TranscribeError::Later(..))), "{nothing}");
        }
    }

    #[test]
    fn a_key_that_is_repeated_is_noticed() {
        let key = Some("sk-proj-0123456789abcdef");
        for text in ["sk-proj-0123456789abcdef", "wrong key: 0123456789ab…", "…456789abcdef\n"] {
            assert!(repeats(text.as_bytes(), key), "{text}");
        }
        for text in ["", "wrong key: sk-proj-****cdef", "0123456789a bcdef"] {
            assert!(!repeats(text.as_bytes(), key), "{text}");
        }
        assert!(repeats(b"Bearer short!", Some("short")));
        assert!(!repeats(b"anything", None) && !repeats(b"anything", Some("")));
    }
}
