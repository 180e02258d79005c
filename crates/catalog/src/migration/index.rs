//! Indexes that are created and dropped without blocking writers.
//!
//! PostgreSQL creates an index concurrently, which takes two passes over the table and waits for transactions that
//! began earlier. An interrupted attempt leaves an invalid index, which costs writes and is never read. SQLite creates
//! an index in one transaction, and other writers wait for it; a million rows take a second or two.

use sea_orm::sea_query::{IndexCreateStatement, PostgresQueryBuilder, SqliteQueryBuilder};
use sea_orm::{ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbBackend, DbErr, Statement};

pub(super) enum NewIndex {
    Statement(Box<IndexCreateStatement>),
    /// Defined by the SQL after `ON`.
    Text {
        name: &'static str,
        postgres: Option<&'static str>,
        sqlite: Option<&'static str>,
    },
}

impl NewIndex {
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Statement(index) => index.get_index_spec().get_name().unwrap_or_default(),
            Self::Text { name, .. } => name,
        }
    }

    /// The statement. `None` if this database gets no such index.
    fn sql(&self, backend: DbBackend, is_concurrent: bool) -> Option<String> {
        match (self, backend) {
            (Self::Statement(index), DbBackend::Postgres) => {
                let mut index = index.as_ref().clone();
                index.if_not_exists();
                if is_concurrent {
                    index.concurrently();
                }
                Some(index.to_string(PostgresQueryBuilder))
            }
            (Self::Statement(index), _) => {
                Some(index.as_ref().clone().if_not_exists().to_string(SqliteQueryBuilder))
            }
            (Self::Text { name, postgres, .. }, DbBackend::Postgres) => {
                let how = if is_concurrent { "CONCURRENTLY " } else { "" };
                postgres.map(|on| format!("CREATE INDEX {how}IF NOT EXISTS {name} ON {on}"))
            }
            (Self::Text { name, sqlite, .. }, _) => {
                sqlite.map(|on| format!("CREATE INDEX IF NOT EXISTS {name} ON {on}"))
            }
        }
    }

    /// Creates the index within a transaction, for tables that no one else uses.
    pub(super) async fn make(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
        match self.sql(db.get_database_backend(), false) {
            Some(sql) => db.execute_unprepared(&sql).await.map(drop),
            None => Ok(()),
        }
    }

    /// Creates the index while others write. Can be repeated.
    pub(super) async fn make_beside_others(&self, db: &DatabaseConnection) -> Result<(), DbErr> {
        let Some(sql) = self.sql(db.get_database_backend(), true) else {
            return Ok(());
        };
        if is_left_over(db, self.name()).await? {
            drop_beside_others(db, self.name()).await?;
        }
        db.execute_unprepared(&sql).await.map(drop)
    }
}

/// Whether an interrupted attempt left an invalid index, which is never read.
async fn is_left_over(db: &DatabaseConnection, name: &str) -> Result<bool, DbErr> {
    if db.get_database_backend() != DbBackend::Postgres {
        return Ok(false);
    }
    let ask = "SELECT 1 FROM pg_index WHERE indexrelid = to_regclass($1) AND NOT indisvalid";
    let ask = Statement::from_sql_and_values(DbBackend::Postgres, ask, [name.into()]);
    Ok(db.query_one_raw(ask).await?.is_some())
}

pub(super) async fn drop_beside_others(db: &DatabaseConnection, name: &str) -> Result<(), DbErr> {
    let how = if db.get_database_backend() == DbBackend::Postgres { "CONCURRENTLY " } else { "" };
    db.execute_unprepared(&format!("DROP INDEX {how}IF EXISTS {name}")).await.map(drop)
}

pub(super) async fn drop_in(db: &DatabaseTransaction, name: &str) -> Result<(), DbErr> {
    db.execute_unprepared(&format!("DROP INDEX IF EXISTS {name}")).await.map(drop)
}
