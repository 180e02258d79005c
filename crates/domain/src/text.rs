//! Free text and metadata from callers, with limits.

use serde::{Deserialize, Serialize};

/// Text or metadata outside its limits.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TextError {
    /// More characters than the field allows.
    #[error("must have at most {0} characters")]
    TooLong(usize),
    /// Only white space in a required field.
    #[error("cannot be empty")]
    Empty,
    /// A NUL character, which PostgreSQL cannot store.
    #[error("cannot contain NUL characters")]
    Nul,
    /// Metadata that takes more than 64 KiB as JSON.
    #[error("must be at most 64 KiB of JSON")]
    MetadataTooLarge,
}

/// Free text of up to `MAX` characters without NUL.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Text<const MAX: usize>(String);

impl<const MAX: usize> Text<MAX> {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text, or an error where it is empty or only white space.
    pub fn non_empty(self) -> Result<Self, TextError> {
        if self.0.trim().is_empty() { Err(TextError::Empty) } else { Ok(self) }
    }
}

impl<const MAX: usize> TryFrom<String> for Text<MAX> {
    type Error = TextError;
    fn try_from(text: String) -> Result<Self, TextError> {
        if text.contains('\0') {
            Err(TextError::Nul)
        } else if text.len() > MAX && text.chars().count() > MAX {
            Err(TextError::TooLong(MAX))
        } else {
            Ok(Self(text))
        }
    }
}

impl<const MAX: usize> From<Text<MAX>> for String {
    fn from(text: Text<MAX>) -> String {
        text.0
    }
}

/// A caller's own JSON object. It is never interpreted; at most 64 KiB as compact JSON.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(
    try_from = "serde_json::Map<String, serde_json::Value>",
    into = "serde_json::Map<String, serde_json::Value>"
)]
pub struct Metadata(serde_json::Map<String, serde_json::Value>);

impl Metadata {
    const MAX_BYTES: usize = 64 * 1024;

    /// Wraps an object that was within the limits when it was stored. They are not checked again: a database may write
    /// the same numbers with more digits.
    pub fn from_stored(map: serde_json::Map<String, serde_json::Value>) -> Self {
        Self(map)
    }

    /// The object.
    pub fn as_map(&self) -> &serde_json::Map<String, serde_json::Value> {
        &self.0
    }

    /// Its size as compact JSON.
    pub fn json_bytes(&self) -> usize {
        struct Counted(usize);
        impl std::io::Write for Counted {
            fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
                self.0 += bytes.len();
                Ok(bytes.len())
            }
            fn flush(&mut self) -> std::io::Result<()> {
                Ok(())
            }
        }
        let mut counted = Counted(0);
        // An object can always be written.
        let _ = serde_json::to_writer(&mut counted, &self.0);
        counted.0
    }
}

impl TryFrom<serde_json::Map<String, serde_json::Value>> for Metadata {
    type Error = TextError;
    fn try_from(map: serde_json::Map<String, serde_json::Value>) -> Result<Self, TextError> {
        let written = serde_json::to_string(&map).map_err(|_| TextError::MetadataTooLarge)?;
        if written.len() > Self::MAX_BYTES {
            Err(TextError::MetadataTooLarge)
        } else if written.contains("\\u0000") && holds_nul(&map) {
            Err(TextError::Nul)
        } else {
            Ok(Self(map))
        }
    }
}

/// Whether a key or value contains NUL, which PostgreSQL's `jsonb` cannot store.
fn holds_nul(map: &serde_json::Map<String, serde_json::Value>) -> bool {
    fn value_holds(value: &serde_json::Value) -> bool {
        match value {
            serde_json::Value::String(text) => text.contains('\0'),
            serde_json::Value::Array(items) => items.iter().any(value_holds),
            serde_json::Value::Object(map) => holds_nul(map),
            _ => false,
        }
    }
    map.iter().any(|(key, value)| key.contains('\0') || value_holds(value))
}

impl From<Metadata> for serde_json::Map<String, serde_json::Value> {
    fn from(metadata: Metadata) -> Self {
        metadata.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_counted_in_characters() {
        assert!(Text::<3>::try_from("äöü".to_owned()).is_ok());
        assert_eq!(Text::<3>::try_from("abcd".to_owned()), Err(TextError::TooLong(3)));
        assert_eq!(Text::<3>::try_from("a\0".to_owned()), Err(TextError::Nul));
        assert_eq!(Text::<3>::try_from(" ".to_owned()).and_then(Text::non_empty), Err(TextError::Empty));
    }

    #[test]
    fn metadata_has_limits() {
        let parse = |json: &str| serde_json::from_str::<Metadata>(json).map_err(|e| e.to_string());
        assert!(parse(r#"{"a":[1,{"b":null}]}"#).is_ok());
        assert!(parse(r#"{"a":["\u0000"]}"#).unwrap_err().starts_with("cannot contain NUL"));
        assert!(parse(r#"{"a":"\\u0000"}"#).is_ok());
        assert!(parse(r#"[]"#).is_err());
        let large = serde_json::json!({"a": "x".repeat(70_000)}).to_string();
        assert!(parse(&large).unwrap_err().starts_with("must be at most 64 KiB of JSON"));
    }
}
