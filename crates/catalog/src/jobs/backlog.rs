//! How many jobs wait in a queue, and for how many organizations.

use sea_orm::sea_query::{CommonTableExpression, Expr, ExprTrait, Query, UnionType};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use tonearm_domain::{JobQueue, OrganizationId};
use uuid::Uuid;

use super::claiming::{first_organization_behind, waiting};

use crate::catalog::Catalog;
use crate::entity::job::{Column, Entity};
use crate::error::CatalogError;

/// Names within the statement.
const TURN: &str = "turn";
const ORGANIZATION: &str = "organization_id";
const COUNT: &str = "organizations";

impl Catalog {
    /// Whether at least `most` jobs of an organization, or of all, wait in a queue, due or not. Reads at most `most`
    /// entries of an index.
    pub async fn has_waiting_jobs(
        &self,
        queue: JobQueue,
        organization: Option<OrganizationId>,
        most: u64,
    ) -> Result<bool, CatalogError> {
        let own = organization.map(|organization| Column::OrganizationId.eq(organization.uuid()));
        let last = Entity::find()
            .select_only()
            .column(Column::RunAt)
            .filter(waiting(queue).add_option(own))
            .order_by_asc(Column::RunAt)
            .offset(most.saturating_sub(1))
            .limit(1);
        Ok(most == 0 || last.into_tuple::<i64>().one(self.reader()).await?.is_some())
    }

    /// The number of organizations that have jobs waiting in a queue. One index lookup for each.
    pub async fn waiting_organizations(&self, queue: JobQueue) -> Result<u64, CatalogError> {
        let organization = || Expr::col((TURN, ORGANIZATION));
        let first = first_organization_behind(waiting(queue), Expr::value(Uuid::nil()));
        let mut turns = Query::select().expr_as(first, ORGANIZATION).take();
        let next = Query::select()
            .expr(first_organization_behind(waiting(queue), organization()))
            .from(TURN)
            .and_where(organization().is_not_null())
            .take();
        turns.union(UnionType::All, next);
        let turns =
            CommonTableExpression::new().table_name(TURN).columns([ORGANIZATION]).query(turns).to_owned();
        let count = Query::select()
            .expr_as(organization().count(), COUNT)
            .from(TURN)
            .take()
            .with(Query::with().recursive(true).cte(turns).to_owned());
        let row = self.reader().query_one(&count).await?;
        let count: Option<i64> = row.map(|row| row.try_get("", COUNT)).transpose()?;
        Ok(count.and_then(|count| u64::try_from(count).ok()).unwrap_or(0))
    }
}
