//! The languages that pages are written in.

use std::fmt;
use std::str::FromStr;

/// A language that pages are written in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Language {
    /// English, the default.
    #[default]
    English,
    /// German.
    German,
    /// French.
    French,
    /// Spanish.
    Spanish,
}

/// The writing direction of a language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Such as English.
    LeftToRight,
    /// Such as Arabic.
    RightToLeft,
}

impl Direction {
    /// The value of the attribute `dir` of HTML.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::LeftToRight => "ltr",
            Self::RightToLeft => "rtl",
        }
    }
}

impl fmt::Display for Direction {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// Maximum number of `Accept-Language` entries that are read.
const MOST_RANGES: usize = 32;

impl Language {
    /// Every language, in the order in which lists show them.
    pub const ALL: [Self; 4] = [Self::English, Self::German, Self::French, Self::Spanish];

    /// The language tag (RFC 5646), such as `de`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::German => "de",
            Self::French => "fr",
            Self::Spanish => "es",
        }
    }

    /// Its name in the language itself.
    pub const fn name(self) -> &'static str {
        match self {
            Self::English => "English",
            Self::German => "Deutsch",
            Self::French => "Français",
            Self::Spanish => "Español",
        }
    }

    /// Its writing direction.
    pub const fn direction(self) -> Direction {
        match self {
            Self::English | Self::German | Self::French | Self::Spanish => Direction::LeftToRight,
        }
    }

    /// The language for a reader with this `Accept-Language` (RFC 9110, 12.5.4): the accepted language with the highest
    /// weight, or the first of several with the same weight. A region is ignored: `fr-CA` is French.
    pub fn accepted(header: &str) -> Self {
        let mut best: Option<(Self, u16)> = None;
        for range in header.split(',').take(MOST_RANGES) {
            let Some((language, weight)) = range_of(range) else { continue };
            if weight > 0 && best.is_none_or(|(_, least)| weight > least) {
                best = Some((language, weight));
            }
        }
        best.map_or(Self::default(), |(language, _)| language)
    }
}

/// One entry of `Accept-Language`: the language, and its weight in thousandths.
fn range_of(range: &str) -> Option<(Language, u16)> {
    let mut parts = range.split(';').map(str::trim);
    let tag = parts.next()?;
    let primary = tag.split('-').next()?;
    let language = match primary {
        // Any language is accepted: use the default.
        "*" => Language::default(),
        primary => {
            Language::ALL.into_iter().find(|language| language.as_str().eq_ignore_ascii_case(primary))?
        }
    };
    let weight = parts.find_map(|part| part.strip_prefix("q=").or_else(|| part.strip_prefix("Q=")));
    let weight = match weight {
        None => 1.0,
        Some(text) => text.trim().parse::<f32>().ok().filter(|weight| (0.0..=1.0).contains(weight))?,
    };
    Some((language, (weight * 1000.0).round() as u16))
}

impl fmt::Display for Language {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// Text that is not the tag of a supported language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be one of en, de, fr and es")]
pub struct UnknownLanguage;

impl FromStr for Language {
    type Err = UnknownLanguage;

    fn from_str(text: &str) -> Result<Self, UnknownLanguage> {
        Self::ALL.into_iter().find(|language| language.as_str() == text).ok_or(UnknownLanguage)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_reader_decides_by_weight_and_then_by_order() {
        for (header, language) in [
            ("", Language::English),
            ("de", Language::German),
            ("DE-at", Language::German),
            ("fr-CA, en;q=0.5", Language::French),
            ("ja, es;q=0.3, de;q=0.4", Language::German),
            ("es, de", Language::Spanish),
            ("en;q=0.1, fr;q=0", Language::English),
            ("fr;q=0", Language::English),
            ("pt-BR, *;q=0.1, de;q=0.05", Language::English),
            ("ja, zh-Hant", Language::English),
            ("de;q=high, fr;q=0.2", Language::French),
            ("de;q=7, fr;q=0.2", Language::French),
            (" , ;q=1,de ; q=0.9", Language::German),
        ] {
            assert_eq!(Language::accepted(header), language, "{header}");
        }
    }

    #[test]
    fn every_language_is_read_as_it_is_written() {
        for language in Language::ALL {
            assert_eq!(language.as_str().parse(), Ok(language));
            assert_eq!(Language::accepted(language.as_str()), language);
        }
        assert_eq!("DE".parse::<Language>(), Err(UnknownLanguage));
    }

    proptest! {
        #[test]
        fn any_header_is_read(header in "\\PC{0,300}") {
            let _ = Language::accepted(&header);
        }

        #[test]
        fn the_greatest_weight_wins(weights in proptest::collection::vec(1u16..=1000, 4)) {
            let ranges = Language::ALL.iter().zip(&weights);
            let header: Vec<_> =
                ranges.map(|(language, weight)| format!("{language};q={:.3}", f32::from(*weight) / 1000.0)).collect();
            let won = Language::accepted(&header.join(", "));
            let at = Language::ALL.iter().position(|language| *language == won).unwrap_or_default();
            prop_assert_eq!(weights[at], weights.iter().copied().max().unwrap_or_default());
        }
    }
}
