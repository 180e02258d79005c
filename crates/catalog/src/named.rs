//! The objects that the rows refer to, for comparing the catalog with the object store.
//!
//! Tracks are sorted by the names of their objects, so that a walk through the tracks and a walk through the store can
//! be merged. Only objects that must exist are listed: a cover may also exist in its largest size, as WebP and as it
//! was uploaded.

mod cover_objects;
mod owners;

use sea_orm::sea_query::{Expr, ExprTrait, SimpleExpr};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbBackend, EntityTrait, JsonValue, QueryFilter, QueryOrder,
    QuerySelect, Select, Statement,
};
use tonearm_domain::{
    Cover, CoverOrigin, Generation, ObjectKey, OrganizationId, ShortId, TrackId, TrackManifest, VariantId,
};
use uuid::Uuid;

use crate::catalog::Catalog;
use crate::column::{corrupt, cover, parsed, parsed_if_set, size};
use crate::entity::track_file::object_hash;
use crate::entity::{track, track_file};
use crate::error::CatalogError;
use crate::files::{living, of_kept_recipe};
use crate::living::{kept_tracks, of_trashed};
use crate::query::{first_read_columns, read_columns};

pub use cover_objects::CoverObjects;
pub use owners::NamedOwner;
use owners::sizes;
pub(crate) use owners::{covered_collections, covered_organizations, owner_covers_among};

/// The location of a track's objects in the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TrackFolder {
    /// The organization that owns them.
    pub organization_id: OrganizationId,
    /// The folder: the track's index.
    pub folder: ShortId,
}

/// The role of an object for the row that refers to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NamedKind {
    /// The source of a track.
    Source,
    /// A file made by a recipe.
    File(VariantId),
    /// A size of a cover.
    Cover(CoverOrigin),
    /// A size of the cover drawn beside an uploaded one.
    Placeholder,
    /// The manifest of a track, of this generation or a later one.
    Manifest,
}

/// An object that must exist in the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedObject {
    /// Its role.
    pub kind: NamedKind,
    /// Its key.
    pub key: ObjectKey,
    /// Its size in bytes, if the row records it.
    pub size: Option<u64>,
    /// Its SHA-256, if the row records it.
    pub sha256: Option<[u8; 32]>,
}

/// A track that is not deleted or can be restored, and its objects. Each object is listed once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedTrack {
    /// Its id.
    pub id: TrackId,
    /// Where its objects are. Its source may be the source of another track.
    pub place: TrackFolder,
    /// Its objects, the source first.
    pub objects: Vec<NamedObject>,
}

impl NamedTrack {
    /// Whether the track has this object in the same role. Size and hash are not compared: they may have been recorded
    /// meanwhile.
    pub fn names(&self, object: &NamedObject) -> bool {
        self.objects.iter().any(|own| own.key == object.key && own.kind == object.kind)
    }
}

type TrackRow = (
    Uuid,
    Uuid,
    String,
    Option<String>,
    Option<i64>,
    Option<Vec<u8>>,
    Option<String>,
    Option<String>,
    Option<String>,
    Option<JsonValue>,
    i64,
);

type FileRow = (Uuid, Uuid, Uuid, String, Option<i64>, Option<String>);

impl Catalog {
    /// Whether the database sorts track folders in the same order as the store. Only then can a range query on folders
    /// use an index.
    pub async fn orders_bytewise(&self) -> Result<bool, CatalogError> {
        orders_bytewise(self.reader()).await
    }

    /// Up to `limit` tracks (at most 1000) whose place is after `after` and not after `until`, sorted by place.
    pub async fn tracks_between(
        &self,
        is_bytewise: bool,
        after: Option<TrackFolder>,
        until: Option<TrackFolder>,
        limit: u64,
    ) -> Result<Vec<NamedTrack>, CatalogError> {
        tracks_between(self.reader(), is_bytewise, (after, until), limit).await
    }

    /// One track and its objects, as they are now.
    pub async fn named_track(&self, id: TrackId) -> Result<Option<NamedTrack>, CatalogError> {
        let select = track::Entity::find_by_id(id.uuid()).filter(kept_tracks());
        Ok(named(self.reader(), select, 1).await?.pop())
    }
}

/// As [`Catalog::tracks_between`].
pub(crate) async fn tracks_between<C: ConnectionTrait>(
    db: &C,
    is_bytewise: bool,
    (after, until): (Option<TrackFolder>, Option<TrackFolder>),
    limit: u64,
) -> Result<Vec<NamedTrack>, CatalogError> {
    let mut select = track::Entity::find().filter(kept_tracks());
    if let Some(after) = after {
        select = select.filter(place_column(is_bytewise).gt(place_value(after)));
    }
    if let Some(until) = until {
        select = select.filter(place_column(is_bytewise).lte(place_value(until)));
    }
    let select = select.order_by_asc(track::Column::OrganizationId).order_by_asc(folder_column(is_bytewise));
    named(db, select, limit).await
}

fn folder_column(is_bytewise: bool) -> SimpleExpr {
    match is_bytewise {
        true => Expr::col((track::Entity, track::Column::Index)),
        false => Expr::cust("\"track\".\"index\" COLLATE \"C\""),
    }
}

fn place_column(is_bytewise: bool) -> SimpleExpr {
    let owner = Expr::col((track::Entity, track::Column::OrganizationId));
    Expr::tuple([owner, folder_column(is_bytewise)])
}

fn place_value(place: TrackFolder) -> SimpleExpr {
    Expr::tuple([Expr::value(place.organization_id.uuid()), Expr::value(place.folder.as_str())])
}

/// Checks all words of three characters: some languages sort pairs or triples of letters as one.
const COMPARE_ORDERS: &str = "WITH letter AS (SELECT substr('abcdefghijklmnopqrstuvwxyz0123456789', i, 1) AS c \
    FROM generate_series(1, 36) AS i), word AS (SELECT one.c || two.c || three.c AS w \
    FROM letter AS one CROSS JOIN letter AS two CROSS JOIN letter AS three) \
    SELECT array_agg(w ORDER BY w) = array_agg(w ORDER BY w COLLATE \"C\") AS is_same FROM word";

/// As [`Catalog::orders_bytewise`].
pub(crate) async fn orders_bytewise<C: ConnectionTrait>(db: &C) -> Result<bool, CatalogError> {
    if db.get_database_backend() != DbBackend::Postgres {
        return Ok(true);
    }
    let row = db.query_one_raw(Statement::from_string(DbBackend::Postgres, COMPARE_ORDERS)).await?;
    Ok(row.map(|row| row.try_get("", "is_same")).transpose()?.unwrap_or(false))
}

async fn named<C: ConnectionTrait>(
    db: &C,
    select: Select<track::Entity>,
    limit: u64,
) -> Result<Vec<NamedTrack>, CatalogError> {
    use track::Column::*;
    let select = select.select_only().columns([
        Id,
        OrganizationId,
        Index,
        SourceKey,
        SourceSize,
        SourceSha256,
        CoverVersion,
        CoverOrigin,
        PlaceholderVersion,
        CoverObjects,
        ManifestGeneration,
    ]);
    let mut tracks = first_read_columns(db, select, limit, of_row).await?;
    let ids: Vec<Uuid> = tracks.iter().map(|track| track.id.uuid()).collect();
    let mut files = files_of(db, ids).await?;
    files.sort_by_key(|(track, _)| *track);
    for track in &mut tracks {
        let first = files.partition_point(|(id, _)| *id < track.id.uuid());
        let own = files[first..].iter().take_while(|(id, _)| *id == track.id.uuid());
        for (_, file) in own {
            // A recipe may deliver the source itself, which is listed already.
            if track.objects.iter().all(|object| object.key != file.key) {
                track.objects.push(file.clone());
            }
        }
    }
    Ok(tracks)
}

/// A file, and its track.
fn named_file((_, track, variant, key, bytes, sha256): FileRow) -> Result<(Uuid, NamedObject), CatalogError> {
    let key = parsed::<ObjectKey>("track_file.object_key", &key)?;
    let size = bytes.map(|bytes| size("track_file.size", bytes)).transpose()?;
    let sha256 = object_hash(&key, sha256.as_deref())?;
    Ok((track, NamedObject { kind: NamedKind::File(VariantId::from_uuid(variant)), key, size, sha256 }))
}

async fn files_of<C: ConnectionTrait>(
    db: &C,
    tracks: Vec<Uuid>,
) -> Result<Vec<(Uuid, NamedObject)>, CatalogError> {
    use track_file::Column::*;
    if tracks.is_empty() {
        return Ok(Vec::new());
    }
    let trashed = Condition::all().add(Expr::exists(of_trashed())).add(of_kept_recipe());
    let select = track_file::Entity::find()
        .select_only()
        .columns([Id, TrackId, VariantId, ObjectKey, Size, ObjectSha256])
        .filter(TrackId.is_in(tracks))
        .filter(ObjectKey.is_not_null())
        .filter(Condition::any().add(living()).add(trashed));
    Ok(read_columns(db, select, named_file).await?.1)
}

/// A track with the objects that its own row refers to.
fn of_row(row: TrackRow) -> Result<NamedTrack, CatalogError> {
    let (id, owner, folder, source, bytes, sha256, version, origin, drawn, recorded, generation) = row;
    let organization_id = OrganizationId::from_uuid(owner);
    let folder = parsed("track.index", &folder)?;
    let mut objects = Vec::new();
    if let Some(key) = parsed_if_set("track.source_key", source.as_deref())? {
        let size = bytes.map(|bytes| size("track.source_size", bytes)).transpose()?;
        let sha256 = sha256.map(|sha256| sha256.try_into().map_err(|_| corrupt("track.source_sha256")));
        objects.push(NamedObject { kind: NamedKind::Source, key, size, sha256: sha256.transpose()? });
    }
    let cover = cover("track.cover_origin", version.as_deref(), origin.as_deref())?;
    let mut pictures = cover.map(|cover| sizes(organization_id, folder, cover)).unwrap_or_default();
    let drawn: Option<ShortId> = parsed_if_set("track.placeholder_version", drawn.as_deref())?;
    if let Some(version) = drawn.filter(|version| cover.is_none_or(|cover| cover.version != *version)) {
        let beside = Cover { version, origin: CoverOrigin::Generated };
        let beside = sizes(organization_id, folder, beside);
        pictures
            .extend(beside.into_iter().map(|object| NamedObject { kind: NamedKind::Placeholder, ..object }));
    }
    let recorded = CoverObjects::of_column("track.cover_objects", recorded)?;
    recorded.describe("track.cover_objects", &mut pictures)?;
    objects.append(&mut pictures);
    if let Some(generation) = u64::try_from(generation).ok().and_then(Generation::new) {
        let key = TrackManifest::key(organization_id, folder, generation);
        objects.push(NamedObject { kind: NamedKind::Manifest, key, size: None, sha256: None });
    }
    Ok(NamedTrack { id: TrackId::from_uuid(id), place: TrackFolder { organization_id, folder }, objects })
}
