//! Finds misspelt environment variables.

use std::collections::HashSet;

use crate::config::file::EXAMPLE;
use crate::config::secret_files::backup_variables;

/// The variables that are not settings: the locations of files, the variables of clients, and the secrets that commands
/// store.
const OTHER_VARIABLES: [&str; 9] = [
    "TONEARM_CONFIG",
    "TONEARM_DATA_DIR",
    "TONEARM_SERVER",
    "TONEARM_API_KEY",
    "TONEARM_API_KEY_FILE",
    "TONEARM_TRANSCRIPTION_KEY",
    "TONEARM_TRANSCRIPTION_KEY_FILE",
    "TONEARM_IMPORT_SECRET_ACCESS_KEY",
    "TONEARM_IMPORT_SECRET_ACCESS_KEY_FILE",
];

/// The most letters in which a misspelt name differs from the one that was meant.
const MISSPELT: usize = 2;

/// A variable that is ignored, although its name begins with `TONEARM_`. Most are misspelt.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct UnknownVariable {
    pub(crate) name: String,
    /// The variable that was probably meant.
    pub(crate) meant: Option<String>,
}

impl UnknownVariable {
    /// Those of this process, sorted.
    pub(crate) fn all() -> Vec<Self> {
        Self::among(std::env::vars_os().filter_map(|(name, _)| name.into_string().ok()))
    }

    fn among(names: impl Iterator<Item = String>) -> Vec<Self> {
        let others = OTHER_VARIABLES.map(str::to_owned);
        let known: HashSet<String> = variables().chain(backup_variables()).chain(others).collect();
        let unknown = names.filter(|name| name.starts_with("TONEARM_") && !known.contains(name));
        let meant = |name: &str| {
            let nearest = known.iter().map(|known| (distance(name, known), known)).min();
            let (_, known) =
                nearest.filter(|(letters, known)| *letters <= MISSPELT || known.starts_with(name))?;
            Some(known.clone())
        };
        let mut unknown: Vec<Self> = unknown.map(|name| Self { meant: meant(&name), name }).collect();
        unknown.sort();
        unknown
    }
}

/// The number of letters to change, add or remove to make one name of the other.
fn distance(one: &str, other: &str) -> usize {
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (place, letter) in one.bytes().enumerate() {
        let mut above = std::mem::replace(&mut row[0], place + 1);
        for (at, own) in other.bytes().enumerate() {
            let changed = above + usize::from(letter != own);
            above = row[at + 1];
            row[at + 1] = changed.min(above + 1).min(row[at] + 1);
        }
    }
    row[other.len()]
}

/// The variable of each setting. The commented file lists all settings.
fn variables() -> impl Iterator<Item = String> {
    let mut section = String::new();
    EXAMPLE.lines().filter_map(move |line| {
        if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            section = format!("{name}_");
            return None;
        }
        let (name, _) = line.strip_prefix('#')?.split_once(" = ")?;
        let is_name =
            name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
        is_name.then(|| super::variable_of(&format!("{section}{name}")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::config_file::ConfigFile;
    use crate::config::file::Settings;

    #[test]
    fn every_setting_has_a_variable_and_others_are_named() {
        let read = std::cell::RefCell::new(HashSet::new());
        Settings::parse(&ConfigFile::default(), &|name: &str| {
            read.borrow_mut().insert(name.to_owned());
            None
        })
        .unwrap();
        let read: Vec<String> = read.into_inner().into_iter().collect();
        assert_eq!(read.len(), variables().count());
        let others = [
            "TONEARM_CONFIG",
            "TONEARM_DATA_DIR",
            "TONEARM_LISTN",
            "TONEARM_BOGUS",
            "TONEARM_STORAGE",
            "PATH",
        ];
        let names = read.into_iter().chain(others.map(str::to_owned));
        let unknown = UnknownVariable::among(names);
        let unknown: Vec<_> = unknown.iter().map(|it| (it.name.as_str(), it.meant.as_deref())).collect();
        assert_eq!(
            unknown,
            [
                ("TONEARM_BOGUS", None),
                ("TONEARM_LISTN", Some("TONEARM_LISTEN")),
                ("TONEARM_STORAGE", Some("TONEARM_STORAGE_URL")),
            ]
        );
    }
}
