//! Until when deleted tracks and collections can be restored.

use super::prelude::*;

use super::pieces::add;

pub(super) struct Migration;

#[async_trait]
impl Change for Migration {
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
        for table in ["track", "collection"] {
            add(db, table, moment("restorable_until")).await?;
        }
        // Set only for tracks that were deleted individually: tracks that were deleted with their collection are not
        // listed.
        add(db, "track", moment("trashed_at")).await?;
        for (table, column) in [("track", "trashed_at"), ("collection", "restorable_until")] {
            let index = Index::create()
                .name(format!("{table}_by_organization_id_{column}_id"))
                .table(table)
                .col("organization_id")
                .col(column)
                .col("id")
                .and_where(Expr::col(column).is_not_null())
                .take();
            db.execute(&index).await?;
        }
        Ok(())
    }
}

fn moment(name: &'static str) -> ColumnDef {
    ColumnDef::new(name).big_integer().null().take()
}
