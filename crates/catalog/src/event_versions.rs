//! The versions of events: numbers that grow with each event about a record.

use sea_orm::sea_query::{CaseStatement, Expr, ExprTrait, IntoIden, Query};
use sea_orm::{ConnectionTrait, EntityName};
use tonearm_domain::{CollectionId, Timestamp, TrackId, WebhookId};
use uuid::Uuid;

use crate::entity::{collection, track, webhook};
use crate::error::{CatalogError, Record};
use crate::transaction::Transaction;

/// The column of each table of records. Only this module knows it.
const COLUMN: &str = "event_version";

/// A record that events are about.
#[derive(Debug, Clone, Copy)]
pub enum EventRecord {
    /// A track, with its files.
    Track(TrackId),
    /// A collection.
    Collection(CollectionId),
    /// An endpoint, which test events are about.
    Webhook(WebhookId),
}

impl EventRecord {
    /// The id of the record.
    pub fn uuid(self) -> Uuid {
        match self {
            Self::Track(id) => id.uuid(),
            Self::Collection(id) => id.uuid(),
            Self::Webhook(id) => id.uuid(),
        }
    }
}

impl Transaction {
    /// The version of the next event about a record, which is locked until the end of the transaction, so that events
    /// are committed in the order of their versions.
    ///
    /// It is the present time in milliseconds by the clock that decides what is due, or one more than the last version.
    /// So it grows whatever that clock does, and also after a backup of an earlier state was restored.
    pub async fn next_event_version(&self, record: EventRecord, now: Timestamp) -> Result<i64, CatalogError> {
        let (table, missing) = match record {
            EventRecord::Track(_) => (track::Entity.table_name(), Record::Track),
            EventRecord::Collection(_) => (collection::Entity.table_name(), Record::Collection),
            EventRecord::Webhook(_) => (webhook::Entity.table_name(), Record::Webhook),
        };
        let clock = self.due_clock().now(now);
        let next = CaseStatement::new()
            .case(Expr::col(COLUMN).gte(clock.clone()), Expr::col(COLUMN).add(1_i64))
            .finally(clock);
        let count = Query::update()
            .table(table.into_iden())
            .value(COLUMN, next)
            .and_where(Expr::col("id").eq(record.uuid()))
            .returning_col(COLUMN)
            .take();
        match self.db().query_one(&count).await? {
            Some(row) => Ok(row.try_get("", COLUMN)?),
            None => Err(CatalogError::Missing(missing)),
        }
    }
}
