//! Free text and metadata from callers, with limits.

use serde::de::{Error, Unexpected};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;
use serde_json::{Map, Number, Value};

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
    /// Metadata with more than 100 levels of objects and arrays.
    #[error("can be nested at most 100 levels deep")]
    MetadataTooDeep,
    /// Metadata with a number beyond those of 64 bits, with half of a surrogate pair, nested too deep to be read, or with a
    /// text that is no [plain JSON](is_plain_json).
    #[error("has a number, a name or a character that many programs cannot read; send it as text")]
    MetadataUnreadable,
    /// Metadata that stands for what could not be read.
    #[error(
        "is damaged in the database; leave the field out to keep it, or send other metadata to replace it"
    )]
    Damaged,
    /// JSON other than an object.
    #[error("must be an object")]
    NoObject,
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

/// A caller's own JSON object. It is never interpreted, and its numbers keep the digits with which they were sent. At
/// most 64 KiB as compact JSON, and at most 100 levels deep.
///
/// It is a map from names to values if each number in it survives being read as a value and written again, by us and by
/// PostgreSQL. Otherwise the map has one entry, [`AS_SENT`], with the compact JSON as text.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Metadata(Map<String, Value>);

/// The only entry of a map that holds the JSON as text.
const AS_SENT: &str = "tonearm:json";
/// The only entry of a map that stands for metadata that the database has and that cannot be read.
const DAMAGED: &str = "tonearm:damaged";

impl Metadata {
    const MAX_BYTES: usize = 64 * 1024;
    /// Below the limit of common readers, 128, for a record in a list in a response.
    const MAX_DEPTH: usize = 100;

    /// Wraps a map that [`Self::as_map`] returned when it was stored. The limits are not checked again.
    pub fn from_stored(map: Map<String, Value>) -> Self {
        Self(map)
    }

    /// The map to store.
    pub fn as_map(&self) -> &Map<String, Value> {
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
        let _ = serde_json::to_writer(&mut counted, self);
        counted.0
    }

    /// Stands for metadata that cannot be read. In JSON, it is `{"tonearm:damaged": true}`.
    pub fn damaged() -> Self {
        Self(Map::from_iter([(DAMAGED.to_owned(), Value::Bool(true))]))
    }

    /// Whether the metadata could not be read.
    pub fn is_damaged(&self) -> bool {
        self.only(DAMAGED).is_some()
    }

    /// The JSON of a map that holds it as text.
    fn as_sent(&self) -> Option<&RawValue> {
        serde_json::from_str(self.only(AS_SENT)?.as_str()?).ok()
    }

    /// The value of an entry that no other is beside.
    fn only(&self, name: &str) -> Option<&Value> {
        self.0.get(name).filter(|_| self.0.len() == 1)
    }

    fn parse(json: &str) -> Result<Self, TextError> {
        let Compact { json, numbers_survive, is_plain, has_nul, depth } = Compact::of(json);
        if depth > Self::MAX_DEPTH {
            return Err(TextError::MetadataTooDeep);
        }
        if !is_plain {
            return Err(TextError::MetadataUnreadable);
        }
        if has_nul {
            return Err(TextError::Nul);
        }
        let value: Value = serde_json::from_str(&json).map_err(|_| TextError::MetadataUnreadable)?;
        let Value::Object(map) = value else { return Err(TextError::NoObject) };
        let read = Self(map);
        if read.is_damaged() {
            return Err(TextError::Damaged);
        }
        let survives = numbers_survive && read.only(AS_SENT).is_none();
        let json = if survives { Value::from(read.0.clone()).to_string() } else { json };
        match (json.len() <= Self::MAX_BYTES, survives) {
            (false, _) => Err(TextError::MetadataTooLarge),
            (true, true) => Ok(read),
            (true, false) => Ok(Self(Map::from_iter([(AS_SENT.to_owned(), Value::String(json))]))),
        }
    }
}

impl<'de> Deserialize<'de> for Metadata {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let json = Box::<RawValue>::deserialize(deserializer)?;
        Self::parse(json.get()).map_err(|error| match error {
            TextError::NoObject => D::Error::invalid_type(Unexpected::Other("another value"), &"a map"),
            error => D::Error::custom(error),
        })
    }
}

impl Serialize for Metadata {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.as_sent() {
            Some(json) => json.serialize(serializer),
            None => self.0.serialize(serializer),
        }
    }
}

/// What the names begin with to which `serde_json` gives a meaning of its own when it reads a [`Value`].
const PRIVATE: &str = "$serde_json::private::";

/// Whether JSON from outside can be read as a [`Value`]. An object with one of the [`PRIVATE`] names would become what the
/// text beside the name contains, and a text in a text in a text, each read with a new limit of depth, ends the process.
pub fn is_plain_json(text: &str) -> bool {
    Compact::of(text).is_plain
}

/// JSON without white space between its tokens.
struct Compact {
    json: String,
    /// Whether every string can be read and is none of the [`PRIVATE`] names, which can be written with escapes. Repeated
    /// names count, too: only the last one is in a [`Value`].
    is_plain: bool,
    /// Whether a string contains NUL, which PostgreSQL's `jsonb` cannot store.
    has_nul: bool,
    /// The number of objects and arrays around the innermost value.
    depth: usize,
    /// Whether each number is written as it would be after having been read as a value, and PostgreSQL's `jsonb`, which
    /// writes out exponents and has no negative zero, keeps it as well.
    numbers_survive: bool,
}

impl Compact {
    /// The text is JSON.
    fn of(text: &str) -> Self {
        let json = String::with_capacity(text.len());
        let mut compact = Self { json, is_plain: true, has_nul: false, depth: 0, numbers_survive: true };
        let mut depth = 0_usize;
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let length = match first {
                '"' => string_length(rest),
                '-' | '0'..='9' => rest.find(|c: char| !is_in_number(c)).unwrap_or(rest.len()),
                _ => first.len_utf8(),
            };
            let (token, after) = rest.split_at(length);
            match first {
                '"' => compact.read(token),
                '{' | '[' => depth += 1,
                '}' | ']' => depth = depth.saturating_sub(1),
                _ => {}
            }
            compact.depth = compact.depth.max(depth);
            if is_in_number(first) && !matches!(first, 'e' | 'E') {
                compact.numbers_survive &= survives(token);
            }
            if !first.is_ascii_whitespace() {
                compact.json.push_str(token);
            }
            rest = after;
        }
        compact
    }

    /// Looks at a string, with its quotation marks.
    fn read(&mut self, token: &str) {
        if token.contains(PRIVATE) || token.contains("\\u") {
            let text = serde_json::from_str::<String>(token);
            self.is_plain &= text.as_ref().is_ok_and(|text| !text.starts_with(PRIVATE));
            self.has_nul |= text.is_ok_and(|text| text.contains('\0'));
        }
    }
}

/// The length of the string, with its quotation marks, that a text begins with.
fn string_length(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

fn is_in_number(character: char) -> bool {
    matches!(character, '0'..='9' | '-' | '+' | '.' | 'e' | 'E')
}

fn survives(number: &str) -> bool {
    let is_negative_zero =
        number.starts_with('-') && number.bytes().all(|byte| matches!(byte, b'-' | b'0' | b'.'));
    !number.contains(['e', 'E'])
        && !is_negative_zero
        && serde_json::from_str::<Number>(number).is_ok_and(|read| read.to_string() == number)
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
        let large = |size| serde_json::json!({"a": "x".repeat(size)}).to_string();
        assert!(parse(&large(70_000)).unwrap_err().starts_with("must be at most 64 KiB of JSON"));
        assert!(parse(&large(65_528)).is_ok());
        let spaced = format!("{{{} \"a\": 1.0e0 }}", " ".repeat(70_000));
        assert!(parse(&spaced).is_ok(), "white space does not count");
        let raw = "$serde_json::private::RawValue";
        for name in [raw, "\\u0024serde_json::private::RawValu\\u0065", "$serde_json::private::Number"] {
            for json in [format!(r#"{{"a":{{"{name}":"{{}}"}}}}"#), format!(r#"{{"{name}":"{{}}"}}"#)] {
                assert!(parse(&json).unwrap_err().starts_with("has a number, a name"), "{json}");
            }
        }
        assert!(parse(r#"{"a":"serde_json::private::RawValue"}"#).is_ok());
        // Names that are repeated are looked at, too.
        let repeated = |value: &str| parse(&format!(r#"{{"a":{value},"a":1e1}}"#)).unwrap_err();
        assert!(repeated(&format!("{}{}", "[".repeat(100), "]".repeat(100))).contains("100 levels"));
        assert!(repeated(r#""\u0000""#).starts_with("cannot contain NUL"));
        assert!(repeated(r#""\ud800""#).starts_with("has a number, a name or a character"));
        // Each text begins with as many levels as a reader accepts.
        let mut nested = "1".to_owned();
        for _ in 0..6 {
            let text =
                serde_json::to_string(&format!("{}{nested}{}", "[".repeat(120), "]".repeat(120))).unwrap();
            nested = format!(r#"{{"{raw}":{text}}}"#);
        }
        assert!(parse(&format!(r#"{{"a":{nested}}}"#)).is_err());
        let deep = |levels| format!("{}1{}", r#"{"a":"#.repeat(levels), "}".repeat(levels));
        assert!(parse(&deep(100)).is_ok());
        for levels in [101, 5000] {
            assert!(parse(&deep(levels)).is_err());
        }
        for unreadable in [r#"{"a":1e400}"#, r#"{"a":"\ud800"}"#] {
            assert!(
                parse(unreadable).unwrap_err().starts_with("has a number, a name or a character"),
                "{unreadable}"
            );
        }
    }

    #[test]
    fn metadata_keeps_its_digits() {
        let again = |json: &str| {
            let read: Metadata = serde_json::from_str(json).unwrap();
            let stored = serde_json::to_string(read.as_map()).unwrap();
            let stored = Metadata::from_stored(serde_json::from_str(&stored).unwrap());
            assert_eq!(stored, read);
            serde_json::to_string(&stored).unwrap()
        };
        for json in [
            r#"{"a":1.10,"b":[-0.0,-0,0]}"#,
            r#"{"b":1.7976931348623157e308,"a":{"c":5E-324}}"#,
            r#"{"a":12345678901234567890123,"b":"1e5 \\\" 2e5"}"#,
            r#"{"a":0.1234567890123456789012345}"#,
            r#"{"tonearm:json":"{}"}"#,
            r#"{"a":" \" : 1 ","b":0.1,"c":18446744073709551615,"d":-9223372036854775808,"e":4.35}"#,
        ] {
            assert_eq!(again(json), json);
        }
        assert_eq!(again(" { \"b\" : 1 ,\n\"a\" : [ 1.5 , true ] } "), r#"{"a":[1.5,true],"b":1}"#);
        assert_eq!(again(" { \"b\" : 1e3 ,\n\"a\" : \" \" } "), r#"{"b":1e3,"a":" "}"#);
    }

    #[test]
    fn damaged_metadata_is_not_taken_for_what_was_sent() {
        let damaged = Metadata::damaged();
        assert!(damaged.is_damaged() && !Metadata::default().is_damaged());
        let json = serde_json::to_string(&damaged).unwrap();
        assert_eq!(json, r#"{"tonearm:damaged":true}"#);
        let error = serde_json::from_str::<Metadata>(&json).unwrap_err().to_string();
        assert!(error.starts_with("is damaged in the database"), "{error}");
    }
}
