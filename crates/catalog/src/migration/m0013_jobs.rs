//! What jobs wait for, what they are about, and how often they have killed their workers.

use super::prelude::*;

use super::pieces::{add, index};

pub(super) struct Migration;

#[async_trait]
impl Change for Migration {
    async fn apply(&self, schema: &Schema<'_>) -> Result<(), DbErr> {
        // Unknown for jobs that were queued before.
        add(schema, "job", ColumnDef::new("track_id").uuid().null().take()).await?;
        // The two are set while the last run ended in an outage.
        add(schema, "job", ColumnDef::new("waits_for").text().null().take()).await?;
        add(schema, "job", moment("failing_since")).await?;
        // From when on a job that waits may be tried before its time.
        add(schema, "job", moment("probe_at")).await?;
        add(schema, "job", count("deaths")).await?;
        add(schema, "job", count("deaths_alone")).await?;
        // A lease that ends by then ended with a death that counts against the job.
        add(schema, "job", moment("trial_until")).await?;
        for columns in [["waits_for", "probe_at", "id"], ["waits_for", "run_at", "id"]] {
            let waiting = index("job", &columns).and_where(Expr::col("waits_for").is_not_null()).take();
            schema.create_index(waiting).await?;
        }
        let of_track = index("job", &["track_id"]).and_where(Expr::col("waits_for").is_not_null()).take();
        schema.create_index(of_track).await?;
        let given_up =
            index("job", &["failed_at", "id"]).and_where(Expr::col("failed_at").is_not_null()).take();
        schema.create_index(given_up).await
    }
}

fn moment(name: &'static str) -> ColumnDef {
    ColumnDef::new(name).big_integer().null().take()
}

fn count(name: &'static str) -> ColumnDef {
    ColumnDef::new(name).integer().not_null().default(0).take()
}
