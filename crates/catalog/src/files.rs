//! Files rendered from tracks: the `track_file` table.

use sea_orm::sea_query::{Expr, ExprTrait, IntoCondition, OnConflict, Query, SimpleExpr};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, EntityTrait, JoinType, QueryFilter, QueryOrder, QuerySelect,
    QueryTrait, Select,
};
use tonearm_domain::{CollectionId, ObjectKey, Timestamp, TrackFile, TrackId, VariantId};
use uuid::Uuid;

use crate::catalog::Catalog;
use crate::changes::Change;
use crate::entity::track_file::{ActiveModel, Column, Entity, OfRecipe};
use crate::entity::{former_file, track, variant};
use crate::error::{CatalogError, Record};
use crate::living::living_track;
use crate::query::{TO_CHANGE, listed};
use crate::transaction::Transaction;

/// The maximum number of ids in one query. Databases limit the parameters of a statement.
pub(crate) const BATCH: usize = 1000;

/// Files with the names and the order that their recipes have now.
pub(crate) fn of_recipes() -> Select<Entity> {
    with_recipe_names(Entity::find())
        .column_as(variant::Column::Position, "recipe_position")
        .column_as(variant::Column::Cache, "recipe_cache")
}

/// Adds the present name of each file's recipe as `recipe_index`.
pub(crate) fn with_recipe_names(select: Select<Entity>) -> Select<Entity> {
    let recipe = Entity::belongs_to(variant::Entity).from(Column::VariantId).to(variant::Column::Id);
    select.join(JoinType::LeftJoin, recipe.into()).column_as(variant::Column::Index, "recipe_index")
}

/// One whose row cannot be read counts as missing, so that it is made again and does not keep the others from being played.
async fn read<C: ConnectionTrait>(db: &C, select: Select<Entity>) -> Result<Vec<TrackFile>, CatalogError> {
    let rows = listed::<OfRecipe, _, _>(db, select).await?;
    Ok(rows.into_iter().filter_map(|row| row.readable(TrackFile::try_from)).collect())
}

/// All files of a track, even if it is deleted, in no particular order.
pub(crate) async fn even_deleted<C: ConnectionTrait>(
    db: &C,
    track: TrackId,
) -> Result<Vec<TrackFile>, CatalogError> {
    read(db, of_recipes().filter(Column::TrackId.eq(track.uuid()))).await
}

fn of_track(track: TrackId) -> Select<Entity> {
    of_recipes().filter(Column::TrackId.eq(track.uuid())).filter(living())
}

/// Files that are neither deleted nor rendered by a recipe that is being removed.
pub(crate) fn living() -> Condition {
    Condition::all().add(Column::DeletedAt.is_null()).add(of_kept_recipe())
}

/// Files that are not rendered by a recipe that is being removed.
pub(crate) fn of_kept_recipe() -> SimpleExpr {
    let removed = Query::select()
        .expr(Expr::value(1))
        .from(variant::Entity)
        .and_where(Expr::col((variant::Entity, variant::Column::Id)).equals((Entity, Column::VariantId)))
        .and_where(variant::Column::DeletedAt.is_not_null())
        .take();
    Expr::exists(removed).not()
}

/// Sorts files by track, then in the order of the recipes: the organization's before the track's own.
fn in_order(mut files: Vec<TrackFile>) -> Vec<TrackFile> {
    files.sort_by_key(|file| {
        let recipe = &file.recipe;
        (file.track_id, recipe.track_id.is_some(), recipe.position, recipe.id)
    });
    files
}

impl Catalog {
    /// The files of a track, in the order of the recipes.
    pub async fn files_of_track(&self, track: TrackId) -> Result<Vec<TrackFile>, CatalogError> {
        Ok(in_order(read(self.reader(), of_track(track)).await?))
    }

    /// All files of a track, even if it is deleted, for removing its objects.
    pub async fn files_of_track_even_deleted(&self, track: TrackId) -> Result<Vec<TrackFile>, CatalogError> {
        Ok(in_order(even_deleted(self.reader(), track).await?))
    }

    /// The files of several tracks, by track, then in the order of the recipes. Runs one query for every 1000 tracks.
    pub async fn files_of_tracks(&self, tracks: &[TrackId]) -> Result<Vec<TrackFile>, CatalogError> {
        let mut files = Vec::new();
        for batch in tracks.chunks(BATCH) {
            let select = of_recipes()
                .filter(Column::TrackId.is_in(batch.iter().map(|track| track.uuid())))
                .filter(living());
            files.extend(read(self.reader(), select).await?);
        }
        Ok(in_order(files))
    }
}

impl Transaction {
    /// The files of a track, in the order of the recipes, locked for a change.
    pub async fn files_of_track(&self, track: TrackId) -> Result<Vec<TrackFile>, CatalogError> {
        let mut select = of_track(track);
        QueryTrait::query(&mut select).lock_with_tables(TO_CHANGE, [Entity]);
        Ok(in_order(read(self.db(), select).await?))
    }

    /// Those of the tracks that lack a file because it could not be made.
    pub async fn tracks_with_failures(&self, tracks: &[TrackId]) -> Result<Vec<TrackId>, CatalogError> {
        let failed: Vec<Uuid> = Entity::find()
            .select_only()
            .column(Column::TrackId)
            .distinct()
            .filter(Column::TrackId.is_in(tracks.iter().map(|track| track.uuid())))
            .filter(Column::ObjectKey.is_null())
            .filter(living())
            .order_by_asc(Column::TrackId)
            .into_tuple()
            .all(self.db())
            .await?;
        Ok(failed.into_iter().map(TrackId::from_uuid).collect())
    }

    /// Records the result of a recipe for a track, replacing an earlier result. The recipe's settings are
    /// stored with the file. Fails with [`CatalogError::Missing`] of [`Record::Track`] if the track is deleted.
    pub async fn put_track_file(&self, file: &TrackFile) -> Result<(), CatalogError> {
        let collection = self.lock_living_track(file.track_id).await?;
        self.note(Change::Track(file.track_id));
        // Share links list the tracks that have their file.
        self.note(Change::TracksOf(collection));
        let former = Condition::all()
            .add(Column::TrackId.eq(file.track_id.uuid()))
            .add(Column::VariantId.eq(file.recipe.id.uuid()));
        self.keep_former_files(former, file.created_at).await?;
        let replace = OnConflict::columns([Column::TrackId, Column::VariantId])
            .update_columns([
                Column::Id,
                Column::Variant,
                Column::ObjectKey,
                Column::Size,
                Column::ObjectSha256,
                Column::FileName,
                Column::Data,
                Column::Failure,
                Column::CreatedAt,
                Column::DeletedAt,
            ])
            .to_owned();
        Entity::insert(ActiveModel::try_from(file)?)
            .on_conflict(replace)
            .exec_without_returning(self.db())
            .await
            .map_err(CatalogError::or_taken(Record::File))?;
        Ok(())
    }

    /// Deletes the rows of failed renders of a track by some recipes, so that they are retried.
    pub async fn delete_failed_files(
        &self,
        track: TrackId,
        recipes: &[VariantId],
    ) -> Result<(), CatalogError> {
        self.note(Change::Track(track));
        Entity::delete_many()
            .filter(Column::TrackId.eq(track.uuid()))
            .filter(Column::VariantId.is_in(recipes.iter().map(|id| id.uuid())))
            .filter(Column::ObjectKey.is_null())
            .filter(Column::DeletedAt.is_null())
            .exec(self.db())
            .await?;
        Ok(())
    }

    /// Deletes the rows of files whose objects are lost, so that the files can be rendered again. Returns the number of
    /// rows.
    pub async fn delete_lost_files(&self, track: TrackId, keys: &[ObjectKey]) -> Result<u64, CatalogError> {
        self.note(Change::Track(track));
        let deleted = Entity::delete_many()
            .filter(Column::TrackId.eq(track.uuid()))
            .filter(Column::ObjectKey.is_in(keys.iter().map(ToString::to_string)))
            .exec(self.db())
            .await?;
        Ok(deleted.rows_affected)
    }

    /// Deletes the rows of all files of a track whose source is replaced at `now`.
    pub async fn delete_replaced_files(&self, track: TrackId, now: Timestamp) -> Result<(), CatalogError> {
        self.keep_former_files(Column::TrackId.eq(track.uuid()), now).await?;
        self.delete_files_of_track(track).await
    }

    /// Deletes the rows of all files of a track.
    pub(crate) async fn delete_files_of_track(&self, track: TrackId) -> Result<(), CatalogError> {
        self.note(Change::Track(track));
        Entity::delete_many().filter(Column::TrackId.eq(track.uuid())).exec(self.db()).await?;
        Ok(())
    }

    /// Keeps what files contain that are about to be replaced or removed: their URLs are valid for a while, and what is
    /// delivered of them is counted.
    pub(crate) async fn keep_former_files(
        &self,
        which: impl IntoCondition,
        now: Timestamp,
    ) -> Result<(), CatalogError> {
        use former_file::Column as Former;
        let files = Query::select()
            .column((Entity, Column::ObjectKey))
            .column((track::Entity, track::Column::Duration))
            .column((Entity, Column::Data))
            .expr(Expr::value(now.unix_millis()))
            .from(Entity)
            .inner_join(
                track::Entity,
                Expr::col((track::Entity, track::Column::Id)).equals((Entity, Column::TrackId)),
            )
            .cond_where(which.into_condition())
            .and_where(Column::ObjectKey.is_not_null())
            .take();
        let insert = Query::insert()
            .into_table(former_file::Entity)
            .columns([Former::ObjectKey, Former::TrackDuration, Former::Data, Former::ReplacedAt])
            .select_from(files)
            .expect("there is a value for each column")
            .on_conflict(OnConflict::new().do_nothing().to_owned())
            .take();
        self.db().execute(&insert).await?;
        Ok(())
    }

    /// The files of one recipe for some tracks, in no particular order.
    pub async fn files_of_recipe(
        &self,
        recipe: VariantId,
        tracks: &[TrackId],
    ) -> Result<Vec<TrackFile>, CatalogError> {
        let select = of_recipes()
            .filter(Column::VariantId.eq(recipe.uuid()))
            .filter(Column::TrackId.is_in(tracks.iter().map(|track| track.uuid())))
            .filter(living());
        read(self.db(), select).await
    }

    /// Locks a track that is not deleted. A file that is added while its track is being deleted would never be removed.
    async fn lock_living_track(&self, track: TrackId) -> Result<CollectionId, CatalogError> {
        track::Entity::find_by_id(track.uuid())
            .filter(living_track())
            .select_only()
            .column(track::Column::CollectionId)
            .lock(TO_CHANGE)
            .into_tuple::<Uuid>()
            .one(self.db())
            .await?
            .map(CollectionId::from_uuid)
            .ok_or(CatalogError::Missing(Record::Track))
    }
}
