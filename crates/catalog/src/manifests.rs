//! Manifests of tracks: which objects their durable names refer to.

use std::collections::{HashMap, HashSet};

use sea_orm::sea_query::{Expr, ExprTrait, Query, SimpleExpr};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, EntityTrait, FromQueryResult, JsonValue, QueryFilter,
    QueryOrder, QuerySelect, Select, UpdateMany,
};
use tonearm_domain::{
    Generation, Job, ObjectKey, OrganizationId, ShortId, TrackId, TrackManifest, VariantIndex,
};
use uuid::Uuid;

use crate::catalog::Catalog;
use crate::column::{corrupt, decoded, parsed};
use crate::entity::{job, track, track_file};
use crate::error::CatalogError;
use crate::files;
use crate::living::{kept_tracks, living_track};
use crate::transaction::Transaction;

/// A generation of a track's manifest, to be written to the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NextManifest {
    /// The folder of the track's objects.
    pub folder: ShortId,
    /// The number of the generation, higher than all before it.
    pub generation: Generation,
    /// The content of the manifest.
    pub manifest: TrackManifest,
}

/// The columns of a file that a manifest needs. The others may be large.
#[derive(FromQueryResult)]
struct Named {
    variant: JsonValue,
    recipe_index: Option<String>,
    object_key: String,
}

#[derive(serde::Deserialize)]
struct Indexed {
    index: VariantIndex,
}

impl Named {
    fn into_parts(self) -> Result<(VariantIndex, ObjectKey), CatalogError> {
        let index = match self.recipe_index {
            Some(index) => parsed("variant.index", &index)?,
            None => decoded::<Indexed>("track_file.variant", self.variant)?.index,
        };
        Ok((index, parsed("track_file.object_key", &self.object_key)?))
    }
}

fn made() -> Select<track_file::Entity> {
    use track_file::Column;
    let files = track_file::Entity::find().select_only().columns([Column::Variant, Column::ObjectKey]);
    files::with_recipe_names(files).filter(Column::ObjectKey.is_not_null()).filter(files::living())
}

async fn manifest<C: ConnectionTrait>(
    db: &C,
    made: Select<track_file::Entity>,
) -> Result<TrackManifest, CatalogError> {
    let rows = made.into_model::<Named>().all(db).await?;
    let files: Result<Vec<_>, _> = rows.into_iter().map(Named::into_parts).collect();
    Ok(TrackManifest::of(files?))
}

impl Catalog {
    /// The objects that the durable names of a track refer to now. The manifest is empty if there is no such track.
    pub async fn manifest(
        &self,
        organization: OrganizationId,
        folder: ShortId,
    ) -> Result<TrackManifest, CatalogError> {
        let track = Query::select()
            .column(track::Column::Id)
            .from(track::Entity)
            .and_where(track::Column::OrganizationId.eq(organization.uuid()))
            .and_where(track::Column::Index.eq(folder.as_str()))
            .cond_where(living_track())
            .take();
        manifest(self.reader(), made().filter(track_file::Column::TrackId.in_subquery(track))).await
    }

    /// Tracks that have files but whose manifest was never written, in the order of their ids, after `after`.
    pub async fn tracks_without_manifest(
        &self,
        after: Option<TrackId>,
        limit: u64,
    ) -> Result<Vec<(OrganizationId, TrackId)>, CatalogError> {
        use track::Column::{DeletedAt, Id, ManifestGeneration, OrganizationId as Owner};
        let file = Query::select()
            .expr(Expr::value(1))
            .from(track_file::Entity)
            .and_where(
                Expr::col((track_file::Entity, track_file::Column::TrackId))
                    .eq(Expr::col((track::Entity, Id))),
            )
            .and_where(Expr::col((track_file::Entity, track_file::Column::ObjectKey)).is_not_null())
            .take();
        let mut select = track::Entity::find()
            .select_only()
            .columns([Owner, Id])
            .filter(ManifestGeneration.eq(0))
            .filter(DeletedAt.is_null())
            .filter(Expr::exists(file))
            .order_by_asc(Id)
            .limit(limit);
        if let Some(after) = after {
            select = select.filter(Id.gt(after.uuid()));
        }
        let rows = select.into_tuple::<(Uuid, Uuid)>().all(self.reader()).await?;
        Ok(rows
            .into_iter()
            .map(|(owner, id)| (OrganizationId::from_uuid(owner), TrackId::from_uuid(id)))
            .collect())
    }
}

impl Catalog {
    /// The given objects that are a later generation of a track's manifest than the database knows, each with the
    /// track. There are some only if the database lost transactions: after it was restored, or after a failover. Those
    /// are left out above which another generation is going to be written.
    pub async fn unknown_generations(
        &self,
        keys: &[ObjectKey],
    ) -> Result<Vec<(TrackId, ObjectKey)>, CatalogError> {
        unknown_generations(self.reader(), keys).await
    }
}

async fn unknown_generations<C: ConnectionTrait>(
    db: &C,
    keys: &[ObjectKey],
) -> Result<Vec<(TrackId, ObjectKey)>, CatalogError> {
    let queued = Query::select()
        .column(job::Column::TrackId)
        .from(job::Entity)
        .and_where(job::Column::Kind.eq(Job::PUBLISH_MANIFEST))
        .and_where(job::Column::TrackId.is_not_null())
        .and_where(job::Column::FailedAt.is_null())
        .take();
    let not_queued = track::Column::Id.in_subquery(queued).not();
    let tracks = Condition::all().add(track::Column::DeletedAt.is_null()).add(not_queued);
    let numbered = with_latest(db, keys, tracks).await?;
    Ok(numbered
        .into_iter()
        .filter(|manifest| manifest.number > manifest.latest)
        .map(|manifest| (manifest.track, manifest.key.clone()))
        .collect())
}

/// The given objects that are the manifest of a track that is not deleted or can be restored: of its latest generation,
/// or of a later one, which can exist after an older database was restored.
pub(crate) async fn manifests_among<C: ConnectionTrait>(
    db: &C,
    keys: &[ObjectKey],
) -> Result<Vec<ObjectKey>, CatalogError> {
    let numbered = with_latest(db, keys, kept_tracks()).await?;
    Ok(numbered
        .into_iter()
        .filter(|manifest| manifest.number >= manifest.latest)
        .map(|manifest| manifest.key.clone())
        .collect())
}

/// A manifest in the store, and what the database knows of it.
struct Numbered<'a> {
    key: &'a ObjectKey,
    number: u64,
    track: TrackId,
    /// The latest generation that the database knows.
    latest: u64,
}

/// The given objects that are manifests of these tracks.
async fn with_latest<'a, C: ConnectionTrait>(
    db: &C,
    keys: &'a [ObjectKey],
    tracks: Condition,
) -> Result<Vec<Numbered<'a>>, CatalogError> {
    use track::Column::{Id, Index, ManifestGeneration, OrganizationId as Owner};
    let manifests: Vec<_> =
        keys.iter().filter_map(|key| Some((key, TrackManifest::generation(key)?.number()))).collect();
    if manifests.is_empty() {
        return Ok(Vec::new());
    }
    let folders: HashSet<&str> = manifests.iter().map(|(key, _)| key.folder.as_str()).collect();
    let owners: HashSet<Uuid> = manifests.iter().map(|(key, _)| key.organization_id.uuid()).collect();
    let rows: Vec<(Uuid, String, Uuid, i64)> = track::Entity::find()
        .select_only()
        .columns([Owner, Index, Id, ManifestGeneration])
        .filter(Owner.is_in(owners))
        .filter(Index.is_in(folders))
        .filter(tracks)
        .into_tuple()
        .all(db)
        .await?;
    let latest: HashMap<(Uuid, &str), (Uuid, i64)> =
        rows.iter().map(|(owner, index, id, number)| ((*owner, index.as_str()), (*id, *number))).collect();
    let numbered = |(key, number): (&'a ObjectKey, u64)| {
        let (id, latest) = latest.get(&(key.organization_id.uuid(), key.folder.as_str()))?;
        let latest = u64::try_from(*latest).ok()?;
        Some(Numbered { key, number, track: TrackId::from_uuid(*id), latest })
    };
    Ok(manifests.into_iter().filter_map(numbered).collect())
}

impl Transaction {
    /// As [`Catalog::unknown_generations`], in this transaction.
    pub async fn unknown_generations(
        &self,
        keys: &[ObjectKey],
    ) -> Result<Vec<(TrackId, ObjectKey)>, CatalogError> {
        unknown_generations(self.db(), keys).await
    }

    /// Begins the next generation of a track's manifest, which is later than `above`; `None` if the track itself is
    /// deleted. Manifests of tracks in a deleted collection are still written, since restoring the collection does not
    /// write them. The track is locked before its files are read, so that a generation contains everything that was
    /// committed before it.
    pub async fn next_manifest(
        &self,
        organization: OrganizationId,
        track: TrackId,
        above: Option<Generation>,
    ) -> Result<Option<NextManifest>, CatalogError> {
        use track::Column::{DeletedAt, Id, Index, ManifestGeneration, OrganizationId as Owner};
        let above = above.map_or(0, Generation::number);
        let above = i64::try_from(above).map_err(|_| corrupt("track.manifest_generation"))?;
        let number: SimpleExpr = Expr::case(Expr::col(ManifestGeneration).lt(above), Expr::value(above))
            .finally(Expr::col(ManifestGeneration))
            .into();
        let update: UpdateMany<track::Entity> = track::Entity::update_many()
            .filter(Id.eq(track.uuid()))
            .filter(Owner.eq(organization.uuid()))
            .filter(DeletedAt.is_null())
            .col_expr(ManifestGeneration, number.add(1));
        if update.exec(self.db()).await?.rows_affected == 0 {
            return Ok(None);
        }
        let select =
            track::Entity::find_by_id(track.uuid()).select_only().columns([Index, ManifestGeneration]);
        let Some((index, number)) = select.into_tuple::<(String, i64)>().one(self.db()).await? else {
            return Ok(None);
        };
        let generation = u64::try_from(number).ok().and_then(Generation::new);
        let files = made().filter(track_file::Column::TrackId.eq(track.uuid()));
        Ok(Some(NextManifest {
            folder: parsed("track.index", &index)?,
            generation: generation.ok_or_else(|| corrupt("track.manifest_generation"))?,
            manifest: manifest(self.db(), files).await?,
        }))
    }
}
