//! What jobs wait for, what they are about, and how often their workers died.

use super::prelude::*;

use super::pieces::{add, index};

pub(super) struct Migration;

#[async_trait]
impl Change for Migration {
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
        // Null for jobs that were queued before.
        add(db, "job", ColumnDef::new("track_id").uuid().null().take()).await?;
        // These two are set if the last run ended in an outage.
        add(db, "job", ColumnDef::new("waits_for").text().null().take()).await?;
        add(db, "job", moment("failing_since")).await?;
        // When a waiting job may first be retried early.
        add(db, "job", moment("probe_at")).await?;
        add(db, "job", count("deaths")).await?;
        add(db, "job", count("deaths_alone")).await?;
        // If the lease expires by this time, the death counts against the job.
        add(db, "job", moment("trial_until")).await?;
        for columns in [["waits_for", "probe_at", "id"], ["waits_for", "run_at", "id"]] {
            let waiting = index("job", &columns).and_where(Expr::col("waits_for").is_not_null()).take();
            db.execute(&waiting).await?;
        }
        let of_track = index("job", &["track_id"]).and_where(Expr::col("waits_for").is_not_null()).take();
        db.execute(&of_track).await?;
        let given_up =
            index("job", &["failed_at", "id"]).and_where(Expr::col("failed_at").is_not_null()).take();
        db.execute(&given_up).await.map(drop)
    }
}

fn moment(name: &'static str) -> ColumnDef {
    ColumnDef::new(name).big_integer().null().take()
}

fn count(name: &'static str) -> ColumnDef {
    ColumnDef::new(name).integer().not_null().default(0).take()
}
