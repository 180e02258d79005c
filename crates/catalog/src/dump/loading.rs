//! Loading rows into an empty catalog, in one transaction.

use sea_orm::{ConnectionTrait, DatabaseTransaction, DbBackend, Statement, TransactionTrait, Value};
use serde_json::Value as Json;
use tonearm_domain::error_with_causes;

use super::error::RestoreError;
use super::left_out::{FORGOTTEN, is_left_out};
use super::row_key::key_text;
use super::schema::{self, quoted};
use super::triggers::{self, Silenced};
use super::{DumpRow, DumpTable, cells, unfinished};
use crate::error::CatalogError;

/// The most parameters in one statement. Both databases allow more.
const MOST_PARAMETERS: usize = 30_000;
/// The most rows in one statement.
const MOST_ROWS: usize = 200;

/// A transaction that fills the tables. Dropped without [`Loading::commit`], it leaves them empty.
#[must_use = "a transaction that is dropped is rolled back"]
pub struct Loading {
    db: DatabaseTransaction,
    tables: Vec<DumpTable>,
    silenced: Silenced,
}

/// A row of a backup that the database does not accept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedRow {
    /// The values of its primary key, separated by slashes.
    pub key: String,
    /// Why.
    pub reason: String,
}

/// The name of the first table that has rows.
pub(super) async fn first_with_rows(
    db: &DatabaseTransaction,
    tables: &[DumpTable],
) -> Result<Option<String>, CatalogError> {
    for table in tables {
        let sql = format!("SELECT 1 AS one FROM {} LIMIT 1", quoted(&table.name));
        let statement = Statement::from_string(db.get_database_backend(), sql);
        if db.query_one_raw(statement).await?.is_some() {
            return Ok(Some(table.name.clone()));
        }
    }
    Ok(None)
}

impl Loading {
    /// Checks that the tables are empty, and keeps other writers out of them.
    pub(super) async fn begin(db: DatabaseTransaction) -> Result<Self, RestoreError> {
        let tables = schema::read(&db).await?;
        let silenced = triggers::silence(&db, &tables).await.map_err(CatalogError::from)?;
        if let Some(table) = first_with_rows(&db, &tables).await? {
            return Err(RestoreError::NotEmpty { table });
        }
        Ok(Self { db, tables, silenced })
    }

    /// The tables of the database. Tables come after the tables that they refer to.
    pub fn tables(&self) -> &[DumpTable] {
        &self.tables
    }

    /// Checks that a backup has exactly these tables with exactly these columns. It may also have tables that are left
    /// out by now, which are not loaded.
    pub fn require(&self, tables: &[DumpTable]) -> Result<(), RestoreError> {
        let differs = |one: &[DumpTable], two: &[DumpTable]| {
            let mut wanted = one.iter().filter(|table| !is_left_out(&table.name));
            wanted.find(|table| !two.contains(table)).map(|table| table.name.clone())
        };
        match differs(&self.tables, tables).or_else(|| differs(tables, &self.tables)) {
            Some(table) => Err(RestoreError::OtherTables { table }),
            None => Ok(()),
        }
    }

    /// Adds rows to a table.
    pub async fn insert(&self, table: &DumpTable, rows: &[DumpRow]) -> Result<(), CatalogError> {
        insert(&self.db, table, rows).await
    }

    /// Adds rows to a table, without those that the database refuses, which are returned.
    pub async fn insert_accepted(
        &self,
        table: &DumpTable,
        rows: &[DumpRow],
    ) -> Result<Vec<RefusedRow>, CatalogError> {
        if self.refusal(table, rows).await?.is_none() {
            return Ok(Vec::new());
        }
        let mut refused = Vec::new();
        for row in rows {
            if let Some(error) = self.refusal(table, std::slice::from_ref(row)).await? {
                refused.push(RefusedRow { key: key_text(table, row), reason: error_with_causes(&error) });
            }
        }
        Ok(refused)
    }

    /// Adds all rows or, if the database refuses one, none; then, why.
    async fn refusal(
        &self,
        table: &DumpTable,
        rows: &[DumpRow],
    ) -> Result<Option<CatalogError>, CatalogError> {
        let point = self.db.begin().await?;
        let inserted = insert(&point, table, rows).await;
        match inserted {
            Ok(()) => {
                point.commit().await?;
                Ok(None)
            }
            Err(
                error @ (CatalogError::Corrupt(_)
                | CatalogError::Missing(_)
                | CatalogError::Taken(_)
                | CatalogError::Other(_)),
            ) => {
                point.rollback().await?;
                Ok(Some(error))
            }
            Err(error) => Err(error),
        }
    }

    /// Records, in the same transaction as the rows, that they belong to this backup and that the store is not linked
    /// yet.
    pub async fn mark(&self, backup: &str) -> Result<(), CatalogError> {
        Ok(unfinished::write(&self.db, backup).await?)
    }

    /// Commits all rows.
    pub async fn commit(self) -> Result<(), CatalogError> {
        triggers::revive(&self.db, self.silenced).await?;
        Ok(self.db.commit().await?)
    }
}

async fn insert(db: &DatabaseTransaction, table: &DumpTable, rows: &[DumpRow]) -> Result<(), CatalogError> {
    let most = (MOST_PARAMETERS / table.columns.len().max(1)).clamp(1, MOST_ROWS);
    for rows in rows.chunks(most) {
        db.execute_raw(statement(db.get_database_backend(), table, rows)?).await?;
    }
    Ok(())
}

fn statement(backend: DbBackend, table: &DumpTable, rows: &[DumpRow]) -> Result<Statement, CatalogError> {
    let names: Vec<String> = table.columns.iter().map(|column| quoted(&column.name)).collect();
    let mut values: Vec<Value> = Vec::with_capacity(rows.len() * names.len());
    let mut tuples = Vec::with_capacity(rows.len());
    for row in rows {
        if row.len() != table.columns.len() {
            let name = &table.name;
            return Err(CatalogError::Corrupt(format!("the backup has an incomplete row of {name}")));
        }
        let mut tuple = Vec::with_capacity(names.len());
        for (column, cell) in table.columns.iter().zip(row) {
            let is_forgotten = FORGOTTEN.contains(&(table.name.as_str(), column.name.as_str()));
            let cell = if is_forgotten { &Json::Null } else { cell };
            values.push(cells::value(&table.name, column, cell)?);
            tuple.push(cells::inserted(backend, column, values.len()));
        }
        tuples.push(format!("({})", tuple.join(", ")));
    }
    let (name, names, tuples) = (quoted(&table.name), names.join(", "), tuples.join(", "));
    let sql = format!("INSERT INTO {name} ({names}) VALUES {tuples}");
    Ok(Statement::from_sql_and_values(backend, sql, values))
}
