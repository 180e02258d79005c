//! The next run of each task that runs once for all nodes.

use super::columns::{big_integer, text};
use super::prelude::*;

pub(super) struct Migration;

#[async_trait]
impl Change for Migration {
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
        let mut task = Table::create();
        task.table("scheduled_task").col(text("name").primary_key()).col(big_integer("next_run"));
        db.execute(&task).await.map(drop)
    }
}
