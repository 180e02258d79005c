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

/// Returns the unknown names that begin with `TONEARM_`, sorted. Most are misspelt.
pub(crate) fn unknown_variables(names: impl Iterator<Item = String>) -> Vec<String> {
    let known: HashSet<String> = variables().chain(backup_variables()).collect();
    let is_unknown = |name: &String| {
        name.starts_with("TONEARM_") && !known.contains(name) && !OTHER_VARIABLES.contains(&&**name)
    };
    let mut unknown: Vec<String> = names.filter(is_unknown).collect();
    unknown.sort();
    unknown
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
        let others = ["TONEARM_CONFIG", "TONEARM_DATA_DIR", "TONEARM_LISTN", "TONEARM_LIMITS_LISTEN", "PATH"];
        let names = read.into_iter().chain(others.map(str::to_owned));
        assert_eq!(unknown_variables(names), ["TONEARM_LIMITS_LISTEN", "TONEARM_LISTN"]);
    }
}
