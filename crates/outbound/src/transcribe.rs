//! Speech to text by a provider, with the widely supported `POST {base}/audio/transcriptions`.

use std::time::Duration;

use bytes::Bytes;
use reqwest::multipart::{Form, Part};
use serde::Deserialize;
use tonearm_domain::Utterance;

use crate::outbound::{Answer, CallError, CallLimits, Outbound};

/// Models are slow; the text of twenty minutes fits easily.
const LIMITS: CallLimits = CallLimits { timeout: Duration::from_secs(600), body: 8 * 1024 * 1024 };

/// The longest wait before a retry that a provider may request, in seconds.
const MOST_SECONDS: i64 = 3600;

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
    /// The words, with their seconds in this piece.
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

/// `verbose_json`; providers that support only `json` send nothing but the text.
#[derive(Deserialize)]
struct Verbose {
    text: Option<String>,
    language: Option<String>,
    segments: Option<Vec<Segment>>,
}

#[derive(Deserialize)]
struct Segment {
    #[serde(default)]
    start: f64,
    #[serde(default)]
    end: f64,
    text: String,
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
            let request = match call.key {
                Some(key) => request.bearer_auth(key),
                None => request,
            };
            request.multipart(form)
        });
        match answer.await {
            Ok(answer) if answer.is_success() => read(&answer),
            Ok(answer) => Err(refused(&answer)),
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
    let verbose: Verbose = serde_json::from_slice(&answer.body)
        .map_err(|_| later("the provider's response is not a transcription"))?;
    let utterances = match (verbose.segments, verbose.text) {
        (Some(segments), _) if !segments.is_empty() => {
            segments.into_iter().map(|s| Utterance { start: s.start, end: s.end, text: s.text }).collect()
        }
        (_, Some(text)) => vec![Utterance { start: 0.0, end: 0.0, text }],
        _ => return Err(later("the provider's response contains no text")),
    };
    Ok(TranscribedAudio { utterances, language: verbose.language })
}

/// 429 and errors of the provider are temporary. All other errors are caused by the request.
fn refused(answer: &Answer) -> TranscribeError {
    let status = answer.status;
    let body = String::from_utf8_lossy(&answer.body[..answer.body.len().min(300)]).replace(['\n', '\0'], " ");
    let sentence = format!("the provider responded with {status}: {}", body.trim());
    if matches!(status, 408 | 409 | 425 | 429 | 500..) {
        let wait = answer.headers.get("retry-after").and_then(|value| value.to_str().ok()?.parse().ok());
        TranscribeError::Later(sentence, wait.map(|seconds: i64| seconds.clamp(1, MOST_SECONDS)))
    } else {
        TranscribeError::Final(sentence)
    }
}
