//! The persons who upload from the dashboard, so that the audit log names them.

use sea_orm_migration::prelude::*;

use super::pieces::add;
use super::step::Step;

pub(super) fn step() -> Step {
    Step::expand("m0041_upload_persons").change(Migration)
}

#[derive(DeriveMigrationName)]
struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        // What the version before writes has none: its uploads are those of whoever holds the URL.
        for table in ["upload_session", "source_replacement"] {
            add(manager, table, ColumnDef::new("person_id").uuid().null().take()).await?;
        }
        Ok(())
    }
}
