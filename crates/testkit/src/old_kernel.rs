//! Simulates a kernel without Landlock, for a process and its children.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

use libc::sock_filter;

/// Hides Landlock from a program, as in kernels before 5.13: its system calls do not exist.
pub(crate) fn without_landlock(command: &mut Command) {
    // SAFETY: the closure runs between fork and exec, and makes two system calls.
    unsafe { command.pre_exec(take_landlock_away) };
}

fn take_landlock_away() -> io::Result<()> {
    const LOAD: u16 = (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16;
    const AT_LEAST: u16 = (libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K) as u16;
    const ABOVE: u16 = (libc::BPF_JMP | libc::BPF_JGT | libc::BPF_K) as u16;
    const RETURN: u16 = (libc::BPF_RET | libc::BPF_K) as u16;
    // The three system calls have consecutive numbers, the same on all architectures.
    let (first, last) = (libc::SYS_landlock_create_ruleset as u32, libc::SYS_landlock_restrict_self as u32);
    let none = libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32;
    let mut filter = [
        sock_filter { code: LOAD, jt: 0, jf: 0, k: 0 },
        sock_filter { code: AT_LEAST, jt: 0, jf: 2, k: first },
        sock_filter { code: ABOVE, jt: 1, jf: 0, k: last },
        sock_filter { code: RETURN, jt: 0, jf: 0, k: none },
        sock_filter { code: RETURN, jt: 0, jf: 0, k: libc::SECCOMP_RET_ALLOW },
    ];
    let program = libc::sock_fprog { len: filter.len() as u16, filter: filter.as_mut_ptr() };
    // SAFETY: the first call takes numbers only. `program` points to as many instructions as it says, which the
    // kernel copies and checks.
    let result = unsafe {
        libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program)
    };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
