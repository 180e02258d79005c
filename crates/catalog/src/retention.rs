//! Deletes expired rows in batches. Each batch is one statement, so its transaction does not block others for long.

use sea_orm::sea_query::{DeleteStatement, Expr, ExprTrait, Query, SimpleExpr, UpdateStatement};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, Iterable, Order, PrimaryKeyToColumn};
use tonearm_domain::{AuditEntryId, Day, DeliveryState, ExpiredRows, JobId, RecordId, SignInId, Timestamp};

use crate::catalog::Catalog;
use crate::due_clock::DueClock;
use crate::entity::{
    answered_job, audit_entry, failed_sign_in, former_file, idempotent_request, invitation, job,
    known_device, listener_sighting, listener_track, node, old_api_key, play_session, sign_in, sign_in_state,
    source_replacement, undo_entry, upload_session, usage_batch, webhook_delivery,
};
use crate::error::CatalogError;

/// Deletes the first `most` rows of a table whose `column` is at most `until`. The condition is checked twice: on
/// PostgreSQL a row may be renewed between its selection and its removal.
fn batch<E: EntityTrait>(column: E::Column, until: impl Into<SimpleExpr>, most: u64) -> DeleteStatement {
    let keys: Vec<_> = E::PrimaryKey::iter().map(PrimaryKeyToColumn::into_column).collect();
    let is_over = Expr::col(column).lte(until.into());
    let oldest = Query::select()
        .columns(keys.iter().copied())
        .from(E::default())
        .and_where(is_over.clone())
        .order_by(column, Order::Asc)
        .limit(most)
        .take();
    let key = match keys.as_slice() {
        [key] => Expr::col(*key),
        keys => Expr::tuple(keys.iter().map(|key| Expr::col(*key))),
    };
    Query::delete().from_table(E::default()).and_where(is_over).and_where(key.in_subquery(oldest)).take()
}

/// The last id that can have been created at a moment or before, plus one: ids begin with their creation time.
fn last_id<T: RecordId>(until: Timestamp) -> T {
    T::from_parts(until.plus_millis(1), [0; 10])
}

fn statement(rows: ExpiredRows, until: Timestamp, most: u64) -> DeleteStatement {
    let (at, day) = (until.unix_millis(), Day::of(until).number());
    match rows {
        ExpiredRows::PlaySessions => batch::<play_session::Entity>(play_session::Column::ExpiresAt, at, most),
        ExpiredRows::UploadSessions => {
            batch::<upload_session::Entity>(upload_session::Column::ExpiresAt, at, most)
        }
        ExpiredRows::KeptAnswers => {
            batch::<idempotent_request::Entity>(idempotent_request::Column::ExpiresAt, at, most)
        }
        ExpiredRows::UnusedSignIns => batch::<sign_in::Entity>(sign_in::Column::SeenAt, at, most),
        ExpiredRows::OldSignIns => {
            batch::<sign_in::Entity>(sign_in::Column::Id, last_id::<SignInId>(until).uuid(), most)
        }
        ExpiredRows::FailedSignIns => {
            batch::<failed_sign_in::Entity>(failed_sign_in::Column::LastAt, at, most)
        }
        ExpiredRows::KnownDevices => batch::<known_device::Entity>(known_device::Column::SeenAt, at, most),
        ExpiredRows::Invitations => batch::<invitation::Entity>(invitation::Column::ExpiresAt, at, most),
        ExpiredRows::UsageBatches => batch::<usage_batch::Entity>(usage_batch::Column::AddedAt, at, most),
        ExpiredRows::FailedJobs => batch::<job::Entity>(job::Column::FailedAt, at, most),
        // Deletes their attempts too.
        ExpiredRows::WebhookDeliveries => {
            batch::<webhook_delivery::Entity>(webhook_delivery::Column::FinishedAt, at, most)
        }
        ExpiredRows::AuditEntries => {
            batch::<audit_entry::Entity>(audit_entry::Column::Id, last_id::<AuditEntryId>(until).uuid(), most)
        }
        ExpiredRows::Replacements => {
            batch::<source_replacement::Entity>(source_replacement::Column::CreatedAt, at, most)
        }
        ExpiredRows::ListenerTracks => {
            batch::<listener_track::Entity>(listener_track::Column::Day, day, most)
        }
        ExpiredRows::ListenerSightings => {
            batch::<listener_sighting::Entity>(listener_sighting::Column::Day, day, most)
        }
        ExpiredRows::OldKeys => batch::<old_api_key::Entity>(old_api_key::Column::ValidUntil, at, most),
        ExpiredRows::UndoEntries => batch::<undo_entry::Entity>(undo_entry::Column::ExpiresAt, at, most),
        ExpiredRows::SignInStates => {
            batch::<sign_in_state::Entity>(sign_in_state::Column::ExpiresAt, at, most)
        }
        ExpiredRows::Nodes => batch::<node::Entity>(node::Column::SeenAt, at, most),
        ExpiredRows::FormerFiles => batch::<former_file::Entity>(former_file::Column::ReplacedAt, at, most),
        ExpiredRows::AnsweredJobs => {
            batch::<answered_job::Entity>(answered_job::Column::Id, last_id::<JobId>(until).uuid(), most)
        }
    }
}

/// Marks as failed the first `most` deliveries that were queued before a moment and are due.
fn give_up(clock: &DueClock, queued_before: Timestamp, now: Timestamp, most: u64) -> UpdateStatement {
    use webhook_delivery::{Column, Entity};
    let is_due = Expr::col(Column::DueAt).lte(clock.now(now));
    let is_pending = Column::State.eq(DeliveryState::Pending.as_str());
    let oldest = Query::select()
        .column(Column::Id)
        .from(Entity)
        .and_where(Expr::col(Column::QueuedAt).lt(queued_before.unix_millis()))
        .and_where(is_due.clone())
        .and_where(is_pending.clone())
        .order_by(Column::QueuedAt, Order::Asc)
        .limit(most)
        .take();
    Query::update()
        .table(Entity)
        .value(Column::State, DeliveryState::Failed.as_str())
        .value(Column::DueAt, None::<i64>)
        .value(Column::LeaseId, None::<uuid::Uuid>)
        .value(Column::FinishedAt, now.unix_millis())
        .and_where(Expr::col(Column::Id).in_subquery(oldest))
        .and_where(is_due)
        .and_where(is_pending)
        .take()
}

impl Catalog {
    /// Deletes the rows of a kind that had expired at `until`, the oldest first, at most `most` of them, in a
    /// transaction of its own. Returns the number of rows. If it is less than `most`, none are left.
    pub async fn delete_expired(
        &self,
        rows: ExpiredRows,
        until: Timestamp,
        most: u64,
    ) -> Result<u64, CatalogError> {
        Ok(self.writer().execute(&statement(rows, until, most)).await?.rows_affected())
    }

    /// Marks as failed the deliveries that were queued before a moment and are still waiting, the oldest first, at most
    /// `most` of them. Returns the number of deliveries. If it is less than `most`, none are left.
    pub async fn give_up_deliveries(
        &self,
        queued_before: Timestamp,
        now: Timestamp,
        most: u64,
    ) -> Result<u64, CatalogError> {
        let update = give_up(self.due_clock(), queued_before, now, most);
        Ok(self.writer().execute(&update).await?.rows_affected())
    }
}
