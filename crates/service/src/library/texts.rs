//! Limits of the texts that people and programs give to what they own, whatever form they come in.

use tonearm_domain::{Patch, Text};

use crate::refusal::Refusal;

/// Most characters of a title, of a subtitle, of a file's name and of a caller's own id.
pub(super) const LONGEST: usize = 1000;

/// Most characters of the title of an API key.
pub(super) const LONGEST_KEY_TITLE: usize = 200;

/// Refuses texts with more than `MAX` characters, and those that no database stores.
pub(super) fn check<const MAX: usize>(texts: &[(&'static str, Option<&str>)]) -> Result<(), Refusal> {
    texts.iter().try_for_each(|&(field, text)| text.map_or(Ok(()), |text| check_one::<MAX>(field, text)))
}

/// The same for what changes: a text that is stored already may stay as it is.
pub(super) fn check_changed<const MAX: usize>(
    field: &'static str,
    text: &Patch<String>,
    stored: Option<&str>,
) -> Result<(), Refusal> {
    match text {
        Patch::Set(text) if stored != Some(text.as_str()) => check_one::<MAX>(field, text),
        Patch::Set(_) | Patch::Keep | Patch::Clear => Ok(()),
    }
}

fn check_one<const MAX: usize>(field: &'static str, text: &str) -> Result<(), Refusal> {
    let checked = Text::<MAX>::try_from(text.to_owned());
    checked.map(drop).map_err(|error| Refusal::invalid(field, error.to_string()))
}
