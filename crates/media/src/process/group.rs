//! The process group of a child, and the thread that starts children.

use std::io;
use std::sync::{OnceLock, mpsc};
use std::time::Duration;

use rustix::process::{Pid, Signal};
use tokio::process::{Child, Command};
use tokio::sync::oneshot;
use tonearm_domain::Outage;

use crate::error::MediaError;
use crate::limits::ProcessLimits;

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
        // The id exists only until the child is reaped, so it cannot belong to another group by now.
        let pid = self.0.id().and_then(|id| Pid::from_raw(id.cast_signed()));
        if let Some(pid) = pid {
            // An error means that the group has just ended by itself.
            let _ = rustix::process::kill_process_group(pid, Signal::KILL);
        }
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
