//! Wakes workers that wait for work: in this process at once, on other nodes through PostgreSQL.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;
use tonearm_domain::JobClass;

use crate::notices::Notices;
use crate::work_kind::WorkKind;

/// Where the work was queued for which a worker is woken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wakeup {
    /// This process.
    Here,
    /// Another node: all nodes are woken for it, and one gets it.
    Elsewhere,
}

#[derive(Default)]
struct Signal {
    here: Notify,
    elsewhere: Notify,
}

/// Signals when to look for work of one kind.
#[derive(Clone)]
pub struct Wakeups(Arc<Signal>);

impl Wakeups {
    /// Waits until work is queued. Returns at once if work was queued since the last call.
    pub async fn next(&self) -> Wakeup {
        tokio::select! {
            biased;
            () = self.0.here.notified() => Wakeup::Here,
            () = self.0.elsewhere.notified() => Wakeup::Elsewhere,
        }
    }
}

/// The signals for workers that wait for work.
#[derive(Clone, Default)]
pub(crate) struct Wakers {
    signals: [Arc<Signal>; WorkKind::ALL.len()],
    is_listening: Arc<AtomicBool>,
    /// Notifies other nodes; `None` on SQLite, where processes poll often enough.
    notices: Option<Notices>,
}

impl Wakers {
    pub(crate) fn with_notices(notices: Notices) -> Self {
        Self { notices: Some(notices), ..Self::default() }
    }

    pub(crate) fn wakeups(&self, kind: WorkKind) -> Wakeups {
        Wakeups(Arc::clone(&self.signals[kind.index()]))
    }

    pub(crate) fn notices(&self) -> Option<&Notices> {
        self.notices.as_ref()
    }

    /// Wakes workers for work that was committed.
    pub(crate) fn wake(&self, kind: WorkKind) {
        self.signals[kind.index()].here.notify_one();
        if let Some(notices) = &self.notices {
            notices.notify(kind);
        }
    }

    /// The same for every class of jobs, if it is not known which one was changed.
    pub(crate) fn wake_all_jobs(&self) {
        JobClass::ALL.into_iter().for_each(|class| self.wake(WorkKind::Jobs(class)));
    }

    /// Wakes workers for work that another node queued.
    pub(crate) fn wake_for_others(&self, kind: WorkKind) {
        self.signals[kind.index()].elsewhere.notify_one();
    }

    /// Sets whether notices from other nodes are received. All workers are woken when that changes: they may have
    /// missed a notice, and must poll more or less often from now on.
    pub(crate) fn set_listening(&self, is_listening: bool) {
        self.is_listening.store(is_listening, Ordering::Release);
        WorkKind::ALL.into_iter().for_each(|kind| self.wake_for_others(kind));
    }

    pub(crate) fn is_listening(&self) -> bool {
        self.is_listening.load(Ordering::Acquire)
    }
}
