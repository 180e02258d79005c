//! What a step is made of, and who can use the database after it.

use sea_orm::sea_query::IndexCreateStatement;
use sea_orm::{DatabaseTransaction, DbErr};

use super::backfill::Backfill;
use super::index::NewIndex;

/// Whether versions from before a step can still use the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    /// They can: what they read and write is still there, and what is new they leave alone.
    Expand,
    /// They cannot.
    Contract {
        /// The oldest version that can, such as `1.4.0`.
        oldest: &'static str,
    },
}

/// A step from one form of the tables to the next. Its parts are applied in their order, and each is recorded when it is
/// done: a step that is interrupted goes on with the part that it was at.
pub(super) struct Step {
    pub(super) name: &'static str,
    pub(super) effect: Effect,
    pub(super) parts: Vec<Part>,
}

pub(super) enum Part {
    /// A transaction of its own. For what takes a moment, whatever the size of the tables.
    Change(Box<dyn Change>),
    /// An index, made while others write.
    Index(NewIndex),
    /// An index that is no longer needed, removed while others write.
    DropIndex(&'static str),
    /// Many short transactions, with others' between them.
    Batches(Box<dyn InBatches>),
}

/// A change of tables in one transaction, which takes a moment whatever the size of the tables.
#[async_trait::async_trait]
pub(super) trait Change: Send + Sync {
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr>;
}

/// A change of many rows, a few at a time.
#[async_trait::async_trait]
pub(super) trait InBatches: Send + Sync {
    /// The table, for people.
    fn table(&self) -> &'static str;

    /// Does the next batch. `position` is what the batch before gave; `None` at first. It may be repeated from any position,
    /// as a batch is rolled back where its transaction fails.
    async fn next(&self, db: &DatabaseTransaction, position: Option<&str>) -> Result<Batch, DbErr>;
}

/// What a batch did.
pub(super) struct Batch {
    /// How many rows it looked at.
    pub(super) rows: u64,
    /// Where the next one begins; `None` where this was the last.
    pub(super) position: Option<String>,
}

impl Step {
    /// A step after which versions from before it go on.
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

    /// An index.
    pub(super) fn index(self, index: IndexCreateStatement) -> Self {
        self.part(Part::Index(NewIndex::Statement(Box::new(index))))
    }

    /// An index that the builder cannot express, by what follows `CREATE INDEX name ON`, such as
    /// `track (lower(title)) WHERE deleted_at IS NULL`; `None` where a database gets none.
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

    /// Runs an update over all rows of a table, in batches by its primary key, which is the UUID `id`. `update` holds
    /// `{batch}` where the condition of the batch goes: `UPDATE track SET … WHERE {batch}`. It may meet a row twice.
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
