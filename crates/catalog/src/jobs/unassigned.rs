//! Jobs that were queued by a version without queues.

use std::collections::HashMap;

use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect};
use tonearm_domain::{Job, JobQueue, OrganizationId};
use uuid::Uuid;

use crate::catalog::Catalog;
use crate::entity::job::{Column, Entity};
use crate::error::CatalogError;

/// The most jobs that are assigned at once.
const BATCH: u64 = 500;

impl Catalog {
    /// Assigns queues to jobs that an earlier version queued, at most a few hundred. An earlier version may run at the
    /// same time as this one while nodes are upgraded one after another. Returns the number of jobs.
    pub async fn assign_queues(&self) -> Result<u64, CatalogError> {
        let unsorted: Vec<(Uuid, serde_json::Value)> = Entity::find()
            .select_only()
            .columns([Column::Id, Column::Payload])
            .filter(Column::Queue.is_null())
            .filter(Column::LeaseId.is_null())
            .filter(Column::FailedAt.is_null())
            .filter(Column::Kind.is_in(Job::KINDS))
            .limit(BATCH)
            .into_tuple()
            .all(self.reader())
            .await?;
        let mut places: HashMap<(JobQueue, OrganizationId), Vec<Uuid>> = HashMap::new();
        for (id, payload) in unsorted {
            places.entry(place(payload)).or_default().push(id);
        }
        let mut sorted = 0;
        for ((queue, organization), ids) in places {
            let done = Entity::update_many()
                .col_expr(Column::Queue, Expr::value(queue.as_str()))
                .col_expr(Column::OrganizationId, Expr::value(organization.uuid()))
                .filter(Column::Id.is_in(ids))
                .exec(self.writer())
                .await?;
            sorted += done.rows_affected;
        }
        if sorted > 0 {
            self.wakers().wake_all_jobs();
        }
        Ok(sorted)
    }
}

/// A job that cannot be read is handled by the worker that claims it.
fn place(payload: serde_json::Value) -> (JobQueue, OrganizationId) {
    match serde_json::from_value::<Job>(payload) {
        Ok(job) => (job.queue(), job.turn_of()),
        Err(_) => (JobQueue::Maintenance, Job::SYSTEM),
    }
}
