//! Holds that keep objects in the store although no row refers to them any more: the `removal_hold` table.
//!
//! A backup reads the rows as they were at one moment and then copies the objects that they refer to. It takes its hold
//! before that moment. Code that removes an object changes the rows first and then looks for holds: if the change came
//! after the moment of the backup, so does the look-up, which finds the hold.

use sea_orm::sea_query::{Expr, ExprTrait, OnConflict, Query, SimpleExpr};
use sea_orm::{ColumnTrait, Condition, ConnectionTrait, EntityTrait, QueryFilter, QuerySelect};
use tonearm_domain::{RemovalHold, RemovalHoldId, Timestamp};

use crate::catalog::Catalog;
use crate::entity::removal_hold::{Column, Entity};
use crate::error::CatalogError;

/// The holds in force. A hold that ends later than is possible was written by a wrong clock and is not in force.
fn in_force(now: &SimpleExpr) -> Condition {
    let held_until = || Expr::col((Entity, Column::HeldUntil));
    let latest = now.clone().add(2 * RemovalHold::MILLIS);
    Condition::all().add(held_until().gt(now.clone())).add(held_until().lte(latest))
}

impl Catalog {
    /// Takes a hold on removals that ends [`RemovalHold::MILLIS`] from now, or extends it to that. Deletes holds that
    /// have ended.
    pub async fn hold_removals(&self, id: RemovalHoldId, now: Timestamp) -> Result<(), CatalogError> {
        let now = self.due_clock().now(now);
        let hold = Query::insert()
            .into_table(Entity)
            .columns([Column::Id, Column::HeldUntil])
            .values_panic([id.uuid().into(), now.clone().add(RemovalHold::MILLIS)])
            .on_conflict(OnConflict::column(Column::Id).update_column(Column::HeldUntil).to_owned())
            .take();
        self.writer().execute(&hold).await?;
        Entity::delete_many().filter(in_force(&now).not()).exec(self.writer()).await?;
        Ok(())
    }

    /// Ends a hold.
    pub async fn release_removals(&self, id: RemovalHoldId) -> Result<(), CatalogError> {
        Entity::delete_by_id(id.uuid()).exec(self.writer()).await?;
        Ok(())
    }

    /// Whether a hold other than `own` is in force.
    pub async fn others_hold_removals(
        &self,
        own: RemovalHoldId,
        now: Timestamp,
    ) -> Result<bool, CatalogError> {
        let now = self.due_clock().now(now);
        let others = in_force(&now).add(Column::Id.ne(own.uuid()));
        let select = Entity::find().select_only().column(Column::Id).filter(others);
        Ok(select.into_tuple::<uuid::Uuid>().one(self.reader()).await?.is_some())
    }

    /// Whether objects must stay in the store for now. Call this after changing the rows that referred to them.
    pub async fn are_removals_held(&self, now: Timestamp) -> Result<bool, CatalogError> {
        let now = self.due_clock().now(now);
        let select = Entity::find().select_only().column(Column::Id).filter(in_force(&now));
        Ok(select.into_tuple::<uuid::Uuid>().one(self.reader()).await?.is_some())
    }
}
