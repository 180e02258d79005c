//! The master secret of a node without a configured one: a file in the data folder, created on the first start. Also
//! finds files with secrets that others can read, and replaces the master secrets in a file.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use tonearm_domain::Ambient;
use tonearm_signing::Secrets;

use crate::Config;

/// The file with the master secrets of this node, if they are in one that can be replaced.
pub(crate) fn file(config: &Config) -> Option<PathBuf> {
    match (&config.secrets, config.secret_files.iter().find(|file| file.setting == "secret")) {
        (None, _) => Some(config.data_dir.join("secret")),
        (Some(_), file) => file.map(|file| file.path.clone()),
    }
}

/// Replaces the master secrets in the file atomically, and keeps its owner and permissions.
pub(crate) fn replace(path: &Path, secrets: &Secrets, ambient: &Ambient) -> io::Result<()> {
    let found = fs::metadata(path)?;
    let folder = path.parent().ok_or_else(|| io::Error::other("it is in no folder"))?;
    let nonce: String = ambient.random::<8>().iter().map(|byte| format!("{byte:02x}")).collect();
    let draft = folder.join(format!(".secret-{nonce}"));
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
    let written = file
        .write_all(secrets.reveal().as_bytes())
        .and_then(|()| std::os::unix::fs::fchown(&file, Some(found.uid()), Some(found.gid())))
        .and_then(|()| file.set_permissions(fs::Permissions::from_mode(found.mode() & 0o7777)))
        .and_then(|()| file.sync_all())
        .and_then(|()| fs::rename(&draft, path));
    if written.is_err() {
        // The draft contains secrets. The error of the write is reported in any case.
        let _ = fs::remove_file(&draft);
    }
    written?;
    fs::File::open(folder)?.sync_all()
}

/// Finds files with secrets that too many users of the machine can read. Returns sentences that say what to do. Files
/// named in the configuration may be shared with a group, as systemd and Kubernetes do. Only the owner may read the
/// file that Tonearm created.
pub(crate) fn exposed(config: &Config) -> Vec<String> {
    let configured = config.secret_files.iter().map(|file| file.path.as_path());
    let configured = configured.chain(config.tls.as_ref().map(|tls| tls.key.as_path()));
    let is_readable = |path: &Path, by: u32| fs::metadata(path).is_ok_and(|found| found.mode() & by != 0);
    let mut found: Vec<String> = configured
        .filter(|path| is_readable(path, 0o004))
        .map(|path| {
            format!("{0} can be read by every user of this machine; run chmod o-rwx {0}", path.display())
        })
        .collect();
    found.dedup();
    let made = config.data_dir.join("secret");
    if config.secrets.is_none() && is_readable(&made, 0o077) {
        found.push(format!(
            "{0} can be read by other users of this machine; run chmod 600 {0}",
            made.display()
        ));
    }
    found
}

/// Reads `secret` in the data folder, or creates it: 32 random bytes as hex, readable only by its owner. Of several
/// processes that start at the same time, one creates it and the others read it.
pub(crate) fn read_or_make(data_dir: &Path, ambient: &Ambient) -> io::Result<Secrets> {
    let path = data_dir.join("secret");
    let parse = |text: String| Secrets::parse(&text).map_err(|error| io::Error::other(error.to_string()));
    match fs::read_to_string(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        result => return result.and_then(parse),
    }
    let text: String = ambient.random::<32>().iter().map(|byte| format!("{byte:02x}")).collect();
    let nonce: String = ambient.random::<8>().iter().map(|byte| format!("{byte:02x}")).collect();
    let draft = data_dir.join(format!(".secret-{nonce}"));
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    // A hard link never replaces an existing file, so the first process wins, and no process sees a partly written
    // file.
    let linked = fs::hard_link(&draft, &path);
    fs::remove_file(&draft)?;
    match linked {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    fs::File::open(data_dir)?.sync_all()?;
    parse(fs::read_to_string(&path)?)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::ambient;

    #[test]
    fn a_file_is_replaced_as_a_whole_with_its_permissions() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secret");
        fs::write(&path, "a master secret of at least 32 characters").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let [one, other] = ["one master secret of many characters", "other master secret of characters"];
        let secrets = Secrets::parse(&format!("{one},{other}")).unwrap();
        replace(&path, &secrets, &ambient::system()).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), format!("{one}\n{other}\n"));
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        let missing = folder.path().join("missing");
        assert_eq!(
            replace(&missing, &secrets, &ambient::system()).unwrap_err().kind(),
            io::ErrorKind::NotFound
        );
    }

    #[test]
    fn one_secret_however_many_start() {
        let folder = tempfile::tempdir().unwrap();
        let made: Vec<_> = std::thread::scope(|scope| {
            let starts: Vec<_> = (0..8)
                .map(|_| scope.spawn(|| read_or_make(folder.path(), &ambient::system()).is_ok()))
                .collect();
            starts.into_iter().map(|start| start.join().unwrap()).collect()
        });
        assert!(made.into_iter().all(|ok| ok));
        let names: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(names, ["secret"]);
        let mode = fs::metadata(folder.path().join("secret")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}
