//! Disables triggers while rows are loaded: they maintain counters, which a dump already contains.

use sea_orm::{ConnectionTrait, DbBackend, DbErr, Statement};

use super::DumpTable;
use super::schema::quoted;
use crate::migration::{RECORD_COUNT, count_again, has_table};

/// The statements to run after all rows are loaded.
pub(super) struct Silenced(Vec<String>);

const SQLITE_TRIGGERS: &str = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' ORDER BY name";
const SQLITE_SEARCHES: &str =
    "SELECT name FROM sqlite_master WHERE type = 'table' AND lower(sql) LIKE 'create virtual table%fts5%'";
const POSTGRES_SEQUENCES: &str = "SELECT CAST(table_name AS text) AS name, CAST(column_name AS text) AS column_name \
    FROM information_schema.columns WHERE table_schema = current_schema() \
    AND (is_identity = 'YES' OR column_default LIKE 'nextval(%')";

/// Disables the triggers of all tables, within the transaction.
pub(super) async fn silence<C: ConnectionTrait>(db: &C, tables: &[DumpTable]) -> Result<Silenced, DbErr> {
    match db.get_database_backend() {
        DbBackend::Postgres => silence_postgres(db, tables).await,
        _ => silence_sqlite(db).await,
    }
}

/// Enables the triggers again, and brings up to date what they would have maintained.
pub(super) async fn revive<C: ConnectionTrait>(db: &C, silenced: Silenced) -> Result<(), DbErr> {
    for statement in silenced.0 {
        db.execute_unprepared(&statement).await?;
    }
    // A backup of an earlier version is counted when its tables are brought up to date.
    if has_table(db, RECORD_COUNT).await? { count_again(db).await } else { Ok(()) }
}

/// SQLite cannot disable triggers, so they are dropped and created again. Search indexes are rebuilt from their tables.
async fn silence_sqlite<C: ConnectionTrait>(db: &C) -> Result<Silenced, DbErr> {
    let mut after = Vec::new();
    for row in db.query_all_raw(Statement::from_string(DbBackend::Sqlite, SQLITE_TRIGGERS)).await? {
        let (name, sql): (String, String) = (row.try_get("", "name")?, row.try_get("", "sql")?);
        db.execute_unprepared(&format!("DROP TRIGGER {}", quoted(&name))).await?;
        after.push(sql);
    }
    for row in db.query_all_raw(Statement::from_string(DbBackend::Sqlite, SQLITE_SEARCHES)).await? {
        let name = quoted(&row.try_get::<String>("", "name")?);
        after.push(format!("INSERT INTO {name} ({name}) VALUES ('rebuild')"));
    }
    Ok(Silenced(after))
}

/// Foreign keys are still checked. Sequences continue after the highest number.
async fn silence_postgres<C: ConnectionTrait>(db: &C, tables: &[DumpTable]) -> Result<Silenced, DbErr> {
    let mut after = Vec::new();
    for table in tables {
        let name = quoted(&table.name);
        db.execute_unprepared(&format!("ALTER TABLE {name} DISABLE TRIGGER USER")).await?;
        after.push(format!("ALTER TABLE {name} ENABLE TRIGGER USER"));
    }
    for row in db.query_all_raw(Statement::from_string(DbBackend::Postgres, POSTGRES_SEQUENCES)).await? {
        let (table, column): (String, String) = (row.try_get("", "name")?, row.try_get("", "column_name")?);
        let (name, number) = (quoted(&table), quoted(&column));
        after.push(format!(
            "SELECT setval(pg_get_serial_sequence('{}', '{}'), coalesce(max({number}), 0) + 1, false) FROM {name}",
            name.replace('\'', "''"),
            column.replace('\'', "''"),
        ));
    }
    Ok(Silenced(after))
}
