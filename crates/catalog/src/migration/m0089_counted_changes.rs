//! Counts the changes of all columns whose bytes count, and all records anew: as long as some changes were not counted,
//! counts were wrong, and could be negative.

use sea_orm::DbBackend;

use super::m0080_record_counts::{COUNTED, TABLE, count_again};
use super::prelude::*;
use super::step::Step;

pub(super) fn step() -> Step {
    Step::expand("m0089_counted_changes").change(Migration)
}

struct Migration;

#[async_trait]
impl Change for Migration {
    /// On PostgreSQL all who write records wait while they are counted.
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
        let backend = db.get_database_backend();
        if backend == DbBackend::Postgres {
            let tables: Vec<_> = COUNTED.iter().map(|table| table.name).chain([TABLE]).collect();
            let lock = format!("LOCK TABLE {} IN SHARE ROW EXCLUSIVE MODE", tables.join(", "));
            db.execute_unprepared(&lock).await?;
        }
        for table in COUNTED.iter().filter(|table| table.misses_changes()) {
            db.execute_unprepared(&table.change_trigger(backend)).await?;
        }
        db.execute_unprepared(&format!("DELETE FROM {TABLE}")).await?;
        count_again(db).await
    }
}
