//! Delivery threads: they answer requests for objects, each with a runtime of its own. A request that takes some
//! microseconds should neither wait for another thread nor wake one.

use std::io;
use std::num::NonZeroUsize;
use std::thread;

use tokio::runtime::{Builder, Handle};
use tokio_util::sync::CancellationToken;

/// The threads. They end when this is dropped.
#[derive(Debug)]
pub(crate) struct Lanes {
    lanes: Vec<Lane>,
    /// The index of the thread that was chosen last.
    turn: usize,
    ended: CancellationToken,
}

/// One of the threads.
#[derive(Debug, Clone)]
pub(crate) struct Lane {
    pub(crate) runtime: Handle,
    /// Cancelled when no more requests should be answered. Each thread has its own token, so that threads do not
    /// contend for one.
    pub(crate) stopped: CancellationToken,
}

impl Lanes {
    /// Starts `count` threads, or one for each core if there is no count.
    pub(crate) fn start(count: Option<NonZeroUsize>, stopped: &CancellationToken) -> io::Result<Self> {
        let mut lanes = Self { lanes: Vec::new(), turn: 0, ended: CancellationToken::new() };
        let cores = || thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        for number in 0..count.unwrap_or_else(cores).get() {
            let runtime = Builder::new_current_thread().enable_all().build()?;
            lanes.lanes.push(Lane { runtime: runtime.handle().clone(), stopped: stopped.child_token() });
            let ended = lanes.ended.clone();
            let run = move || runtime.block_on(ended.cancelled());
            thread::Builder::new().name(format!("delivery-{number}")).spawn(run)?;
        }
        Ok(lanes)
    }

    /// No threads: each connection is served by the runtime that accepts it.
    pub(crate) fn none() -> Self {
        Self { lanes: Vec::new(), turn: 0, ended: CancellationToken::new() }
    }

    /// The next thread, in turn.
    pub(crate) fn next(&mut self) -> Option<&Lane> {
        self.turn = (self.turn + 1) % self.lanes.len().max(1);
        self.lanes.get(self.turn)
    }
}

impl Drop for Lanes {
    fn drop(&mut self) {
        self.ended.cancel();
    }
}
