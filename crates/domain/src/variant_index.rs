//! Names of variants.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::recipe_error::RecipeError;

/// The name of a variant, unique in its organization: 2 to 64 characters of a-z 0-9 _ -.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct VariantIndex(String);

impl VariantIndex {
    /// The index as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// An index known at compile time. Panics if the text is not an index, which any test would reveal.
    pub fn from_static(text: &'static str) -> Self {
        assert!(Self::is_valid(text), "{text} is not a variant index");
        Self(text.to_owned())
    }

    fn is_valid(text: &str) -> bool {
        (2..=64).contains(&text.len())
            && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_' || b == b'-')
    }
}

impl fmt::Display for VariantIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for VariantIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "VariantIndex({self})")
    }
}

impl FromStr for VariantIndex {
    type Err = RecipeError;
    fn from_str(text: &str) -> Result<Self, RecipeError> {
        if Self::is_valid(text) { Ok(Self(text.to_owned())) } else { Err(RecipeError::Index) }
    }
}

impl TryFrom<String> for VariantIndex {
    type Error = RecipeError;
    fn try_from(text: String) -> Result<Self, RecipeError> {
        text.parse()
    }
}

impl From<VariantIndex> for String {
    fn from(index: VariantIndex) -> String {
        index.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indexes_have_rules() {
        for good in ["hq", "my_variant-2", &"a".repeat(64)] {
            assert!(good.parse::<VariantIndex>().is_ok(), "{good}");
        }
        for bad in ["", "a", "HQ", "a.b", "a/b", "é2", &"a".repeat(65)] {
            assert_eq!(bad.parse::<VariantIndex>(), Err(RecipeError::Index), "{bad}");
        }
    }
}
