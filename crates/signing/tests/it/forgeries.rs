//! Forgeries based on genuine URLs: whatever is changed, only what was signed is accepted.
//!
//! `make fuzz-edge` tries a million of them.

use proptest::prelude::*;
use proptest::sample::{Index, select};
use tonearm_signing::DeliveryTerms;

use crate::{at, key, signer, split};

/// Strings that attackers put into URLs.
const WORDS: [&str; 24] = [
    "/",
    "//",
    "/./",
    "/../",
    "%2f",
    "%2F",
    "%2e%2e",
    "%00",
    "\\",
    ";",
    "#",
    "?",
    "&",
    "=",
    "&&",
    "ttl=86400&",
    "&ttl=86400",
    "attachment=x&",
    "verify=",
    "&verify=",
    "VERIFY=",
    "1893456000-",
    "+",
    "ü",
];

/// One change to a text.
#[derive(Debug, Clone)]
enum Change {
    Put(Index, String),
    Remove(Index, usize),
    Repeat(Index, usize),
    Encode(Index),
    OtherCase(Index),
    /// The rest comes from another URL.
    Splice(Index, Index),
    /// The parameters in another order.
    Rotate(usize),
}

impl Change {
    fn apply(&self, text: &str, other: &str) -> String {
        let chars: Vec<char> = text.chars().collect();
        let at = |index: &Index| index.index(chars.len() + 1);
        let text_of = |chars: &[char]| chars.iter().collect::<String>();
        match self {
            Self::Put(index, word) => {
                let (before, after) = chars.split_at(at(index));
                text_of(before) + word + &text_of(after)
            }
            Self::Remove(index, count) => {
                let (before, after) = chars.split_at(at(index));
                text_of(before) + &text_of(&after[after.len().min(*count)..])
            }
            Self::Repeat(index, count) => {
                let (before, after) = chars.split_at(at(index));
                text_of(before) + &text_of(&after[..after.len().min(*count)]) + &text_of(after)
            }
            Self::Encode(index) => {
                let (before, after) = chars.split_at(at(index));
                let Some((first, rest)) = after.split_first() else { return text.to_owned() };
                let encoded: String = first.to_string().bytes().map(|byte| format!("%{byte:02x}")).collect();
                text_of(before) + &encoded + &text_of(rest)
            }
            Self::OtherCase(index) => {
                let (before, after) = chars.split_at(at(index));
                let Some((first, rest)) = after.split_first() else { return text.to_owned() };
                let swapped = match first.is_uppercase() {
                    true => first.to_lowercase().to_string(),
                    false => first.to_uppercase().to_string(),
                };
                text_of(before) + &swapped + &text_of(rest)
            }
            Self::Splice(here, there) => {
                let rest: Vec<char> = other.chars().collect();
                let from = there.index(rest.len() + 1);
                text_of(&chars[..at(here)]) + &text_of(&rest[from..])
            }
            Self::Rotate(by) => match text.split_once('?') {
                Some((path, query)) => {
                    let mut parameters: Vec<_> = query.split('&').collect();
                    let count = parameters.len();
                    parameters.rotate_left(by % count);
                    format!("{path}?{}", parameters.join("&"))
                }
                None => text.to_owned(),
            },
        }
    }
}

fn change() -> impl Strategy<Value = Change> {
    let word = prop_oneof![
        select(&WORDS[..]).prop_map(str::to_owned),
        "[!-~]{1,3}",
        any::<char>().prop_map(String::from)
    ];
    prop_oneof![
        (any::<Index>(), word).prop_map(|(index, word)| Change::Put(index, word)),
        (any::<Index>(), 1..8usize).prop_map(|(index, count)| Change::Remove(index, count)),
        (any::<Index>(), 1..80usize).prop_map(|(index, count)| Change::Repeat(index, count)),
        any::<Index>().prop_map(Change::Encode),
        any::<Index>().prop_map(Change::OtherCase),
        (any::<Index>(), any::<Index>()).prop_map(|(here, there)| Change::Splice(here, there)),
        (1..4usize).prop_map(Change::Rotate),
    ]
}

proptest! {
    #[test]
    fn only_what_was_signed_is_accepted(changes in prop::collection::vec(change(), 1..4), which in 0..4usize) {
        let signer = signer(1);
        let terms = [
            DeliveryTerms::default(),
            DeliveryTerms { ttl: Some(30), ..DeliveryTerms::default() },
            DeliveryTerms { attachment: Some("Größe 1.mp3"), ..DeliveryTerms::default() },
            DeliveryTerms { ttl: Some(86_400), attachment: Some("a"), ..DeliveryTerms::default() },
        ];
        let genuine = terms.map(|terms| signer.sign_delivery(&key(), terms, at(0)));
        let other = &genuine[(which + 1) % genuine.len()];
        let forged = changes.iter().fold(genuine[which].clone(), |url, change| change.apply(&url, other));
        let (path, query) = split(&forged);
        let accepted = signer.verify_delivery(path, query, at(0)).is_ok();
        prop_assert_eq!(accepted, genuine.contains(&forged), "{}", forged);
    }
}
