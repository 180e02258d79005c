//! What steps change tables with.

use sea_orm::sea_query::{IndexCreateStatement, TableAlterStatement, TableCreateStatement};
use sea_orm::{ConnectionTrait, DatabaseTransaction, DbBackend, DbErr, Statement};

/// A change of tables in one transaction, which takes a moment whatever the size of the tables.
#[async_trait::async_trait]
pub(super) trait Change: Send + Sync {
    async fn apply(&self, schema: &Schema<'_>) -> Result<(), DbErr>;
}

/// The tables as the transaction of a change sees them.
pub(super) struct Schema<'a> {
    db: &'a DatabaseTransaction,
}

impl<'a> Schema<'a> {
    pub(super) fn new(db: &'a DatabaseTransaction) -> Self {
        Self { db }
    }

    pub(super) fn transaction(&self) -> &'a DatabaseTransaction {
        self.db
    }

    pub(super) fn backend(&self) -> DbBackend {
        self.db.get_database_backend()
    }

    pub(super) async fn create_table(&self, table: TableCreateStatement) -> Result<(), DbErr> {
        self.db.execute(&table).await.map(drop)
    }

    pub(super) async fn alter_table(&self, table: TableAlterStatement) -> Result<(), DbErr> {
        self.db.execute(&table).await.map(drop)
    }

    pub(super) async fn create_index(&self, index: IndexCreateStatement) -> Result<(), DbErr> {
        self.db.execute(&index).await.map(drop)
    }
}

/// Whether a table is there; on PostgreSQL, in the schema in which new tables are created.
pub(crate) async fn has_table(db: &impl ConnectionTrait, name: &str) -> Result<bool, DbErr> {
    let backend = db.get_database_backend();
    let select = match backend {
        DbBackend::Postgres => {
            "SELECT 1 FROM pg_tables WHERE schemaname = current_schema() AND tablename = $1"
        }
        _ => "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = $1",
    };
    let select = Statement::from_sql_and_values(backend, select, [name.into()]);
    Ok(db.query_one_raw(select).await?.is_some())
}
