//! Threads that answer requests for objects, each with a runtime of its own: what takes some millionths of
//! a second should neither wait for another thread nor wake one.

use std::io;
use std::num::NonZeroUsize;
use std::thread;

use tokio::runtime::{Builder, Handle};
use tokio_util::sync::CancellationToken;

/// The threads. They end when this is dropped.
#[derive(Debug)]
pub(crate) struct Lanes {
    lanes: Vec<Lane>,
    /// Whose turn it is.
    turn: usize,
    ended: CancellationToken,
}

/// One of the threads.
#[derive(Debug, Clone)]
pub(crate) struct Lane {
    pub(crate) runtime: Handle,
    /// Cancelled when no more requests are to be answered. Each thread has its own, so that none waits for another to look.
    pub(crate) stopped: CancellationToken,
}

impl Lanes {
    /// So many, else as many as there are cores.
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

    /// None: everything happens where it is accepted.
    pub(crate) fn none() -> Self {
        Self { lanes: Vec::new(), turn: 0, ended: CancellationToken::new() }
    }

    /// The one whose turn it is.
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
