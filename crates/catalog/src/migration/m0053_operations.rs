//! Data for operators: the hashes of rendered files, the runs of jobs, and the latest backup. Also the progress of a
//! restore.

use super::columns::{big_integer, integer, text};
use super::prelude::*;

use super::pieces::add;
use super::step::Step;

pub(super) fn step() -> Step {
    Step::expand("m0053_operations").change(Migration)
}

struct Migration;

#[async_trait]
impl Change for Migration {
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
        // Null for files that were rendered before. Contains the version of the object: the previous version replaces
        // the object of a row and leaves the hash unchanged.
        add(db, "track_file", ColumnDef::new("object_sha256").text().null().take()).await?;
        add(db, "node", ColumnDef::new("ended_jobs").text().null().take()).await?;
        let backup = Table::create()
            .table("last_backup")
            // There is one row.
            .col(integer("id").primary_key())
            .col(big_integer("made_at"))
            .col(big_integer("finished_at"))
            .take();
        db.execute(&backup).await?;
        db.execute(&unfinished_restore()).await.map(drop)
    }
}

/// Marks that the rows of a backup were loaded and the store is not linked yet. A restore creates this table itself if
/// the backup is older than this step.
pub(crate) fn unfinished_restore() -> TableCreateStatement {
    Table::create()
        .table("unfinished_restore")
        .if_not_exists()
        // There is one row at most.
        .col(integer("id").primary_key())
        .col(text("backup"))
        .take()
}
