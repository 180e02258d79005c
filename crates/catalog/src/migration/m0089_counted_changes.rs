//! Counts the changes of all columns whose bytes count, and the attempts of webhook deliveries. Counts all records anew: as
//! long as some changes were not counted, counts were wrong, and could be negative.

use sea_orm::DbBackend;

use super::columns::uuid_null;
use super::m0080_record_counts::{COUNTED, CountedTable, TABLE, add_sums, changing};
use super::pieces::add;
use super::prelude::*;
use super::step::Step;

pub(super) fn step() -> Step {
    Step::expand("m0089_counted_changes").change(Migration)
}

/// Attempts that an earlier version records have no organization, and are not counted.
const ATTEMPTS: CountedTable = changing("webhook_attempt", &["url", "response", "error"]);

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
        add(db, ATTEMPTS.name, uuid_null("organization_id")).await?;
        db.execute_unprepared(&ATTEMPTS.triggers(backend)).await?;
        for table in COUNTED.iter().filter(|table| table.misses_changes()) {
            db.execute_unprepared(&table.change_trigger(backend)).await?;
        }
        db.execute_unprepared(&format!("DELETE FROM {TABLE}")).await?;
        count_again(db).await
    }
}

/// Counts the rows of all tables, which were not counted one by one.
pub(crate) async fn count_again(db: &impl ConnectionTrait) -> Result<(), DbErr> {
    add_sums(db, COUNTED).await?;
    add_sums(db, &[ATTEMPTS]).await
}
