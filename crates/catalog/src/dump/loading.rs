//! Loading rows into an empty catalog, in one transaction.

use sea_orm::{ConnectionTrait, DatabaseTransaction, DbBackend, Statement, Value};
use serde_json::Value as Json;

use super::error::RestoreError;
use super::left_out::{FORGOTTEN, is_left_out};
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
        let most = (MOST_PARAMETERS / table.columns.len().max(1)).clamp(1, MOST_ROWS);
        for rows in rows.chunks(most) {
            let statement = self.statement(table, rows)?;
            self.db.execute_raw(statement).await?;
        }
        Ok(())
    }

    fn statement(&self, table: &DumpTable, rows: &[DumpRow]) -> Result<Statement, CatalogError> {
        let backend: DbBackend = self.db.get_database_backend();
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
