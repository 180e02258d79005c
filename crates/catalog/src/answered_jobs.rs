//! Jobs whose ids were returned to a client. A job is removed when it is done; this row is kept for a while, so that
//! the client can still query the outcome of the job.

use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, Set};
use tonearm_domain::{AnsweredJob, JobId, OrganizationId, TrackId, VariantId};

use crate::catalog::Catalog;
use crate::column::moment;
use crate::entity::answered_job::{ActiveModel, Column, Entity, Model};
use crate::error::CatalogError;
use crate::query::one;
use crate::transaction::Transaction;

impl TryFrom<Model> for AnsweredJob {
    type Error = CatalogError;

    fn try_from(row: Model) -> Result<Self, CatalogError> {
        Ok(Self {
            id: JobId::from_uuid(row.id),
            organization_id: OrganizationId::from_uuid(row.organization_id),
            kind: row.kind,
            track_id: row.track_id.map(TrackId::from_uuid),
            variant_id: row.variant_id.map(VariantId::from_uuid),
            created_at: moment("answered_job.created_at", row.created_at)?,
        })
    }
}

impl Catalog {
    /// A job of the organization whose id was returned to a client, whether the job is done or not.
    pub async fn answered_job(
        &self,
        organization: OrganizationId,
        id: JobId,
    ) -> Result<Option<AnsweredJob>, CatalogError> {
        let select = Entity::find_by_id(id.uuid()).filter(Column::OrganizationId.eq(organization.uuid()));
        one(self.reader(), select).await
    }
}

impl Transaction {
    /// Records a job whose id is about to be returned to a client. The job is queued in the same transaction.
    pub async fn insert_answered_job(&self, job: &AnsweredJob) -> Result<(), CatalogError> {
        let row = ActiveModel {
            id: Set(job.id.uuid()),
            organization_id: Set(job.organization_id.uuid()),
            kind: Set(job.kind.clone()),
            track_id: Set(job.track_id.map(TrackId::uuid)),
            variant_id: Set(job.variant_id.map(VariantId::uuid)),
            created_at: Set(job.created_at.unix_millis()),
        };
        Entity::insert(row).exec_without_returning(self.db()).await?;
        Ok(())
    }
}
