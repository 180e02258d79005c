//! The country that a listener is in.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// An ISO 3166-1 alpha-2 country code, such as `DE`. There are at most 676 codes, so the number of sums by country is
/// bounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct CountryCode([u8; 2]);

/// Text that is not the code of a country.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("must be two capital letters such as DE")]
pub struct CountryCodeError;

impl CountryCode {
    /// The two letters.
    pub fn as_str(&self) -> &str {
        // The bytes are ASCII, so this never falls back.
        str::from_utf8(&self.0).unwrap_or_default()
    }
}

impl FromStr for CountryCode {
    type Err = CountryCodeError;

    fn from_str(text: &str) -> Result<Self, CountryCodeError> {
        match *text.as_bytes() {
            [a, b] if a.is_ascii_uppercase() && b.is_ascii_uppercase() => Ok(Self([a, b])),
            _ => Err(CountryCodeError),
        }
    }
}

impl fmt::Display for CountryCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl TryFrom<String> for CountryCode {
    type Error = CountryCodeError;
    fn try_from(text: String) -> Result<Self, CountryCodeError> {
        text.parse()
    }
}

impl From<CountryCode> for String {
    fn from(code: CountryCode) -> String {
        code.as_str().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_two_capital_letters() {
        for text in ["DE", "XK", "AA", "ZZ"] {
            let code: CountryCode = text.parse().unwrap();
            assert_eq!((code.as_str(), code.to_string().as_str()), (text, text));
            let json = serde_json::to_string(&code).unwrap();
            assert_eq!(json, format!("\"{text}\""));
            assert_eq!(serde_json::from_str::<CountryCode>(&json).unwrap(), code);
        }
        for text in ["", "D", "de", "De", "DEU", "D1", "A\u{dc}", "\u{dc}", "D ", "*"] {
            assert_eq!(text.parse::<CountryCode>(), Err(CountryCodeError), "{text}");
        }
        assert!(serde_json::from_str::<CountryCode>("\"de\"").is_err());
    }
}
