//! Several transactions as one: what a piece of work commits is held open until it is known how the work ended.

use std::mem;
use std::sync::{Arc, Mutex, PoisonError};

use crate::catalog::Catalog;
use crate::transaction::Transaction;

tokio::task_local! {
    /// The unit that the running task belongs to. A task that is spawned inside does not inherit it.
    static UNIT: Arc<Unit>;
}

/// What a piece of work left behind (see [`Catalog::as_one`]).
#[must_use = "what is dropped is rolled back"]
pub enum Gathered {
    /// It committed nothing.
    Nothing,
    /// Everything that it committed, still to be committed in fact.
    Open(Box<Transaction>),
    /// It committed something and later gave up another transaction, which rolled back both.
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
    /// Runs `work` so that all its transactions, one after another, are a single one, which is handed over instead of being
    /// committed. The caller adds what has to be durable together with it, then commits or drops it.
    ///
    /// Inside, [`Transaction::commit`] only puts the transaction aside, and [`Catalog::begin`] takes it up again: nobody
    /// else sees what the work did before the whole is committed, not even reads of the work itself that are not part
    /// of a transaction. A transaction that is dropped takes everything with it. Tasks that the work spawns are not part
    /// of it.
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

    /// Whether the running task is work that [`Catalog::as_one`] holds together.
    pub fn is_as_one(&self) -> bool {
        UNIT.try_with(|_| ()).is_ok()
    }
}

impl Unit {
    fn exchange(&self, state: State) -> State {
        mem::replace(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner), state)
    }
}

/// The transaction that the running task's unit holds, for more to be done in it.
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

/// Puts a transaction aside that the running task's unit holds together. Gives it back where there is no unit, and where
/// the unit holds another already, which only work that runs two transactions side by side can bring about.
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
