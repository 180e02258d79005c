//! The marker of an unfinished restore: the rows of a backup were loaded, and the store is not linked to them yet.
//!
//! The marker is written in the transaction that loads the rows. It is removed in the transaction that links database
//! and store, whether a restore or a node does that.

use sea_orm::{ConnectionTrait, DbErr, EntityTrait, Set};

use crate::entity::unfinished_restore::{ActiveModel, Entity, ONLY};
use crate::migration::{has_table, unfinished_restore};

/// The backup whose rows were loaded, if it is not linked yet.
pub(super) async fn read(db: &impl ConnectionTrait) -> Result<Option<String>, DbErr> {
    // Backups of earlier versions have no such table.
    if !has_table(db, "unfinished_restore").await? {
        return Ok(None);
    }
    Ok(Entity::find_by_id(ONLY).one(db).await?.map(|row| row.backup))
}

/// Writes the marker for a backup.
pub(super) async fn write(db: &impl ConnectionTrait, backup: &str) -> Result<(), DbErr> {
    db.execute(&unfinished_restore()).await?;
    let row = ActiveModel { id: Set(ONLY), backup: Set(backup.to_owned()) };
    Entity::insert(row).exec_without_returning(db).await?;
    Ok(())
}
