//! When the service was last backed up: the row of `last_backup`.

use sea_orm::sea_query::OnConflict;
use sea_orm::{EntityTrait, Set};
use tonearm_domain::Timestamp;

use crate::catalog::Catalog;
use crate::column::moment;
use crate::entity::last_backup::{ActiveModel, Column, Entity, Model, ONLY};
use crate::error::CatalogError;
use crate::query::one;

/// A complete backup.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LastBackup {
    /// The time whose state the backup contains.
    pub made_at: Timestamp,
    /// When it was complete.
    pub finished_at: Timestamp,
}

impl TryFrom<Model> for LastBackup {
    type Error = CatalogError;

    fn try_from(row: Model) -> Result<Self, CatalogError> {
        Ok(Self {
            made_at: moment("last_backup.made_at", row.made_at)?,
            finished_at: moment("last_backup.finished_at", row.finished_at)?,
        })
    }
}

impl Catalog {
    /// The latest complete backup, to any target. `None`: there was none, or none since the catalog was restored.
    pub async fn last_backup(&self) -> Result<Option<LastBackup>, CatalogError> {
        one(self.reader(), Entity::find_by_id(ONLY)).await
    }

    /// Records that a backup is complete.
    pub async fn note_backup(&self, backup: LastBackup) -> Result<(), CatalogError> {
        let row = ActiveModel {
            id: Set(ONLY),
            made_at: Set(backup.made_at.unix_millis()),
            finished_at: Set(backup.finished_at.unix_millis()),
        };
        let replace =
            OnConflict::column(Column::Id).update_columns([Column::MadeAt, Column::FinishedAt]).to_owned();
        Entity::insert(row).on_conflict(replace).exec_without_returning(self.writer()).await?;
        Ok(())
    }
}
