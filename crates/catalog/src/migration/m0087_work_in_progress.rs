//! What imports and transcriptions that wait have achieved: how long a source was fetched, for which job a transcription
//! waits, and the pieces of it that arrived. Also removes URLs of webhooks and providers from the audit log.

use super::prelude::*;

use sea_orm::{DatabaseTransaction, Order};
use tonearm_domain::AuditAction;
use uuid::Uuid;

use super::backfill::{BATCH, key};
use super::pieces::add;
use super::step::{Batch, InBatches, Step};

pub(super) fn step() -> Step {
    // What the previous version writes to the audit log meanwhile stays as it is.
    Step::expand("m0087_work_in_progress").change(Migration).batches(AuditedUrls)
}

struct Migration;

#[async_trait]
impl Change for Migration {
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
        let spent = ColumnDef::new("spent_millis").big_integer().not_null().default(0).take();
        add(db, "source_import", spent).await?;
        // Null in rows that the previous version writes: any job may end the transcription.
        add(db, "transcription", ColumnDef::new("job_id").uuid().null().take()).await?;
        // JSON.
        add(db, "transcription", ColumnDef::new("pieces").text().null().take()).await
    }
}

struct AuditedUrls;

/// The actions whose title was a URL.
const ACTIONS: [AuditAction; 7] = [
    AuditAction::WebhookSet,
    AuditAction::WebhookRemove,
    AuditAction::WebhookRotate,
    AuditAction::WebhookReveal,
    AuditAction::WebhookTest,
    AuditAction::WebhookReplay,
    AuditAction::TranscriptionTest,
];

/// The host of a URL, with its port.
fn host(url: &str) -> Option<&str> {
    let (_, rest) = url.split_once("://")?;
    rest.split(['/', '?', '#']).next()
}

#[async_trait]
impl InBatches for AuditedUrls {
    fn table(&self) -> &'static str {
        "audit_entry"
    }

    async fn next(&self, db: &DatabaseTransaction, position: Option<&str>) -> Result<Batch, DbErr> {
        let select = Query::select()
            .columns(["id", "title"])
            .from("audit_entry")
            .and_where(Expr::col("id").gt(key(position)?))
            .and_where(Expr::col("action").is_in(ACTIONS.map(AuditAction::as_str)))
            .and_where(Expr::col("title").is_not_null())
            .order_by("id", Order::Asc)
            .limit(BATCH)
            .take();
        let rows = db.query_all(&select).await?;
        let mut last = None;
        for row in &rows {
            let (id, title): (Uuid, String) = (row.try_get("", "id")?, row.try_get("", "title")?);
            last = Some(id);
            if let Some(host) = host(&title) {
                let update = Query::update()
                    .table("audit_entry")
                    .value("title", host)
                    .and_where(Expr::col("id").eq(id))
                    .take();
                db.execute(&update).await?;
            }
        }
        let count = rows.len() as u64;
        let position = last.filter(|_| count == BATCH).map(|last| last.to_string());
        Ok(Batch { rows: count, position })
    }
}
