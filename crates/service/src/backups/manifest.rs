//! The manifest: the contents of a backup. It is written last.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tonearm_catalog::DumpTable;

use super::error::BackupError;
use super::time::BackupTime;

/// The manifest format of this version of Tonearm.
pub(super) const FORMAT: u32 = 1;
/// The name of the part that lists the objects.
pub(super) const OBJECTS: &str = "objects.jsonl.gz";
/// The name of the manifest file.
pub(super) const MANIFEST: &str = "manifest.json";

/// A file of a backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct BackupPart {
    /// Its name, in the folder of the backup.
    pub(super) name: String,
    /// The number of rows or objects.
    pub(super) rows: u64,
    /// Its bytes.
    pub(super) bytes: u64,
    /// The SHA-256 of the file, as hex digits.
    pub(super) sha256: String,
}

/// The contents of a backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Manifest {
    pub(super) format: u32,
    /// The version of Tonearm that made it.
    pub(super) version: String,
    pub(super) made_at: BackupTime,
    /// `sqlite` or `postgres`. Only informative.
    pub(super) database: String,
    /// The migrations that created the tables.
    pub(super) steps: Vec<String>,
    /// The identity of the store.
    pub(super) store: Option<String>,
    /// Fingerprints of the master secrets, in order.
    pub(super) secrets: Vec<String>,
    /// The tables. A table comes after the tables to which it refers.
    pub(super) tables: Vec<DumpTable>,
    /// One part for each table, and the list of the objects.
    pub(super) parts: Vec<BackupPart>,
    pub(super) objects: u64,
    pub(super) bytes: u64,
}

/// The unique mark of a backup, which a restore records in the database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct BackupMark(String);

impl BackupMark {
    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    /// The name of the backup to which a recorded mark belongs.
    pub(super) fn name_of(noted: &str) -> &str {
        noted.split(' ').next().unwrap_or(noted)
    }
}

/// The manifest as it is stored, with the SHA-256 of its text. As the manifest contains the hashes of all parts, this
/// hash covers the whole backup.
#[derive(Serialize, Deserialize)]
struct Sealed<T> {
    sha256: String,
    manifest: T,
}

/// The part of a manifest that all formats share.
#[derive(Deserialize)]
struct AnyFormat {
    format: u32,
}

impl Manifest {
    pub(super) fn to_bytes(&self) -> Result<Vec<u8>, BackupError> {
        let failed = |error: serde_json::Error| BackupError::Local(error.into());
        let text = serde_json::to_string(self).map_err(failed)?;
        let sha256 = hex::encode(Sha256::digest(&text));
        let manifest = serde_json::value::RawValue::from_string(text).map_err(failed)?;
        serde_json::to_vec(&Sealed { sha256, manifest }).map_err(failed)
    }

    pub(super) fn from_bytes(bytes: &[u8]) -> Result<Self, BackupError> {
        let unreadable = |_| BackupError::broken(MANIFEST, "cannot be read");
        let sealed: Sealed<&serde_json::value::RawValue> =
            serde_json::from_slice(bytes).map_err(unreadable)?;
        let text = sealed.manifest.get();
        if hex::encode(Sha256::digest(text)) != sealed.sha256 {
            return Err(BackupError::broken(MANIFEST, "has another hash than was recorded"));
        }
        let AnyFormat { format } = serde_json::from_str(text).map_err(unreadable)?;
        if format != FORMAT {
            return Err(BackupError::Format(format));
        }
        serde_json::from_str(text).map_err(unreadable)
    }

    /// The unique mark of the backup: its name, and a hash over the hashes of its parts.
    pub(super) fn mark(&self) -> BackupMark {
        let mut hash = Sha256::new();
        self.parts.iter().for_each(|part| hash.update(&part.sha256));
        BackupMark(format!("{} {}", self.made_at, hex::encode(hash.finalize())))
    }

    pub(super) fn part(&self, name: &str) -> Result<&BackupPart, BackupError> {
        let found = self.parts.iter().find(|part| part.name == name);
        found.ok_or_else(|| BackupError::broken(name, "is not in the manifest"))
    }

    /// The name of the part with the rows of a table.
    pub(super) fn part_of_table(table: &str) -> String {
        format!("{table}.jsonl.gz")
    }
}

/// A summary of a complete backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BackupSummary {
    /// Its name.
    pub backup: BackupTime,
    /// The version of Tonearm that made it.
    pub version: String,
    /// `sqlite` or `postgres`.
    pub database: String,
    /// Rows of all tables.
    pub rows: u64,
    /// Objects that it names.
    pub objects: u64,
    /// Their bytes.
    pub bytes: u64,
}

impl From<&Manifest> for BackupSummary {
    fn from(manifest: &Manifest) -> Self {
        let rows = manifest.parts.iter().filter(|part| part.name != OBJECTS).map(|part| part.rows).sum();
        Self {
            backup: manifest.made_at,
            version: manifest.version.clone(),
            database: manifest.database.clone(),
            rows,
            objects: manifest.objects,
            bytes: manifest.bytes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest() -> Manifest {
        Manifest {
            format: FORMAT,
            version: "1.2.3".to_owned(),
            made_at: "20300131T235959.123Z".parse().unwrap(),
            database: "sqlite".to_owned(),
            steps: vec!["m0001".to_owned()],
            store: None,
            secrets: vec!["ab".to_owned()],
            tables: Vec::new(),
            parts: Vec::new(),
            objects: 1,
            bytes: 2,
        }
    }

    #[test]
    fn a_mark_names_one_backup() {
        let part = |sha256: &str| BackupPart {
            name: "track.jsonl.gz".to_owned(),
            rows: 1,
            bytes: 2,
            sha256: sha256.to_owned(),
        };
        let one = Manifest { parts: vec![part("aa")], ..manifest() };
        assert_eq!(one.mark(), Manifest { version: "2.0.0".to_owned(), ..one.clone() }.mark());
        assert_ne!(one.mark(), Manifest { parts: vec![part("ab")], ..manifest() }.mark());
        assert_eq!(BackupMark::name_of(one.mark().as_str()), "20300131T235959.123Z");
    }

    #[test]
    fn a_changed_manifest_is_refused() {
        let bytes = manifest().to_bytes().unwrap();
        assert_eq!(Manifest::from_bytes(&bytes).unwrap(), manifest());
        let text = String::from_utf8(bytes).unwrap();
        for changed in [text.replace("1.2.3", "1.2.4"), text[..text.len() - 1].to_owned(), String::new()] {
            let error = Manifest::from_bytes(changed.as_bytes()).unwrap_err();
            assert!(matches!(error, BackupError::Broken { .. }), "{error}");
        }
        let newer = Manifest { format: FORMAT + 1, ..manifest() }.to_bytes().unwrap();
        assert!(matches!(Manifest::from_bytes(&newer), Err(BackupError::Format(_))));
    }
}
