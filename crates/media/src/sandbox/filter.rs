//! The seccomp filter that decides which system calls a child may make, assembled here.
//!
//! Calls that are not listed fail with `ENOSYS`, as if the kernel were older: C libraries then fall back to older
//! calls, so that future versions of libc still work. Calls that programs try and can do without fail with `EPERM`. No
//! call kills the process: that would look like a crash caused by the file.

use std::io;

use libc::sock_filter;

use super::calls::{ALLOWED, CHECKED, Check, REFUSED};

#[cfg(all(target_arch = "x86_64", target_pointer_width = "64"))]
const ARCHITECTURE: Option<u32> = Some(0xC000_003E);
#[cfg(all(target_arch = "aarch64", target_pointer_width = "64", target_endian = "little"))]
const ARCHITECTURE: Option<u32> = Some(0xC000_00B7);
/// On other architectures the system call numbers have not been reviewed.
#[cfg(not(any(
    all(target_arch = "x86_64", target_pointer_width = "64"),
    all(target_arch = "aarch64", target_pointer_width = "64", target_endian = "little")
)))]
const ARCHITECTURE: Option<u32> = None;

/// Numbers from here on are calls of the x32 ABI, which differ from the calls with the same number without this bit.
const X32: u32 = 0x4000_0000;

// Offsets in `struct seccomp_data` (seccomp(2)): number, architecture, instruction pointer, six arguments of 64 bits.
const NUMBER_AT: u32 = 0;
const ARCHITECTURE_AT: u32 = 4;
const ARGUMENTS_AT: u32 = 16;

const LOAD: u32 = libc::BPF_LD | libc::BPF_W | libc::BPF_ABS;
/// The bits of `open`'s flags that say whether a file is read or written (open(2)); musl's `O_ACCMODE` has one more.
const ACCESS_MODE: i32 = 3;
const EQUAL: u32 = libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K;
const AT_LEAST: u32 = libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K;
const AND: u32 = libc::BPF_ALU | libc::BPF_AND | libc::BPF_K;
const RETURN: u32 = libc::BPF_RET | libc::BPF_K;

/// `SECCOMP_FILTER_FLAG_SPEC_ALLOW`: without it, kernels before 5.16 turn off speculation for the whole process, which
/// makes encoding slower and protects nothing: a child holds no secrets of others.
const KEEP_SPECULATION: libc::c_ulong = 4;

/// An assembled filter that can be installed.
pub(crate) struct Filter {
    program: Vec<sock_filter>,
    /// The instructions that compare with the child's own id, which is not known before the fork.
    own_id_at: Vec<usize>,
}

impl Filter {
    /// A filter for a child without or with child processes of its own. `None` if this kernel has no seccomp, or if the
    /// processor is not supported.
    pub(crate) fn new(may_fork: bool) -> Option<Self> {
        let architecture = ARCHITECTURE?;
        is_taken().then(|| Self::assemble(architecture, may_fork))
    }

    fn assemble(architecture: u32, may_fork: bool) -> Self {
        let mut filter = Self { program: Vec::new(), own_id_at: Vec::new() };
        filter.add(LOAD, ARCHITECTURE_AT);
        filter.unless_equal(architecture, &[fail(libc::ENOSYS)]);
        filter.add(LOAD, NUMBER_AT);
        filter.program.push(instruction(AT_LEAST, X32, 0, 1));
        filter.program.push(fail(libc::ENOSYS));
        for number in ALLOWED {
            filter.if_number(*number, &[allow()]);
        }
        for (number, check) in CHECKED {
            match check {
                Check::Thread | Check::Process if may_fork => filter.if_number(*number, &[allow()]),
                check => filter.check(*number, check),
            }
        }
        for number in REFUSED {
            filter.if_number(*number, &[fail(libc::EPERM)]);
        }
        filter.program.push(fail(libc::ENOSYS));
        filter
    }

    fn add(&mut self, code: u32, value: u32) {
        self.program.push(instruction(code, value, 0, 0));
    }

    /// Runs `body`, which has to return, if the accumulator differs from `value`.
    fn unless_equal(&mut self, value: u32, body: &[sock_filter]) {
        self.program.push(instruction(EQUAL, value, body.len() as u8, 0));
        self.program.extend_from_slice(body);
    }

    /// Runs `body`, which has to return, for one system call. Otherwise the accumulator still holds the number
    /// afterwards.
    fn if_number(&mut self, number: libc::c_long, body: &[sock_filter]) {
        self.program.push(instruction(EQUAL, number as u32, 0, body.len() as u8));
        self.program.extend_from_slice(body);
    }

    fn check(&mut self, number: libc::c_long, check: &Check) {
        let low = |argument: u32| instruction(LOAD, ARGUMENTS_AT + 8 * argument, 0, 0);
        let high = |argument: u32| instruction(LOAD, ARGUMENTS_AT + 8 * argument + 4, 0, 0);
        let is = |value: u32| instruction(EQUAL, value, 0, 1);
        let body = match *check {
            Check::OneOf { argument, values, otherwise } => {
                let mut body = vec![low(argument)];
                body.extend(values.iter().flat_map(|value| [is(*value), allow()]));
                body.push(fail(otherwise));
                body
            }
            Check::Null { argument } => vec![
                low(argument),
                instruction(EQUAL, 0, 0, 3),
                high(argument),
                is(0),
                allow(),
                fail(libc::EPERM),
            ],
            // Before Linux 6.2, Landlock lets a process that may read a file truncate it, and with both bits of the
            // mode set, any process.
            Check::Opening { flags } => vec![
                low(flags),
                instruction(AND, (libc::O_TRUNC | ACCESS_MODE) as u32, 0, 0),
                instruction(EQUAL, libc::O_TRUNC as u32, 1, 0),
                instruction(EQUAL, (libc::O_TRUNC | ACCESS_MODE) as u32, 0, 1),
                fail(libc::EPERM),
                allow(),
            ],
            Check::OwnId => {
                // After the comparison of the number and the load.
                self.own_id_at.push(self.program.len() + 2);
                vec![low(0), is(0), allow(), fail(libc::EPERM)]
            }
            Check::Process => vec![fail(libc::EPERM)],
            Check::Thread => vec![
                low(0),
                instruction(AND, (libc::CLONE_THREAD | NAMESPACES) as u32, 0, 0),
                is(libc::CLONE_THREAD as u32),
                allow(),
                fail(libc::EPERM),
            ],
        };
        self.if_number(number, &body);
    }

    /// Confines the calling process and the programs it executes permanently; it must have set `no_new_privs`. It only
    /// makes system calls, so that it may run in the child of a process with many threads.
    pub(crate) fn install(&mut self) -> io::Result<()> {
        let own_id = rustix::process::getpid().as_raw_nonzero().get().cast_unsigned();
        for place in &self.own_id_at {
            if let Some(comparison) = self.program.get_mut(*place) {
                comparison.k = own_id;
            }
        }
        let program = libc::sock_fprog { len: self.program.len() as u16, filter: self.program.as_mut_ptr() };
        let install = |flags: libc::c_ulong| {
            // SAFETY: `program` points to as many instructions as it says, which live as long as `self`; the kernel
            // copies and checks them, and keeps no pointer.
            let result = unsafe {
                libc::syscall(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, flags, &raw const program)
            };
            result == 0
        };
        // Kernels before 4.17 do not support the flag.
        if install(KEEP_SPECULATION) || install(0) { Ok(()) } else { Err(io::Error::last_os_error()) }
    }
}

/// Whether this kernel reports support for the filter.
fn is_taken() -> bool {
    let action = libc::SECCOMP_RET_ERRNO;
    // SAFETY: the kernel reads four bytes behind the pointer, which is to a local of that size.
    let result =
        unsafe { libc::syscall(libc::SYS_seccomp, libc::SECCOMP_GET_ACTION_AVAIL, 0, &raw const action) };
    result == 0
}

/// Flags of clone(2) that create a namespace.
const NAMESPACES: i32 = libc::CLONE_NEWNS
    | libc::CLONE_NEWCGROUP
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUSER
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET;

/// `if_so` and `if_not` are how many instructions are skipped.
const fn instruction(code: u32, k: u32, if_so: u8, if_not: u8) -> sock_filter {
    sock_filter { code: code as u16, jt: if_so, jf: if_not, k }
}

const fn allow() -> sock_filter {
    instruction(RETURN, libc::SECCOMP_RET_ALLOW, 0, 0)
}

const fn fail(errno: i32) -> sock_filter {
    instruction(RETURN, libc::SECCOMP_RET_ERRNO | errno.cast_unsigned(), 0, 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Simulates the kernel for the instructions that are used here.
    fn run(program: &[sock_filter], data: [u32; 16]) -> u32 {
        let (mut at, mut accumulator) = (0, 0);
        loop {
            let sock_filter { code, jt, jf, k } = program[at];
            at += 1;
            let skipped = match u32::from(code) {
                LOAD => {
                    accumulator = data[k as usize / 4];
                    0
                }
                AND => {
                    accumulator &= k;
                    0
                }
                EQUAL => {
                    if accumulator == k {
                        jt
                    } else {
                        jf
                    }
                }
                AT_LEAST => {
                    if accumulator >= k {
                        jt
                    } else {
                        jf
                    }
                }
                RETURN => return k,
                other => panic!("{other}"),
            };
            at += usize::from(skipped);
        }
    }

    const ALLOW: u32 = libc::SECCOMP_RET_ALLOW;
    const NO_SUCH_CALL: u32 = libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32;
    const NOT_PERMITTED: u32 = libc::SECCOMP_RET_ERRNO | libc::EPERM as u32;

    fn answer(may_fork: bool, number: libc::c_long, arguments: [u64; 3]) -> u32 {
        let architecture = ARCHITECTURE.unwrap();
        let mut data = [number as u32, architecture, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        for (place, argument) in arguments.iter().enumerate() {
            data[4 + 2 * place] = *argument as u32;
            data[5 + 2 * place] = (argument >> 32) as u32;
        }
        run(&Filter::assemble(architecture, may_fork).program, data)
    }

    #[test]
    fn calls_are_allowed_by_name_and_by_what_they_ask() {
        let thread = (libc::CLONE_VM | libc::CLONE_THREAD | libc::CLONE_SIGHAND) as u64;
        for (number, arguments, expected) in [
            (libc::SYS_read, [0; 3], ALLOW),
            (libc::SYS_openat, [0, 0, (libc::O_CREAT | libc::O_TRUNC | libc::O_RDWR) as u64], ALLOW),
            (libc::SYS_openat, [0, 0, libc::O_RDONLY as u64], ALLOW),
            (libc::SYS_openat, [0, 0, (libc::O_CLOEXEC | libc::O_TRUNC) as u64], NOT_PERMITTED),
            (libc::SYS_openat, [0, 0, (3 | libc::O_TRUNC) as u64], NOT_PERMITTED),
            (libc::SYS_socket, [2, 2, 0], NOT_PERMITTED),
            (libc::SYS_mount, [0; 3], NOT_PERMITTED),
            (libc::SYS_io_uring_setup, [0; 3], NO_SUCH_CALL),
            (libc::SYS_clone3, [0; 3], NO_SUCH_CALL),
            (libc::SYS_clone, [thread, 0, 0], ALLOW),
            (libc::SYS_clone, [libc::SIGCHLD as u64, 0, 0], NOT_PERMITTED),
            (libc::SYS_clone, [thread | libc::CLONE_NEWUSER as u64, 0, 0], NOT_PERMITTED),
            (libc::SYS_prlimit64, [0, 7, 0], ALLOW),
            (libc::SYS_prlimit64, [0, 7, 1], NOT_PERMITTED),
            (libc::SYS_prlimit64, [0, 7, 1 << 32], NOT_PERMITTED),
            (libc::SYS_kill, [1, 9, 0], NOT_PERMITTED),
            (libc::SYS_sched_setaffinity, [0, 8, 0], ALLOW),
            (libc::SYS_sched_setaffinity, [1, 8, 0], NOT_PERMITTED),
            (libc::SYS_ioctl, [0, u64::from(libc::TCGETS as u32), 0], ALLOW),
            (
                libc::SYS_ioctl,
                [0, u64::from(libc::TIOCSTI as u32), 0],
                libc::SECCOMP_RET_ERRNO | libc::ENOTTY as u32,
            ),
            (libc::SYS_prctl, [libc::PR_SET_NAME as u64, 0, 0], ALLOW),
            (libc::SYS_prctl, [libc::PR_SET_PDEATHSIG as u64, 0, 0], libc::SECCOMP_RET_ERRNO | 22),
            (100_000, [0; 3], NO_SUCH_CALL),
        ] {
            assert_eq!(answer(false, number, arguments), expected, "{number} {arguments:x?}");
        }
        assert_eq!(answer(true, libc::SYS_clone, [libc::SIGCHLD as u64, 0, 0]), ALLOW);
        // The call has no arguments, so the registers have no meaning.
        #[cfg(target_arch = "x86_64")]
        assert_eq!(answer(false, libc::SYS_fork, [thread, 0, 0]), NOT_PERMITTED);
    }

    #[test]
    fn other_architectures_and_x32_have_no_calls() {
        let architecture = ARCHITECTURE.unwrap();
        let program = Filter::assemble(architecture, false).program;
        let mut data = [0; 16];
        (data[0], data[1]) = (libc::SYS_read as u32, 0x4000_0003);
        assert_eq!(run(&program, data), NO_SUCH_CALL);
        (data[0], data[1]) = (libc::SYS_read as u32 | X32, architecture);
        assert_eq!(run(&program, data), NO_SUCH_CALL);
    }
}
