//! Jobs whose ids were returned to a client. A job is removed when it is done; this row is kept for a while, so that
//! the client can still query the outcome of the job.

use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect, Set};
use tonearm_domain::{AnsweredJob, JobId, JobStatus, OrganizationId, TrackId, VariantId};

use crate::catalog::Catalog;
use crate::column::{moment, parsed_if_set};
use crate::entity::answered_job::{ActiveModel, Column, Entity, Model};
use crate::entity::track;
use crate::error::CatalogError;
use crate::files;
use crate::query::{one, readable};
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
            ended: parsed_if_set("answered_job.status", row.status.as_deref())?,
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
            status: Set(job.ended.map(|status| status.as_str().to_owned())),
        };
        Entity::insert(row).exec_without_returning(self.db()).await?;
        Ok(())
    }

    /// Records how the jobs of a deleted track ended, before its files are deleted.
    pub(crate) async fn end_answered_jobs(&self, track: TrackId) -> Result<(), CatalogError> {
        let of_track =
            Entity::find().filter(Column::TrackId.eq(track.uuid())).filter(Column::Status.is_null());
        let jobs: Vec<AnsweredJob> = readable(self.db(), of_track).await?;
        if jobs.is_empty() {
            return Ok(());
        }
        let select =
            track::Entity::find_by_id(track.uuid()).select_only().column(track::Column::TrackStatusId);
        let status: Option<String> = select.into_tuple().one(self.db()).await?;
        let Some(status) = status.and_then(|status| status.parse().ok()) else { return Ok(()) };
        let files = files::even_deleted(self.db(), track).await?;
        for job in jobs {
            let ended = JobStatus::of_deleted(status, job.file_among(&files));
            Entity::update_many()
                .col_expr(Column::Status, Expr::value(ended.as_str()))
                .filter(Column::Id.eq(job.id.uuid()))
                .exec(self.db())
                .await?;
        }
        Ok(())
    }
}
