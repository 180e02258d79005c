//! The table `schema_step`: which steps were applied, the progress of the one that runs, and which versions can use the
//! result.

use super::columns::{big_integer, big_integer_null, integer, text, text_null};
use sea_orm::sea_query::{Expr, ExprTrait, OnConflict, Query, SimpleExpr, Table, UpdateStatement};
use sea_orm::{ConnectionTrait, DbBackend, DbErr, FromQueryResult};

use super::first;
use super::step::{Effect, Step};

pub(super) const TABLE: &str = "schema_step";

#[derive(FromQueryResult)]
pub(super) struct Record {
    pub(super) name: String,
    /// The oldest version that can use the database after this step. None if all can.
    pub(super) oldest_version: Option<String>,
    /// How many parts are done.
    pub(super) parts_done: i32,
    /// Where the next batch of the running part begins.
    pub(super) position: Option<String>,
    /// When it was applied. None while it is being applied.
    pub(super) applied_at: Option<i64>,
}

pub(super) async fn install(db: &impl ConnectionTrait) -> Result<(), DbErr> {
    let mut table = Table::create();
    table
        .table(TABLE)
        .if_not_exists()
        .col(text("name").primary_key())
        .col(text("kind"))
        .col(text_null("oldest_version"))
        .col(integer("parts_done").default(0))
        .col(text_null("position"))
        .col(big_integer("began_at"))
        .col(big_integer_null("applied_at"));
    db.execute(&table).await.map(drop)
}

pub(super) async fn all(db: &impl ConnectionTrait) -> Result<Vec<Record>, DbErr> {
    let select = Query::select()
        .columns(["name", "oldest_version", "parts_done", "position", "applied_at"])
        .from(TABLE)
        .take();
    db.query_all(&select).await?.iter().map(|row| Record::from_query_result(row, "")).collect()
}

/// Records that a step begins, unless that was recorded before. A step that contracts is also recorded among the first
/// steps, to keep out versions that know only those: they refuse a name that they do not know.
pub(super) async fn begin(db: &impl ConnectionTrait, step: &Step) -> Result<(), DbErr> {
    if let Effect::Contract { .. } = step.effect {
        let insert = Query::insert()
            .into_table(first::TABLE)
            .columns(["version", "applied_at"])
            .values_panic([step.name.into(), 0_i64.into()])
            .on_conflict(OnConflict::column("version").do_nothing().to_owned())
            .take();
        db.execute(&insert).await?;
    }
    let (kind, oldest) = match step.effect {
        Effect::Expand => ("expand", None),
        Effect::Contract { oldest } => ("contract", Some(oldest)),
    };
    let insert = Query::insert()
        .into_table(TABLE)
        .columns(["name", "kind", "oldest_version", "began_at"])
        .values_panic([step.name.into(), kind.into(), oldest.into(), now(db.get_database_backend())])
        .on_conflict(OnConflict::column("name").do_nothing().to_owned())
        .take();
    db.execute(&insert).await.map(drop)
}

/// Records that the running part is done.
pub(super) async fn next_part(db: &impl ConnectionTrait, name: &str) -> Result<(), DbErr> {
    let mut update = update(name);
    update.value("parts_done", Expr::col("parts_done").add(1)).value("position", None::<String>);
    db.execute(&update).await.map(drop)
}

/// Records where the next batch begins.
pub(super) async fn note_position(db: &impl ConnectionTrait, name: &str, at: &str) -> Result<(), DbErr> {
    db.execute(update(name).value("position", at)).await.map(drop)
}

/// Records that a step is done.
pub(super) async fn finish(db: &impl ConnectionTrait, name: &str) -> Result<(), DbErr> {
    let now = now(db.get_database_backend());
    db.execute(update(name).value("applied_at", now).value("position", None::<String>)).await.map(drop)
}

fn update(name: &str) -> UpdateStatement {
    Query::update().table(TABLE).and_where(Expr::col("name").eq(name)).take()
}

/// The time by the clock of the database, in milliseconds.
pub(super) fn now(backend: DbBackend) -> SimpleExpr {
    Expr::cust(match backend {
        DbBackend::Postgres => "CAST(EXTRACT(EPOCH FROM statement_timestamp()) * 1000 AS BIGINT)",
        _ => "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)",
    })
}
