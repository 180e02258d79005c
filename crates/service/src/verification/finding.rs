//! The findings of a verification, as text and as JSON.

use std::fmt;

use serde::Serialize;
use tonearm_catalog::{NamedKind, NamedObject};
use tonearm_domain::{CollectionId, CoverOrigin, CoverOwner, ObjectKey, OrganizationId, TrackId};

/// The kind of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FindingKind {
    /// A row names an object that is not in the store.
    MissingObject,
    /// The length of an object differs from its row.
    WrongLength,
    /// The bytes of an object differ from those that were stored.
    WrongHash,
    /// An object exists and cannot be read, or it could not be checked whether it exists.
    UnreadableObject,
    /// The store has an object that no row names.
    UnknownObject,
    /// The store has a later manifest of a track than the database knows, because the database lost transactions. Nodes
    /// without a database deliver the files that it names.
    UnknownManifest,
}

/// What is done about a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Remedy {
    /// It can be made again: `--repair` queues that.
    Repairable,
    /// It is being made again.
    Queued,
    /// The track is being processed; another run may repair it.
    Busy,
    /// It cannot be made again.
    Lost,
    /// The sweep removes it.
    Sweep,
}

/// A mismatch between the database and the store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The kind of mismatch.
    pub kind: FindingKind,
    /// The object.
    pub key: ObjectKey,
    /// The organization that owns it.
    pub organization_id: OrganizationId,
    /// The track that names it.
    pub track_id: Option<TrackId>,
    /// The collection that names it.
    pub collection_id: Option<CollectionId>,
    /// Its role for the row that names it: `source`, `file`, `cover`, `manifest`.
    pub role: Option<&'static str>,
    /// Its size in bytes according to the row.
    pub expected_size: Option<u64>,
    /// Its size in bytes in the store.
    pub found_size: Option<u64>,
    /// What is done about a finding.
    pub remedy: Remedy,
    /// Whether it was made from a source.
    #[serde(skip)]
    is_made: bool,
}

/// Confirmed damage, before its remedy is decided.
#[derive(Debug, Clone)]
pub(super) struct Subject {
    pub(super) kind: FindingKind,
    pub(super) track: TrackId,
    pub(super) object: NamedObject,
    pub(super) found_size: Option<u64>,
}

impl Subject {
    pub(super) fn finding(&self, remedy: Remedy) -> Finding {
        Finding {
            kind: self.kind,
            key: self.object.key.clone(),
            organization_id: self.object.key.organization_id,
            track_id: Some(self.track),
            collection_id: None,
            role: Some(role(self.object.kind)),
            expected_size: self.object.size,
            found_size: self.found_size,
            remedy,
            is_made: is_makeable(self.object.kind),
        }
    }
}

/// Whether it is a cover that Tonearm drew or found in the source.
pub(super) fn is_found_cover(kind: NamedKind) -> bool {
    matches!(kind, NamedKind::Cover(CoverOrigin::Generated | CoverOrigin::Embedded))
}

/// Whether it can be made from the source.
pub(super) fn is_makeable(kind: NamedKind) -> bool {
    is_found_cover(kind) || matches!(kind, NamedKind::File(_) | NamedKind::Placeholder | NamedKind::Manifest)
}

fn role(kind: NamedKind) -> &'static str {
    match kind {
        NamedKind::Source => "source",
        NamedKind::File(_) => "file",
        NamedKind::Cover(_) | NamedKind::Placeholder => "cover",
        NamedKind::Manifest => "manifest",
    }
}

impl Finding {
    pub(super) fn unknown(key: &ObjectKey, size: u64) -> Self {
        Self {
            kind: FindingKind::UnknownObject,
            key: key.clone(),
            organization_id: key.organization_id,
            track_id: None,
            collection_id: None,
            role: None,
            expected_size: None,
            found_size: Some(size),
            remedy: Remedy::Sweep,
            is_made: false,
        }
    }

    /// A finding about a cover of a collection or an organization. Somebody has to upload it again.
    pub(super) fn of_cover(
        kind: FindingKind,
        object: &NamedObject,
        found_size: Option<u64>,
        owner: CoverOwner,
    ) -> Self {
        let key = &object.key;
        let collection_id = match owner {
            CoverOwner::Collection(id) => Some(id),
            CoverOwner::Track(_) | CoverOwner::Organization => None,
        };
        Self {
            kind,
            key: key.clone(),
            organization_id: key.organization_id,
            track_id: None,
            collection_id,
            role: Some(role(object.kind)),
            expected_size: object.size,
            found_size,
            remedy: Remedy::Lost,
            is_made: false,
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { key, expected_size, found_size, .. } = self;
        let size =
            |size: &Option<u64>| size.map_or("an unknown number of".to_owned(), |size| size.to_string());
        match self.kind {
            FindingKind::MissingObject => write!(f, "{key} is missing in the store")?,
            FindingKind::WrongLength => {
                write!(f, "{key} has {} bytes instead of {}", size(found_size), size(expected_size))?;
            }
            FindingKind::WrongHash => write!(f, "{key} does not match its stored hash")?,
            FindingKind::UnreadableObject => write!(f, "{key} cannot be read")?,
            FindingKind::UnknownObject => {
                write!(f, "{key} ({} bytes) is not referenced by the database", size(found_size))?;
            }
            FindingKind::UnknownManifest => write!(f, "{key} is newer than the database knows")?,
        }
        if let (Some(role), Some(track)) = (self.role, self.track_id) {
            write!(f, " ({role} of track {track})")?;
        }
        f.write_str(self.advice())
    }
}

impl Finding {
    fn advice(&self) -> &'static str {
        match self.remedy {
            Remedy::Repairable => "; --repair recreates it",
            Remedy::Queued => "; it is being recreated",
            Remedy::Busy => "; the track is being processed, so run verify again when it is done",
            Remedy::Lost if self.is_made => "; it cannot be recreated, since the source is lost too",
            Remedy::Lost if self.kind == FindingKind::UnreadableObject => {
                "; check the disk for errors, and the permissions. If it is lost, restore it from a backup, or upload it again"
            }
            Remedy::Lost if self.role == Some("source") => {
                "; the source is lost: restore it from a backup, or upload it again"
            }
            Remedy::Lost => "; the cover is lost: restore it from a backup, or upload it again",
            Remedy::Sweep => "; the sweep removes it",
        }
    }
}
