//! Several transactions as one: what a piece of work commits is held open until the result of the work is known.

use std::mem;
use std::sync::{Arc, Mutex, PoisonError};

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

struct Unit(Mutex<State>);

enum State {
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
    /// Inside, [`Transaction::commit`] only puts the transaction aside, and [`Catalog::begin`] resumes it. Nothing sees
    /// the changes of the work before the whole is committed, not even reads of the work itself that are outside of a
    /// transaction. Dropping a transaction rolls back everything. Tasks that the work spawns are not part of it.
    pub async fn as_one<F: Future>(&self, work: F) -> (F::Output, Gathered) {
        let unit = Arc::new(Unit(Mutex::new(State::Nothing)));
        let output = UNIT.scope(Arc::clone(&unit), work).await;
        let gathered = match unit.exchange(State::Nothing) {
            State::Nothing => Gathered::Nothing,
            State::Held(transaction) => Gathered::Open(transaction),
            State::Lent => Gathered::Lost,
        };
        (output, gathered)
    }

    /// Whether the running task is part of [`Catalog::as_one`].
    pub fn is_as_one(&self) -> bool {
        UNIT.try_with(|_| ()).is_ok()
    }
}

impl Unit {
    fn exchange(&self, state: State) -> State {
        mem::replace(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner), state)
    }
}

/// Takes the transaction that the running task's unit holds, to continue it.
pub(crate) fn resume() -> Option<Transaction> {
    UNIT.try_with(|unit| {
        let mut state = unit.0.lock().unwrap_or_else(PoisonError::into_inner);
        match mem::replace(&mut *state, State::Lent) {
            State::Held(transaction) => Some(*transaction),
            other => {
                *state = other;
                None
            }
        }
    })
    .ok()
    .flatten()
}

/// Puts a transaction aside in the running task's unit. Returns it if there is no unit, or if the unit already holds
/// another one, which can only happen if the work runs two transactions side by side.
pub(crate) fn hold(transaction: Transaction) -> Option<Transaction> {
    let mut transaction = Some(transaction);
    // Outside of a unit there is nothing to do.
    let _ = UNIT.try_with(|unit| {
        let mut state = unit.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !matches!(*state, State::Held(_))
            && let Some(transaction) = transaction.take()
        {
            *state = State::Held(Box::new(transaction));
        }
    });
    transaction
}
