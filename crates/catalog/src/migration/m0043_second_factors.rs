//! Authenticator apps of people, and recovery codes for when an app is lost.

use super::columns::{big_integer, big_integer_null, blob, uuid};
use super::prelude::*;

use super::step::Step;

pub(super) fn step() -> Step {
    Step::expand("m0043_second_factors").change(Migration)
}

struct Migration;

#[async_trait]
impl Change for Migration {
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
        // Until it is replaced, the previous version requires no codes.
        let factor = Table::create()
            .table("second_factor")
            .col(uuid("person_id").primary_key())
            .col(blob("secret"))
            .col(big_integer("created_at"))
            .col(big_integer_null("confirmed_at"))
            .col(big_integer("last_step").default(0))
            .foreign_key(&mut of_person("second_factor"))
            .take();
        db.execute(&factor).await?;
        let code = Table::create()
            .table("recovery_code")
            .col(uuid("person_id"))
            .col(blob("code_hash"))
            .primary_key(Index::create().col("person_id").col("code_hash"))
            .foreign_key(&mut of_person("recovery_code"))
            .take();
        db.execute(&code).await.map(drop)
    }
}

fn of_person(table: &'static str) -> ForeignKeyCreateStatement {
    ForeignKey::create()
        .name(format!("{table}_person"))
        .from(table, "person_id")
        .to("person", "id")
        .on_delete(ForeignKeyAction::Cascade)
        .take()
}
