//! Starts this program again as a confined child, to parse untrusted bytes without ffmpeg.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::panic::catch_unwind;
use std::path::PathBuf;
use std::process::exit;
use std::sync::Arc;
use std::time::Duration;

use tonearm_telemetry::Purpose;

use crate::confinement_policy::ConfinementPolicy;
use crate::escapes::Escape;
use crate::limits::ProcessLimits;
use crate::own_program::OWN_PROGRAM;
use crate::process::Invocation;
use crate::{embedded_art, picture_wire};

/// The argument that precedes a job on the command line.
const COMMAND: &str = "confined";
/// What one job may use. A picture of 64 megapixels takes seconds, and up to 1 GB of memory.
pub(crate) const LIMITS: ProcessLimits =
    ProcessLimits { wall: Duration::from_secs(120), cpu_seconds: 60, memory: 1280 << 20, output: 1 << 20 };

/// The jobs that the program can be started again for. Each reads its stdin and writes to stdout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Job {
    /// Reads a picture and makes its covers; see [`picture_wire`].
    Covers,
    /// Reads a picture and returns its pixels; see [`picture_wire`].
    Pixels,
    /// Reads a sound file and returns the picture in its tags. Writes nothing if there is none.
    Art,
    /// Reads nothing. For each attempt on the command line, writes a line with its error number, or 0 for none.
    Escapes,
}

impl Job {
    const ALL: [Self; 4] = [Self::Covers, Self::Pixels, Self::Art, Self::Escapes];

    const fn word(self) -> &'static str {
        match self {
            Self::Covers => "covers",
            Self::Pixels => "pixels",
            Self::Art => "art",
            Self::Escapes => "escapes",
        }
    }
}

/// Runs the job and exits if this process was started as a confined child of a process of the same program. Returns
/// otherwise.
///
/// Such children examine pictures and the tags of sound files, and test the confinement itself ([`crate::Pictures`],
/// [`crate::Confinement`]). Every program that uses these must therefore call this first, while it has only one thread.
pub fn serve_if_confined() {
    let mut words = std::env::args_os().skip(1);
    if words.next().as_deref() != Some(OsStr::new(COMMAND)) {
        return;
    }
    let Some(job) = words.next().and_then(|word| Job::ALL.into_iter().find(|job| word == job.word())) else {
        return;
    };
    let done = catch_unwind(|| perform(job, words.collect()));
    exit(match done {
        Ok(Ok(())) => 0,
        Ok(Err(error)) => {
            eprintln!("{error}");
            1
        }
        Err(_) => 101,
    });
}

fn perform(job: Job, words: Vec<OsString>) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    // `std::io::stdin` is buffered, which would cost one more copy.
    let stdin = || io::stdin().as_fd().try_clone_to_owned().map(File::from);
    match job {
        Job::Covers => {
            picture_wire::write_covers(&mut stdout, tonearm_signal::covers(&read_whole(stdin()?)?))?
        }
        Job::Pixels => {
            picture_wire::write_pixels(&mut stdout, tonearm_signal::pixels(&read_whole(stdin()?)?))?
        }
        Job::Art => stdout.write_all(&embedded_art::read_art(stdin()?).unwrap_or_default())?,
        Job::Escapes => {
            for words in words.chunks_exact(2) {
                let escape = Escape::from_words(&words[0], &words[1]);
                let escape = escape.ok_or_else(|| io::Error::other("no such attempt"))?;
                writeln!(stdout, "{}", escape.attempt())?;
            }
        }
    }
    stdout.flush()
}

fn read_whole(mut file: File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    io::Read::read_to_end(&mut file, &mut bytes)?;
    Ok(bytes)
}

/// A run of a job that may use this many bytes of memory, within [`LIMITS`].
pub(crate) fn run_of(
    job: Job,
    stdin: Option<File>,
    policy: &Arc<ConfinementPolicy>,
    memory: u64,
) -> Invocation {
    Invocation {
        program: PathBuf::from(OWN_PROGRAM),
        args: [COMMAND, job.word()].map(OsString::from).into(),
        stdin,
        input: None,
        folder: None,
        limits: ProcessLimits { memory: memory.min(LIMITS.memory), ..LIMITS },
        permits: None,
        may_fork: false,
        purpose: Purpose::Picture,
        policy: Arc::clone(policy),
        otherwise: "It could not be read.",
    }
}
