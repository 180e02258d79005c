//! Transcriptions: settings of the provider, paragraphs from its utterances, and language codes.

use crate::timestamp::Timestamp;
use crate::{OrganizationId, TrackId};

/// The transcription settings of an organization.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TranscriptionSettings {
    /// Whose.
    pub organization_id: OrganizationId,
    /// The base URL of the provider; requests go to `{base_url}/audio/transcriptions`.
    pub base_url: String,
    /// The API key of the provider, sealed; none if it needs none.
    pub key: Option<Vec<u8>>,
    /// The model.
    pub model: String,
    /// The language of all tracks, if it is known.
    pub language: Option<String>,
}

/// The transcription of a track.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transcription {
    /// The track.
    pub track_id: TrackId,
    /// Whose.
    pub organization_id: OrganizationId,
    /// Its state.
    pub state: TranscriptionState,
    /// Why it failed, or why it is retried, as a sentence for people.
    pub reason: Option<String>,
    /// When this was last updated.
    pub updated_at: Timestamp,
}

/// The state of a transcription.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TranscriptionState {
    /// It waits for its first attempt or a retry.
    Pending,
    /// The words have arrived.
    Done,
    /// It was given up.
    Failed,
}

impl TranscriptionState {
    /// The state as text, as in SQL.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Done => "done",
            Self::Failed => "failed",
        }
    }
}

impl std::str::FromStr for TranscriptionState {
    type Err = &'static str;
    fn from_str(text: &str) -> Result<Self, &'static str> {
        [Self::Pending, Self::Done, Self::Failed]
            .into_iter()
            .find(|state| state.as_str() == text)
            .ok_or("must be pending, done or failed")
    }
}

/// Words that were spoken without a longer pause, as returned by providers.
#[derive(Debug, Clone, PartialEq)]
pub struct Utterance {
    /// Start in seconds.
    pub start: f64,
    /// End in seconds.
    pub end: f64,
    /// The words.
    pub text: String,
}

/// A pause that starts a new paragraph, in seconds.
const PARAGRAPH_PAUSE: f64 = 2.0;

/// Characters after which a paragraph ends at the end of a sentence.
const LONG_PARAGRAPH: usize = 600;

/// Plain text in paragraphs, separated by empty lines. A new paragraph starts after a pause, and at the end of a
/// sentence once the paragraph is long.
pub fn paragraphs(utterances: &[Utterance]) -> String {
    let mut text = String::new();
    let mut length = 0;
    let mut last_end = None;
    for utterance in utterances {
        let words: Vec<&str> = utterance.text.split_whitespace().collect();
        if words.is_empty() {
            continue;
        }
        let words = words.join(" ").replace('\0', "");
        let has_pause = last_end.is_some_and(|end| utterance.start - end >= PARAGRAPH_PAUSE);
        let is_long =
            length >= LONG_PARAGRAPH && text.ends_with(['.', '!', '?', '…', '。', '！', '？', '؟', '।']);
        if !text.is_empty() {
            let is_new = has_pause || is_long;
            text.push_str(if is_new { "\n\n" } else { " " });
            length = if is_new { 0 } else { length + 1 };
        }
        length += words.chars().count();
        text.push_str(&words);
        last_end = Some(utterance.end);
    }
    text
}

/// Maximum number of utterances of a track that are stored with their times; a whole day of speech has about half as
/// many.
const MOST_UTTERANCES: usize = 50_000;

/// Maximum size of the words of a track that are stored with their times, in bytes.
const MOST_UTTERANCE_BYTES: usize = 4 * 1024 * 1024;

impl Utterance {
    /// Whether the provider returned times. Providers that return only text give none.
    pub(crate) fn has_times(&self) -> bool {
        self.start.is_finite() && self.end.is_finite() && self.start < self.end
    }
}

/// The utterances of a sound as captions: those with times, cut at its end. What begins after it, the provider has
/// invented, as models do in silence.
pub fn within_sound(utterances: &[Utterance], seconds: f64) -> Vec<Utterance> {
    let inside = utterances.iter().filter(|utterance| utterance.has_times() && utterance.start < seconds);
    inside.map(|utterance| Utterance { end: utterance.end.min(seconds), ..utterance.clone() }).collect()
}

/// The utterances to store, so that a part of a track can be shown with its own words: those with times and words.
/// Empty if there are too many; then no part shows words.
pub fn worth_keeping(utterances: &[Utterance]) -> Vec<Utterance> {
    let timed =
        utterances.iter().filter(|utterance| utterance.has_times() && !utterance.text.trim().is_empty());
    let kept: Vec<Utterance> = timed
        .map(|utterance| Utterance { text: utterance.text.trim().replace('\0', ""), ..utterance.clone() })
        .collect();
    let bytes: usize = kept.iter().map(|utterance| utterance.text.len()).sum();
    if kept.len() > MOST_UTTERANCES || bytes > MOST_UTTERANCE_BYTES { Vec::new() } else { kept }
}

/// The words spoken in a part of a track, from `start` to `end` in seconds, in paragraphs; none if there are none.
/// Utterances that are only partly inside are left out, because it is unknown which of their words are inside.
pub fn words_within(utterances: &[Utterance], (start, end): (f64, f64)) -> Option<String> {
    let is_inside =
        |utterance: &&Utterance| utterance.has_times() && start <= utterance.start && utterance.end <= end;
    let inside: Vec<Utterance> = utterances.iter().filter(is_inside).cloned().collect();
    Some(paragraphs(&inside)).filter(|text| !text.is_empty())
}

/// English language names that speech models return, with their BCP-47 codes.
const LANGUAGES: &[(&str, &str)] = &[
    ("afrikaans", "af"),
    ("albanian", "sq"),
    ("amharic", "am"),
    ("arabic", "ar"),
    ("armenian", "hy"),
    ("assamese", "as"),
    ("azerbaijani", "az"),
    ("bashkir", "ba"),
    ("basque", "eu"),
    ("belarusian", "be"),
    ("bengali", "bn"),
    ("bosnian", "bs"),
    ("breton", "br"),
    ("bulgarian", "bg"),
    ("burmese", "my"),
    ("cantonese", "yue"),
    ("castilian", "es"),
    ("catalan", "ca"),
    ("chinese", "zh"),
    ("croatian", "hr"),
    ("czech", "cs"),
    ("danish", "da"),
    ("dutch", "nl"),
    ("english", "en"),
    ("estonian", "et"),
    ("faroese", "fo"),
    ("finnish", "fi"),
    ("flemish", "nl"),
    ("french", "fr"),
    ("galician", "gl"),
    ("georgian", "ka"),
    ("german", "de"),
    ("greek", "el"),
    ("gujarati", "gu"),
    ("haitian creole", "ht"),
    ("hausa", "ha"),
    ("hawaiian", "haw"),
    ("hebrew", "he"),
    ("hindi", "hi"),
    ("hungarian", "hu"),
    ("icelandic", "is"),
    ("indonesian", "id"),
    ("italian", "it"),
    ("japanese", "ja"),
    ("javanese", "jv"),
    ("kannada", "kn"),
    ("kazakh", "kk"),
    ("khmer", "km"),
    ("korean", "ko"),
    ("lao", "lo"),
    ("latin", "la"),
    ("latvian", "lv"),
    ("lingala", "ln"),
    ("lithuanian", "lt"),
    ("luxembourgish", "lb"),
    ("macedonian", "mk"),
    ("malagasy", "mg"),
    ("malay", "ms"),
    ("malayalam", "ml"),
    ("maltese", "mt"),
    ("mandarin", "zh"),
    ("maori", "mi"),
    ("marathi", "mr"),
    ("moldavian", "ro"),
    ("mongolian", "mn"),
    ("nepali", "ne"),
    ("norwegian", "no"),
    ("nynorsk", "nn"),
    ("occitan", "oc"),
    ("pashto", "ps"),
    ("persian", "fa"),
    ("polish", "pl"),
    ("portuguese", "pt"),
    ("punjabi", "pa"),
    ("romanian", "ro"),
    ("russian", "ru"),
    ("sanskrit", "sa"),
    ("serbian", "sr"),
    ("shona", "sn"),
    ("sindhi", "sd"),
    ("sinhala", "si"),
    ("slovak", "sk"),
    ("slovenian", "sl"),
    ("somali", "so"),
    ("spanish", "es"),
    ("sundanese", "su"),
    ("swahili", "sw"),
    ("swedish", "sv"),
    ("tagalog", "tl"),
    ("tajik", "tg"),
    ("tamil", "ta"),
    ("tatar", "tt"),
    ("telugu", "te"),
    ("thai", "th"),
    ("tibetan", "bo"),
    ("turkish", "tr"),
    ("turkmen", "tk"),
    ("ukrainian", "uk"),
    ("urdu", "ur"),
    ("uzbek", "uz"),
    ("valencian", "ca"),
    ("vietnamese", "vi"),
    ("welsh", "cy"),
    ("yiddish", "yi"),
    ("yoruba", "yo"),
];

/// The BCP-47 code of a language as providers return it: its English name, or a code. None for anything else.
pub fn language_code(text: &str) -> Option<String> {
    let text = text.trim();
    let name = text.to_lowercase();
    if let Some((_, code)) = LANGUAGES.iter().find(|(own, _)| *own == name) {
        return Some((*code).to_owned());
    }
    let mut parts = text.split(['-', '_']);
    let primary = parts.next().filter(|part| is_alphabetic(part, 2..=3))?.to_lowercase();
    let code = parts.try_fold(primary, |code, part| match part.len() {
        2 if is_alphabetic(part, 2..=2) => Some(format!("{code}-{}", part.to_uppercase())),
        3 if part.bytes().all(|byte| byte.is_ascii_digit()) => Some(format!("{code}-{part}")),
        4 if is_alphabetic(part, 4..=4) => {
            Some(format!("{code}-{}{}", part[..1].to_uppercase(), part[1..].to_lowercase()))
        }
        _ => None,
    });
    code.filter(|code| code.len() <= 11)
}

fn is_alphabetic(part: &str, length: std::ops::RangeInclusive<usize>) -> bool {
    length.contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn utterance(start: f64, end: f64, text: &str) -> Utterance {
        Utterance { start, end, text: text.to_owned() }
    }

    #[test]
    fn pauses_and_long_sentences_end_paragraphs() {
        let text = paragraphs(&[
            utterance(0.0, 1.0, " Hello"),
            utterance(1.0, 2.0, " there. \n"),
            utterance(2.5, 3.0, ""),
            utterance(4.5, 5.0, "Next."),
        ]);
        assert_eq!(text, "Hello there.\n\nNext.");
        let long = "word ".repeat(200) + "end.";
        assert_eq!(
            paragraphs(&[utterance(0.0, 1.0, &long), utterance(1.0, 2.0, "More.")]).matches("\n\n").count(),
            1
        );
        assert_eq!(paragraphs(&[]), "");
    }

    #[test]
    fn a_part_shows_its_own_words_only() {
        let utterance = [
            utterance(0.0, 9.9, "Before."),
            utterance(9.9, 11.0, "Over the edge."),
            utterance(11.0, 12.0, "Inside."),
            utterance(14.5, 20.0, "Still inside."),
            utterance(19.0, 20.1, "After."),
            utterance(15.0, 15.0, "At no time."),
            utterance(f64::NAN, 16.0, "Never."),
        ];
        assert_eq!(words_within(&utterance, (10.0, 20.0)).as_deref(), Some("Inside.\n\nStill inside."));
        assert_eq!(words_within(&utterance, (12.0, 14.0)), None);
        assert_eq!(worth_keeping(&utterance).len(), 5);
        // A provider that returns no times: the whole text would be at second 0.
        let untimed = [Utterance { start: 0.0, end: 0.0, text: "All of it.".to_owned() }];
        assert_eq!(worth_keeping(&untimed), []);
        assert_eq!(words_within(&untimed, (0.0, 10.0)), None);
        let many: Vec<Utterance> = (0..=MOST_UTTERANCES).map(|_| utterance[2].clone()).collect();
        assert_eq!(worth_keeping(&many), []);
    }

    #[test]
    fn languages_are_codes() {
        for (text, code) in [
            ("english", Some("en")),
            ("German", Some("de")),
            ("de", Some("de")),
            ("pt-br", Some("pt-BR")),
            ("zh_hans", Some("zh-Hans")),
            ("es-419", Some("es-419")),
            ("Haitian Creole", Some("ht")),
            ("klingonese", None),
            ("", None),
            ("e", None),
            ("de-", None),
            ("<html>", None),
        ] {
            assert_eq!(language_code(text).as_deref(), code, "{text}");
        }
    }

    proptest! {
        #[test]
        fn whatever_providers_say_is_taken(texts: Vec<String>, language: String) {
            let utterances: Vec<_> = texts.iter().map(|text| utterance(f64::NAN, 0.0, text)).collect();
            let text = paragraphs(&utterances);
            prop_assert!(!text.contains('\0'));
            prop_assert!(language_code(&language).is_none_or(|code| code.is_ascii() && code.len() <= 11));
        }
    }
}
