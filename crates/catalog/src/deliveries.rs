//! Deliveries of events to webhook endpoints: queued in the transaction of the change they report, claimed under a
//! lease, attempted, and kept for a while for inspection.
//!
//! Times are passed by the caller's clock; [`DueClock`] decides what is due and which leases are held. `due_at` is when
//! a delivery may be claimed: the time of its next attempt or, while it is claimed, the end of the lease. Deliveries
//! about the same record are sent one after another, see [`is_next_of_record`].

use sea_orm::sea_query::{Alias, Expr, ExprTrait, LockBehavior, LockType, Query, SimpleExpr};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, Condition, ConnectionTrait, EntityTrait, Iterable, QueryFilter,
    QueryOrder, QuerySelect, Set, UpdateMany,
};
use tonearm_domain::{
    ClaimedDelivery, DeliveryAttempt, DeliveryState, FAILURES_IN_ORDER, LeaseId, MOST_ATTEMPTS_KEPT,
    OrganizationId, Timestamp, WebhookDelivery, WebhookDeliveryId, WebhookId,
};

use crate::catalog::Catalog;
use crate::column::trace_context;
use crate::due_clock::DueClock;
use crate::entity::webhook_attempt;
use crate::entity::webhook_delivery::{ActiveModel, Column, Entity, Model, small};
use crate::error::CatalogError;
use crate::query::{checked, first_readable, one, readable};
use crate::transaction::Transaction;

/// Filters for deliveries. A filter that is `None` matches all.
#[derive(Debug, Clone, Copy, Default)]
pub struct DeliveryFilter {
    /// Only those to this endpoint.
    pub webhook_id: Option<WebhookId>,
    /// Only those in this state.
    pub state: Option<DeliveryState>,
}

/// An update that makes deliveries due now, with no failures, whatever their state was.
fn restarted(clock: &DueClock, now: Timestamp) -> UpdateMany<Entity> {
    let row = ActiveModel {
        state: Set(DeliveryState::Pending.as_str().to_owned()),
        failures: Set(0),
        lease_id: Set(None),
        queued_at: Set(now.unix_millis()),
        finished_at: Set(None),
        ..Default::default()
    };
    Entity::update_many().set(row).col_expr(Column::DueAt, clock.now(now))
}

/// Whether a delivery is held up by none of those that were queued before it about the same record. Versions are
/// assigned under the lock of the record, so no earlier one appears later.
pub(crate) fn is_next_of_record() -> SimpleExpr {
    let earlier = Alias::new("earlier");
    let of = |column| Expr::col((earlier.clone(), column));
    let same = |column| of(column).equals((Entity, column));
    let holding_up = Query::select()
        .expr(Expr::val(1))
        .from_as(Entity, earlier.clone())
        .and_where(same(Column::WebhookId))
        .and_where(same(Column::RecordId))
        .and_where(of(Column::Version).lt(Expr::col((Entity, Column::Version))))
        .and_where(of(Column::FinishedAt).is_null())
        .and_where(of(Column::Failures).lt(small(FAILURES_IN_ORDER)))
        .take();
    Expr::exists(holding_up).not()
}

impl Catalog {
    /// The newest deliveries of an organization that match, older than `before`, at most `limit`.
    pub async fn deliveries(
        &self,
        organization: OrganizationId,
        filter: DeliveryFilter,
        before: Option<WebhookDeliveryId>,
        limit: u64,
    ) -> Result<Vec<WebhookDelivery>, CatalogError> {
        let own = Column::OrganizationId.eq(organization.uuid());
        let matching = Condition::all()
            // One endpoint has few of the organization's deliveries, so the index on endpoints is used.
            .add(if filter.webhook_id.is_some() { checked(own) } else { own })
            .add_option(filter.webhook_id.map(|id| Column::WebhookId.eq(id.uuid())))
            // A literal and not a parameter, since the plan depends on it: few deliveries have failed, and most have
            // succeeded.
            .add_option(
                filter
                    .state
                    .map(|state| Expr::col(Column::State).eq(Expr::cust(format!("'{}'", state.as_str())))),
            )
            .add_option(before.map(|before| Column::Id.lt(before.uuid())));
        let select = Entity::find().filter(matching).order_by_desc(Column::Id);
        first_readable(self.reader(), select, limit).await
    }

    /// One delivery of an organization.
    pub async fn delivery(
        &self,
        organization: OrganizationId,
        id: WebhookDeliveryId,
    ) -> Result<Option<WebhookDelivery>, CatalogError> {
        let own = Column::OrganizationId.eq(organization.uuid());
        one(self.reader(), Entity::find_by_id(id.uuid()).filter(own)).await
    }

    /// The attempts of a delivery, the first one first.
    pub async fn delivery_attempts(
        &self,
        id: WebhookDeliveryId,
    ) -> Result<Vec<DeliveryAttempt>, CatalogError> {
        let select = webhook_attempt::Entity::find()
            .filter(webhook_attempt::Column::DeliveryId.eq(id.uuid()))
            .order_by_asc(webhook_attempt::Column::Number);
        readable(self.reader(), select).await
    }

    /// Claims up to `most` deliveries to one endpoint until `leased_until`, those due for longest first, and at most one
    /// about each record. This counts as an attempt of each.
    pub async fn claim_deliveries(
        &self,
        webhook: WebhookId,
        now: Timestamp,
        lease: LeaseId,
        leased_until: Timestamp,
        most: u64,
    ) -> Result<Vec<ClaimedDelivery>, CatalogError> {
        let tx = self.begin().await?;
        let rows: Vec<Model> = Entity::find()
            .filter(Column::WebhookId.eq(webhook.uuid()))
            .filter(Expr::col(Column::DueAt).lte(tx.due_clock().now(now)))
            .filter(is_next_of_record())
            .order_by_asc(Column::DueAt)
            .order_by_asc(Column::Id)
            .limit(most)
            // Omitted on SQLite, which has one write transaction at a time.
            .lock_with_behavior(LockType::Update, LockBehavior::SkipLocked)
            .all(tx.db())
            .await?;
        let lease_millis = leased_until.unix_millis() - now.unix_millis();
        let lease_end = tx.due_clock().now(now).add(lease_millis);
        Entity::update_many()
            .col_expr(Column::LeaseId, Expr::value(lease.uuid()))
            .col_expr(Column::DueAt, lease_end)
            .col_expr(Column::Attempts, Expr::col(Column::Attempts).add(1))
            .filter(Column::Id.is_in(rows.iter().map(|row| row.id)))
            .exec(tx.db())
            .await?;
        tx.commit().await?;
        let claimed = rows.into_iter().map(|row| {
            let trace = trace_context(row.traceparent.as_deref());
            let mut delivery = WebhookDelivery::try_from(row)?;
            delivery.attempts += 1;
            Ok(ClaimedDelivery { delivery, lease, trace })
        });
        claimed.collect()
    }
}

fn lease_is_held(claimed: &ClaimedDelivery) -> Condition {
    Condition::all()
        .add(Column::Id.eq(claimed.delivery.id.uuid()))
        .add(Column::LeaseId.eq(claimed.lease.uuid()))
}

impl Transaction {
    /// Queues an event for an endpoint. Its delivery continues the current trace.
    pub async fn queue_delivery(&self, delivery: &WebhookDelivery) -> Result<(), CatalogError> {
        let traceparent = tonearm_telemetry::current_trace().map(|trace| trace.to_string());
        let row = ActiveModel { traceparent: Set(traceparent), ..ActiveModel::from(delivery) };
        let value = |column: Column| match (column, delivery.due_at) {
            (Column::DueAt, Some(due_at)) => self.due_clock().at(due_at),
            _ => row.get(column).into_value().map_or(Expr::value(None::<i64>), Expr::value),
        };
        let insert = Query::insert()
            .into_table(Entity)
            .columns(Column::iter())
            .values_panic(Column::iter().map(value))
            .take();
        self.db().execute(&insert).await?;
        self.note_delivery();
        Ok(())
    }

    /// Records an attempt and the resulting delivery: `state`, `failures`, `due_at` and `finished_at`. Of the attempts, the
    /// last are kept.
    /// `false`: the lease was lost or the endpoint removed, and nothing was recorded.
    pub async fn record_attempt(
        &self,
        claimed: &ClaimedDelivery,
        attempt: &DeliveryAttempt,
    ) -> Result<bool, CatalogError> {
        let delivery = &claimed.delivery;
        let row = ActiveModel {
            state: Set(delivery.state.as_str().to_owned()),
            failures: Set(small(delivery.failures)),
            lease_id: Set(None),
            finished_at: Set(delivery.finished_at.map(|at| at.unix_millis())),
            ..Default::default()
        };
        let due_at = delivery.due_at.map_or(Expr::value(None::<i64>), |at| self.due_clock().at(at));
        let changed = Entity::update_many()
            .set(row)
            .col_expr(Column::DueAt, due_at)
            .filter(lease_is_held(claimed))
            .exec(self.db())
            .await?;
        if changed.rows_affected == 0 {
            return Ok(false);
        }
        if delivery.due_at.is_some_and(|due_at| self.due_clock().is_soon(due_at)) {
            self.note_delivery();
        }
        let row = webhook_attempt::ActiveModel {
            organization_id: Set(Some(delivery.organization_id.uuid())),
            ..webhook_attempt::ActiveModel::from(attempt)
        };
        webhook_attempt::Entity::insert(row).exec_without_returning(self.db()).await?;
        if let Some(last_gone) = attempt.number.checked_sub(MOST_ATTEMPTS_KEPT).filter(|number| *number > 0) {
            webhook_attempt::Entity::delete_many()
                .filter(webhook_attempt::Column::DeliveryId.eq(delivery.id.uuid()))
                .filter(webhook_attempt::Column::Number.lte(small(last_gone)))
                .exec(self.db())
                .await?;
        }
        Ok(true)
    }

    /// Queues a delivery of an organization again. `false`: it does not exist, or it is being sent right now.
    pub async fn replay_delivery(
        &self,
        organization: OrganizationId,
        id: WebhookDeliveryId,
        now: Timestamp,
    ) -> Result<bool, CatalogError> {
        let is_due = Expr::col(Column::DueAt).lte(self.due_clock().now(now));
        let at_rest = Condition::any().add(Column::LeaseId.is_null()).add(is_due);
        let changed = restarted(self.due_clock(), now)
            .filter(Column::Id.eq(id.uuid()))
            .filter(Column::OrganizationId.eq(organization.uuid()))
            .filter(at_rest)
            .exec(self.db())
            .await?;
        self.note_delivery();
        Ok(changed.rows_affected > 0)
    }

    /// Queues the failed deliveries of an endpoint again. Returns their number.
    pub async fn replay_failed(&self, webhook: WebhookId, now: Timestamp) -> Result<u64, CatalogError> {
        let changed = restarted(self.due_clock(), now)
            .filter(Column::WebhookId.eq(webhook.uuid()))
            .filter(Column::State.eq(DeliveryState::Failed.as_str()))
            .exec(self.db())
            .await?;
        self.note_delivery();
        Ok(changed.rows_affected)
    }
}
