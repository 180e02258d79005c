//! Whether a master secret can be guessed, as far as its text shows.

use crate::secrets::Secrets;

/// Secrets that appear in the documentation.
const EXAMPLES: [&str; 2] =
    ["replace-this-with-at-least-32-random-characters", "an example secret of thirty-two characters or more"];

/// Words that people write and generators do not.
const WORDS: [&str; 7] = ["changeme", "change-me", "example", "password", "replace", "secret", "tonearm"];

/// 32 random hex digits have more, by the frequency of their characters.
const FEWEST_BITS: f64 = 96.0;

/// Why a master secret is weak.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weakness {
    /// It appears in the documentation.
    Example,
    /// It looks like something that a person typed.
    Guessable,
}

impl Secrets {
    /// The first weak secret, counted from 1. An example secret takes precedence over a guessable one.
    pub fn weakness(&self) -> Option<(usize, Weakness)> {
        let found = || self.iter().enumerate().filter_map(|(at, secret)| Some((at + 1, weakness(secret)?)));
        found().find(|(_, weakness)| *weakness == Weakness::Example).or_else(|| found().next())
    }
}

fn weakness(secret: &[u8]) -> Option<Weakness> {
    let lower = secret.to_ascii_lowercase();
    if EXAMPLES.iter().any(|example| example.as_bytes() == lower) {
        return Some(Weakness::Example);
    }
    let has_word = WORDS.iter().any(|word| lower.windows(word.len()).any(|part| part == word.as_bytes()));
    let is_guessable = has_word || is_repeated(&lower) || is_sequence(&lower) || bits(secret) < FEWEST_BITS;
    is_guessable.then_some(Weakness::Guessable)
}

/// Whether it is one part, repeated.
fn is_repeated(text: &[u8]) -> bool {
    (1..=text.len() / 2).any(|length| text.iter().zip(&text[length..]).all(|(one, next)| one == next))
}

/// Whether most characters are adjacent to the one before, as in `abcdef` or `987654`.
fn is_sequence(text: &[u8]) -> bool {
    let near = text.windows(2).filter(|pair| pair[0].abs_diff(pair[1]) <= 1).count();
    near * 2 > text.len()
}

/// The information content of the text by the frequency of its characters, in bits.
fn bits(text: &[u8]) -> f64 {
    let mut counts = [0_u32; 256];
    text.iter().for_each(|byte| counts[usize::from(*byte)] += 1);
    let total = text.len() as f64;
    let of = |count: f64| -count * (count / total).log2();
    counts.iter().filter(|count| **count > 0).map(|count| of(f64::from(*count))).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Option<(usize, Weakness)> {
        Secrets::parse(text).unwrap().weakness()
    }

    #[test]
    fn what_was_typed_is_told_from_what_was_drawn() {
        let drawn = "9f2c41d07be6583a1e94c0d7f3ab8256";
        let long = "b1946ac92492d2347c6235b4d2611184e0c9035898dd52fc65c41454cec9c4d2";
        for strong in [drawn, long, "kJ3x+Zq9/Lw2Vb7TnR5mYc8Hd4Gf6Ps1"] {
            assert_eq!(of(strong), None, "{strong}");
        }
        for weak in [
            "a".repeat(32),
            "abcdefgh".repeat(8),
            "abcdefghijklmnopqrstuvwxyz0123456789".to_owned(),
            "01".repeat(40),
            "x7-Our-Secret-Of-Many-Characters-4711".to_owned(),
            "hunter2hunter2aaaaaaaaaaaaaaaaaaaaaa".to_owned(),
        ] {
            assert_eq!(of(&weak), Some((1, Weakness::Guessable)), "{weak}");
        }
        let text = format!("{drawn},{},{}", "a".repeat(32), EXAMPLES[0].to_uppercase());
        assert_eq!(of(&text), Some((3, Weakness::Example)));
        assert_eq!(of(EXAMPLES[1]), Some((1, Weakness::Example)));
    }
}
