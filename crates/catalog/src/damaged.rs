//! Records that cannot be read, or only without their metadata.

use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use serde::Serialize;
use tonearm_domain::{Collection, Creator, Track};
use uuid::Uuid;

use crate::catalog::Catalog;
use crate::entity::{collection, creator, track};
use crate::error::CatalogError;
use crate::query::listed;

/// Rows that are read at once.
const BATCH: u64 = 500;

/// A record that cannot be read, or only without its metadata.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct DamagedRow {
    /// Its table.
    pub table: &'static str,
    /// Its id.
    pub id: Uuid,
}

impl Catalog {
    /// Reads all tracks, collections and creators, also those that were deleted, and calls `each` with the damaged ones.
    /// Sessions are left out: they are not listed, they end soon, and their ids are credentials.
    pub async fn each_damaged_row(
        &self,
        mut each: impl FnMut(DamagedRow) + Send,
    ) -> Result<(), CatalogError> {
        let is_sound = |track: &Track| !track.metadata.is_damaged();
        self.damaged_in::<track::Entity, _>("track", track::Column::Id, is_sound, &mut each).await?;
        let is_sound = |collection: &Collection| !collection.metadata.is_damaged();
        let id = collection::Column::Id;
        self.damaged_in::<collection::Entity, _>("collection", id, is_sound, &mut each).await?;
        let is_sound = |creator: &Creator| !creator.metadata.is_damaged();
        self.damaged_in::<creator::Entity, _>("creator", creator::Column::Id, is_sound, &mut each).await
    }

    async fn damaged_in<E: EntityTrait, T: TryFrom<E::Model, Error = CatalogError>>(
        &self,
        table: &'static str,
        id: E::Column,
        is_sound: impl Fn(&T) -> bool,
        each: &mut (dyn FnMut(DamagedRow) + Send),
    ) -> Result<(), CatalogError> {
        let mut after = Uuid::nil();
        loop {
            let select = E::find().filter(id.gt(after)).order_by_asc(id).limit(BATCH);
            let rows = listed(self.reader(), select).await?;
            let Some(last) = rows.last().and_then(|row| row.id) else { return Ok(()) };
            after = last;
            for row in rows {
                let Some(id) = row.id else { continue };
                if !row.readable(T::try_from).is_some_and(|record| is_sound(&record)) {
                    each(DamagedRow { table, id });
                }
            }
        }
    }
}
