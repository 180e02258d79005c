//! Reads all tables as of one point in time.

use std::collections::HashSet;

use sea_orm::{ConnectionTrait, DatabaseTransaction, DbBackend, QueryResult, Statement, Value};
use tonearm_domain::{CollectionId, ObjectKey, OrganizationId, StoreId};

use super::schema::{parameter, quoted};
use super::{DumpRow, DumpTable, RowKey, cells, schema};
use crate::catalog::Catalog;
use crate::entity::store;
use crate::error::CatalogError;
use crate::migration;
use crate::named::{
    NamedObject, NamedOwner, NamedTrack, TrackFolder, covered_collections, covered_organizations,
    orders_bytewise, owner_covers_among, tracks_between,
};
use crate::objects::known_among;
use crate::query::one;
use crate::store::StoreRecord;

/// The most rows in a page.
const MOST_ROWS: usize = 200;
/// The most bytes in a page. A single row may have more.
const MOST_BYTES: i64 = 4 * 1024 * 1024;

/// Without this, PostgreSQL would end a transaction that is idle while a file is written.
const PATIENCE: &str =
    "SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL statement_timeout = '10min'";

/// The catalog at one point in time. It holds a connection and should not be kept for long: the space of rows that are
/// deleted in the meantime is not freed until it is dropped.
pub struct Snapshot {
    db: DatabaseTransaction,
    tables: Vec<DumpTable>,
    steps: Vec<String>,
    store: Option<StoreId>,
    is_bytewise: bool,
}

/// A page of a table.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DumpPage {
    /// The rows that can be read.
    pub rows: Vec<DumpRow>,
    /// The rows that cannot.
    pub left_out: Vec<RowKey>,
    /// The last row; `None` if there is no more.
    pub last: Option<RowKey>,
}

impl Catalog {
    /// A snapshot of the catalog as it is now. Others continue to write.
    pub async fn snapshot(&self) -> Result<Snapshot, CatalogError> {
        let db = self.begin_snapshot().await?;
        if db.get_database_backend() == DbBackend::Postgres {
            db.execute_unprepared(PATIENCE).await?;
        }
        // The first read fixes the point in time of the snapshot.
        let steps = migration::applied_steps(&db).await?;
        let tables = schema::read(&db).await?;
        let record: Option<StoreRecord> =
            one(&db, <store::Entity as sea_orm::EntityTrait>::find_by_id(store::ONLY)).await?;
        let is_bytewise = orders_bytewise(&db).await?;
        Ok(Snapshot { db, tables, steps, store: record.map(|record| record.id), is_bytewise })
    }
}

impl Snapshot {
    /// The tables. Tables come after the tables that they refer to.
    pub fn tables(&self) -> &[DumpTable] {
        &self.tables
    }

    /// The migration steps that created the tables, sorted.
    pub fn steps(&self) -> &[String] {
        &self.steps
    }

    /// The identity of the store that the database belongs to.
    pub fn store(&self) -> Option<StoreId> {
        self.store
    }

    /// The next page of a table: rows after the row `after`, in the order of the primary key. A page is limited in rows
    /// and in bytes. Rows that cannot be read are left out of it and named.
    pub async fn page(&self, table: &DumpTable, after: Option<&RowKey>) -> Result<DumpPage, CatalogError> {
        let count = self.rows_of_page(table, after).await?;
        let mut page = DumpPage::default();
        if count == 0 {
            return Ok(page);
        }
        let backend = self.db.get_database_backend();
        let columns: Vec<String> =
            table.columns.iter().map(|column| cells::selected(backend, column)).collect();
        let rows = self.behind(table, after, &columns.join(", "), count).await?;
        for row in &rows {
            match cells::read(row, &table.columns) {
                Ok(row) => page.rows.push(row),
                Err(error) => {
                    let key = RowKey::of_result(table, row)?;
                    tracing::error!(table = table.name, id = key.as_str(), %error, "a row cannot be read");
                    page.left_out.push(key);
                }
            }
        }
        page.last = rows.last().map(|row| RowKey::of_result(table, row)).transpose()?;
        Ok(page)
    }

    /// The number of rows in the next page. Reads only their lengths.
    async fn rows_of_page(&self, table: &DumpTable, after: Option<&RowKey>) -> Result<usize, CatalogError> {
        let width = cells::width(self.db.get_database_backend(), &table.columns);
        let rows = self.behind(table, after, &width, MOST_ROWS).await?;
        let (mut count, mut bytes) = (0, 0_i64);
        for row in &rows {
            bytes = bytes.saturating_add(row.try_get_by_index(0)?);
            if count > 0 && bytes > MOST_BYTES {
                break;
            }
            count += 1;
        }
        Ok(count)
    }

    /// Selects from up to `limit` rows of a table after the row `after`.
    async fn behind(
        &self,
        table: &DumpTable,
        after: Option<&RowKey>,
        selected: &str,
        limit: usize,
    ) -> Result<Vec<QueryResult>, CatalogError> {
        let backend = self.db.get_database_backend();
        let key: Vec<String> = table.key.iter().map(|name| quoted(name)).collect();
        let (key, name) = (key.join(", "), quoted(&table.name));
        let mut values: Vec<Value> = Vec::new();
        let mut behind = String::new();
        if let Some(after) = after {
            values.clone_from(&after.values);
            let parameters: Vec<String> =
                (1..=values.len()).map(|number| parameter(backend, number)).collect();
            behind = format!("WHERE ({key}) > ({})", parameters.join(", "));
        }
        let sql = format!("SELECT {selected} FROM {name} {behind} ORDER BY {key} LIMIT {limit}");
        let statement = Statement::from_sql_and_values(backend, sql, values);
        Ok(self.db.query_all_raw(statement).await?)
    }

    /// As [`Catalog::known_objects`].
    pub async fn known_objects(&self, keys: &[ObjectKey]) -> Result<HashSet<ObjectKey>, CatalogError> {
        known_among(&self.db, keys).await
    }

    /// Returns those of up to 1000 objects that are covers of collections and organizations, with what is recorded
    /// about them.
    pub async fn owner_covers(&self, keys: &[ObjectKey]) -> Result<Vec<NamedObject>, CatalogError> {
        owner_covers_among(&self.db, keys).await
    }

    /// As [`Catalog::covered_collections`].
    pub async fn covered_collections(
        &self,
        after: Option<CollectionId>,
        limit: u64,
    ) -> Result<Vec<NamedOwner>, CatalogError> {
        covered_collections(&self.db, after, limit).await
    }

    /// As [`Catalog::covered_organizations`].
    pub async fn covered_organizations(
        &self,
        after: Option<OrganizationId>,
        limit: u64,
    ) -> Result<Vec<NamedOwner>, CatalogError> {
        covered_organizations(&self.db, after, limit).await
    }

    /// As [`Catalog::tracks_between`].
    pub async fn tracks_between(
        &self,
        after: Option<TrackFolder>,
        until: Option<TrackFolder>,
        limit: u64,
    ) -> Result<Vec<NamedTrack>, CatalogError> {
        tracks_between(&self.db, self.is_bytewise, (after, until), limit).await
    }
}
