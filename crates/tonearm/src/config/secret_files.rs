//! Secret settings that are read from separate files: files named by `…_file` settings, or systemd credentials.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use super::error::ConfigError;

/// Maximum size of a file with a secret, in bytes.
const MOST_BYTES: u64 = 64 * 1024;

/// The variable in which systemd names the folder of a service's credentials.
const CREDENTIALS: &str = "CREDENTIALS_DIRECTORY";

/// A secret setting: its value, or the file that contains it.
#[derive(Debug, Default)]
pub(super) struct SecretSetting {
    pub(super) value: Option<String>,
    pub(super) file: Option<PathBuf>,
}

/// A file that a secret was read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecretFile {
    /// The name of the setting.
    pub setting: &'static str,
    /// Where it is.
    pub path: PathBuf,
}

/// Where secrets are looked for, and which files were read.
pub(super) struct SecretFiles {
    credentials: Option<PathBuf>,
    pub(super) read: Vec<SecretFile>,
}

impl SecretFiles {
    pub(super) fn new(lookup: impl Fn(&str) -> Option<String>) -> Self {
        Self { credentials: lookup(CREDENTIALS).map(PathBuf::from), read: Vec::new() }
    }

    /// The text of a secret: the value that is set, else the content of the file that is set, else the systemd
    /// credential with the setting's name.
    pub(super) fn resolve(
        &mut self,
        name: &'static str,
        setting: SecretSetting,
    ) -> Result<Option<String>, ConfigError> {
        match (setting.value, setting.file) {
            (Some(_), Some(_)) => {
                Err(ConfigError::new(name, format!("is set together with {name}_file; set one of them")))
            }
            (Some(value), None) => Ok(Some(value)),
            (None, Some(path)) => {
                let text =
                    read(&path).map_err(|problem| ConfigError::new(&format!("{name}_file"), problem))?;
                self.read.push(SecretFile { setting: name, path });
                Ok(Some(text))
            }
            (None, None) => self.credential(name),
        }
    }

    /// The credential with a name, if systemd gave this service one.
    pub(super) fn credential(&mut self, name: &'static str) -> Result<Option<String>, ConfigError> {
        let Some(path) = self.credentials.as_ref().map(|folder| folder.join(name)) else { return Ok(None) };
        // A file that does not exist means that there is no such credential.
        if matches!(path.symlink_metadata(), Err(error) if error.kind() == ErrorKind::NotFound) {
            return Ok(None);
        }
        let text = read(&path).map_err(|problem| ConfigError::new(name, problem))?;
        self.read.push(SecretFile { setting: name, path });
        Ok(Some(text))
    }
}

/// A credential for a bucket: the name of Amazon's variable, the variable that contains it, and the name of the systemd
/// credential.
type BucketCredential = (&'static str, &'static str, &'static str);

/// For the bucket of the service.
const OF_STORE: [BucketCredential; 3] = [
    ("AWS_ACCESS_KEY_ID", "AWS_ACCESS_KEY_ID", "aws_access_key_id"),
    ("AWS_SECRET_ACCESS_KEY", "AWS_SECRET_ACCESS_KEY", "aws_secret_access_key"),
    ("AWS_SESSION_TOKEN", "AWS_SESSION_TOKEN", "aws_session_token"),
];

/// For the bucket with the backups.
const OF_BACKUPS: [BucketCredential; 3] = [
    ("AWS_ACCESS_KEY_ID", "TONEARM_BACKUP_ACCESS_KEY_ID", "backup_access_key_id"),
    ("AWS_SECRET_ACCESS_KEY", "TONEARM_BACKUP_SECRET_ACCESS_KEY", "backup_secret_access_key"),
    ("AWS_SESSION_TOKEN", "TONEARM_BACKUP_SESSION_TOKEN", "backup_session_token"),
];

/// The variables of backups, which are not settings of the service.
pub(super) fn backup_variables() -> impl Iterator<Item = String> {
    OF_BACKUPS.into_iter().flat_map(|(_, variable, _)| [variable.to_owned(), format!("{variable}_FILE")])
}

/// The credentials for the bucket of the service, by the names of Amazon's variables.
pub(super) fn store_credentials(
    files: &mut SecretFiles,
    lookup: impl Fn(&str) -> Option<String>,
) -> Result<Vec<(&'static str, String)>, ConfigError> {
    bucket_credentials(OF_STORE, files, lookup)
}

/// The environment for a bucket with backups. It has its own credentials, so that an attacker who takes over the
/// service cannot remove its backups. If there are none, those of the service are used.
pub(crate) fn backup_environment(
    lookup: impl Fn(&str) -> Option<String>,
) -> Result<impl Fn(&str) -> Option<String>, ConfigError> {
    let mut files = SecretFiles::new(&lookup);
    let mut found = bucket_credentials(OF_BACKUPS, &mut files, &lookup)?;
    if found.is_empty() {
        found = store_credentials(&mut files, &lookup)?;
    }
    let is_credential = |name: &str| OF_STORE.iter().any(|(own, ..)| *own == name);
    Ok(move |name: &str| match found.iter().find(|(own, _)| *own == name) {
        Some((_, text)) => Some(text.clone()),
        None if is_credential(name) => None,
        None => lookup(name),
    })
}

/// Reads each credential from its variable, else from the file that the variable with `_FILE` names, else from systemd.
fn bucket_credentials(
    credentials: [BucketCredential; 3],
    files: &mut SecretFiles,
    lookup: impl Fn(&str) -> Option<String>,
) -> Result<Vec<(&'static str, String)>, ConfigError> {
    let mut found = Vec::new();
    for (amazon, variable, name) in credentials {
        let text = match from_variable(variable, &lookup)? {
            Some(Variable { text, file }) => {
                files.read.extend(file.map(|path| SecretFile { setting: name, path }));
                Some(text)
            }
            None => files.credential(name)?,
        };
        found.extend(text.map(|text| (amazon, text)));
    }
    Ok(found)
}

/// A secret that a command takes from its environment: from `variable`, else from the file that `{variable}_FILE` names.
pub(crate) fn command_secret(
    variable: &'static str,
    lookup: impl Fn(&str) -> Option<String>,
) -> Result<Option<String>, ConfigError> {
    Ok(from_variable(variable, lookup)?.map(|found| found.text))
}

/// A secret from the environment, and the file that it was read from.
struct Variable {
    text: String,
    file: Option<PathBuf>,
}

fn from_variable(
    variable: &'static str,
    lookup: impl Fn(&str) -> Option<String>,
) -> Result<Option<Variable>, ConfigError> {
    let file_variable = format!("{variable}_FILE");
    match (lookup(variable), lookup(&file_variable)) {
        (Some(_), Some(_)) => {
            let problem = format!("is set together with {file_variable}; set one of them");
            Err(ConfigError::new(variable, problem))
        }
        (Some(text), None) => Ok(Some(Variable { text, file: None })),
        (None, Some(path)) => {
            let path = PathBuf::from(path);
            let text = read(&path).map_err(|problem| ConfigError::new(&file_variable, problem))?;
            Ok(Some(Variable { text, file: Some(path) }))
        }
        (None, None) => Ok(None),
    }
}

/// Reads a secret from a file, without the line break that editors and `echo` add. Errors never contain any of it.
fn read(path: &Path) -> Result<String, String> {
    let unreadable = |error: std::io::Error| format!("cannot read {}: {error}", path.display());
    let file = File::open(path).map_err(unreadable)?;
    if file.metadata().map_err(unreadable)?.is_dir() {
        return Err(format!("{} is a folder; name the file that holds the secret", path.display()));
    }
    let mut bytes = Vec::new();
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > MOST_BYTES {
        let most = MOST_BYTES / 1024;
        return Err(format!("{} is larger than {most} KiB, so it is not a secret", path.display()));
    }
    let mut text = String::from_utf8(bytes).map_err(|_| format!("{} is not UTF-8 text", path.display()))?;
    text.truncate(text.trim_end_matches(['\n', '\r']).len());
    if text.trim().is_empty() {
        return Err(format!("{} is empty; write the secret into it", path.display()));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn file(folder: &Path, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = folder.join(name);
        fs::write(&path, bytes).unwrap();
        path
    }

    #[test]
    fn a_file_is_read_without_its_line_end() {
        let folder = tempfile::tempdir().unwrap();
        for (text, expected) in
            [("one", "one"), ("one\n", "one"), ("one\r\n", "one"), ("one\ntwo\n", "one\ntwo"), (" a ", " a ")]
        {
            assert_eq!(read(&file(folder.path(), "secret", text)).unwrap(), expected);
        }
    }

    #[test]
    fn what_is_no_secret_is_named_and_never_shown() {
        let folder = tempfile::tempdir().unwrap();
        let most = usize::try_from(MOST_BYTES).unwrap();
        for (bytes, expected) in [
            (Vec::new(), "is empty"),
            (b"\n \r\n".to_vec(), "is empty"),
            (vec![b'x'; most + 1], "is larger than 64 KiB"),
            (vec![0xFF, b'x'], "is not UTF-8 text"),
        ] {
            let problem = read(&file(folder.path(), "secret", bytes)).unwrap_err();
            assert!(problem.contains(expected), "{problem}");
            assert!(!problem.contains("xx"), "{problem}");
        }
        assert_eq!(read(&file(folder.path(), "secret", vec![b'x'; most])).unwrap().len(), most);
        assert!(read(&folder.path().join("missing")).unwrap_err().starts_with("cannot read "));
        assert!(read(folder.path()).unwrap_err().contains("is a folder"));
    }

    #[test]
    fn a_setting_wins_over_a_credential_and_two_settings_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        file(folder.path(), "secret", "from systemd\n");
        let own = file(folder.path(), "own", "from a file\n");
        let lookup = |name: &str| (name == CREDENTIALS).then(|| folder.path().display().to_string());
        let mut files = SecretFiles::new(lookup);
        let setting = |value: Option<&str>, file: Option<&PathBuf>| SecretSetting {
            value: value.map(str::to_owned),
            file: file.cloned(),
        };
        let text = |found: Result<Option<String>, ConfigError>| found.unwrap().unwrap();
        assert_eq!(text(files.resolve("secret", setting(None, None))), "from systemd");
        assert_eq!(text(files.resolve("secret", setting(None, Some(&own)))), "from a file");
        assert_eq!(text(files.resolve("secret", setting(Some("set"), None))), "set");
        assert_eq!(files.resolve("database_url", setting(None, None)), Ok(None));
        let error = files.resolve("secret", setting(Some("set"), Some(&own))).unwrap_err().to_string();
        assert_eq!(error, "secret: is set together with secret_file; set one of them");
        let read: Vec<_> = files.read.iter().map(|file| file.path.file_name().unwrap()).collect();
        assert_eq!(read, ["secret", "own"]);
    }

    #[test]
    fn bucket_credentials_come_from_files_too() {
        let folder = tempfile::tempdir().unwrap();
        file(folder.path(), "aws_session_token", "token");
        let key = file(folder.path(), "key", "hidden\n").display().to_string();
        let lookup = |name: &str| match name {
            CREDENTIALS => Some(folder.path().display().to_string()),
            "AWS_ACCESS_KEY_ID" => Some("id".to_owned()),
            "AWS_SECRET_ACCESS_KEY_FILE" => Some(key.clone()),
            _ => None,
        };
        let mut files = SecretFiles::new(lookup);
        let found = store_credentials(&mut files, lookup).unwrap();
        let expected = [
            ("AWS_ACCESS_KEY_ID", "id"),
            ("AWS_SECRET_ACCESS_KEY", "hidden"),
            ("AWS_SESSION_TOKEN", "token"),
        ];
        assert_eq!(found, expected.map(|(name, text)| (name, text.to_owned())));
        assert_eq!(files.read.len(), 2);
    }

    #[test]
    fn a_command_takes_its_secret_from_a_variable_or_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let key = file(folder.path(), "key", "hidden\n").display().to_string();
        let secret = |set: &[(&str, &str)]| {
            command_secret("TONEARM_TRANSCRIPTION_KEY", |name| {
                set.iter().find(|(set, _)| *set == name).map(|(_, value)| (*value).to_owned())
            })
        };
        let (plain, from_file) = ("TONEARM_TRANSCRIPTION_KEY", "TONEARM_TRANSCRIPTION_KEY_FILE");
        assert_eq!(secret(&[]), Ok(None));
        assert_eq!(secret(&[(plain, "")]), Ok(Some(String::new())), "which removes the key");
        assert_eq!(secret(&[(from_file, &key)]), Ok(Some("hidden".to_owned())));
        let error = secret(&[(plain, "x"), (from_file, &key)]).unwrap_err().to_string();
        assert!(error.starts_with("TONEARM_TRANSCRIPTION_KEY: is set together with"), "{error}");
        let error = secret(&[(from_file, "/nonexistent/key")]).unwrap_err().to_string();
        assert!(error.starts_with("TONEARM_TRANSCRIPTION_KEY_FILE: cannot read /nonexistent/key"), "{error}");
    }

    #[test]
    fn backups_have_credentials_of_their_own() {
        let folder = tempfile::tempdir().unwrap();
        let key = file(folder.path(), "key", "hidden\n").display().to_string();
        let store = |name: &str| match name {
            "AWS_ACCESS_KEY_ID" => Some("store".to_owned()),
            "AWS_SESSION_TOKEN" => Some("token".to_owned()),
            "AWS_REGION" => Some("eu-west-1".to_owned()),
            "AWS_SECRET_ACCESS_KEY_FILE" => Some(key.clone()),
            _ => None,
        };
        let own = |name: &str| match name {
            "TONEARM_BACKUP_ACCESS_KEY_ID" => Some("backup".to_owned()),
            "TONEARM_BACKUP_SECRET_ACCESS_KEY_FILE" => Some(key.clone()),
            _ => store(name),
        };
        let seen = |environment: &dyn Fn(&str) -> Option<String>| {
            ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_REGION"].map(environment)
        };
        let expected = |values: [Option<&str>; 4]| values.map(|value| value.map(str::to_owned));
        let found = backup_environment(store).unwrap();
        assert_eq!(seen(&found), expected([Some("store"), Some("hidden"), Some("token"), Some("eu-west-1")]));
        let found = backup_environment(own).unwrap();
        assert_eq!(seen(&found), expected([Some("backup"), Some("hidden"), None, Some("eu-west-1")]));
        let both = |name: &str| name.starts_with("TONEARM_BACKUP_SESSION_TOKEN").then(|| key.clone());
        let error = backup_environment(both).err().unwrap().to_string();
        assert!(error.starts_with("TONEARM_BACKUP_SESSION_TOKEN: is set together with"), "{error}");
    }
}
