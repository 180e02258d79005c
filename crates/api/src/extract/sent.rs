//! Fields of which only the presence matters.

use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};

/// Whether a body has a field, whatever its value, null included. Use with `#[serde(default)]`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Sent(pub(crate) bool);

impl<'de> Deserialize<'de> for Sent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        IgnoredAny::deserialize(deserializer).map(|_| Self(true))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize)]
    struct Example {
        #[serde(default)]
        field: Sent,
    }

    #[test]
    fn any_value_counts() {
        let sent = |json: &str| serde_json::from_str::<Example>(json).unwrap().field.0;
        assert!(!sent("{}"));
        for json in [r#"{"field":null}"#, r#"{"field":{"a":[1]}}"#, r#"{"field":false}"#] {
            assert!(sent(json), "{json}");
        }
    }
}
