//! Records with metadata that cannot be read.

use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use serde::Serialize;
use uuid::Uuid;

use crate::catalog::Catalog;
use crate::column::CallerJson;
use crate::entity::{collection, creator, track};
use crate::error::CatalogError;

/// Rows that are read at once.
const BATCH: u64 = 500;

/// A record with metadata that cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct DamagedRow {
    /// Its table.
    pub table: &'static str,
    /// Its id.
    pub id: Uuid,
}

impl Catalog {
    /// Reads the metadata of all tracks, collections and creators, also of those that were deleted, and calls `each` with
    /// the damaged ones. Sessions are left out: they are not listed, they end soon, and their ids are credentials.
    pub async fn each_damaged_row(
        &self,
        mut each: impl FnMut(DamagedRow) + Send,
    ) -> Result<(), CatalogError> {
        let columns = (track::Column::Id, track::Column::Metadata);
        self.damaged_in::<track::Entity>("track", columns, &mut each).await?;
        let columns = (collection::Column::Id, collection::Column::Metadata);
        self.damaged_in::<collection::Entity>("collection", columns, &mut each).await?;
        let columns = (creator::Column::Id, creator::Column::Metadata);
        self.damaged_in::<creator::Entity>("creator", columns, &mut each).await
    }

    async fn damaged_in<E: EntityTrait>(
        &self,
        table: &'static str,
        (id, metadata): (E::Column, E::Column),
        each: &mut (dyn FnMut(DamagedRow) + Send),
    ) -> Result<(), CatalogError> {
        let mut after = Uuid::nil();
        loop {
            let select = E::find().select_only().column(id).column(metadata).filter(id.gt(after));
            let select = select.order_by_asc(id).limit(BATCH).into_tuple::<(Uuid, CallerJson)>();
            let rows = select.all(self.reader()).await?;
            let Some((last, _)) = rows.last() else { return Ok(()) };
            after = *last;
            for (id, _) in rows.iter().filter(|(_, metadata)| metadata.is_damaged()) {
                each(DamagedRow { table, id: *id });
            }
        }
    }
}
