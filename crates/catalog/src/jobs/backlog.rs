//! Checks whether jobs wait in a queue.

use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Select};
use tonearm_domain::{JobQueue, OrganizationId};
use uuid::Uuid;

use crate::catalog::Catalog;
use crate::entity::job::{Column, Entity};
use crate::error::CatalogError;

fn waiting(queue: JobQueue) -> Select<Entity> {
    // The conditions match those of the indexes.
    Entity::find()
        .select_only()
        .filter(Column::Queue.eq(queue.as_str()))
        .filter(Column::LeaseId.is_null())
        .filter(Column::FailedAt.is_null())
}

impl Catalog {
    /// Whether at least `most` jobs wait in a queue, due or not. Reads at most `most` entries of an index.
    pub async fn has_waiting_jobs(&self, queue: JobQueue, most: u64) -> Result<bool, CatalogError> {
        let last = waiting(queue)
            .column(Column::RunAt)
            .order_by_asc(Column::RunAt)
            .offset(most.saturating_sub(1))
            .limit(1);
        Ok(most == 0 || last.into_tuple::<i64>().one(self.reader()).await?.is_some())
    }

    /// Whether any job of an organization waits in a queue, due or not.
    pub async fn organization_waits(
        &self,
        queue: JobQueue,
        organization: OrganizationId,
    ) -> Result<bool, CatalogError> {
        let first =
            waiting(queue).column(Column::Id).filter(Column::OrganizationId.eq(organization.uuid())).limit(1);
        Ok(first.into_tuple::<Uuid>().one(self.reader()).await?.is_some())
    }
}
