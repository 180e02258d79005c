//! What a child process may do: one input to read, one folder to write, and so much of everything.
//!
//! The walls are built before the fork ([`Sandbox::new`]) and entered between fork and exec ([`Sandbox::enter`]).
//! A helper program that confines itself and then executes ffmpeg would do as well, but would have to be
//! installed and found; entering takes a dozen system calls and no memory, which is what is allowed there.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, PathBeneath, PathFd, Ruleset, RulesetAttr, RulesetCreated,
    RulesetCreatedAttr, RulesetError, Scope,
};
use rustix::process::{Pid, Resource, Rlimit, Signal};

use crate::ProcessLimits;

/// Where programs keep their libraries and data. Only what exists is opened up, and only for reading.
const SYSTEM_FOLDERS: [&str; 6] = ["/usr", "/lib", "/lib64", "/opt", "/nix/store", "/etc/ld.so.cache"];
/// Devices that any program may expect.
const DEVICES: [&str; 3] = ["/dev/null", "/dev/zero", "/dev/urandom"];
/// Files that ffmpeg may have open at once; it needs about ten.
const OPEN_FILES: u64 = 64;
/// The newest Landlock that this was written for. Older kernels enforce what they know of it.
const LANDLOCK: ABI = ABI::V6;

/// What a process may touch.
#[derive(Debug, Clone)]
pub(crate) struct Reach {
    /// The program itself.
    pub(crate) program: PathBuf,
    /// The one file it reads.
    pub(crate) input: Option<PathBuf>,
    /// The one folder it writes in.
    pub(crate) folder: Option<PathBuf>,
}

/// Walls for one process.
pub(crate) struct Sandbox {
    ruleset: Option<OwnedFd>,
    limits: [(Resource, Rlimit); 5],
    niceness: i32,
    parent: Pid,
}

impl Sandbox {
    /// Builds the walls; nothing is confined yet. A kernel without Landlock leaves the rest of them.
    pub(crate) fn new(reach: &Reach, limits: &ProcessLimits, niceness: i32) -> Self {
        let ruleset = landlock_rules(reach).unwrap_or_else(|error| {
            tracing::debug!(%error, "no Landlock for a child process");
            None
        });
        Self {
            ruleset,
            limits: [
                bounded(Resource::Core, 0),
                bounded(Resource::Cpu, limits.cpu_seconds),
                bounded(Resource::As, limits.memory),
                bounded(Resource::Fsize, limits.output),
                bounded(Resource::Nofile, OPEN_FILES),
            ],
            niceness,
            parent: rustix::process::getpid(),
        }
    }

    /// Confines the calling process, for good. Makes system calls only and allocates nothing, so that it may run
    /// in the child of a process with many threads.
    pub(crate) fn enter(&self) -> io::Result<()> {
        rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
        // The parent may have died before the line above, and then nobody would send the signal.
        if rustix::process::getppid() != Some(self.parent) {
            return Err(io::ErrorKind::Interrupted.into());
        }
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
        Ok(())
    }
}

/// Whether this kernel confines file access with Landlock.
pub(crate) fn confines_files() -> bool {
    let nothing = Reach { program: PathBuf::from("/usr"), input: None, folder: None };
    matches!(landlock_rules(&nothing), Ok(Some(_)))
}

/// Whether this kernel's Landlock keeps processes from TCP.
#[cfg(test)]
pub(crate) fn confines_network() -> bool {
    use landlock::{CompatLevel, Compatible};
    Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessNet::from_all(ABI::V4))
        .and_then(Ruleset::create)
        .is_ok()
}

/// A limit that never asks for more than the service itself may have, which would be refused.
fn bounded(resource: Resource, wanted: u64) -> (Resource, Rlimit) {
    let own = rustix::process::getrlimit(resource).maximum;
    let value = Some(own.map_or(wanted, |own| own.min(wanted)));
    let limit = Rlimit { current: value, maximum: value };
    (resource, limit)
}

/// `None` where the kernel has no Landlock.
fn landlock_rules(reach: &Reach) -> Result<Option<OwnedFd>, RulesetError> {
    let read = AccessFs::from_read(LANDLOCK);
    let read_file = AccessFs::ReadFile.into();
    let mut rules = Ruleset::default()
        .handle_access(AccessFs::from_all(LANDLOCK))?
        .handle_access(AccessNet::from_all(LANDLOCK))?
        .scope(Scope::from_all(LANDLOCK))?
        .create()?;
    for folder in SYSTEM_FOLDERS {
        rules = allow(rules, Path::new(folder), read)?;
    }
    for device in DEVICES {
        rules = allow(rules, Path::new(device), AccessFs::ReadFile | AccessFs::WriteFile)?;
    }
    rules = allow(rules, &reach.program, AccessFs::ReadFile | AccessFs::Execute)?;
    if let Some(input) = &reach.input {
        rules = allow(rules, input, read_file)?;
    }
    if let Some(folder) = &reach.folder {
        let write = AccessFs::WriteFile | AccessFs::MakeReg | AccessFs::Truncate;
        rules = allow(rules, folder, write | AccessFs::ReadFile | AccessFs::ReadDir)?;
    }
    Ok(rules.into())
}

/// Opens up what is beneath `path`; what does not exist needs no rule.
fn allow(
    rules: RulesetCreated,
    path: &Path,
    access: BitFlags<AccessFs>,
) -> Result<RulesetCreated, RulesetError> {
    let Ok(opened) = PathFd::new(path) else {
        return Ok(rules);
    };
    // Rights that concern folders mean nothing on a file, and would be refused.
    let access = if path.is_dir() { access } else { access & AccessFs::from_file(LANDLOCK) };
    rules.add_rule(PathBeneath::new(opened, access))
}
