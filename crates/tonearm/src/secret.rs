//! The master secret of a node that was given none: a file in the data folder, made on first start.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use tonearm_domain::Ambient;
use tonearm_signing::Secrets;

/// Reads `secret` in the data folder, or makes it: 32 random bytes as hex, readable by its owner alone. Of several
/// processes that start at once one makes it and the others read it.
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
    // A link never replaces what is there, so whoever is first wins and the file is never seen half-written.
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
