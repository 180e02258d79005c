//! Objects that the sweep found and that no row refers to.

use std::collections::HashSet;

use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect, Select, Set};
use tonearm_domain::{ObjectKey, Timestamp};

use crate::catalog::Catalog;
use crate::column::parsed;
use crate::entity::unknown_object::{ActiveModel, Column, Entity};
use crate::error::CatalogError;
use crate::transaction::Transaction;

/// Found by the sweep that began at `sweep`, and for the first time at or before `until`.
fn due(sweep: Timestamp, until: Timestamp) -> Select<Entity> {
    Entity::find()
        .filter(Column::LastSweep.eq(sweep.unix_millis()))
        .filter(Column::FirstSeen.lte(until.unix_millis()))
}

fn names(keys: &[ObjectKey]) -> Vec<String> {
    keys.iter().map(ToString::to_string).collect()
}

impl Catalog {
    /// The number of objects that are recorded as unknown.
    pub async fn count_unknown_objects(&self) -> Result<u64, CatalogError> {
        Ok(Entity::find().count(self.reader()).await?)
    }

    /// Up to `limit` of the objects that the sweep that began at `sweep` found, and that were unknown at or before `until`.
    pub async fn due_objects(
        &self,
        sweep: Timestamp,
        until: Timestamp,
        limit: u64,
    ) -> Result<Vec<ObjectKey>, CatalogError> {
        let select = due(sweep, until)
            .select_only()
            .column(Column::ObjectKey)
            .order_by_asc(Column::ObjectKey)
            .limit(limit);
        let names: Vec<String> = select.into_tuple().all(self.reader()).await?;
        names.iter().map(|name| parsed("unknown_object.object_key", name)).collect()
    }
}

impl Transaction {
    /// Records objects, at most 1000, as unknown to the sweep that began at `sweep`. Those that are recorded already
    /// keep the moment when they were first seen; of the others at most `room` are added. Returns how many were added.
    pub async fn note_unknown_objects(
        &self,
        keys: &[ObjectKey],
        sweep: Timestamp,
        now: Timestamp,
        room: u64,
    ) -> Result<u64, CatalogError> {
        if keys.is_empty() {
            return Ok(0);
        }
        let names = names(keys);
        let noted: Vec<String> = Entity::find()
            .select_only()
            .column(Column::ObjectKey)
            .filter(Column::ObjectKey.is_in(&names))
            .into_tuple()
            .all(self.db())
            .await?;
        Entity::update_many()
            .col_expr(Column::LastSweep, Expr::value(sweep.unix_millis()))
            .filter(Column::ObjectKey.is_in(&noted))
            .exec(self.db())
            .await?;
        let noted: HashSet<String> = noted.into_iter().collect();
        let rows: Vec<ActiveModel> = names
            .into_iter()
            .filter(|name| !noted.contains(name))
            .take(usize::try_from(room).unwrap_or(usize::MAX))
            .map(|name| ActiveModel {
                object_key: Set(name),
                first_seen: Set(now.unix_millis()),
                last_sweep: Set(sweep.unix_millis()),
            })
            .collect();
        let added = rows.len() as u64;
        if added > 0 {
            Entity::insert_many(rows)
                .on_conflict_do_nothing_on([Column::ObjectKey])
                .exec_without_returning(self.db())
                .await?;
        }
        Ok(added)
    }

    /// The total number of objects that [`Catalog::due_objects`] finds.
    pub async fn count_due_objects(&self, sweep: Timestamp, until: Timestamp) -> Result<u64, CatalogError> {
        Ok(due(sweep, until).count(self.db()).await?)
    }

    /// Deletes the records of objects, at most 1000, because they were removed or are known.
    pub async fn forget_unknown_objects(&self, keys: &[ObjectKey]) -> Result<(), CatalogError> {
        Entity::delete_many().filter(Column::ObjectKey.is_in(names(keys))).exec(self.db()).await?;
        Ok(())
    }

    /// Deletes the records of all objects that the sweep that began at `sweep` did not find, or found to be known.
    pub async fn forget_objects_not_found(&self, sweep: Timestamp) -> Result<(), CatalogError> {
        Entity::delete_many().filter(Column::LastSweep.lt(sweep.unix_millis())).exec(self.db()).await?;
        Ok(())
    }
}
