//! Sizes in bytes, as people write them.

use serde::Deserialize;

/// A number of bytes: a whole number, or text with a unit such as `8GiB`, `500 MB`. What 0 means depends on the setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ByteSize(pub u64);

const UNITS: [(&str, u64); 10] = [
    ("", 1),
    ("b", 1),
    ("kb", 1_000),
    ("mb", 1_000_000),
    ("gb", 1_000_000_000),
    ("tb", 1_000_000_000_000),
    ("kib", 1 << 10),
    ("mib", 1 << 20),
    ("gib", 1 << 30),
    ("tib", 1 << 40),
];

impl std::str::FromStr for ByteSize {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let unit = text[digits..].trim().to_ascii_lowercase();
        let factor = UNITS.iter().find(|(name, _)| *name == unit).map(|(_, factor)| *factor);
        let number: Option<u64> = text[..digits].parse().ok();
        match number.zip(factor).and_then(|(number, factor)| number.checked_mul(factor)) {
            Some(bytes) => Ok(Self(bytes)),
            None => Err(format!("{text:?} is not a size such as 8GiB, 500MB or 1048576")),
        }
    }
}

impl<'de> Deserialize<'de> for ByteSize {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = as_written(deserializer, "a size such as 8GiB, 500MB or 1048576")?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// Reads a whole number or a text, as it was written.
pub(super) fn as_written<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
    expected: &'static str,
) -> Result<String, D::Error> {
    deserializer.deserialize_any(Written { expected })
}

struct Written {
    expected: &'static str,
}

impl serde::de::Visitor<'_> for Written {
    type Value = String;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.expected)
    }

    fn visit_i64<E>(self, number: i64) -> Result<String, E> {
        Ok(number.to_string())
    }

    fn visit_u64<E>(self, number: u64) -> Result<String, E> {
        Ok(number.to_string())
    }

    fn visit_str<E>(self, text: &str) -> Result<String, E> {
        Ok(text.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read() {
        for (text, bytes) in
            [("1", 1), ("8GiB", 8 << 30), ("500 MB", 500_000_000), ("2kib", 2048), ("0", 0), ("0 GiB", 0)]
        {
            assert_eq!(text.parse(), Ok(ByteSize(bytes)), "{text}");
        }
        for bad in ["", "-1", "GiB", "1.5GiB", "1 apple", "99999999999999999999", "99999999999GiB"] {
            assert!(bad.parse::<ByteSize>().is_err(), "{bad}");
        }
    }
}
