//! Parsers for the values of tags: numbers, years, languages and texts, in the forms that people and programs write.

use crate::transcription::language_code;

/// The highest number of a track or disc. Higher values are not such numbers.
const HIGHEST: u16 = 9999;

/// A number and a total; both 1..=9999.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Numbered {
    /// The number.
    pub number: Option<u16>,
    /// The total; not less than the number.
    pub total: Option<u16>,
}

impl Numbered {
    /// Parses `3`, `03`, `3/12` or `3 of 12`. Other texts give no number: `A1`, `-1`, `0`, `99999999999`.
    pub fn parse(text: &str) -> Self {
        let (number, total) = match text.split_once('/').or_else(|| text.split_once(" of ")) {
            Some((number, total)) => (count(number), count(total)),
            None => (count(text), None),
        };
        Self { number, total: None }.or_total(total)
    }

    /// The text for display: `3` or `3 of 12`; none without a number.
    pub fn shown(self) -> Option<String> {
        let number = self.number?;
        Some(self.total.map_or_else(|| number.to_string(), |total| format!("{number} of {total}")))
    }

    /// Adds a total, if it has none and the total is not less than the number.
    pub(crate) fn or_total(self, total: Option<u16>) -> Self {
        let is_possible = |total: &u16| self.number.is_some_and(|number| number <= *total);
        Self { total: self.total.or(total.filter(is_possible)), ..self }
    }
}

fn count(text: &str) -> Option<u16> {
    let text = text.trim();
    let is_digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|number| is_digits && (1..=HIGHEST).contains(number))
}

/// The year in a date such as `2024`, `2024-05-01`, `20240501` or `1 May 2024`, 1000..=9999.
pub(crate) fn year(text: &str) -> Option<u16> {
    let runs = text.split(|c: char| !c.is_ascii_digit());
    let years = runs.filter(|run| matches!(run.len(), 4 | 8)).map(|run| run[..4].parse().ok());
    years.flatten().find(|year| (1000..=9999).contains(year))
}

/// The codes of ISO 639-2 for languages that BCP 47 names with two letters.
const THREE_LETTERS: &[(&str, &str)] = &[
    ("afr", "af"),
    ("alb", "sq"),
    ("ara", "ar"),
    ("arm", "hy"),
    ("aze", "az"),
    ("baq", "eu"),
    ("bel", "be"),
    ("ben", "bn"),
    ("bos", "bs"),
    ("bul", "bg"),
    ("bur", "my"),
    ("cat", "ca"),
    ("ces", "cs"),
    ("chi", "zh"),
    ("cym", "cy"),
    ("cze", "cs"),
    ("dan", "da"),
    ("deu", "de"),
    ("dut", "nl"),
    ("ell", "el"),
    ("eng", "en"),
    ("est", "et"),
    ("eus", "eu"),
    ("fas", "fa"),
    ("fin", "fi"),
    ("fra", "fr"),
    ("fre", "fr"),
    ("geo", "ka"),
    ("ger", "de"),
    ("gle", "ga"),
    ("glg", "gl"),
    ("gre", "el"),
    ("guj", "gu"),
    ("heb", "he"),
    ("hin", "hi"),
    ("hrv", "hr"),
    ("hun", "hu"),
    ("hye", "hy"),
    ("ice", "is"),
    ("ind", "id"),
    ("isl", "is"),
    ("ita", "it"),
    ("jpn", "ja"),
    ("kan", "kn"),
    ("kat", "ka"),
    ("kaz", "kk"),
    ("khm", "km"),
    ("kor", "ko"),
    ("lat", "la"),
    ("lav", "lv"),
    ("lit", "lt"),
    ("ltz", "lb"),
    ("mac", "mk"),
    ("mal", "ml"),
    ("mar", "mr"),
    ("may", "ms"),
    ("mkd", "mk"),
    ("mlt", "mt"),
    ("mon", "mn"),
    ("msa", "ms"),
    ("mya", "my"),
    ("nep", "ne"),
    ("nld", "nl"),
    ("nno", "nn"),
    ("nob", "nb"),
    ("nor", "no"),
    ("per", "fa"),
    ("pol", "pl"),
    ("por", "pt"),
    ("ron", "ro"),
    ("rum", "ro"),
    ("rus", "ru"),
    ("slk", "sk"),
    ("slo", "sk"),
    ("slv", "sl"),
    ("spa", "es"),
    ("sqi", "sq"),
    ("srp", "sr"),
    ("swa", "sw"),
    ("swe", "sv"),
    ("tam", "ta"),
    ("tel", "te"),
    ("tgl", "tl"),
    ("tha", "th"),
    ("tur", "tr"),
    ("ukr", "uk"),
    ("urd", "ur"),
    ("vie", "vi"),
    ("wel", "cy"),
    ("zho", "zh"),
];

/// Codes that name no single language: undetermined, several, uncoded, no words, and ID3's placeholder.
const NO_LANGUAGE: [&str; 5] = ["und", "mul", "mis", "zxx", "xxx"];

/// The BCP-47 code of a language that is given as a BCP-47 code, as an ISO 639-2 code, or by its English name.
pub(crate) fn language(text: &str) -> Option<String> {
    let code = language_code(text)?;
    let (primary, rest) = code.split_at(code.find('-').unwrap_or(code.len()));
    if NO_LANGUAGE.contains(&primary) {
        return None;
    }
    let short = THREE_LETTERS.iter().find(|(three, _)| *three == primary);
    Some(format!("{}{rest}", short.map_or(primary, |(_, two)| two)))
}

/// Whether a character is invisible and changes how others are displayed: control characters, and characters that
/// change the direction of text.
fn is_hidden(c: char) -> bool {
    c.is_control() || matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{FEFF}')
}

/// Reduces a text to one line of at most `most` characters; none if nothing visible remains.
pub(crate) fn line(text: &str, most: usize) -> Option<String> {
    shown(text.chars().map(|c| if matches!(c, '\n' | '\r' | '\t') { ' ' } else { c }), most)
}

/// The same for several lines.
pub(crate) fn lines(text: &str, most: usize) -> Option<String> {
    let mut previous = None;
    let unix = text.chars().filter_map(|c| {
        let is_end = c == '\n' && previous.replace(c) == Some('\r');
        previous = Some(c);
        (!is_end).then_some(if c == '\r' { '\n' } else { c })
    });
    shown(unix, most)
}

fn shown(text: impl Iterator<Item = char>, most: usize) -> Option<String> {
    let seen = text.filter(|c| !is_hidden(*c) || matches!(c, '\n' | '\t'));
    let begun = seen.skip_while(|c| c.is_whitespace());
    let kept: String = begun.take(most).collect();
    Some(kept.trim_end().to_owned()).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn numbers_are_numbers_or_nothing() {
        let of = |text| {
            let Numbered { number, total } = Numbered::parse(text);
            (number, total)
        };
        for (text, expected) in [
            ("3", (Some(3), None)),
            (" 03 / 12 ", (Some(3), Some(12))),
            ("3/0", (Some(3), None)),
            ("5/3", (Some(5), None)),
            ("3 of 12", (Some(3), Some(12))),
            ("/12", (None, None)),
            ("3/", (Some(3), None)),
            ("9999", (Some(9999), None)),
        ] {
            assert_eq!(of(text), expected, "{text}");
        }
        assert_eq!(Numbered::parse("03/12").shown().as_deref(), Some("3 of 12"));
        for text in ["", "0", "-1", "+1", "A1", "99999999999", "10000", "1.5", "٣", "3/12/4x"] {
            assert_eq!(of(text).0, if text == "3/12/4x" { Some(3) } else { None }, "{text}");
        }
    }

    #[test]
    fn years_are_found_in_dates() {
        for text in ["2024", "2024-05-01", "20240501", "1 May 2024", "05/01/2024", "2024-05-01T10:00:00Z"] {
            assert_eq!(year(text), Some(2024), "{text}");
        }
        for text in ["", "0000", "0000-00-00", "24", "99999999999", "-1", "A.D."] {
            assert_eq!(year(text), None, "{text}");
        }
    }

    #[test]
    fn languages_are_bcp_47() {
        for (text, code) in [
            ("eng", "en"),
            ("GER", "de"),
            ("deu", "de"),
            ("de", "de"),
            ("pt-br", "pt-BR"),
            ("por-BR", "pt-BR"),
            ("yue", "yue"),
            ("English", "en"),
            ("zh_hant", "zh-Hant"),
        ] {
            assert_eq!(language(text).as_deref(), Some(code), "{text}");
        }
        for text in ["und", "XXX", "zxx", "", "e", "12", "eng/ger", "a language"] {
            assert_eq!(language(text), None, "{text}");
        }
        assert!(THREE_LETTERS.is_sorted());
    }

    #[test]
    fn texts_show_what_is_in_them() {
        assert_eq!(line(" a\r\nb\tc\u{1b}[31m ", 99).as_deref(), Some("a  b c[31m"));
        assert_eq!(line("\u{feff}abc\u{202e}gpj.exe", 99).as_deref(), Some("abcgpj.exe"));
        assert_eq!(lines("a\r\nb\rc\n\nd", 99).as_deref(), Some("a\nb\nc\n\nd"));
        assert_eq!((line("\u{0}\u{202e} \n", 99), lines("\r\n", 9)), (None, None));
        assert_eq!(line("  ééé", 2).as_deref(), Some("éé"));
    }

    proptest! {
        #[test]
        fn nothing_is_refused_with_a_panic(text in "(?s).{0,40}") {
            let Numbered { number, total } = Numbered::parse(&text);
            prop_assert!(total.is_none() || number <= total);
            prop_assert!(year(&text).is_none_or(|year| year >= 1000));
            for text in [line(&text, 9), lines(&text, 9)].into_iter().flatten() {
                prop_assert!((1..=9).contains(&text.chars().count()) && text.trim() == text);
                prop_assert_eq!(lines(&text, 9), Some(text));
            }
            let code = language(&text);
            prop_assert_eq!(code.as_deref().and_then(language), code.clone());
        }

        #[test]
        fn what_is_written_is_read(number in 1..=9999_u16, total in 1..=9999_u16) {
            let found = Numbered::parse(&format!("{number}/{total}"));
            prop_assert_eq!(found.number, Some(number));
            prop_assert_eq!(found.total, Some(total).filter(|total| *total >= number));
        }
    }
}
