//! Changes of many tracks that can be undone: the `undo_entry` table.

use sea_orm::sea_query::{Expr, ExprTrait, Query};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, Order, QueryFilter, QuerySelect};
use tonearm_domain::{OrganizationId, PersonId, Timestamp, UndoEntry, UndoId};

use crate::entity::undo_entry::{ActiveModel, Column, Entity};
use crate::error::CatalogError;
use crate::query::{TO_CHANGE, one};
use crate::transaction::Transaction;

/// The maximum number of entries that are deleted at once. Usually there is one too many.
const MOST_AT_ONCE: u64 = 1000;

impl Transaction {
    /// Adds an undo entry, and deletes the oldest entries of the person beyond [`UndoEntry::MOST_PER_PERSON`].
    pub async fn insert_undo_entry(&self, entry: &UndoEntry) -> Result<(), CatalogError> {
        Entity::insert(ActiveModel::try_from(entry)?).exec_without_returning(self.db()).await?;
        let older = Query::select()
            .column(Column::Id)
            .from(Entity)
            .and_where(Column::PersonId.eq(entry.person_id.uuid()))
            .order_by(Column::Id, Order::Desc)
            .limit(MOST_AT_ONCE)
            .offset(UndoEntry::MOST_PER_PERSON)
            .take();
        let older =
            Query::delete().from_table(Entity).and_where(Expr::col(Column::Id).in_subquery(older)).take();
        self.db().execute(&older).await?;
        Ok(())
    }

    /// Removes and returns an undo entry of a person, so that it cannot be undone a second time. `None` if it has
    /// expired or was undone already.
    pub async fn take_undo_entry(
        &self,
        organization: OrganizationId,
        person: PersonId,
        id: UndoId,
        now: Timestamp,
    ) -> Result<Option<UndoEntry>, CatalogError> {
        let select = Entity::find_by_id(id.uuid())
            .filter(Column::OrganizationId.eq(organization.uuid()))
            .filter(Column::PersonId.eq(person.uuid()))
            .filter(Column::ExpiresAt.gt(now.unix_millis()))
            .lock(TO_CHANGE);
        let found = one(self.db(), select).await?;
        if found.is_some() {
            Entity::delete_by_id(id.uuid()).exec(self.db()).await?;
        }
        Ok(found)
    }
}
