//! The lengths and hashes of the files of covers, stored in a column of the row that has the cover.
//!
//! The column is a JSON object from the file's name to its bytes and its SHA-256 in Base64. A name contains the
//! version, so the record of a replaced cover applies to no other file.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sea_orm::JsonValue;
use serde::{Deserialize, Serialize};
use tonearm_domain::{ObjectFile, ObjectKey, ShortId};

use super::NamedObject;
use crate::column::{corrupt, decoded, encoded};
use crate::error::CatalogError;

/// Lengths and hashes of the files of an owner's covers, by their names.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CoverObjects(BTreeMap<String, (u64, String)>);

impl CoverObjects {
    /// Keeps only what is recorded about the files of these versions.
    #[must_use]
    pub fn of_versions(mut self, versions: &[ShortId]) -> Self {
        let is_of = |name: &str| name.parse().is_ok_and(|file: ObjectFile| versions.contains(&file.version));
        self.0.retain(|name, _| is_of(name));
        self
    }

    /// Adds an object of `size` bytes, unless its name is already recorded.
    pub fn insert(&mut self, key: &ObjectKey, size: u64, sha256: [u8; 32]) {
        self.0.entry(key.file.to_string()).or_insert_with(|| (size, STANDARD.encode(sha256)));
    }

    /// Whether the record of an object differs from these bytes. They are damaged then, because no name is used twice.
    pub fn contradicts(&self, key: &ObjectKey, size: u64, sha256: [u8; 32]) -> bool {
        let recorded = self.0.get(&key.file.to_string());
        recorded.is_some_and(|recorded| *recorded != (size, STANDARD.encode(sha256)))
    }

    /// Keeps what was recorded earlier under the same names.
    pub(crate) fn keep(&mut self, earlier: &Self) {
        for (name, recorded) in &mut self.0 {
            if let Some(first) = earlier.0.get(name) {
                recorded.clone_from(first);
            }
        }
    }

    /// Reads the value of the column. `column` is its name.
    pub(crate) fn of_column(column: &'static str, json: Option<JsonValue>) -> Result<Self, CatalogError> {
        json.filter(|json| !json.is_null()).map_or(Ok(Self::default()), |json| decoded(column, json))
    }

    /// Adds the recorded lengths and hashes to objects. Objects without a record stay unchanged.
    pub(super) fn describe(
        &self,
        column: &'static str,
        objects: &mut [NamedObject],
    ) -> Result<(), CatalogError> {
        for object in objects {
            let Some((size, hash)) = self.0.get(&object.key.file.to_string()) else { continue };
            let hash = STANDARD.decode(hash).ok().and_then(|bytes| bytes.try_into().ok());
            object.size = Some(*size);
            object.sha256 = Some(hash.ok_or_else(|| corrupt(column))?);
        }
        Ok(())
    }

    /// The column's value.
    pub(crate) fn to_column(&self) -> Result<JsonValue, CatalogError> {
        encoded("cover_objects", self)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tonearm_domain::{Cover, CoverOrigin, OrganizationId};
    use uuid::Uuid;

    use super::super::owners::sizes;
    use super::*;

    #[test]
    fn objects_are_described_by_their_names() {
        let organization = OrganizationId::from_uuid(Uuid::nil());
        let folder = "abcdefghij01".parse().unwrap();
        let cover =
            |version: &str| Cover { version: version.parse().unwrap(), origin: CoverOrigin::Uploaded };
        let mut objects = sizes(organization, folder, cover("abcdefghij02"));
        let mut recorded = CoverObjects::default();
        recorded.insert(&objects[0].key, 12, [7; 32]);
        let read = CoverObjects::of_column("c", Some(recorded.to_column().unwrap())).unwrap();
        assert_eq!(read, recorded);
        read.describe("c", &mut objects).unwrap();
        assert_eq!((objects[0].size, objects[0].sha256), (Some(12), Some([7; 32])));
        assert_eq!((objects[1].size, objects[1].sha256), (None, None));
        // Another version is another object.
        let mut others = sizes(organization, folder, cover("abcdefghij03"));
        read.describe("c", &mut others).unwrap();
        assert!(others.iter().all(|object| object.size.is_none()));
    }

    #[test]
    fn what_was_recorded_first_is_kept() {
        let organization = OrganizationId::from_uuid(Uuid::nil());
        let cover = Cover { version: "abcdefghij02".parse().unwrap(), origin: CoverOrigin::Generated };
        let keys = sizes(organization, "abcdefghij01".parse().unwrap(), cover).into_iter().map(|it| it.key);
        let keys: Vec<ObjectKey> = keys.collect();
        let (mut earlier, mut later) = (CoverObjects::default(), CoverObjects::default());
        earlier.insert(&keys[0], 12, [7; 32]);
        earlier.insert(&keys[2], 14, [6; 32]);
        later.insert(&keys[0], 12, [8; 32]);
        later.insert(&keys[1], 13, [9; 32]);
        assert!(earlier.contradicts(&keys[0], 12, [8; 32]) && earlier.contradicts(&keys[0], 11, [7; 32]));
        assert!(!earlier.contradicts(&keys[0], 12, [7; 32]) && !earlier.contradicts(&keys[1], 1, [0; 32]));
        later.keep(&earlier);
        assert!(later.contradicts(&keys[0], 12, [8; 32]) && !later.contradicts(&keys[1], 13, [9; 32]));
        assert!(!later.contradicts(&keys[2], 1, [0; 32]), "what is not asked for is not taken over");
        later.insert(&keys[0], 99, [1; 32]);
        assert!(!later.contradicts(&keys[0], 12, [7; 32]));
        assert_eq!(later.clone().of_versions(&[cover.version]), later);
        let other = "abcdefghij03".parse().unwrap();
        assert_eq!(later.of_versions(&[other]), CoverObjects::default());
    }

    #[test]
    fn what_is_no_recording_is_refused() {
        for bad in [json!([]), json!({"a": 1}), json!({"a": [-1, ""]})] {
            assert!(CoverObjects::of_column("c", Some(bad)).is_err());
        }
        let organization = OrganizationId::from_uuid(Uuid::nil());
        let cover = Cover { version: "abcdefghij02".parse().unwrap(), origin: CoverOrigin::Generated };
        let mut objects = sizes(organization, "abcdefghij01".parse().unwrap(), cover);
        for hash in ["", "AAAA", "?"] {
            let json = json!({ objects[0].key.file.to_string(): [1, hash] });
            let recorded = CoverObjects::of_column("c", Some(json)).unwrap();
            assert!(recorded.describe("c", &mut objects).is_err(), "{hash}");
        }
    }

    #[test]
    fn no_recording_describes_nothing() {
        for none in [None, Some(JsonValue::Null)] {
            assert_eq!(CoverObjects::of_column("c", none).unwrap(), CoverObjects::default());
        }
    }
}
