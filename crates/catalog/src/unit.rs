//! Several transactions as one: what a piece of work commits is held open until the result of the work is known.

use std::mem;
use std::sync::Arc;

use tokio::sync::{Mutex, OwnedMappedMutexGuard, OwnedMutexGuard};

use crate::catalog::Catalog;
use crate::transaction::Transaction;

tokio::task_local! {
    /// The unit that the running task belongs to. A task that is spawned inside does not inherit it.
    static UNIT: Arc<Unit>;
}

/// What a piece of work has committed (see [`Catalog::as_one`]).
#[must_use = "what is dropped is rolled back"]
pub enum Gathered {
    /// It committed nothing.
    Nothing,
    /// Everything that it committed, in a transaction that is still to be committed.
    Open(Box<Transaction>),
    /// It committed something and later dropped another transaction, which rolled back both.
    Lost,
}

struct Unit(Arc<Mutex<State>>);

pub(crate) enum State {
    Nothing,
    /// Committed, as far as the work knows.
    Held(Box<Transaction>),
    /// Held before, and now in use again.
    Lent,
}

impl Catalog {
    /// Runs `work` so that all its transactions, one after another, become a single one, which is returned instead of
    /// being committed. The caller adds what must be committed together with it, then commits or drops it.
    ///
    /// Inside, [`Transaction::commit`] only puts the transaction aside, and [`Catalog::begin`] resumes it. Reads of the
    /// work run in it, too: otherwise the work would hold one connection while it waits for another, and as many of them
    /// as there are connections would wait for each other. Nothing else sees the changes of the work before the whole is
    /// committed. Dropping a transaction rolls back everything. Tasks that the work spawns are not part of it.
    pub async fn as_one<F: Future>(&self, work: F) -> (F::Output, Gathered) {
        let unit = Arc::new(Unit(Arc::new(Mutex::new(State::Nothing))));
        let output = UNIT.scope(Arc::clone(&unit), work).await;
        let state = mem::replace(&mut *unit.0.lock().await, State::Nothing);
        let gathered = match state {
            State::Nothing => Gathered::Nothing,
            State::Held(transaction) => Gathered::Open(transaction),
            State::Lent => Gathered::Lost,
        };
        (output, gathered)
    }

    /// Whether the running task is part of [`Catalog::as_one`].
    pub fn is_as_one(&self) -> bool {
        current().is_some()
    }
}

/// Whether reads of the running task see changes that are not committed (see [`Catalog::as_one`]).
pub fn sees_uncommitted() -> bool {
    // It is locked only while a statement runs in what it holds.
    current().is_some_and(|unit| unit.0.try_lock().map_or(true, |state| matches!(*state, State::Held(_))))
}

fn current() -> Option<Arc<Unit>> {
    UNIT.try_with(Arc::clone).ok()
}

/// Takes the transaction that the running task's unit holds, to continue it.
pub(crate) async fn resume() -> Option<Transaction> {
    let unit = current()?;
    let mut state = unit.0.lock().await;
    match mem::replace(&mut *state, State::Lent) {
        State::Held(transaction) => Some(*transaction),
        other => {
            *state = other;
            None
        }
    }
}

/// The transaction that the running task's unit holds, to run one statement in it.
pub(crate) async fn held() -> Option<OwnedMappedMutexGuard<State, Transaction>> {
    let state = Arc::clone(&current()?.0).lock_owned().await;
    let transaction = OwnedMutexGuard::try_map(state, |state| match state {
        State::Held(transaction) => Some(&mut **transaction),
        State::Nothing | State::Lent => None,
    });
    transaction.ok()
}

/// Puts a transaction aside in the running task's unit. Returns it if there is no unit, or if the unit already holds
/// another one, which can only happen if the work runs two transactions side by side.
pub(crate) async fn hold(transaction: Transaction) -> Option<Transaction> {
    let Some(unit) = current() else { return Some(transaction) };
    let mut state = unit.0.lock().await;
    if matches!(*state, State::Held(_)) {
        return Some(transaction);
    }
    *state = State::Held(Box::new(transaction));
    None
}
