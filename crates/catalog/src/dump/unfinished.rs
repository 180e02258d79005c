//! What says that the rows of a backup were loaded, and the store is yet to be linked to them.
//!
//! It is written in the transaction of the rows, and removed in the one that ties database and store, whether a restore or a node
//! does that.

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

/// Says so of a backup.
pub(super) async fn write(db: &impl ConnectionTrait, backup: &str) -> Result<(), DbErr> {
    db.execute(&unfinished_restore()).await?;
    let row = ActiveModel { id: Set(ONLY), backup: Set(backup.to_owned()) };
    Entity::insert(row).exec_without_returning(db).await?;
    Ok(())
}
