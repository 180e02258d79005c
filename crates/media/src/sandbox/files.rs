//! The files that a child may use, as rules for Landlock.

use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, PathBeneath, PathFd, PathFdError, Ruleset, RulesetAttr,
    RulesetCreated, RulesetCreatedAttr, Scope,
};

use super::folders::readable;

/// Where programs keep their libraries and data. Only folders that exist are opened, for reading only. musl's list of
/// folders must be readable if it exists: if it is not, musl searches no folders.
const SYSTEM_FOLDERS: [&str; 8] = [
    "/usr",
    "/lib",
    "/lib64",
    "/opt",
    "/nix/store",
    "/etc/ld.so.cache",
    "/etc/ld-musl-x86_64.path",
    "/etc/ld-musl-aarch64.path",
];
/// Devices that any program may expect.
const DEVICES: [&str; 3] = ["/dev/null", "/dev/zero", "/dev/urandom"];
/// The newest Landlock version that this code supports. Older kernels enforce the part that they support.
const LANDLOCK: ABI = ABI::V6;

/// The files that a process may use.
#[derive(Debug, Clone)]
pub(crate) struct FileAccess {
    /// The program itself.
    pub(crate) program: PathBuf,
    /// The one file it reads.
    pub(crate) input: Option<PathBuf>,
    /// The one folder it writes in.
    pub(crate) folder: Option<PathBuf>,
}

/// Builds the rules for one process. `private` stays closed below system folders; the files in `access` stay allowed
/// even there. Returns `None` if the kernel has no Landlock.
pub(crate) fn rules(access: &FileAccess, private: &[PathBuf]) -> io::Result<Option<OwnedFd>> {
    let read = AccessFs::from_read(LANDLOCK);
    let read_file = AccessFs::ReadFile.into();
    let mut rules = Ruleset::default()
        .handle_access(AccessFs::from_all(LANDLOCK))
        .and_then(|rules| rules.handle_access(AccessNet::from_all(LANDLOCK)))
        .and_then(|rules| rules.scope(Scope::from_all(LANDLOCK)))
        .and_then(Ruleset::create)
        .map_err(io::Error::other)?;
    for folder in readable(&SYSTEM_FOLDERS, private) {
        rules = allow(rules, &folder, read)?;
    }
    for device in DEVICES {
        rules = allow(rules, Path::new(device), AccessFs::ReadFile | AccessFs::WriteFile)?;
    }
    rules = allow(rules, &access.program, AccessFs::ReadFile | AccessFs::Execute)?;
    if let Some(input) = &access.input {
        rules = allow(rules, input, read_file)?;
    }
    if let Some(folder) = &access.folder {
        let write = AccessFs::WriteFile | AccessFs::MakeReg | AccessFs::Truncate;
        rules = allow(rules, folder, write | AccessFs::ReadFile | AccessFs::ReadDir)?;
    }
    Ok(rules.into())
}

/// Allows access below `path`; a path that does not exist needs no rule.
fn allow(rules: RulesetCreated, path: &Path, access: BitFlags<AccessFs>) -> io::Result<RulesetCreated> {
    let opened = match PathFd::new(path) {
        Ok(opened) => opened,
        Err(PathFdError::OpenCall { source, .. }) if is_missing(&source) => return Ok(rules),
        Err(error) => return Err(io::Error::other(error)),
    };
    // Rights for folders do not apply to files and would be refused.
    let access = if path.is_dir() { access } else { access & AccessFs::from_file(LANDLOCK) };
    rules.add_rule(PathBeneath::new(opened, access)).map_err(io::Error::other)
}

fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// The version of the kernel's Landlock interface, from 1; `None` if the kernel has none, if it is turned off, or if a
/// container blocks it.
pub(crate) fn landlock_abi() -> Option<u32> {
    /// `LANDLOCK_CREATE_RULESET_VERSION`
    const ASK_FOR_VERSION: u32 = 1;
    // SAFETY: asked for the version, the call takes no attributes: a null pointer and a size of zero.
    let version = unsafe {
        libc::syscall(libc::SYS_landlock_create_ruleset, std::ptr::null::<u8>(), 0_usize, ASK_FOR_VERSION)
    };
    u32::try_from(version).ok().filter(|version| *version > 0)
}
