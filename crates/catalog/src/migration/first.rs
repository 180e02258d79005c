//! The first steps, which are recorded in `seaql_migrations`. Versions that know only these steps refuse a database
//! whose table contains a name that they do not know.

use sea_orm::{DatabaseTransaction, DbErr};

use super::columns::{big_integer, string};
use super::prelude::*;
use super::record;

/// The table that records them: a name, and the time of application in seconds.
pub(super) const TABLE: &str = "seaql_migrations";

/// A step that is a single change.
pub(super) struct FirstStep {
    pub(super) name: &'static str,
    change: Box<dyn Change>,
}

/// All first steps, in order.
pub(super) fn first_steps() -> Vec<FirstStep> {
    fn step(name: &'static str, change: impl Change + 'static) -> FirstStep {
        FirstStep { name, change: Box::new(change) }
    }
    vec![
        step("m0001_initial", super::m0001_initial::Migration),
        step("m0002_covers", super::m0002_covers::Migration),
        step("m0003_idempotency", super::m0003_idempotency::Migration),
        step("m0004_usage", super::m0004_usage::Migration),
        step("m0005_signing_keys", super::m0005_signing_keys::Migration),
        step("m0006_processing", super::m0006_processing::Migration),
        step("m0007_events", super::m0007_events::Migration),
        step("m0008_transcription", super::m0008_transcription::Migration),
        step("m0009_people", super::m0009_people::Migration),
        step("m0010_listing", super::m0010_listing::Migration),
        step("m0011_trash", super::m0011_trash::Migration),
        step("m0013_jobs", super::m0013_jobs::Migration),
        step("m0014_selection", super::m0014_selection::Migration),
        step("m0015_words_and_claims", super::m0015_words_and_claims::Migration),
        step("m0016_store_identity", super::m0016_store_identity::Migration),
        step("m0017_sweep", super::m0017_sweep::Migration),
        step("m0018_themes", super::m0018_themes::Migration),
        step("m0019_manifests", super::m0019_manifests::Migration),
    ]
}

/// Creates the table that records the first steps, if it does not exist.
pub(super) async fn install(db: &DatabaseTransaction) -> Result<(), DbErr> {
    let mut table = Table::create();
    table.table(TABLE).if_not_exists().col(string("version").primary_key()).col(big_integer("applied_at"));
    db.execute(&table).await.map(drop)
}

impl FirstStep {
    /// Applies and records the step. The table of records must exist.
    pub(super) async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
        self.change.apply(db).await?;
        let now = record::now(db.get_database_backend()).div(1000);
        let insert = Query::insert()
            .into_table(TABLE)
            .columns(["version", "applied_at"])
            .values_panic([self.name.into(), now])
            .take();
        db.execute(&insert).await.map(drop)
    }
}
