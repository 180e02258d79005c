//! The parts of a step, and which versions can use the database after it.

use sea_orm::sea_query::IndexCreateStatement;
use sea_orm::{DatabaseTransaction, DbErr};

use super::backfill::Backfill;
use super::index::NewIndex;

/// Whether versions from before a step can still use the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    /// They can: what they read and write still exists, and they ignore what is new.
    Expand,
    /// They cannot.
    Contract {
        /// The oldest version that can, such as `1.4.0`.
        oldest: &'static str,
    },
}

/// A step from one form of the tables to the next. Its parts are applied in order, and each is recorded when it is
/// done: an interrupted step continues with the part that was interrupted.
pub(super) struct Step {
    pub(super) name: &'static str,
    pub(super) effect: Effect,
    pub(super) parts: Vec<Part>,
}

pub(super) enum Part {
    /// One transaction, for changes that are fast whatever the size of the tables.
    Change(Box<dyn Change>),
    /// An index, created while others write.
    Index(NewIndex),
    /// An index that is no longer needed, dropped while others write.
    DropIndex(&'static str),
    /// Many short transactions. Others can run between them.
    Batches(Box<dyn InBatches>),
}

/// A change of tables in one transaction, which is fast whatever the size of the tables.
#[async_trait::async_trait]
pub(super) trait Change: Send + Sync {
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr>;
}

/// A change of many rows, a few at a time.
#[async_trait::async_trait]
pub(super) trait InBatches: Send + Sync {
    /// The name of the table, for display.
    fn table(&self) -> &'static str;

    /// Processes the next batch. `position` is the position that the previous batch returned; `None` at first. It may
    /// be repeated from any position, because a batch is rolled back if its transaction fails.
    async fn next(&self, db: &DatabaseTransaction, position: Option<&str>) -> Result<Batch, DbErr>;
}

/// The result of a batch.
pub(super) struct Batch {
    /// How many rows it examined.
    pub(super) rows: u64,
    /// Where the next batch begins. `None` if this was the last.
    pub(super) position: Option<String>,
}

impl Step {
    /// A step after which earlier versions still work.
    pub(super) fn expand(name: &'static str) -> Self {
        Self { name, effect: Effect::Expand, parts: Vec::new() }
    }

    /// A step after which only `oldest` and newer versions can use the database.
    #[allow(dead_code, reason = "for the first step that removes what an earlier version still needs")]
    pub(super) fn contract(name: &'static str, oldest: &'static str) -> Self {
        Self { name, effect: Effect::Contract { oldest }, parts: Vec::new() }
    }

    /// Small changes, in one transaction.
    pub(super) fn change(self, change: impl Change + 'static) -> Self {
        self.part(Part::Change(Box::new(change)))
    }

    /// Creates an index.
    pub(super) fn index(self, index: IndexCreateStatement) -> Self {
        self.part(Part::Index(NewIndex::Statement(Box::new(index))))
    }

    /// Creates an index that the builder cannot express, from the SQL after `CREATE INDEX name ON`, such as
    /// `track (lower(title)) WHERE deleted_at IS NULL`. `None` if a database gets no such index.
    #[allow(dead_code, reason = "for indexes over expressions and of other kinds")]
    pub(super) fn index_on(
        self,
        name: &'static str,
        postgres: Option<&'static str>,
        sqlite: Option<&'static str>,
    ) -> Self {
        self.part(Part::Index(NewIndex::Text { name, postgres, sqlite }))
    }

    /// Removes an index.
    #[allow(dead_code, reason = "for indexes that a better one replaces")]
    pub(super) fn drop_index(self, name: &'static str) -> Self {
        self.part(Part::DropIndex(name))
    }

    /// Runs an update over all rows of a table, in batches by its primary key, which is the UUID `id`. `update`
    /// contains `{batch}` in place of the batch's condition: `UPDATE track SET … WHERE {batch}`. It may process a row
    /// twice.
    pub(super) fn backfill(self, table: &'static str, update: &'static str) -> Self {
        self.batches(Backfill { table, update })
    }

    /// A change of many rows that is not a single update.
    pub(super) fn batches(self, batches: impl InBatches + 'static) -> Self {
        self.part(Part::Batches(Box::new(batches)))
    }

    fn part(mut self, part: Part) -> Self {
        self.parts.push(part);
        self
    }
}
