//! Limits on the texts that people and programs give to what they own, in every input format.

use tonearm_domain::{Patch, Text};

use crate::refusal::Refusal;

/// The longest title, subtitle, file name and external id, in characters.
pub(super) const LONGEST: usize = 1000;

/// The longest title of an API key, in characters.
pub(super) const LONGEST_KEY_TITLE: usize = 200;

/// Refuses texts with more than `MAX` characters, and texts that a database cannot store.
pub(super) fn check<const MAX: usize>(texts: &[(&'static str, Option<&str>)]) -> Result<(), Refusal> {
    texts.iter().try_for_each(|&(field, text)| text.map_or(Ok(()), |text| check_one::<MAX>(field, text)))
}

/// Like [`check`], for changes: a text that is already stored may stay as it is.
pub(super) fn check_changed<const MAX: usize>(
    field: &'static str,
    text: &Patch<String>,
    stored: Option<&str>,
) -> Result<(), Refusal> {
    match text.as_ref().given().flatten() {
        Some(text) if stored != Some(text.as_str()) => check_one::<MAX>(field, text),
        _ => Ok(()),
    }
}

/// Refuses an external id of white space, by which no record can be found. An empty one means that there is none.
pub(crate) fn check_index(index: Option<&str>) -> Result<(), Refusal> {
    let Some(index) = index.filter(|index| !index.is_empty()) else { return Ok(()) };
    let checked = Text::<LONGEST>::try_from(index.to_owned()).and_then(Text::non_empty);
    checked.map(drop).map_err(|error| Refusal::invalid("organization_index", error.to_string()))
}

/// Like [`check_index`], for changes.
pub(super) fn check_changed_index(index: &Patch<String>, stored: Option<&str>) -> Result<(), Refusal> {
    let index = index.as_ref().given().flatten().map(String::as_str);
    check_index(index.filter(|index| stored != Some(*index)))
}

/// Changes a text that cannot be empty.
pub(super) fn set_required(
    field: &'static str,
    text: Patch<String>,
    stored: &mut String,
) -> Result<(), Refusal> {
    if text.as_ref().given().is_some_and(|text| text.is_none_or(|text| text.trim().is_empty())) {
        return Err(Refusal::invalid(field, "cannot be empty"));
    }
    Ok(text.apply_or(stored, String::new())?)
}

fn check_one<const MAX: usize>(field: &'static str, text: &str) -> Result<(), Refusal> {
    let checked = Text::<MAX>::try_from(text.to_owned());
    checked.map(drop).map_err(|error| Refusal::invalid(field, error.to_string()))
}
