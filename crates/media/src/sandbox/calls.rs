//! The system calls that a child may make. The list covers ffmpeg, its libraries, glibc, musl, Rust's standard library
//! and a shell that starts ffmpeg. Calls that none of them needs are not listed.

use libc::c_long;

/// The condition under which a call is allowed.
pub(super) enum Check {
    /// The lower 32 bits of an argument, counted from 0, are one of these; the call fails with `otherwise` if not.
    OneOf { argument: u32, values: &'static [u32], otherwise: i32 },
    /// A pointer is null: the call only queries.
    Null { argument: u32 },
    /// The first argument is the process's own id.
    OwnId,
    /// The flags do not allow truncating a file without opening it for writing.
    Opening { flags: u32 },
    /// The flags create a thread, not a process, and no namespace.
    Thread,
    /// Never, unless the child may start processes.
    Process,
}

/// Calls on open files, memory, threads, time and the process itself; and calls by path, which Landlock checks. Calls
/// that change a file without opening it are not listed: Landlock does not control all of them.
pub(super) const ALLOWED: &[c_long] = &[
    // The most frequent calls come first, as the list is searched from its beginning.
    libc::SYS_read,
    libc::SYS_write,
    libc::SYS_futex,
    libc::SYS_lseek,
    libc::SYS_mmap,
    libc::SYS_munmap,
    libc::SYS_mprotect,
    libc::SYS_madvise,
    libc::SYS_brk,
    libc::SYS_mremap,
    libc::SYS_clock_gettime,
    libc::SYS_sched_yield,
    // Open files.
    libc::SYS_pread64,
    libc::SYS_pwrite64,
    libc::SYS_readv,
    libc::SYS_writev,
    libc::SYS_preadv,
    libc::SYS_pwritev,
    libc::SYS_preadv2,
    libc::SYS_pwritev2,
    libc::SYS_close,
    libc::SYS_close_range,
    libc::SYS_dup,
    libc::SYS_dup3,
    libc::SYS_fsync,
    libc::SYS_fdatasync,
    libc::SYS_sync_file_range,
    libc::SYS_ftruncate,
    libc::SYS_fallocate,
    libc::SYS_fadvise64,
    libc::SYS_readahead,
    libc::SYS_flock,
    libc::SYS_copy_file_range,
    libc::SYS_sendfile,
    libc::SYS_fstat,
    libc::SYS_fstatfs,
    libc::SYS_getdents64,
    libc::SYS_pipe2,
    libc::SYS_ppoll,
    libc::SYS_pselect6,
    libc::SYS_epoll_create1,
    libc::SYS_epoll_ctl,
    libc::SYS_epoll_pwait,
    libc::SYS_eventfd2,
    // Files by path.
    libc::SYS_newfstatat,
    libc::SYS_statx,
    libc::SYS_statfs,
    libc::SYS_faccessat,
    libc::SYS_faccessat2,
    libc::SYS_readlinkat,
    libc::SYS_getcwd,
    libc::SYS_chdir,
    libc::SYS_fchdir,
    libc::SYS_umask,
    // A shell replaces itself with ffmpeg through it; the executed program stays confined.
    libc::SYS_execve,
    // Memory. libnuma, which x265 links, queries NUMA policies.
    libc::SYS_mincore,
    libc::SYS_msync,
    libc::SYS_mlock,
    libc::SYS_munlock,
    libc::SYS_membarrier,
    libc::SYS_get_mempolicy,
    libc::SYS_set_mempolicy,
    // Threads and the process itself.
    libc::SYS_set_robust_list,
    libc::SYS_get_robust_list,
    libc::SYS_set_tid_address,
    libc::SYS_rseq,
    libc::SYS_exit,
    libc::SYS_exit_group,
    libc::SYS_restart_syscall,
    libc::SYS_wait4,
    libc::SYS_waitid,
    libc::SYS_gettid,
    libc::SYS_getpid,
    libc::SYS_getppid,
    libc::SYS_getpgid,
    libc::SYS_getsid,
    libc::SYS_getuid,
    libc::SYS_geteuid,
    libc::SYS_getgid,
    libc::SYS_getegid,
    libc::SYS_getresuid,
    libc::SYS_getresgid,
    libc::SYS_getgroups,
    libc::SYS_getrusage,
    libc::SYS_getpriority,
    libc::SYS_sched_getaffinity,
    libc::SYS_sched_getparam,
    libc::SYS_sched_getscheduler,
    libc::SYS_sched_get_priority_max,
    libc::SYS_sched_get_priority_min,
    libc::SYS_getcpu,
    libc::SYS_uname,
    libc::SYS_sysinfo,
    libc::SYS_times,
    libc::SYS_getrandom,
    // Time, and signals to the process itself.
    libc::SYS_clock_getres,
    libc::SYS_clock_nanosleep,
    libc::SYS_nanosleep,
    libc::SYS_gettimeofday,
    libc::SYS_getitimer,
    libc::SYS_setitimer,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_rt_sigpending,
    libc::SYS_rt_sigsuspend,
    libc::SYS_rt_sigtimedwait,
    libc::SYS_sigaltstack,
    // Older forms of the above, which newer architectures do not have.
    #[cfg(target_arch = "x86_64")]
    libc::SYS_stat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_lstat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_access,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_readlink,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_getdents,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_pipe,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_dup2,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_poll,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_select,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_epoll_create,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_epoll_wait,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_eventfd,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_getpgrp,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_getrlimit,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_time,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_alarm,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_pause,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_arch_prctl,
];

/// `PR_SET_VMA`, by which C libraries name their memory.
const NAME_MEMORY: u32 = 0x5356_4d41;

/// Calls that are allowed only with certain arguments.
pub(super) const CHECKED: &[(c_long, Check)] = &[
    (libc::SYS_openat, Check::Opening { flags: 2 }),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_open, Check::Opening { flags: 1 }),
    (libc::SYS_clone, Check::Thread),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_fork, Check::Process),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_vfork, Check::Process),
    (libc::SYS_kill, Check::OwnId),
    (libc::SYS_tgkill, Check::OwnId),
    // Only for the calling thread: other processes of the same user could otherwise be pinned to one core permanently.
    (libc::SYS_sched_setaffinity, Check::OneOf { argument: 0, values: &[0], otherwise: libc::EPERM }),
    // Root could raise its own limits.
    (libc::SYS_prlimit64, Check::Null { argument: 2 }),
    // For example, not changing the parent-death signal.
    (
        libc::SYS_prctl,
        Check::OneOf {
            argument: 0,
            values: &[
                libc::PR_SET_NAME as u32,
                libc::PR_GET_NAME as u32,
                libc::PR_GET_DUMPABLE as u32,
                libc::PR_CAPBSET_READ as u32,
                NAME_MEMORY,
            ],
            otherwise: libc::EINVAL,
        },
    ),
    // Not setting the owner, to whom the kernel sends an arbitrary signal.
    (
        libc::SYS_fcntl,
        Check::OneOf {
            argument: 1,
            values: &[
                libc::F_DUPFD as u32,
                libc::F_DUPFD_CLOEXEC as u32,
                libc::F_GETFD as u32,
                libc::F_SETFD as u32,
                libc::F_GETFL as u32,
                libc::F_SETFL as u32,
                libc::F_GETLK as u32,
                libc::F_SETLK as u32,
                libc::F_SETLKW as u32,
                libc::F_GETPIPE_SZ as u32,
                libc::F_SETPIPE_SZ as u32,
            ],
            otherwise: libc::EINVAL,
        },
    ),
    // Only whether it is a terminal, and how much data is waiting: no terminal input, and no other devices.
    (
        libc::SYS_ioctl,
        Check::OneOf {
            argument: 1,
            values: &[
                libc::TCGETS as u32,
                libc::TIOCGWINSZ as u32,
                libc::FIONREAD as u32,
                libc::FIONBIO as u32,
                libc::FIOCLEX as u32,
                libc::FIONCLEX as u32,
            ],
            otherwise: libc::ENOTTY,
        },
    ),
];

/// Calls that programs try and can do without. All other calls that are not allowed fail as if they did not exist.
pub(super) const REFUSED: &[c_long] = &[
    libc::SYS_socket,
    libc::SYS_socketpair,
    libc::SYS_setsid,
    libc::SYS_setpgid,
    libc::SYS_ptrace,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_chroot,
    libc::SYS_pivot_root,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    // Encoders running as root request a real-time priority.
    libc::SYS_sched_setscheduler,
    libc::SYS_sched_setparam,
    libc::SYS_setpriority,
    libc::SYS_tkill,
    libc::SYS_rt_sigqueueinfo,
    libc::SYS_rt_tgsigqueueinfo,
    libc::SYS_unlinkat,
    libc::SYS_mkdirat,
    libc::SYS_truncate,
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
];
