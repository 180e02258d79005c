//! How often the manifest of a track was written. A job writes the manifests of existing tracks.

use super::prelude::*;
use uuid::Uuid;

use super::pieces::add;

/// The id of the job. There is one such job per database, so the id need not be random.
const JOB: Uuid = Uuid::from_u128(0x0190_0000_0000_7000_8000_0000_0000_0019);

pub(super) struct Migration;

#[async_trait]
impl Change for Migration {
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
        let generation = ColumnDef::new("manifest_generation").big_integer().not_null().default(0).take();
        add(db, "track", generation).await?;
        let any = Query::select().column("id").from("track").limit(1).take();
        if db.query_one(&any).await?.is_none() {
            return Ok(());
        }
        let job = Query::insert()
            .into_table("job")
            .columns(["id", "kind", "payload", "attempts", "failures", "run_at"])
            .values_panic([
                JOB.into(),
                "publish_manifests".into(),
                serde_json::json!({"kind": "publish_manifests"}).into(),
                0.into(),
                0.into(),
                0_i64.into(),
            ])
            .take();
        db.execute(&job).await.map(drop)
    }
}
