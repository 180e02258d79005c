//! What is counted while the simulation runs, and whether any work is still in progress.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::purpose::Purpose;
use crate::time::Since;

/// Counts by purpose.
pub(crate) type ByPurpose = BTreeMap<Purpose, u64>;

/// Requests to the store, by kind and folder.
pub(crate) type ByRequest = BTreeMap<String, u64>;

/// Counters. Clones count together.
#[derive(Debug, Clone)]
pub(crate) struct Counts(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    since: Since,
    tables: Mutex<Tables>,
    /// Answers that are waited for, and notices that have not arrived yet.
    under_way: AtomicI64,
    /// Changes whenever there is progress.
    moves: AtomicU64,
}

#[derive(Debug, Default)]
struct Tables {
    statements: ByPurpose,
    per_second: Vec<u64>,
    requests: ByRequest,
    texts: HashMap<(Purpose, String), u64>,
}

/// Counts of one period.
#[derive(Debug, Clone, Default)]
pub(crate) struct Counted {
    pub(crate) statements: ByPurpose,
    pub(crate) requests: ByRequest,
}

impl Counts {
    pub(crate) fn new(since: Since) -> Self {
        let tables = Mutex::default();
        Self(Arc::new(Inner { since, tables, under_way: AtomicI64::new(0), moves: AtomicU64::new(0) }))
    }

    fn tables(&self) -> MutexGuard<'_, Tables> {
        self.0.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a statement that reaches the database.
    pub(crate) fn statement(&self, purpose: Purpose, sql: &str) {
        let second = self.0.since.elapsed().as_secs() as usize;
        let mut tables = self.tables();
        *tables.statements.entry(purpose).or_default() += 1;
        if tables.per_second.len() <= second {
            tables.per_second.resize(second + 1, 0);
        }
        tables.per_second[second] += 1;
        *tables.texts.entry((purpose, sql.to_owned())).or_default() += 1;
    }

    /// Counts a request that reaches the store.
    pub(crate) fn request(&self, kind: &str) {
        *self.tables().requests.entry(kind.to_owned()).or_default() += 1;
    }

    /// Records that a wait begins (1) or ends (-1).
    pub(crate) fn wait(&self, more: i64) {
        self.0.under_way.fetch_add(more, Ordering::AcqRel);
        self.moved();
    }

    pub(crate) fn moved(&self) {
        self.0.moves.fetch_add(1, Ordering::AcqRel);
    }

    pub(crate) fn is_waiting(&self) -> bool {
        self.0.under_way.load(Ordering::Acquire) != 0
    }

    pub(crate) fn moves(&self) -> u64 {
        self.0.moves.load(Ordering::Acquire)
    }

    /// Everything that was counted so far.
    pub(crate) fn so_far(&self) -> Counted {
        let tables = self.tables();
        Counted { statements: tables.statements.clone(), requests: tables.requests.clone() }
    }

    /// The number of statements in each of these seconds.
    pub(crate) fn in_seconds(&self, seconds: std::ops::Range<usize>) -> Vec<u64> {
        let tables = self.tables();
        seconds.map(|second| tables.per_second.get(second).copied().unwrap_or(0)).collect()
    }

    /// How often each statement was run, grouped by purpose, the most frequent first.
    pub(crate) fn texts(&self) -> Vec<(Purpose, String, u64)> {
        let tables = self.tables();
        let mut texts: Vec<_> =
            tables.texts.iter().map(|((purpose, sql), count)| (*purpose, sql.clone(), *count)).collect();
        texts.sort_by(|one, other| (one.0, other.2, &one.1).cmp(&(other.0, one.2, &other.1)));
        texts
    }
}

impl Counted {
    /// The counts since `before`.
    pub(crate) fn after(mut self, before: &Self) -> Self {
        for (purpose, count) in &mut self.statements {
            *count -= before.statements.get(purpose).copied().unwrap_or(0);
        }
        for (kind, count) in &mut self.requests {
            *count -= before.requests.get(kind).copied().unwrap_or(0);
        }
        self
    }
}
