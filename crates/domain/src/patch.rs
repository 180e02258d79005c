//! Fields of an update with three states: missing, null, or a value.

use serde::{Deserialize, Deserializer};

/// A field of an update: left out, set to null, or set to a value. Use with `#[serde(default)]`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Patch<T> {
    /// The body did not have the field.
    #[default]
    Keep,
    /// The body had `null`.
    Clear,
    /// The body had a value.
    Set(T),
}

impl<T> Patch<T> {
    /// Applies the patch to a nullable field.
    pub fn apply(self, field: &mut Option<T>) {
        match self {
            Self::Keep => {}
            Self::Clear => *field = None,
            Self::Set(value) => *field = Some(value),
        }
    }

    /// Applies the patch to a field that always has a value; `null` gives it `default`.
    pub fn apply_or(self, field: &mut T, default: T) {
        match self {
            Self::Keep => {}
            Self::Clear => *field = default,
            Self::Set(value) => *field = value,
        }
    }

    /// Changes the value, if one was set.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Patch<U> {
        match self {
            Self::Keep => Patch::Keep,
            Self::Clear => Patch::Clear,
            Self::Set(value) => Patch::Set(change(value)),
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Patch<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Option::deserialize(deserializer).map(|value| value.map_or(Self::Clear, Self::Set))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize)]
    struct Body {
        #[serde(default)]
        title: Patch<String>,
    }

    #[test]
    fn absent_null_and_value_differ() {
        let title = |json| serde_json::from_str::<Body>(json).unwrap().title;
        assert_eq!(title("{}"), Patch::Keep);
        assert_eq!(title(r#"{"title":null}"#), Patch::Clear);
        assert_eq!(title(r#"{"title":"x"}"#), Patch::Set("x".to_owned()));
        assert!(serde_json::from_str::<Body>(r#"{"title":1}"#).is_err());
    }
}
