//! Odd texts and odd JSON, as clients send them.

use std::sync::Arc;

use tonearm_domain::{
    AllowedOrigins, Ambient, Colour, EmailAddress, Metadata, OriginList, Text, Theme, ThemeColour,
    VariantIndex,
};
use tonearm_fixtures::{CountedEntropy, ManualClock};

use crate::samples::HOSTILE;

/// Random values that are the same in every run with the same seed.
pub(crate) struct Odd(Ambient);

impl Odd {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Ambient::new(Arc::new(ManualClock::new()), Arc::new(CountedEntropy::new(seed))))
    }

    pub(crate) fn below(&self, end: usize) -> usize {
        (u64::from_le_bytes(self.0.random()) % end as u64) as usize
    }

    fn number(&self) -> String {
        const NUMBERS: [&str; 16] = [
            "1.7976931348623157e308",
            "-1E300",
            "5e-324",
            "-0",
            "-0.0",
            "0.1",
            "1.10",
            "1e5",
            "1E+5",
            "0.00001",
            "18446744073709551615",
            "-9223372036854775808",
            "12345678901234567890123",
            "9007199254740993",
            "1e400",
            "0.1000000000000000055511151231257827",
        ];
        let random = f64::from_le_bytes(self.0.random());
        match self.below(4) {
            0 if random.is_finite() => random.to_string(),
            1 if random.is_finite() => format!("{random:?}"),
            2 => format!("{}", self.below(1_000_000) as f64 / 997.0),
            _ => NUMBERS[self.below(NUMBERS.len())].to_owned(),
        }
    }

    fn string(&self) -> String {
        let odd = [
            r"",
            r"\ud83c\udfa7",
            r"\\",
            r#"\" 1e5 \""#,
            r"\u0000",
            r"\ud800",
            "\u{FFFF}",
            "e\u{301}",
            r"\u001f",
            "tonearm:json",
            "tonearm:damaged",
            "שלום",
            "'; --",
            "$1",
            "{}",
        ];
        format!("\"{}{}\"", odd[self.below(odd.len())], ["", "a", "\u{10FFFF}"][self.below(3)])
    }

    fn value(&self, depth: usize) -> String {
        let list = |open, close, each: &dyn Fn(usize) -> String| {
            let items: Vec<String> = (0..self.below(4)).map(each).collect();
            format!("{open}{}{close}", items.join([",", " ,\n"][self.below(2)]))
        };
        match self.below(if depth < 3 { 6 } else { 4 }) {
            0 | 1 => self.number(),
            2 => self.string(),
            3 => ["true", "false", "null"][self.below(3)].to_owned(),
            4 => list("[", "]", &|_| self.value(depth + 1)),
            _ => list("{", "}", &|at| format!("{}: {}", self.name(at), self.value(depth + 1))),
        }
    }

    /// The name of an entry, unlike those beside it.
    fn name(&self, at: usize) -> String {
        let name = self.string();
        if at == 0 { name } else { format!("\"{at}{}", &name[1..]) }
    }

    fn json(&self) -> String {
        let entries: Vec<String> =
            (0..self.below(5)).map(|at| format!("{}:{}", self.name(at), self.value(0))).collect();
        format!("{{{}}}", entries.join(", "))
    }

    /// Metadata that is accepted, and the JSON that was sent.
    pub(crate) fn metadata(&self) -> (Metadata, String) {
        loop {
            let json = self.json();
            if let Ok(metadata) = serde_json::from_str(&json) {
                return (metadata, json);
            }
        }
    }

    pub(crate) fn text(&self) -> String {
        let odd = [
            HOSTILE,
            "\u{FFFF}",
            "e\u{301}",
            " ",
            "\u{200B}\u{FEFF}",
            "ﬁ ſ µ",
            "\u{1F468}\u{200D}\u{1F469}",
            "%_",
        ];
        loop {
            let text: String = (0..=self.below(5)).map(|_| odd[self.below(odd.len())]).collect();
            let text = if self.below(5) == 0 { text.repeat(40) } else { text };
            if let Ok(text) = Text::<1000>::try_from(text) {
                return text.into();
            }
        }
    }

    /// A number from 0 to 1 with many digits.
    pub(crate) fn fraction(&self) -> f64 {
        u64::from_le_bytes(self.0.random()) as f64 / u64::MAX as f64
    }

    /// The name of a variant that no other call returns.
    pub(crate) fn variant(&self) -> VariantIndex {
        const ALPHABET: &[u8] = b"abcdefghijklmnopqrstuvwxyz0123456789_-";
        loop {
            let letters = (0..8 + self.below(56)).map(|_| char::from(ALPHABET[self.below(ALPHABET.len())]));
            if let Ok(index) = letters.collect::<String>().parse() {
                return index;
            }
        }
    }

    /// An address that no other call returns.
    pub(crate) fn email(&self) -> EmailAddress {
        let is_refused = |c: char| c.is_whitespace() || c.is_control() || "<>\"(),;@".contains(c);
        let text: String = self.text().chars().filter(|c| !is_refused(*c)).take(30).collect();
        format!("{}{text}@{text}.example", self.below(usize::MAX)).parse().unwrap()
    }

    pub(crate) fn origins(&self) -> AllowedOrigins {
        let odd =
            ["http://xn--e1afmkfd.example", "capacitor://localhost", "https://a.example", "app+x.y-z://b"];
        let ported = |at: usize| format!("{}:{}", odd[at], 1 + self.below(65_535));
        let list = (0..=self.below(odd.len() - 1)).map(|at| ported(at).parse().unwrap());
        AllowedOrigins::Only(OriginList::new(list).unwrap())
    }

    pub(crate) fn theme(&self) -> Theme {
        let colour = || ThemeColour {
            hex: Colour::new(0, 255, 7),
            area: self.fraction(),
            lightness: self.fraction(),
            saturation: self.fraction(),
        };
        Theme { set: Some(vec![colour()].try_into().unwrap()), found: vec![colour(), colour()] }
    }
}
