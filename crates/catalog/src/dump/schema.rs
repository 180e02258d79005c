//! Reads which tables a database has.

use std::collections::{BTreeMap, BTreeSet};

use sea_orm::{ConnectionTrait, DbBackend, DbErr, QueryResult, Statement, Value};
use serde::{Deserialize, Serialize};

use super::left_out::is_left_out;
use crate::error::CatalogError;

/// What the cells of a column hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ColumnKind {
    /// A UUID.
    Uuid,
    /// A whole number of up to 64 bits.
    Integer,
    /// A floating-point number of 64 bits.
    Real,
    /// Text.
    Text,
    /// Bytes.
    Bytes,
    /// True or false.
    Boolean,
    /// JSON.
    Json,
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DumpColumn {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub kind: ColumnKind,
}

/// A table, with its columns sorted by name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DumpTable {
    /// Its name.
    pub name: String,
    /// Its columns.
    pub columns: Vec<DumpColumn>,
    /// The columns of its primary key, in their order.
    pub key: Vec<String>,
}

impl ColumnKind {
    fn of_type(name: &str) -> Option<Self> {
        Some(match name.to_ascii_lowercase().as_str() {
            "uuid" | "uuid_text" => Self::Uuid,
            "bigint" | "integer" | "smallint" => Self::Integer,
            "double" | "double precision" => Self::Real,
            "text" | "varchar" | "character varying" => Self::Text,
            "blob" | "bytea" => Self::Bytes,
            "boolean" => Self::Boolean,
            "json" | "jsonb" | "json_text" | "jsonb_text" => Self::Json,
            _ => return None,
        })
    }
}

impl DumpTable {
    /// The position of a column.
    pub(super) fn place(&self, column: &str) -> Option<usize> {
        self.columns.iter().position(|it| it.name == column)
    }

    /// The columns of the primary key with their positions.
    pub(super) fn key_columns(&self) -> impl Iterator<Item = (usize, &DumpColumn)> {
        self.key.iter().filter_map(|name| {
            let place = self.place(name)?;
            Some((place, &self.columns[place]))
        })
    }
}

const SQLITE_TABLES: &str = "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' \
    AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name";
const SQLITE_COLUMNS: &str = "SELECT name, type AS kind FROM pragma_table_info(?) ORDER BY name";
const SQLITE_KEY: &str = "SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk";
const SQLITE_PARENTS: &str = "SELECT DISTINCT \"table\" AS name FROM pragma_foreign_key_list(?)";

const POSTGRES_TABLES: &str = "SELECT CAST(table_name AS text) AS name FROM information_schema.tables \
    WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' ORDER BY 1";
const POSTGRES_COLUMNS: &str = "SELECT CAST(column_name AS text) AS name, CAST(data_type AS text) AS kind \
    FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = $1 ORDER BY 1";
const POSTGRES_KEY: &str = "SELECT CAST(a.attname AS text) AS name FROM pg_index AS i \
    JOIN pg_class AS t ON t.oid = i.indrelid JOIN pg_namespace AS n ON n.oid = t.relnamespace \
    CROSS JOIN LATERAL unnest(i.indkey) WITH ORDINALITY AS k(number, place) \
    JOIN pg_attribute AS a ON a.attrelid = t.oid AND a.attnum = k.number \
    WHERE i.indisprimary AND n.nspname = current_schema() AND t.relname = $1 ORDER BY k.place";
const POSTGRES_PARENTS: &str = "SELECT DISTINCT CAST(p.relname AS text) AS name FROM pg_constraint AS c \
    JOIN pg_class AS t ON t.oid = c.conrelid JOIN pg_namespace AS n ON n.oid = t.relnamespace \
    JOIN pg_class AS p ON p.oid = c.confrelid \
    WHERE c.contype = 'f' AND n.nspname = current_schema() AND t.relname = $1";

/// Queries the database for its tables.
struct Questions<'a, C> {
    db: &'a C,
    is_postgres: bool,
}

impl<C: ConnectionTrait> Questions<'_, C> {
    async fn ask(
        &self,
        sqlite: &str,
        postgres: &str,
        table: Option<&str>,
    ) -> Result<Vec<QueryResult>, DbErr> {
        let sql = if self.is_postgres { postgres } else { sqlite };
        let values: Vec<Value> = table.map(Value::from).into_iter().collect();
        let statement = Statement::from_sql_and_values(self.db.get_database_backend(), sql, values);
        self.db.query_all_raw(statement).await
    }

    async fn names(&self, sqlite: &str, postgres: &str, table: Option<&str>) -> Result<Vec<String>, DbErr> {
        self.ask(sqlite, postgres, table).await?.iter().map(|row| row.try_get("", "name")).collect()
    }

    async fn table(&self, name: String) -> Result<DumpTable, CatalogError> {
        let mut columns = Vec::new();
        for row in self.ask(SQLITE_COLUMNS, POSTGRES_COLUMNS, Some(&name)).await? {
            let (column, kind): (String, String) = (row.try_get("", "name")?, row.try_get("", "kind")?);
            let kind = ColumnKind::of_type(&kind).ok_or_else(|| {
                CatalogError::Corrupt(format!("the column {name}.{column} has the unknown type {kind}"))
            })?;
            columns.push(DumpColumn { name: column, kind });
        }
        // Database servers sort by their own rules.
        columns.sort_by(|one, two| one.name.cmp(&two.name));
        let key = self.names(SQLITE_KEY, POSTGRES_KEY, Some(&name)).await?;
        if key.is_empty() {
            return Err(CatalogError::Corrupt(format!("the table {name} has no primary key")));
        }
        Ok(DumpTable { name, columns, key })
    }
}

/// All tables that a dump contains. Tables come after the tables that they refer to.
pub(super) async fn read<C: ConnectionTrait>(db: &C) -> Result<Vec<DumpTable>, CatalogError> {
    let questions = Questions { db, is_postgres: db.get_database_backend() == DbBackend::Postgres };
    let names = questions.names(SQLITE_TABLES, POSTGRES_TABLES, None).await?;
    let names: BTreeSet<String> = names.into_iter().filter(|name| !is_left_out(name)).collect();
    let mut parents = BTreeMap::new();
    for name in &names {
        let found = questions.names(SQLITE_PARENTS, POSTGRES_PARENTS, Some(name)).await?;
        let of_table = found.into_iter().filter(|parent| parent != name && names.contains(parent));
        parents.insert(name.clone(), of_table.collect::<BTreeSet<String>>());
    }
    let mut tables = Vec::new();
    for name in parents_first(parents)? {
        tables.push(questions.table(name).await?);
    }
    Ok(tables)
}

fn parents_first(mut parents: BTreeMap<String, BTreeSet<String>>) -> Result<Vec<String>, CatalogError> {
    let mut order = Vec::new();
    while !parents.is_empty() {
        let ready = parents.iter().find(|(_, parents)| parents.is_empty()).map(|(name, _)| name.clone());
        let Some(name) = ready else {
            let circle: Vec<&str> = parents.keys().map(String::as_str).collect();
            return Err(CatalogError::Corrupt(format!(
                "these tables refer to each other in a circle: {}",
                circle.join(", ")
            )));
        };
        parents.remove(&name);
        parents.values_mut().for_each(|parents| {
            parents.remove(&name);
        });
        order.push(name);
    }
    Ok(order)
}

/// A name, quoted for a statement.
pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// The placeholder of a parameter. Numbers start at 1.
pub(super) fn parameter(backend: DbBackend, number: usize) -> String {
    match backend {
        DbBackend::Postgres => format!("${number}"),
        _ => "?".to_owned(),
    }
}
