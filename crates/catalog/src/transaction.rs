//! Writing: everything that changes rows happens in a transaction.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use sea_orm::DatabaseTransaction;
use tokio::sync::Notify;

use crate::changes::{Changes, Observers};
use crate::{CatalogError, Change, unit};

/// Those of this process who wait for something to be queued.
#[derive(Clone, Default)]
pub(crate) struct Wakers {
    pub(crate) jobs: Arc<Notify>,
    pub(crate) deliveries: Arc<Notify>,
}

/// A write transaction. Dropped without [`Transaction::commit`], it leaves nothing.
///
/// Reads of a single row lock it until the end of the transaction, so what is decided from it still holds when it
/// is written. On SQLite there is one write transaction at a time: do not begin a second one while holding one.
#[must_use = "a transaction that is dropped is rolled back"]
pub struct Transaction {
    inner: DatabaseTransaction,
    changes: Changes,
    observers: Observers,
    enqueued: AtomicUsize,
    has_deliveries: AtomicBool,
    wakers: Wakers,
}

impl Transaction {
    pub(crate) fn new(inner: DatabaseTransaction, observers: Observers, wakers: Wakers) -> Self {
        Self {
            inner,
            changes: Changes::default(),
            observers,
            enqueued: AtomicUsize::new(0),
            has_deliveries: AtomicBool::new(false),
            wakers,
        }
    }

    pub(crate) fn db(&self) -> &DatabaseTransaction {
        &self.inner
    }

    /// Remembers to tell of a change once others can see it.
    pub(crate) fn note(&self, change: Change) {
        self.changes.note(change);
    }

    /// Remembers to wake workers once what was queued is there to be claimed.
    pub(crate) fn note_enqueued(&self) {
        self.enqueued.fetch_add(1, Ordering::Relaxed);
    }

    /// Remembers to wake the sender of webhooks.
    pub(crate) fn note_delivery(&self) {
        self.has_deliveries.store(true, Ordering::Relaxed);
    }

    /// Makes everything durable, then tells the observers what changed (see [`Catalog::on_commit`]) and wakes as
    /// many in-process workers as jobs were queued.
    ///
    /// Within [`Catalog::as_one`] it is only put aside, to be committed with the whole.
    ///
    /// [`Catalog::on_commit`]: crate::Catalog::on_commit
    /// [`Catalog::as_one`]: crate::Catalog::as_one
    pub async fn commit(self) -> Result<(), CatalogError> {
        match unit::hold(self) {
            Some(transaction) => transaction.commit_now().await,
            None => Ok(()),
        }
    }

    async fn commit_now(mut self) -> Result<(), CatalogError> {
        let committed = self.inner.commit().await;
        // Also after an error: the connection may have broken when the database had already committed.
        self.observers.tell(&self.changes.take());
        committed?;
        for _ in 0..self.enqueued.into_inner() {
            self.wakers.jobs.notify_one();
        }
        if self.has_deliveries.into_inner() {
            self.wakers.deliveries.notify_one();
        }
        Ok(())
    }
}
