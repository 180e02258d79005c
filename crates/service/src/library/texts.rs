//! Limits of the texts that people and programs give to what they own, whatever form they come in.

use tonearm_domain::{Patch, Text};

use crate::refusal::Refusal;

/// Most characters of a title, of a subtitle and of a caller's own id.
pub(super) const LONGEST: usize = 1000;

/// Most characters of the title of an API key.
pub(super) const LONGEST_KEY_TITLE: usize = 200;

/// Refuses texts with more than `MAX` characters, and those that no database stores.
pub(super) fn check<const MAX: usize>(texts: &[(&'static str, Option<&str>)]) -> Result<(), Refusal> {
    for &(field, text) in texts {
        if let Some(text) = text {
            Text::<MAX>::try_from(text.to_owned())
                .map_err(|error| Refusal::invalid(field, error.to_string()))?;
        }
    }
    Ok(())
}

/// The text that is to be set, if one is.
pub(super) fn set(patch: &Patch<String>) -> Option<&str> {
    match patch {
        Patch::Set(text) => Some(text.as_str()),
        Patch::Keep | Patch::Clear => None,
    }
}
