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
    /// A form was opened with one value and sent with another.
    Change {
        /// The value that the form was opened with.
        from: Option<T>,
        /// The value that it was sent with.
        to: Option<T>,
    },
}

/// The field has a value that is neither the one that the form was opened with nor the one that it was sent with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("it was changed after the form was opened")]
pub struct ChangedMeanwhile;

impl<T> Patch<T> {
    /// The value that it gives to the field, if it gives one.
    pub fn given(self) -> Option<Option<T>> {
        match self {
            Self::Keep => None,
            Self::Clear => Some(None),
            Self::Set(value) => Some(Some(value)),
            Self::Change { to, .. } => Some(to),
        }
    }

    /// The same by reference.
    pub const fn as_ref(&self) -> Patch<&T> {
        match self {
            Self::Keep => Patch::Keep,
            Self::Clear => Patch::Clear,
            Self::Set(value) => Patch::Set(value),
            Self::Change { from, to } => Patch::Change { from: from.as_ref(), to: to.as_ref() },
        }
    }

    /// Applies the patch to a nullable field.
    pub fn apply(self, field: &mut Option<T>) -> Result<(), ChangedMeanwhile>
    where
        T: PartialEq,
    {
        if self.overlooks(field.as_ref()) {
            return Err(ChangedMeanwhile);
        }
        if let Some(value) = self.given() {
            *field = value;
        }
        Ok(())
    }

    /// Applies the patch to a field that always has a value; `null` gives it `default`.
    pub fn apply_or(self, field: &mut T, default: T) -> Result<(), ChangedMeanwhile>
    where
        T: PartialEq,
    {
        if self.overlooks(Some(field)) {
            return Err(ChangedMeanwhile);
        }
        if let Some(value) = self.given() {
            *field = value.unwrap_or(default);
        }
        Ok(())
    }

    /// Whether it would replace a value that nobody saw who sent the form.
    fn overlooks(&self, now: Option<&T>) -> bool
    where
        T: PartialEq,
    {
        matches!(self, Self::Change { from, to } if now != from.as_ref() && now != to.as_ref())
    }

    /// Converts the values in it.
    pub fn map<U>(self, convert: impl Fn(T) -> U) -> Patch<U> {
        match self {
            Self::Keep => Patch::Keep,
            Self::Clear => Patch::Clear,
            Self::Set(value) => Patch::Set(convert(value)),
            Self::Change { from, to } => Patch::Change { from: from.map(&convert), to: to.map(&convert) },
        }
    }
}

impl<T> From<T> for Patch<T> {
    fn from(value: T) -> Self {
        Self::Set(value)
    }
}

impl From<&str> for Patch<String> {
    fn from(text: &str) -> Self {
        Self::Set(text.to_owned())
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

    #[test]
    fn a_form_replaces_only_the_value_that_it_was_opened_with() {
        let change = Patch::Change { from: Some("a"), to: Some("b") };
        for (now, after) in
            [(Some("a"), Ok(Some("b"))), (Some("b"), Ok(Some("b"))), (Some("c"), Err(())), (None, Err(()))]
        {
            let mut field = now;
            let applied = change.apply(&mut field).map(|()| field).map_err(|_| ());
            assert_eq!(applied, after, "{now:?}");
        }
        let mut field = "a";
        assert_eq!(Patch::Change { from: Some("a"), to: None }.apply_or(&mut field, "none"), Ok(()));
        assert_eq!(field, "none");
        assert_eq!(change.apply_or(&mut field, "none"), Err(ChangedMeanwhile));
    }
}
