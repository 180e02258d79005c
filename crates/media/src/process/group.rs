//! The process group of a child, and the thread that starts children.

use std::io;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError, mpsc};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};
use tokio::process::{Child, Command};
use tokio::sync::oneshot;
use tonearm_domain::Outage;

use crate::error::MediaError;
use crate::limits::ProcessLimits;
use crate::permits::NICENESS;

/// A child that leads its own process group. Dropping it kills the group.
pub(super) struct ProcessGroup(pub(super) Child);

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        self.kill();
    }
}

impl ProcessGroup {
    /// The error for a process that did not end in time: the file takes too long or, if the process hardly ran, the
    /// machine is overloaded.
    pub(super) fn out_of_time(&self, limits: &ProcessLimits) -> MediaError {
        let used = self.0.id().and_then(processor_time);
        if used.is_some_and(|used| used >= limits.wall / 2) {
            return MediaError::LimitHit("The work exceeded its time limit.".to_owned());
        }
        MediaError::Outage(
            Outage::Overload,
            "The work got too little processor time to finish within its time limit.".to_owned(),
        )
    }

    pub(super) fn kill(&self) {
        if let Some(leader) = self.leader() {
            // An error means that the group has just ended by itself.
            let _ = rustix::process::kill_process_group(leader, Signal::KILL);
        }
    }

    /// The id exists only until the child is reaped, so it cannot belong to another group by now.
    fn leader(&self) -> Option<Pid> {
        self.0.id().and_then(|id| Pid::from_raw(id.cast_signed()))
    }
}

/// Stops and resumes a group, and counts how long it has run.
pub(super) struct Reins {
    leader: Option<Pid>,
    state: Mutex<State>,
}

struct State {
    /// The leader was reaped, so that its id may belong to another process.
    is_gone: bool,
    /// How long it ran until it was last resumed.
    before: Duration,
    /// `None` while it is stopped.
    runs_since: Option<Instant>,
}

impl Reins {
    pub(super) fn of(group: &ProcessGroup) -> Self {
        let state = State { is_gone: false, before: Duration::ZERO, runs_since: Some(Instant::now()) };
        Self { leader: group.leader(), state: Mutex::new(state) }
    }

    /// To be called as soon as the leader was reaped.
    pub(super) fn let_go(&self) {
        self.state().is_gone = true;
    }

    /// For how long the group has run, without the time in which it was stopped.
    pub(super) fn ran(&self) -> Duration {
        let state = self.state();
        state.before + state.runs_since.map_or(Duration::ZERO, |since| since.elapsed())
    }

    pub(super) fn stop(&self) {
        let mut state = self.state();
        self.signal(&state, Signal::STOP);
        let ran = state.runs_since.take().map_or(Duration::ZERO, |since| since.elapsed());
        state.before += ran;
    }

    /// Continues behind those that have just started: whatever was stopped takes long.
    pub(super) fn resume(&self) {
        let mut state = self.state();
        if let Some(leader) = self.leader.filter(|_| !state.is_gone) {
            // It keeps its niceness if that is higher already.
            let _ = rustix::process::setpriority_pgrp(Some(leader), NICENESS);
        }
        self.signal(&state, Signal::CONT);
        state.runs_since = Some(Instant::now());
    }

    /// The private memory of the leader in bytes, as in `/proc/PID/status` (proc(5)). `None` if it is gone.
    pub(super) fn memory(&self) -> Option<u64> {
        let state = self.state();
        let leader = self.leader.filter(|_| !state.is_gone)?.as_raw_nonzero();
        let status = std::fs::read_to_string(format!("/proc/{leader}/status")).ok()?;
        let field = |name: &str| {
            let value = status.lines().find_map(|line| line.strip_prefix(name))?;
            value.trim().trim_end_matches(" kB").parse::<u64>().ok()
        };
        Some((field("RssAnon:")? + field("VmSwap:")?) << 10)
    }

    fn signal(&self, state: &State, signal: Signal) {
        if let Some(leader) = self.leader.filter(|_| !state.is_gone) {
            // An error means that the group has just ended by itself.
            let _ = rustix::process::kill_process_group(leader, signal);
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The CPU time that a running process has used, from fields 14 and 15 of `/proc/PID/stat` (proc(5)).
fn processor_time(pid: u32) -> Option<Duration> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in parentheses may contain anything; field 3 follows it.
    let fields = stat.rsplit_once(')')?.1;
    let mut fields = fields.split_ascii_whitespace().skip(11);
    let ticks = fields.next()?.parse::<u64>().ok()? + fields.next()?.parse::<u64>().ok()?;
    Some(Duration::from_secs(ticks) / u32::try_from(rustix::param::clock_ticks_per_second()).ok()?)
}

type Task = Box<dyn FnOnce() + Send>;

/// Starts a child from a thread that lives as long as the service. The kernel sends the parent-death signal when the
/// *thread* that forked ends, and a runtime may end its threads at any time.
pub(super) async fn start(mut command: Command) -> io::Result<Child> {
    static STARTER: OnceLock<mpsc::Sender<Task>> = OnceLock::new();
    let starter = STARTER.get_or_init(|| {
        let (sender, tasks) = mpsc::channel::<Task>();
        let serve = move || tasks.into_iter().for_each(|task| task());
        // If no thread can be started, the receiver is dropped, and the send below fails.
        if let Err(error) = std::thread::Builder::new().name("process-starter".into()).spawn(serve) {
            tracing::error!(%error, "could not start the thread that starts processes");
        }
        sender
    });
    let runtime = tokio::runtime::Handle::current();
    let (reply, child) = oneshot::channel();
    let task = move || {
        let _entered = runtime.enter();
        // If the caller no longer waits, the child is dropped here, which kills it.
        let _ = reply.send(command.spawn());
    };
    starter.send(Box::new(task)).map_err(|_| gone())?;
    child.await.map_err(|_| gone())?
}

fn gone() -> io::Error {
    io::Error::other("the thread that starts processes is gone")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn who_is_to_blame_for_a_time_out_is_told_by_the_processor_time() {
        let mut child =
            std::process::Command::new("/bin/sh").args(["-c", "while :; do :; done"]).spawn().unwrap();
        while processor_time(child.id()).unwrap() < Duration::from_millis(50) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(processor_time(child.id()), None);
    }
}
