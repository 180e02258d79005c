//! The pieces in which a long sound is transcribed. Those that have arrived are kept, so that an attempt after a failure
//! pays for none of them again.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tonearm_domain::{Source, TranscriptionSettings, Utterance, language_code, within_sound};
use tonearm_outbound::TranscribedAudio;

/// The most seconds of sound in one request: 5 MB, below the limits of providers in bytes and in minutes.
const PIECE_SECONDS: f64 = 1200.0;

/// The number of seconds at the end of a piece within which it is cut, at the quietest moment, so that no word is cut
/// in two.
const CUT_WITHIN: f64 = 60.0;

/// The most bytes of pieces that are kept. A day of speech has a tenth of it.
const MOST_BYTES: usize = 16 * 1024 * 1024;

/// The seconds between which the piece that begins at `start` is cut; none if it is the last one.
pub(super) fn cut_within(start: f64, duration: f64) -> Option<(f64, f64)> {
    let most = start + PIECE_SECONDS;
    (most < duration).then_some((most - CUT_WITHIN, most))
}

/// A piece, as it was transcribed.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Piece {
    start: f64,
    end: f64,
    language: Option<String>,
    /// Start and end within the piece, and text.
    said: Vec<(f64, f64, String)>,
}

impl Piece {
    pub(super) fn new((start, end): (f64, f64), heard: TranscribedAudio) -> Self {
        let said = heard.utterances.into_iter().map(|it| (it.start, it.end, it.text));
        Self { start, end, language: heard.language, said: said.collect() }
    }

    fn in_piece(&self) -> Vec<Utterance> {
        let utterances = self.said.iter();
        utterances
            .map(|(start, end, text)| Utterance { start: *start, end: *end, text: text.clone() })
            .collect()
    }

    fn in_track(&self, utterances: Vec<Utterance>) -> impl Iterator<Item = Utterance> {
        let offset = self.start;
        utterances.into_iter().map(move |it| Utterance {
            start: it.start + offset,
            end: it.end + offset,
            ..it
        })
    }

    /// Everything that the provider heard.
    pub(super) fn said(&self) -> impl Iterator<Item = Utterance> {
        self.in_track(self.in_piece())
    }

    /// What has its place in the track.
    pub(super) fn captions(&self) -> impl Iterator<Item = Utterance> {
        self.in_track(within_sound(&self.in_piece(), self.end - self.start))
    }
}

/// The language in which most is said.
pub(super) fn spoken_language(pieces: &[Piece]) -> Option<String> {
    let mut spoken: Vec<(String, usize)> = Vec::new();
    for piece in pieces {
        let length = piece.said.iter().map(|(.., text)| text.trim().len()).sum();
        let Some(language) = piece.language.as_deref().and_then(language_code).filter(|_| length > 0) else {
            continue;
        };
        match spoken.iter_mut().find(|(known, _)| *known == language) {
            Some((_, total)) => *total += length,
            None => spoken.push((language, length)),
        }
    }
    spoken.into_iter().rev().max_by_key(|(_, length)| *length).map(|(language, _)| language)
}

/// The pieces that have arrived, from the beginning on.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Arrived {
    /// What they were made from and how, hashed.
    basis: String,
    pub(super) pieces: Vec<Piece>,
}

impl Arrived {
    /// The stored pieces, unless they are of another sound or were asked for in another way.
    pub(super) fn of(stored: Option<&str>, source: &Source, settings: &TranscriptionSettings) -> Self {
        let TranscriptionSettings { organization_id: _, base_url, key: _, model, language } = settings;
        let of = (source.key.to_string(), base_url, model, language, PIECE_SECONDS, CUT_WITHIN);
        let basis = hex::encode(Sha256::digest(format!("{of:?}")));
        let stored: Option<Self> = stored.and_then(|text| serde_json::from_str(text).ok());
        stored.filter(|stored| stored.basis == basis).unwrap_or(Self { basis, pieces: Vec::new() })
    }

    /// Where the next piece begins; none if all have arrived.
    pub(super) fn next_start(&self, duration: f64) -> Option<f64> {
        let Some(last) = self.pieces.last() else { return Some(0.0) };
        let start = last.end.max(last.start + PIECE_SECONDS - CUT_WITHIN);
        (start < duration).then_some(start)
    }

    /// The text to store; none if it is too long, so that these pieces are asked for again after a failure.
    pub(super) fn written(&self) -> Option<String> {
        serde_json::to_string(self).ok().filter(|text| text.len() <= MOST_BYTES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(start: f64, end: f64, language: &str, said: &[(f64, f64, &str)]) -> Piece {
        let said = said.iter().map(|(start, end, text)| (*start, *end, (*text).to_owned())).collect();
        Piece { start, end, language: Some(language.to_owned()), said }
    }

    #[test]
    fn the_language_is_the_one_in_which_most_is_said() {
        let silent = piece(0.0, 1150.0, "welsh", &[(0.0, 1.0, " ")]);
        let little = piece(1150.0, 2300.0, "english", &[(0.0, 1.0, "Welcome.")]);
        let more = piece(2300.0, 3450.0, "german", &[(0.0, 1.0, "Guten Abend, meine Damen und Herren.")]);
        assert_eq!(spoken_language(&[silent.clone(), little.clone(), more]), Some("de".to_owned()));
        assert_eq!(spoken_language(&[silent.clone(), little]), Some("en".to_owned()));
        assert_eq!(spoken_language(&[silent]), None);
    }

    #[test]
    fn captions_end_with_their_sound() {
        let said = [
            (1.0, 2.0, "a"),
            (1149.0, 1152.0, "b"),
            (1151.0, 1153.0, "Thanks for watching!"),
            (3.0, 3.0, "c"),
        ];
        let piece = piece(100.0, 1250.0, "en", &said);
        let captions: Vec<_> = piece.captions().map(|it| (it.start, it.end, it.text)).collect();
        assert_eq!(captions, [(101.0, 102.0, "a".to_owned()), (1249.0, 1250.0, "b".to_owned())]);
        assert_eq!(piece.said().count(), 4);
    }

    #[test]
    fn pieces_cover_the_sound() {
        let mut arrived = Arrived { basis: String::new(), pieces: Vec::new() };
        let mut ends = Vec::new();
        while let Some(start) = arrived.next_start(2500.0) {
            let end = cut_within(start, 2500.0).map_or(2500.0, |(earliest, _)| earliest);
            ends.push(end);
            arrived.pieces.push(piece(start, end, "en", &[]));
        }
        assert_eq!(ends, [1140.0, 2280.0, 2500.0]);
        // A sound of unknown length is one piece.
        let unknown = Arrived { basis: String::new(), pieces: vec![piece(0.0, 0.0, "en", &[])] };
        assert_eq!(unknown.next_start(0.0), None);
    }
}
