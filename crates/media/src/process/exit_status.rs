//! What the exit status of a child process means.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;

use tonearm_domain::Outage;

use crate::error::MediaError;
use crate::limits::ProcessLimits;

/// The exit statuses of the system's loader and of shells if a program or one of its libraries cannot be used.
const DOES_NOT_START: [i32; 2] = [126, 127];

/// The error that an exit status means, if any. `can_be_out_of_cpu`: whether the process ran for long enough to have
/// used up its CPU time.
pub(super) fn failure(
    status: ExitStatus,
    stderr: &str,
    otherwise: &str,
    can_be_out_of_cpu: bool,
) -> Option<MediaError> {
    let stopped = || MediaError::Outage(Outage::Overload, "The process was stopped from outside.".to_owned());
    let tools = |reason: &str| MediaError::Outage(Outage::Tools, reason.to_owned());
    match (status.code(), status.signal()) {
        _ if status.success() => None,
        // ffmpeg catches termination signals, and then exits with this status and without a message.
        (Some(255), _) if stderr.is_empty() => Some(stopped()),
        (Some(code), _) if DOES_NOT_START.contains(&code) => {
            Some(tools("ffmpeg does not start: the program or one of its libraries cannot be used."))
        }
        (Some(_), _) => Some(MediaError::from_stderr(stderr, otherwise)),
        (_, Some(libc::SIGXFSZ)) => {
            Some(MediaError::LimitHit("The result exceeds the size limit.".to_owned()))
        }
        // The kernel sends these when the CPU time limit is reached.
        (_, Some(libc::SIGKILL | libc::SIGXCPU)) if can_be_out_of_cpu => {
            Some(MediaError::LimitHit("The work exceeded its limit of processor time.".to_owned()))
        }
        (_, Some(libc::SIGKILL)) => Some(MediaError::Outage(
            Outage::Memory,
            "The process was killed from outside, probably because the server ran out of memory.".to_owned(),
        )),
        // Signals for a decoder's own faults. Some decoders abort if they get no memory.
        (_, Some(libc::SIGSEGV | libc::SIGILL | libc::SIGFPE | libc::SIGABRT | libc::SIGTRAP)) => {
            Some(MediaError::from_stderr(stderr, "The decoder crashed on this file."))
        }
        // A page of the program, or of a file, could not be read.
        (_, Some(libc::SIGBUS)) => Some(MediaError::Outage(
            Outage::Disk,
            "The process was stopped because a disk of the server could not be read.".to_owned(),
        )),
        (_, Some(libc::SIGSYS)) => Some(tools("ffmpeg was stopped by the confinement of the server.")),
        (_, Some(_) | None) => Some(stopped()),
    }
}

/// Whether a process that ran for this long on this machine may have used up its CPU time.
pub(super) fn can_have_used(elapsed: Duration, limits: &ProcessLimits) -> bool {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    elapsed.as_secs_f64() * cores as f64 >= limits.cpu_seconds as f64
}
