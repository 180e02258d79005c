//! The system calls that a child may make. ffmpeg, its libraries, glibc, musl, Rust's library and a shell that
//! starts ffmpeg were looked at; what none of them needs is not here.

use libc::c_long;

/// What a call is asked about itself before it is allowed.
pub(super) enum Check {
    /// The lower 32 bits of an argument, counted from 0, are one of these; the call fails with `otherwise` if not.
    OneOf { argument: u32, values: &'static [u32], otherwise: i32 },
    /// A pointer is null: the call only asks.
    Null { argument: u32 },
    /// The first argument is the process's own id.
    OwnId,
    /// A file is not emptied by who does not open it to write.
    Opening { flags: u32 },
    /// Its flags make a thread, not a process, and no namespace.
    Thread,
    /// Never, unless the child may have children of its own.
    Process,
}

/// Calls on what is open already, on memory, threads, time and the process itself; and calls by path, which Landlock
/// judges. None of those that change a file without opening it: Landlock does not know all of them.
pub(super) const ALLOWED: &[c_long] = &[
    // First those that are made often, as the list is gone through from its beginning.
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
    // Files that are open.
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
    // A shell becomes ffmpeg by it; whatever is executed is confined as before.
    libc::SYS_execve,
    // Memory. NUMA policies are asked for by libnuma, which x265 brings.
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
    // Time and signals to itself.
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

/// Calls that are allowed for some of what they do.
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
    // Of the calling thread only: others of the same user could be pinned to one core for good.
    (libc::SYS_sched_setaffinity, Check::OneOf { argument: 0, values: &[0], otherwise: libc::EPERM }),
    // Root could lift its own limits.
    (libc::SYS_prlimit64, Check::Null { argument: 2 }),
    // Not the signal that comes when the service dies, among others.
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
    // Not the owner, to whom the kernel sends signals of somebody's choice.
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
    // Whether it is a terminal, and what waits in it: not what can be typed into it, nor anything of other devices.
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

/// Calls that programs try and go on without. The rest of what is not allowed does not exist for them.
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
    // As root, encoders ask for a real-time priority.
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
