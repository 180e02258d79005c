//! What a confined process must not be able to do, as attempts. Only such attempts show what the confinement really
//! enforces.

use std::ffi::{OsStr, OsString};
use std::fs::{File, OpenOptions, Permissions};
use std::io;
use std::net::{Ipv4Addr, TcpStream, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{SocketAddr, UnixStream};
use std::path::PathBuf;

use rustix::process::{Pid, WaitOptions};

/// One attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Escape {
    /// Opens a file or folder to read it.
    Read(PathBuf),
    /// Opens a file to write it, and creates it if its folder exists.
    Write(PathBuf),
    /// Changes the permissions of a file, which Landlock does not control.
    Permit(PathBuf),
    /// Truncates a file by opening it for reading.
    Empty(PathBuf),
    /// Connects to a port of this machine.
    Tcp(u16),
    /// Sends a datagram to a port of this machine.
    Udp(u16),
    /// Connects to a Unix socket with a path.
    Unix(PathBuf),
    /// Connects to an abstract Unix socket, which only has a name.
    Abstract(String),
    /// Creates a process and lets it leave the process group that is killed at the end.
    Leave,
    /// Sends signal 0 to a process, which requires the right to send it signals.
    Signal(u32),
    /// Sets the CPU affinity of a process, to the cores that it already has.
    Pin(u32),
    /// Reads the memory of a process.
    ReadMemory(u32),
    /// Makes a user namespace, in which it would be root.
    BecomeRoot,
    /// Calls mount(2), without saying what to mount.
    Mount,
    /// Requests a key ring of the kernel.
    Keys,
    /// Requests the scheduler's time slice, which every process may do and no decoder does.
    Idle,
    /// Creates an `io_uring`, whose calls bypass seccomp filters.
    Ring,
    /// Requests to be traced.
    Trace,
}

/// The outcome of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It was not permitted, or the call does not exist.
    Refused,
    /// It was not refused for lack of permission, if it failed at all. The number is that of the error, 0 for none.
    LetThrough(i32),
}

impl Outcome {
    /// The outcome for an error number, 0 for none.
    pub(crate) fn of(errno: i32) -> Self {
        match errno {
            libc::EPERM | libc::EACCES | libc::ENOSYS => Self::Refused,
            other => Self::LetThrough(other),
        }
    }
}

impl Escape {
    /// The attempt as command line arguments.
    pub(crate) fn words(&self) -> [OsString; 2] {
        let number = |number: u32| OsString::from(number.to_string());
        let (word, detail) = match self {
            Self::Read(path) => ("read", path.into()),
            Self::Write(path) => ("write", path.into()),
            Self::Permit(path) => ("permit", path.into()),
            Self::Empty(path) => ("empty", path.into()),
            Self::Tcp(port) => ("tcp", number((*port).into())),
            Self::Udp(port) => ("udp", number((*port).into())),
            Self::Unix(path) => ("unix", path.into()),
            Self::Abstract(name) => ("abstract", name.into()),
            Self::Leave => ("leave", OsString::new()),
            Self::Signal(id) => ("signal", number(*id)),
            Self::Pin(id) => ("pin", number(*id)),
            Self::ReadMemory(id) => ("read-memory", number(*id)),
            Self::BecomeRoot => ("become-root", OsString::new()),
            Self::Mount => ("mount", OsString::new()),
            Self::Keys => ("keys", OsString::new()),
            Self::Idle => ("idle", OsString::new()),
            Self::Ring => ("ring", OsString::new()),
            Self::Trace => ("trace", OsString::new()),
        };
        [word.into(), detail]
    }

    /// The reverse of [`Self::words`].
    pub(crate) fn from_words(word: &OsStr, detail: &OsStr) -> Option<Self> {
        let path = || PathBuf::from(detail);
        let text = detail.to_str()?;
        Some(match word.to_str()? {
            "read" => Self::Read(path()),
            "write" => Self::Write(path()),
            "permit" => Self::Permit(path()),
            "empty" => Self::Empty(path()),
            "tcp" => Self::Tcp(text.parse().ok()?),
            "udp" => Self::Udp(text.parse().ok()?),
            "unix" => Self::Unix(path()),
            "abstract" => Self::Abstract(text.to_owned()),
            "leave" => Self::Leave,
            "signal" => Self::Signal(text.parse().ok()?),
            "pin" => Self::Pin(text.parse().ok()?),
            "read-memory" => Self::ReadMemory(text.parse().ok()?),
            "become-root" => Self::BecomeRoot,
            "mount" => Self::Mount,
            "keys" => Self::Keys,
            "idle" => Self::Idle,
            "ring" => Self::Ring,
            "trace" => Self::Trace,
            _ => return None,
        })
    }

    /// Makes the attempt in this process, which must have one thread and must not be used afterwards. Returns the error
    /// number, 0 for none.
    pub(crate) fn attempt(&self) -> i32 {
        match self.try_it() {
            Ok(()) => 0,
            Err(error) => error.raw_os_error().unwrap_or(-1),
        }
    }

    fn try_it(&self) -> io::Result<()> {
        match self {
            Self::Read(path) => File::open(path).map(drop),
            Self::Write(path) => OpenOptions::new().append(true).create(true).open(path).map(drop),
            Self::Permit(path) => std::fs::set_permissions(path, Permissions::from_mode(0o600)),
            Self::Empty(path) => {
                let flags = rustix::fs::OFlags::RDONLY | rustix::fs::OFlags::TRUNC;
                rustix::fs::open(path, flags, rustix::fs::Mode::empty())?;
                Ok(())
            }
            Self::Tcp(port) => TcpStream::connect((Ipv4Addr::LOCALHOST, *port)).map(drop),
            Self::Udp(port) => {
                let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
                socket.send_to(b"x", (Ipv4Addr::LOCALHOST, *port)).map(drop)
            }
            Self::Unix(path) => UnixStream::connect(path).map(drop),
            Self::Abstract(name) => {
                UnixStream::connect_addr(&SocketAddr::from_abstract_name(name)?).map(drop)
            }
            Self::Leave => leave(),
            Self::Signal(id) => Ok(rustix::process::test_kill_process(process(*id)?)?),
            Self::Pin(id) => {
                let id = Some(process(*id)?);
                Ok(rustix::thread::sched_setaffinity(id, &rustix::thread::sched_getaffinity(id)?)?)
            }
            Self::ReadMemory(id) => Ok(read_memory(*id)?),
            // SAFETY: the flag makes a namespace, and touches no memory.
            Self::BecomeRoot => check(unsafe { libc::unshare(libc::CLONE_NEWUSER) }.into()),
            Self::Mount => {
                let none = std::ptr::null::<libc::c_char>();
                // SAFETY: the kernel takes null for any of the texts, and refuses to mount nothing.
                check(unsafe { libc::mount(none, none, none, 0, none.cast()) }.into())
            }
            Self::Keys => {
                /// `KEYCTL_GET_KEYRING_ID` of the session's key ring, which is not created if it is missing.
                const ASK: [libc::c_long; 3] = [0, -3, 0];
                // SAFETY: the call takes three numbers here.
                check(unsafe { libc::syscall(libc::SYS_keyctl, ASK[0], ASK[1], ASK[2]) })
            }
            Self::Idle => {
                let mut turn = libc::timespec { tv_sec: 0, tv_nsec: 0 };
                // SAFETY: the kernel writes a time to a local that is one.
                check(unsafe { libc::sched_rr_get_interval(0, &raw mut turn) }.into())
            }
            Self::Ring => {
                let none = std::ptr::null::<u8>();
                // SAFETY: the kernel refuses a null pointer in place of what the ring should be like.
                check(unsafe { libc::syscall(libc::SYS_io_uring_setup, 1, none) })
            }
            // SAFETY: the request takes no arguments.
            Self::Trace => check(unsafe { libc::ptrace(libc::PTRACE_TRACEME, 0, 0, 0) }),
        }
    }
}

/// Creates a child of this process in a session of its own.
fn leave() -> io::Result<()> {
    // SAFETY: this process has one thread, and its child makes two system calls and ends.
    let id = unsafe { libc::fork() };
    if id == 0 {
        let code = rustix::process::setsid().map_or_else(rustix::io::Errno::raw_os_error, |_| 0);
        // SAFETY: it ends the process and nothing of it is left.
        unsafe { libc::_exit(code) };
    }
    check(id.into())?;
    let ended = rustix::process::waitpid(Pid::from_raw(id), WaitOptions::empty())?;
    match ended.and_then(|(_, status)| status.exit_status()) {
        Some(0) => Ok(()),
        Some(errno) => Err(io::Error::from_raw_os_error(errno)),
        None => Err(io::Error::other("it was killed")),
    }
}

/// Reads from an unmapped address: only the permission is tested.
fn read_memory(id: u32) -> io::Result<()> {
    let mut byte = 0_u8;
    let to = libc::iovec { iov_base: (&raw mut byte).cast(), iov_len: 1 };
    let from = libc::iovec { iov_base: std::ptr::without_provenance_mut(1), iov_len: 1 };
    // SAFETY: `to` describes a local of one byte; `from` is an address in another process.
    check(unsafe { libc::process_vm_readv(id.cast_signed(), &raw const to, 1, &raw const from, 1, 0) } as _)
}

fn process(id: u32) -> io::Result<Pid> {
    Pid::from_raw(id.cast_signed()).ok_or_else(|| io::ErrorKind::InvalidInput.into())
}

fn check(result: libc::c_long) -> io::Result<()> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStringExt;

    use super::*;

    #[test]
    fn attempts_survive_the_command_line() {
        let odd = PathBuf::from(OsString::from_vec(b"/a b".to_vec()));
        for escape in [Escape::Read(odd), Escape::Udp(9), Escape::Abstract("x".to_owned()), Escape::Leave] {
            let [word, detail] = escape.words();
            assert_eq!(Escape::from_words(&word, &detail), Some(escape));
        }
        assert_eq!(Escape::from_words(OsStr::new("fly"), OsStr::new("")), None);
    }
}
