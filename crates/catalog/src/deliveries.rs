//! Events on their way to endpoints: queued in the transaction of what they tell, claimed under a lease, tried,
//! and kept for a while to be looked at.
//!
//! Moments are passed by the caller's clock; what is due and what is held is decided by [`DueClock`].
//! `due_at` is when a delivery may be claimed: its next attempt, or, while somebody holds it, the end of the lease.

use sea_orm::sea_query::{Expr, ExprTrait, LockBehavior, LockType, Query};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, Condition, ConnectionTrait, EntityTrait, Iterable, QueryFilter,
    QueryOrder, QuerySelect, Set, UpdateMany,
};
use tonearm_domain::{
    ClaimedDelivery, DeliveryAttempt, DeliveryState, LeaseId, OrganizationId, Timestamp, WebhookDelivery,
    WebhookDeliveryId, WebhookId,
};

use crate::catalog::Catalog;
use crate::column::trace_context;
use crate::due_clock::DueClock;
use crate::entity::webhook_attempt;
use crate::entity::webhook_delivery::{ActiveModel, Column, Entity, Model, small};
use crate::error::CatalogError;
use crate::query::{all, checked, one};
use crate::transaction::Transaction;

/// Which deliveries; what is not set does not narrow.
#[derive(Debug, Clone, Copy, Default)]
pub struct DeliveryFilter {
    /// Only those to this endpoint.
    pub webhook_id: Option<WebhookId>,
    /// Only those in this state.
    pub state: Option<DeliveryState>,
}

/// Due again from the start, whatever it was before.
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
            // An endpoint has few deliveries beside those of all endpoints, so it is what they are found by.
            .add(if filter.webhook_id.is_some() { checked(own) } else { own })
            .add_option(filter.webhook_id.map(|id| Column::WebhookId.eq(id.uuid())))
            // Written into the statement, as plans depend on it: few deliveries have failed, and most have arrived.
            .add_option(
                filter
                    .state
                    .map(|state| Expr::col(Column::State).eq(Expr::cust(format!("'{}'", state.as_str())))),
            )
            .add_option(before.map(|before| Column::Id.lt(before.uuid())));
        let select = Entity::find().filter(matching).order_by_desc(Column::Id).limit(limit);
        all(self.reader(), select).await
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

    /// What was tried for a delivery, the first attempt first.
    pub async fn delivery_attempts(
        &self,
        id: WebhookDeliveryId,
    ) -> Result<Vec<DeliveryAttempt>, CatalogError> {
        let select = webhook_attempt::Entity::find()
            .filter(webhook_attempt::Column::DeliveryId.eq(id.uuid()))
            .order_by_asc(webhook_attempt::Column::Number);
        all(self.reader(), select).await
    }

    /// Claims up to `most` deliveries to one endpoint, those due for longest first, until `leased_until`. This
    /// counts as an attempt of each.
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
            .order_by_asc(Column::DueAt)
            .order_by_asc(Column::Id)
            .limit(most)
            // Left out on SQLite, where nobody else writes during the transaction.
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
    /// Queues an event for an endpoint. Its delivery goes on with the trace of what runs now.
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

    /// Records an attempt, and the delivery as it is after it: `state`, `failures`, `due_at` and `finished_at`.
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
        webhook_attempt::Entity::insert(webhook_attempt::ActiveModel::from(attempt))
            .exec_without_returning(self.db())
            .await?;
        Ok(true)
    }

    /// Queues a delivery of an organization once more. `false`: there is none, or it is being sent at this moment.
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

    /// Queues once more what has failed for an endpoint. Gives how many there were.
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
