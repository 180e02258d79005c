//! Notifies other nodes that work was queued.
//!
//! A notice is sent after the commit and not in the transaction: PostgreSQL commits transactions with notices one at a
//! time. A lost notice only causes a delay, since every node also polls now and then.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU8, Ordering};
use std::time::Duration;

use sea_orm::{ConnectionTrait, DatabaseConnection, DbErr, Statement};
use tokio::sync::Mutex;

use crate::work_kind::WorkKind;

/// The channel of all notices. Channels are separate for each database.
pub(crate) const CHANNEL: &str = "tonearm_work";

/// The shortest time between two notices of a process.
const PAUSE: Duration = Duration::from_millis(50);

/// The sender of a notice: the PostgreSQL server process of the sender's listener, or 0 if it has no listener.
type Sender = i32;

/// Sends the notices of a process, at most one in each [`PAUSE`], however much is committed.
#[derive(Clone)]
pub(crate) struct Notices(Arc<Inner>);

struct Inner {
    database: DatabaseConnection,
    /// One bit for each kind of work that was queued and not announced yet.
    pending: AtomicU8,
    has_task: AtomicBool,
    /// Held while a notice is sent.
    sending: Mutex<()>,
    listener: AtomicI32,
}

impl Notices {
    pub(crate) fn new(database: DatabaseConnection) -> Self {
        Self(Arc::new(Inner {
            database,
            pending: AtomicU8::new(0),
            has_task: AtomicBool::new(false),
            sending: Mutex::new(()),
            listener: AtomicI32::new(0),
        }))
    }

    /// Notifies other nodes soon.
    pub(crate) fn notify(&self, kind: WorkKind) {
        self.0.pending.fetch_or(1 << kind.index(), Ordering::AcqRel);
        if !self.0.has_task.swap(true, Ordering::AcqRel) {
            tokio::spawn(self.clone().send_all());
        }
    }

    async fn send_all(self) {
        loop {
            self.flush().await;
            tokio::time::sleep(PAUSE).await;
            if self.0.pending.load(Ordering::Acquire) != 0 {
                continue;
            }
            self.0.has_task.store(false, Ordering::Release);
            // Work that was queued meanwhile found this task about to end and started no other.
            let is_idle = self.0.pending.load(Ordering::Acquire) == 0;
            if is_idle || self.0.has_task.swap(true, Ordering::AcqRel) {
                return;
            }
        }
    }

    /// Sends the pending notices now.
    pub(crate) async fn flush(&self) {
        let _sending = self.0.sending.lock().await;
        let pending = self.0.pending.swap(0, Ordering::AcqRel);
        let kinds = WorkKind::ALL.into_iter().filter(|kind| pending & (1 << kind.index()) != 0);
        let kinds: Vec<&str> = kinds.map(WorkKind::as_str).collect();
        if kinds.is_empty() {
            return;
        }
        let sender = self.0.listener.load(Ordering::Acquire);
        if let Err(error) = self.send(&format!("{sender} {}", kinds.join(" "))).await {
            tracing::debug!(%error, "could not notify other nodes of queued work");
        }
    }

    /// Sends an empty notice, so that listeners can check that they receive notices.
    pub(crate) async fn ping(&self) -> Result<(), DbErr> {
        self.send("0").await
    }

    async fn send(&self, text: &str) -> Result<(), DbErr> {
        let backend = self.0.database.get_database_backend();
        let values = [CHANNEL.into(), text.into()];
        let notify = Statement::from_sql_and_values(backend, "SELECT pg_notify($1, $2)", values);
        self.0.database.execute_raw(notify).await?;
        Ok(())
    }

    /// Sets the listener of this process, if it has one. Later notices name it as their sender.
    pub(crate) fn set_listener(&self, listener: Option<Sender>) {
        self.0.listener.store(listener.unwrap_or(0), Ordering::Release);
    }
}

/// The kinds of work that a notice announces. Empty if this listener's own process sent it. Kinds that this version
/// does not know are ignored.
pub(crate) fn read(text: &str, listener: Sender) -> Vec<WorkKind> {
    let mut words = text.split(' ');
    let sender: Option<Sender> = words.next().and_then(|word| word.parse().ok());
    if sender.is_none_or(|sender| sender == listener) {
        return Vec::new();
    }
    words.filter_map(|word| WorkKind::ALL.into_iter().find(|kind| kind.as_str() == word)).collect()
}

#[cfg(test)]
mod tests {
    use tonearm_domain::JobClass;

    use super::*;

    #[test]
    fn notices_of_others_are_read() {
        let both = [WorkKind::Jobs(JobClass::Encode), WorkKind::Deliveries];
        assert_eq!(read("7 encode deliveries", 8), both);
        assert_eq!(read("0 encode deliveries", 8), both);
        assert_eq!(read("8 encode deliveries", 8), []);
        assert_eq!(read("7 encode dreams deliveries", 8), both);
        assert_eq!(read("0", 8), []);
        assert_eq!(read("", 8), []);
        assert_eq!(read("encode", 8), []);
    }
}
