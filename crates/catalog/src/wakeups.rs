//! Waking those who wait for work: in this process at once, on other nodes by way of PostgreSQL.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;
use tonearm_domain::JobClass;

use crate::notices::Notices;
use crate::work_kind::WorkKind;

/// Who queued the work that somebody is woken for.
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

/// Tells when to look for work of one kind.
#[derive(Clone)]
pub struct Wakeups(Arc<Signal>);

impl Wakeups {
    /// Returns when something was queued, or has been since the last time.
    pub async fn next(&self) -> Wakeup {
        tokio::select! {
            biased;
            () = self.0.here.notified() => Wakeup::Here,
            () = self.0.elsewhere.notified() => Wakeup::Elsewhere,
        }
    }
}

/// Those who wait for work.
#[derive(Clone, Default)]
pub(crate) struct Wakers {
    signals: [Arc<Signal>; WorkKind::ALL.len()],
    is_listening: Arc<AtomicBool>,
    /// Tells other nodes; none on SQLite, whose processes look often enough.
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

    /// Wakes for something that was committed.
    pub(crate) fn wake(&self, kind: WorkKind) {
        self.signals[kind.index()].here.notify_one();
        if let Some(notices) = &self.notices {
            notices.notify(kind);
        }
    }

    /// The same for every class of jobs, where it is not known which one was changed.
    pub(crate) fn wake_all_jobs(&self) {
        JobClass::ALL.into_iter().for_each(|class| self.wake(WorkKind::Jobs(class)));
    }

    /// Wakes for something that another node queued.
    pub(crate) fn wake_for_others(&self, kind: WorkKind) {
        self.signals[kind.index()].elsewhere.notify_one();
    }

    /// Whether other nodes are heard at present. Everybody is woken when that changes: something may have been missed,
    /// and from now on is to be looked for more or less often.
    pub(crate) fn set_listening(&self, is_listening: bool) {
        self.is_listening.store(is_listening, Ordering::Release);
        WorkKind::ALL.into_iter().for_each(|kind| self.wake_for_others(kind));
    }

    pub(crate) fn is_listening(&self) -> bool {
        self.is_listening.load(Ordering::Acquire)
    }
}
