//! Claims the job that runs next.

use sea_orm::sea_query::{
    CaseStatement, CommonTableExpression, Expr, ExprTrait, JoinType, LockBehavior, LockType, Query,
    SelectStatement, SimpleExpr, SubQueryStatement, UnionType, UpdateStatement, WithQuery,
};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, EntityTrait, FromQueryResult, Order, QueryFilter, Set,
};
use tonearm_domain::{ClaimedJob, Job, JobId, JobQueue, LeaseId, OrganizationId, Outage, Timestamp};
use uuid::Uuid;

use super::listing::count;
use crate::catalog::Catalog;
use crate::column::{decoded, moment_if_set, parsed_if_set, trace_context};
use crate::connect_options::Backend;
use crate::entity::job::{ActiveModel, Column, Entity, Model};
use crate::error::CatalogError;

/// How long a job waits if this version knows its kind but cannot read its payload. It waits for another node, or for a
/// newer version on this one.
const UNREADABLE_PAUSE_SECONDS: i64 = 3600;

/// Names within the statement.
const TURN: &str = "turn";
const ORGANIZATION: &str = "organization_id";
const LAP: &str = "lap";
const NEXT: &str = "next";

/// The position of a queue's round robin, in which organizations take turns.
#[derive(Debug, Clone, Copy)]
pub struct RoundRobin<'a> {
    /// The queue.
    pub queue: JobQueue,
    /// The organization that was served last, as returned by [`Job::turn_of`]; `None` at first.
    pub after: Option<OrganizationId>,
    /// The organizations to skip.
    pub except: &'a [OrganizationId],
}

/// The parameters of a claim.
struct Claim<'a> {
    backend: Backend,
    round_robin: RoundRobin<'a>,
    now: SimpleExpr,
    lease: LeaseId,
    leased_until: SimpleExpr,
}

/// Jobs of the queue without a lease. The conditions match those of the index.
pub(super) fn waiting(queue: JobQueue) -> Condition {
    Condition::all()
        .add(Column::Queue.eq(queue.as_str()))
        .add(Column::LeaseId.is_null())
        .add(Column::FailedAt.is_null())
}

/// The next organization with such jobs, found with one index lookup.
pub(super) fn first_organization_behind(waiting: Condition, organization: SimpleExpr) -> SimpleExpr {
    let first = Query::select()
        .column(Column::OrganizationId)
        .from(Entity)
        .cond_where(waiting)
        .and_where(Expr::col(Column::OrganizationId).gt(organization))
        .order_by(Column::OrganizationId, Order::Asc)
        .limit(1)
        .take();
    SimpleExpr::SubQuery(None, Box::new(first.into()))
}

impl Claim<'_> {
    fn waiting(&self) -> Condition {
        waiting(self.round_robin.queue)
    }

    fn after(&self) -> Uuid {
        self.round_robin.after.map_or(Uuid::nil(), OrganizationId::uuid)
    }

    fn first_behind(&self, organization: SimpleExpr) -> SimpleExpr {
        first_organization_behind(self.waiting(), organization)
    }

    /// All organizations with jobs in the queue, once around, from the one whose turn it is. A null organization ends
    /// the first lap. This is a loose index scan: its cost grows with the number of organizations, not with the number
    /// of their jobs.
    fn turns(&self) -> CommonTableExpression {
        let organization = || Expr::col((TURN, ORGANIZATION));
        let lap = || Expr::col((TURN, LAP));
        let mut turns = Query::select()
            .expr_as(self.first_behind(Expr::value(self.after())), ORGANIZATION)
            .expr_as(Expr::value(0), LAP)
            .take();
        let next_lap = CaseStatement::new().case(organization().is_null(), Expr::value(1)).finally(lap());
        let next = Query::select()
            .expr(self.first_behind(organization().if_null(Uuid::nil())))
            .expr(next_lap)
            .from(TURN)
            .and_where(lap().eq(0).or(organization().lte(self.after())))
            .take();
        turns.union(UnionType::All, next);
        CommonTableExpression::new().table_name(TURN).columns([ORGANIZATION, LAP]).query(turns).to_owned()
    }

    /// The job of an organization that has been due the longest, among the kinds that this version knows.
    fn oldest_of_turn(&self) -> SelectStatement {
        Query::select()
            .column(Column::Id)
            .from(Entity)
            .cond_where(self.waiting())
            .and_where(Expr::col((Entity, Column::OrganizationId)).eq(Expr::col((TURN, ORGANIZATION))))
            .and_where(Expr::col(Column::RunAt).lte(self.now.clone()))
            .and_where(Column::Kind.is_in(Job::KINDS))
            .order_by(Column::RunAt, Order::Asc)
            .order_by(Column::Id, Order::Asc)
            .limit(1)
            // Left out on SQLite, which has no other writers during the statement.
            .lock_with_behavior(LockType::Update, LockBehavior::SkipLocked)
            .take()
    }

    /// Whether any job of the queue is due. Without this check, idle workers would visit every organization whose jobs
    /// are not due yet.
    fn has_due(&self) -> SimpleExpr {
        let first = Query::select()
            .column(Column::RunAt)
            .from(Entity)
            .cond_where(self.waiting())
            .order_by(Column::RunAt, Order::Asc)
            .limit(1)
            .take();
        // Not `EXISTS`: PostgreSQL may read all jobs for it when it does not know the time.
        SimpleExpr::SubQuery(None, Box::new(first.into())).lte(self.now.clone())
    }

    /// Selects the job that runs next.
    fn next(&self) -> WithQuery {
        let oldest = self.oldest_of_turn();
        let is_served = Expr::col((TURN, ORGANIZATION))
            .is_not_null()
            .and(
                Expr::col((TURN, ORGANIZATION)).is_not_in(self.round_robin.except.iter().map(|it| it.uuid())),
            )
            .and(self.has_due());
        let next = match self.backend {
            Backend::Postgres => Query::select()
                .column((NEXT, Column::Id))
                .from(TURN)
                .join_lateral(JoinType::InnerJoin, oldest, NEXT, Expr::value(true))
                .and_where(is_served)
                .limit(1)
                .take(),
            Backend::Sqlite => {
                let oldest = SimpleExpr::SubQuery(None, Box::new(oldest.into()));
                let each = Query::select().expr_as(oldest, Column::Id).from(TURN).and_where(is_served).take();
                Query::select()
                    .column(Column::Id)
                    .from_subquery(each, NEXT)
                    .and_where(Expr::col(Column::Id).is_not_null())
                    .limit(1)
                    .take()
            }
        };
        next.with(Query::with().recursive(true).cte(self.turns()).to_owned())
    }

    fn statement(&self) -> UpdateStatement {
        // `= (…)` and not `IN (…)`, which PostgreSQL may evaluate again for every row.
        let next = SimpleExpr::SubQuery(None, Box::new(SubQueryStatement::WithStatement(self.next())));
        Query::update()
            .table(Entity)
            .value(Column::Attempts, Expr::col(Column::Attempts).add(1))
            .value(Column::LeaseId, self.lease.uuid())
            .value(Column::LeasedUntil, self.leased_until.clone())
            .value(Column::UniqueKey, None::<String>)
            .and_where(Expr::col(Column::Id).eq(next))
            .returning_all()
            .take()
    }
}

impl Catalog {
    /// Claims the next job of a queue until `leased_until`: of the next organization with due jobs, the job that has
    /// been due the longest. A claim counts as an attempt, whatever its outcome. Jobs of kinds that this version does
    /// not know are left to others. A job of a known kind that cannot be read waits for an hour and is reported as
    /// [`CatalogError::Corrupt`]; the next call claims another job.
    pub async fn claim_next(
        &self,
        round_robin: RoundRobin<'_>,
        now: Timestamp,
        lease: LeaseId,
        leased_until: Timestamp,
    ) -> Result<Option<ClaimedJob>, CatalogError> {
        let lease_millis = leased_until.unix_millis() - now.unix_millis();
        let clock = self.due_clock();
        // Both ends of the lease use one reading of the clock that decides.
        let now_there = clock.now(now);
        let until_there = now_there.clone().add(lease_millis);
        let claim =
            Claim { backend: self.backend(), round_robin, now: now_there, lease, leased_until: until_there };
        let Some(row) = self.writer().query_one(&claim.statement()).await? else {
            return Ok(None);
        };
        let id = JobId::from_uuid(row.try_get("", "id")?);
        let read = Model::from_query_result(&row, "").map_err(CatalogError::from);
        match read.and_then(|row| claimed(row, lease, leased_until)) {
            Ok(claimed) => Ok(Some(claimed)),
            Err(error) => {
                let run_at = clock.at(now.plus_seconds(UNREADABLE_PAUSE_SECONDS));
                self.leave_unreadable(id, lease, run_at).await?;
                Err(error)
            }
        }
    }

    /// Claims a job of any queue, after releasing the jobs of dead workers. For tools and tests: organizations do not
    /// take turns.
    pub async fn claim_job(
        &self,
        now: Timestamp,
        lease: LeaseId,
        leased_until: Timestamp,
    ) -> Result<Option<ClaimedJob>, CatalogError> {
        self.assign_queues().await?;
        self.release_expired_leases(now, leased_until.unix_millis() - now.unix_millis()).await?;
        for queue in JobQueue::ALL {
            let round_robin = RoundRobin { queue, after: None, except: &[] };
            if let Some(claimed) = self.claim_next(round_robin, now, lease, leased_until).await? {
                return Ok(Some(claimed));
            }
        }
        Ok(None)
    }

    async fn leave_unreadable(
        &self,
        id: JobId,
        lease: LeaseId,
        run_at: SimpleExpr,
    ) -> Result<(), CatalogError> {
        let sentence = "this version of Tonearm cannot run this job; it waits for a node that can";
        let left = ActiveModel {
            last_error: Set(Some(sentence.to_owned())),
            lease_id: Set(None),
            leased_until: Set(None),
            ..Default::default()
        };
        Entity::update_many()
            .set(left)
            .col_expr(Column::RunAt, run_at)
            .filter(Column::Id.eq(id.uuid()))
            .filter(Column::LeaseId.eq(lease.uuid()))
            .exec(self.writer())
            .await?;
        Ok(())
    }
}

/// Converts a row that was just claimed. Its times are moved to the caller's clock.
fn claimed(row: Model, lease: LeaseId, leased_until: Timestamp) -> Result<ClaimedJob, CatalogError> {
    let ahead = row.leased_until.map_or(0, |there| there - leased_until.unix_millis());
    let since = moment_if_set("job.failing_since", row.failing_since)?;
    Ok(ClaimedJob {
        id: JobId::from_uuid(row.id),
        job: decoded::<Job>("job.payload", row.payload)?,
        attempt: count("job.attempts", row.attempts)?,
        failures: count("job.failures", row.failures)?,
        deaths: count("job.deaths", row.deaths)?,
        deaths_alone: count("job.deaths_alone", row.deaths_alone)?,
        failing_since: since.map(|since| since.plus_millis(-ahead)),
        waits_for: parsed_if_set::<Outage>("job.waits_for", row.waits_for.as_deref())?,
        lease,
        leased_until,
        trace: trace_context(row.traceparent.as_deref()),
    })
}
