//! Replacements of the sources of tracks, and the objects that were replaced.

use std::collections::{BTreeMap, HashSet};

use sea_orm::sea_query::{Expr, ExprTrait, OnConflict, Query};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Set};
use tonearm_domain::{ObjectKey, OrganizationId, Replacement, ReplacementId, Timestamp, TrackId};

use crate::catalog::Catalog;
use crate::column::{byte_count, parsed};
use crate::entity::replaced_object;
use crate::entity::source_replacement::{ActiveModel, Column, Entity};
use crate::error::CatalogError;
use crate::files::BATCH;
use crate::query::{TO_CHANGE, one};
use crate::transaction::Transaction;

impl Catalog {
    /// The latest replacement of a track's source that was requested.
    pub async fn replacement(
        &self,
        organization: OrganizationId,
        track: TrackId,
    ) -> Result<Option<Replacement>, CatalogError> {
        let select = Entity::find_by_id(track.uuid()).filter(Column::OrganizationId.eq(organization.uuid()));
        one(self.reader(), select).await
    }

    /// Those of the objects that other tracks can put back as their source.
    pub async fn kept_for_undo(
        &self,
        keys: &[ObjectKey],
        except: TrackId,
    ) -> Result<HashSet<String>, CatalogError> {
        let mut kept = HashSet::new();
        for batch in keys.chunks(BATCH) {
            let replaced = Query::select()
                .column(replaced_object::Column::ObjectKey)
                .from(replaced_object::Entity)
                .and_where(replaced_object::Column::ObjectKey.is_in(batch.iter().map(ToString::to_string)))
                .take();
            let names: Vec<String> = Entity::find()
                .select_only()
                .column(Column::SourceKey)
                .filter(Column::SourceKey.in_subquery(replaced))
                .filter(Column::TrackId.ne(except.uuid()))
                .into_tuple()
                .all(self.reader())
                .await?;
            kept.extend(names);
        }
        Ok(kept)
    }

    /// Ends a claim of [`Transaction::claim_bytes`].
    pub async fn release_bytes(&self, name: &ObjectKey) -> Result<(), CatalogError> {
        replaced_object::Entity::delete_by_id(name.to_string()).exec(self.writer()).await?;
        Ok(())
    }
}

impl Transaction {
    /// The latest replacement of a track's source that was requested, locked for a change.
    pub async fn replacement(
        &self,
        organization: OrganizationId,
        track: TrackId,
    ) -> Result<Option<Replacement>, CatalogError> {
        let select = Entity::find_by_id(track.uuid()).filter(Column::OrganizationId.eq(organization.uuid()));
        one(self.db(), select.lock(TO_CHANGE)).await
    }

    /// Writes a replacement, overwriting the earlier one of the track.
    pub async fn put_replacement(&self, replacement: &Replacement) -> Result<(), CatalogError> {
        let replace = OnConflict::column(Column::TrackId)
            .update_columns([
                Column::Id,
                Column::State,
                Column::Reason,
                Column::FileName,
                Column::SourceKey,
                Column::SourceSize,
                Column::SourceSha256,
                Column::CreatedAt,
                Column::ExpiresAt,
                Column::PersonId,
                Column::ApiKeyId,
                Column::FormerFileName,
                Column::TextChanges,
            ])
            .to_owned();
        let insert = Entity::insert(ActiveModel::try_from(replacement)?).on_conflict(replace);
        insert.exec_without_returning(self.db()).await?;
        Ok(())
    }

    /// Deletes a replacement. Returns whether it existed.
    pub async fn delete_replacement(&self, track: TrackId, id: ReplacementId) -> Result<bool, CatalogError> {
        let delete = Entity::delete_by_id(track.uuid()).filter(Column::Id.eq(id.uuid()));
        Ok(delete.exec(self.db()).await?.rows_affected > 0)
    }

    /// Deletes the replacement of a track, if it has one.
    pub(crate) async fn delete_replacements(&self, track: TrackId) -> Result<(), CatalogError> {
        Entity::delete_by_id(track.uuid()).exec(self.db()).await?;
        Ok(())
    }

    /// Deletes the records of replaced objects that are due for removal at `now`, the longest overdue first, at most
    /// `limit`, and returns the objects.
    pub async fn take_replaced_objects(
        &self,
        now: Timestamp,
        limit: u64,
    ) -> Result<Vec<ObjectKey>, CatalogError> {
        use replaced_object::{Column, Entity};
        let select = Entity::find()
            .select_only()
            .column(Column::ObjectKey)
            .filter(Column::RemoveAt.lte(now.unix_millis()))
            .order_by_asc(Column::RemoveAt)
            .limit(limit)
            .lock(TO_CHANGE);
        let names: Vec<String> = select.into_tuple().all(self.db()).await?;
        Entity::delete_many().filter(Column::ObjectKey.is_in(&names)).exec(self.db()).await?;
        names.iter().map(|name| parsed("replaced_object.object_key", name)).collect()
    }

    /// Schedules the removal of objects of an organization that its rows no longer refer to, with their sizes in bytes.
    /// They count for its quota until then. An object that is scheduled already, because it was the source of several
    /// tracks, stays until the later of both moments.
    pub async fn put_replaced_objects(
        &self,
        organization: OrganizationId,
        objects: &[(ObjectKey, u64)],
        remove_at: Timestamp,
    ) -> Result<(), CatalogError> {
        use replaced_object::{ActiveModel, Column, Entity};
        if objects.is_empty() {
            return Ok(());
        }
        // A statement may not change a row twice. In this order, transactions do not wait for each other in a circle.
        let objects: BTreeMap<String, u64> =
            objects.iter().map(|(key, bytes)| (key.to_string(), *bytes)).collect();
        let rows = objects.into_iter().map(|(name, bytes)| ActiveModel {
            object_key: Set(name),
            remove_at: Set(remove_at.unix_millis()),
            organization_id: Set(Some(organization.uuid())),
            bytes: Set(byte_count(bytes)),
        });
        // One that a track had again in the meantime counts again.
        let later = OnConflict::column(Column::ObjectKey)
            .update_columns([Column::RemoveAt, Column::Bytes])
            .action_and_where(Expr::col((Entity, Column::RemoveAt)).lt(remove_at.unix_millis()))
            .to_owned();
        Entity::insert_many(rows).on_conflict(later).exec_without_returning(self.db()).await?;
        Ok(())
    }

    /// The bytes of a replaced object that count for the quota. None if it is not kept any more.
    pub async fn replaced_bytes(&self, object: &ObjectKey) -> Result<Option<u64>, CatalogError> {
        use replaced_object::{Column, Entity};
        let select = Entity::find_by_id(object.to_string()).select_only().column(Column::Bytes);
        let bytes: Option<i64> = select.into_tuple().one(self.db()).await?;
        Ok(bytes.map(|bytes| u64::try_from(bytes).unwrap_or(0)))
    }

    /// Counts a replaced object no longer, because it is the source of a track again.
    pub async fn uncount_replaced_object(&self, object: &ObjectKey) -> Result<(), CatalogError> {
        use replaced_object::{Column, Entity};
        Entity::update_many()
            .col_expr(Column::Bytes, Expr::value(0_i64))
            .filter(Column::ObjectKey.eq(object.to_string()))
            .exec(self.db())
            .await?;
        Ok(())
    }

    /// Keeps a replaced object for as long as one that is replaced now. Returns whether it was still there.
    pub async fn keep_replaced_object(
        &self,
        object: &ObjectKey,
        remove_at: Timestamp,
    ) -> Result<bool, CatalogError> {
        use replaced_object::{Column, Entity};
        let keep = Entity::update_many()
            .col_expr(Column::RemoveAt, Expr::value(remove_at.unix_millis()))
            .filter(Column::ObjectKey.eq(object.to_string()));
        Ok(keep.exec(self.db()).await?.rows_affected > 0)
    }

    /// Counts bytes of a source that is arriving like those of an object that no row names, until this moment. They have a
    /// name of their own.
    pub async fn claim_bytes(
        &self,
        name: &ObjectKey,
        bytes: u64,
        until: Timestamp,
    ) -> Result<(), CatalogError> {
        use replaced_object::{ActiveModel, Column, Entity};
        let row = ActiveModel {
            object_key: Set(name.to_string()),
            remove_at: Set(until.unix_millis()),
            organization_id: Set(Some(name.organization_id.uuid())),
            bytes: Set(byte_count(bytes)),
        };
        let renew = OnConflict::column(Column::ObjectKey)
            .update_columns([Column::RemoveAt, Column::Bytes])
            .to_owned();
        Entity::insert(row).on_conflict(renew).exec_without_returning(self.db()).await?;
        Ok(())
    }

    /// Forgets the scheduled removal of objects that are gone.
    pub async fn forget_replaced_objects(&self, keys: &[ObjectKey]) -> Result<(), CatalogError> {
        use replaced_object::{Column, Entity};
        for batch in keys.chunks(BATCH) {
            let names = batch.iter().map(ToString::to_string);
            Entity::delete_many().filter(Column::ObjectKey.is_in(names)).exec(self.db()).await?;
        }
        Ok(())
    }
}
