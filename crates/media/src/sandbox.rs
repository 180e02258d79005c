//! The sandbox of a child process: one input to read, one folder to write, and limits on all resources.
//!
//! The sandbox is built before the fork ([`Sandbox::new`]) and entered between fork and exec ([`Sandbox::enter`]). A
//! helper program that confines itself and then executes ffmpeg would also work, but would have to be installed and
//! found. Entering takes two dozen system calls and no memory, which is allowed between fork and exec.

mod calls;
mod files;
mod filter;
mod folders;

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};

use rustix::fs::{Mode, OFlags};
use rustix::process::{DumpableBehavior, Pid, Resource, Rlimit, Signal};

pub(crate) use files::{FileAccess, landlock_abi};

use crate::confinement_policy::ConfinementPolicy;
use crate::limits::ProcessLimits;
use filter::Filter;

/// Files that ffmpeg may have open at once; it needs about ten.
const OPEN_FILES: u64 = 64;
/// Address space besides a process's own memory, in bytes: Debian's ffmpeg maps 430 MiB of libraries.
const LIBRARIES: u64 = 1 << 30;
/// The `oom_score_adj` of a child, of 1000: when memory runs out, the kernel should kill the encoder of one file rather
/// than the service.
const KILLED_FIRST: i32 = 500;
/// Why a child is not started if full confinement is required.
pub(crate) const NOT_CONFINED: &str =
    "media.confinement is \"required\", but this system cannot fully confine it";
const OWN_KILL_ORDER: &str = "/proc/self/oom_score_adj";

/// How to confine a child.
#[derive(Debug, Clone)]
pub(crate) struct Terms<'a> {
    pub(crate) files: FileAccess,
    pub(crate) limits: &'a ProcessLimits,
    /// Its niceness, 0..=19.
    pub(crate) niceness: i32,
    /// Whether it may start child processes.
    pub(crate) may_fork: bool,
    pub(crate) policy: &'a ConfinementPolicy,
}

/// The sandbox of one process.
///
/// `RLIMIT_NPROC` does not limit the number of processes and threads: it counts all processes of the user, so that a
/// busy service would fail, and it does not apply to root. The filter allows threads only. They are bounded by the
/// limit on the address space, because each thread's stack takes some of it.
pub(crate) struct Sandbox {
    ruleset: Option<OwnedFd>,
    filter: Option<Filter>,
    limits: [(Resource, Rlimit); 6],
    niceness: i32,
    kill_order: String,
    parent: Pid,
}

impl Sandbox {
    /// Builds the sandbox; nothing is confined yet. What the kernel does not support is left out, or is an error if
    /// full confinement is required.
    pub(crate) fn new(terms: Terms<'_>) -> io::Result<Self> {
        let Terms { files, limits, niceness, may_fork, policy } = terms;
        let ruleset = match files::rules(&files, &policy.private) {
            Ok(ruleset) => ruleset,
            // A kernel that supports Landlock and cannot set it up now lacks some resource.
            Err(error) if policy.is_required || landlock_abi().is_some() => return Err(error),
            Err(error) => {
                tracing::debug!(%error, "no Landlock for a child process");
                None
            }
        };
        let filter = Filter::new(may_fork);
        if policy.is_required && (ruleset.is_none() || filter.is_none()) {
            return Err(io::Error::other(NOT_CONFINED));
        }
        Ok(Self {
            ruleset,
            filter,
            limits: [
                bounded(Resource::Core, 0),
                bounded(Resource::Cpu, limits.cpu_seconds),
                bounded(Resource::Data, limits.memory),
                bounded(Resource::As, limits.memory.saturating_add(LIBRARIES)),
                bounded(Resource::Fsize, limits.output),
                bounded(Resource::Nofile, OPEN_FILES),
            ],
            niceness,
            kill_order: own_kill_order().max(KILLED_FIRST).to_string(),
            parent: rustix::process::getpid(),
        })
    }

    /// Confines the calling process permanently. It only makes system calls and allocates nothing, so that it may run
    /// in the child of a process with many threads. Everything that the kernel claims to support must work; otherwise
    /// this fails.
    pub(crate) fn enter(&mut self) -> io::Result<()> {
        rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
        // The parent may have died before the line above, in which case no process would send the signal.
        if rustix::process::getppid() != Some(self.parent) {
            return Err(io::ErrorKind::Interrupted.into());
        }
        keep_descriptors_out();
        // The service disables huge pages. Decoders benefit from them for whole pictures and long blocks of samples.
        let _ = rustix::thread::disable_transparent_huge_pages(false);
        self.offer_to_be_killed();
        for (resource, limit) in &self.limits {
            rustix::process::setrlimit(*resource, *limit)?;
        }
        if self.niceness != 0 {
            rustix::process::nice(self.niceness)?;
        }
        rustix::thread::set_no_new_privs(true)?;
        if let Some(ruleset) = &self.ruleset {
            // SAFETY: the call takes a descriptor, which is open as long as `self` lives, and no pointers.
            let result =
                unsafe { libc::syscall(libc::SYS_landlock_restrict_self, ruleset.as_raw_fd(), 0_u32) };
            if result != 0 {
                return Err(io::Error::last_os_error());
            }
        }
        match &mut self.filter {
            Some(filter) => filter.install(),
            None => Ok(()),
        }
    }

    /// Optional: the service does without it if `/proc` is missing or read-only.
    fn offer_to_be_killed(&self) {
        // The service allows no core dumps, and the files in `/proc` of such a process belong to root. The program that
        // is executed next has none of the service's memory; its own dumps are limited to 0 bytes.
        let _ = rustix::process::set_dumpable_behavior(DumpableBehavior::Dumpable);
        let flags = OFlags::WRONLY | OFlags::CLOEXEC;
        if let Ok(file) = rustix::fs::open(OWN_KILL_ORDER, flags, Mode::empty()) {
            let _ = rustix::io::write(file, self.kill_order.as_bytes());
        }
    }
}

/// Keeps all file descriptors except the first three from the program: the parent of the service may have left some
/// open. Kernels before 5.11 do not support the call.
fn keep_descriptors_out() {
    const FIRST: u32 = 3;
    // SAFETY: the call takes numbers only, and closes nothing before the program is executed.
    unsafe { libc::syscall(libc::SYS_close_range, FIRST, u32::MAX, libc::CLOSE_RANGE_CLOEXEC) };
}

/// Whether children are fully confined, according to the kernel.
pub(crate) fn is_complete() -> bool {
    landlock_abi().is_some() && Filter::new(false).is_some()
}

/// The `oom_score_adj` of this process: a child never gets a smaller one.
fn own_kill_order() -> i32 {
    std::fs::read_to_string(OWN_KILL_ORDER).ok().and_then(|text| text.trim().parse().ok()).unwrap_or(0)
}

/// A limit that never exceeds the service's own hard limit, which would be refused.
fn bounded(resource: Resource, wanted: u64) -> (Resource, Rlimit) {
    let own = rustix::process::getrlimit(resource).maximum;
    let value = Some(own.map_or(wanted, |own| own.min(wanted)));
    let limit = Rlimit { current: value, maximum: value };
    (resource, limit)
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::CommandExt;
    use std::process::Command;
    use std::time::Duration;

    use super::*;

    const HUGE_PAGES: &str = "THP_enabled:\t";

    #[test]
    fn a_child_has_huge_pages_although_the_service_has_none() {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        if !status.contains(HUGE_PAGES) {
            eprintln!("skipped: this kernel does not tell whether a process has huge pages");
            return;
        }
        rustix::thread::disable_transparent_huge_pages(true).unwrap();
        let files = FileAccess { program: "/bin/cat".into(), input: None, folder: None };
        let policy = ConfinementPolicy::default();
        let limits = ProcessLimits {
            wall: Duration::from_secs(60),
            cpu_seconds: 60,
            memory: 1 << 30,
            output: 1 << 20,
        };
        let terms = Terms { files, limits: &limits, niceness: 0, may_fork: false, policy: &policy };
        // Without Landlock and the filter, because the test reads a file that no child may read.
        let mut sandbox = Sandbox { ruleset: None, filter: None, ..Sandbox::new(terms).unwrap() };
        let mut command = Command::new("/bin/cat");
        command.arg("/proc/self/status");
        // SAFETY: `enter` makes plain system calls, and neither allocates nor takes locks.
        unsafe { command.pre_exec(move || sandbox.enter()) };
        let status = String::from_utf8(command.output().unwrap().stdout).unwrap();
        assert!(status.contains(&format!("{HUGE_PAGES}1")), "{status}");
    }
}
