//! The progress of processing, and recipes that are rendered for tracks that existed before them.

use super::columns::{big_integer, big_integer_null, json_binary, uuid, uuid_null};
use super::prelude::*;

use super::pieces::{add, index};

pub(super) struct Migration;

#[async_trait]
impl Change for Migration {
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
        // No foreign keys: rows are written while tracks and recipes come and go, and removed with them.
        let progress = Table::create()
            .table("track_progress")
            .col(uuid("track_id").primary_key())
            .col(json_binary("progress"))
            .col(big_integer("updated_at"))
            .take();
        db.execute(&progress).await?;
        let rendering = Table::create()
            .table("rendering")
            .col(uuid("variant_id").primary_key())
            .col(uuid("organization_id"))
            .col(big_integer("total"))
            .col(big_integer("done"))
            .col(big_integer("failed"))
            .col(uuid_null("cursor"))
            .col(big_integer("started_at"))
            .col(big_integer_null("finished_at"))
            .take();
        db.execute(&rendering).await?;
        db.execute(&index("rendering", &["organization_id", "variant_id"])).await?;
        let switch = |name| ColumnDef::new(name).boolean().not_null().default(false).take();
        add(db, "organization", switch("is_early_sound")).await?;
        add(db, "track", switch("is_early")).await?;
        add(db, "track", ColumnDef::new("placeholder_version").text().null().take()).await?;
        let by_placeholder = index("track", &["placeholder_version"])
            .and_where(Expr::col("placeholder_version").is_not_null())
            .take();
        db.execute(&by_placeholder).await?;
        // Finds tracks that are being processed or failed, and tracks that have a file to render from.
        db.execute(&index("track", &["organization_id", "track_status_id", "id"])).await.map(drop)
    }
}
