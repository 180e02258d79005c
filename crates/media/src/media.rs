//! Entry point of the crate: what all work with ffmpeg has in common.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tonearm_domain::FairSemaphore;
use tonearm_telemetry::Purpose;

use crate::confinement::Confinement;
use crate::confinement_policy::ConfinementPolicy;
use crate::error::MediaError;
use crate::limits::{MediaLimits, RunScope};
use crate::memory::{self, Division, MemoryBudget};
use crate::pictures::Pictures;
use crate::process::Invocation;

/// The tools to use, and how many of the machine's resources they get.
#[derive(Debug, Clone)]
pub struct MediaConfig {
    /// ffmpeg: a path, or a name to look for in `PATH`.
    pub ffmpeg: PathBuf,
    /// ffprobe, in the same way.
    pub ffprobe: PathBuf,
    /// How many child processes decode and encode at once, across all tracks; at least 1. The number of cores is best.
    /// One more may run for an organization that has none of them.
    pub concurrency: usize,
    /// How much each of them may use.
    pub limits: MediaLimits,
    /// Bytes of memory that all of them may use together. If that is not enough for each to have its limit, their
    /// limits are reduced.
    pub memory: u64,
    /// How they must be confined.
    pub confinement: ConfinementPolicy,
}

impl MediaConfig {
    /// ffmpeg and ffprobe from `PATH`, and as many processes as there are cores.
    pub fn find() -> Self {
        Self {
            ffmpeg: PathBuf::from("ffmpeg"),
            ffprobe: PathBuf::from("ffprobe"),
            concurrency: std::thread::available_parallelism().map_or(1, usize::from),
            limits: MediaLimits::default(),
            memory: memory::memory_for_processes(),
            confinement: ConfinementPolicy::default(),
        }
    }
}

/// Audio processing with ffmpeg. Clones share one budget of processes.
///
/// Each call runs a child process, confined to its input and one output folder, without network, under limits. Dropping
/// a call's future kills its process. Organizations share the encoders fairly: a process is stopped while one of an
/// organization that has fewer encoders waits. Calls of one organization get them in the order in which they were first
/// polled.
#[derive(Debug, Clone)]
pub struct Media {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    config: MediaConfig,
    encoders: FairSemaphore,
    budget: MemoryBudget,
    policy: Arc<ConfinementPolicy>,
    pictures: Pictures,
}

impl Media {
    /// Creates it with this configuration. No process is run yet; see [`Media::check`].
    pub fn new(mut config: MediaConfig) -> Self {
        config.ffmpeg = find_program(&config.ffmpeg);
        config.ffprobe = find_program(&config.ffprobe);
        let Division { limits, encoders, budget } =
            Division::of(config.memory, config.concurrency, config.limits);
        config.limits = limits;
        let encoders = FairSemaphore::new(encoders, 1);
        let policy = Arc::new(config.confinement.clone());
        let pictures = Pictures::new(Arc::clone(&policy), config.memory);
        Self { inner: Arc::new(Inner { config, encoders, budget, policy, pictures }) }
    }

    /// The handle that reads pictures, confined in the same way.
    pub fn pictures(&self) -> Pictures {
        self.inner.pictures.clone()
    }

    /// What this kernel enforces on child processes. Returns [`MediaError::Outage`] if no child of this program can be
    /// started; see [`crate::serve_if_confined`].
    pub async fn confinement(&self) -> Result<Confinement, MediaError> {
        Confinement::find_out(&self.inner.policy).await
    }

    /// How many child processes decode and encode at once.
    pub fn concurrency(&self) -> usize {
        self.inner.config.concurrency.max(1)
    }

    /// A run of ffprobe.
    pub(crate) fn probing(&self, input: PathBuf, args: Vec<OsString>, scope: &RunScope) -> Invocation {
        Invocation {
            input: Some(input),
            purpose: Purpose::Probe,
            otherwise: "The file could not be analysed.",
            ..self.invocation(&self.inner.config.ffprobe, args, scope, 0.0, 0)
        }
    }

    /// A run of ffmpeg on `seconds` of sound in this many bytes.
    pub(crate) fn ffmpeg(
        &self,
        args: Vec<OsString>,
        scope: &RunScope,
        seconds: f64,
        bytes: u64,
    ) -> Invocation {
        self.invocation(&self.inner.config.ffmpeg, args, scope, seconds, bytes)
    }

    pub(crate) fn invocation(
        &self,
        program: &Path,
        args: Vec<OsString>,
        scope: &RunScope,
        seconds: f64,
        bytes: u64,
    ) -> Invocation {
        Invocation {
            program: program.to_owned(),
            args,
            stdin: None,
            input: None,
            folder: None,
            may_fork: false,
            purpose: Purpose::Test,
            policy: Arc::clone(&self.inner.policy),
            limits: self.inner.config.limits.of(scope.tier, seconds, bytes),
            permits: None,
            otherwise: "The program failed.",
        }
    }

    /// The configuration, with limits that fit into the memory, and with the tools' paths.
    pub(crate) fn config(&self) -> &MediaConfig {
        &self.inner.config
    }

    /// The permits to use an encoder.
    pub(crate) fn encoders(&self) -> &FairSemaphore {
        &self.inner.encoders
    }

    /// The memory budget of all processes.
    pub(crate) fn budget(&self) -> &MemoryBudget {
        &self.inner.budget
    }

    /// The input's absolute path, because the child runs in another folder, and its size.
    pub(crate) async fn open(&self, input: &Path) -> Result<(PathBuf, u64), MediaError> {
        let size = tokio::fs::metadata(input).await?.len();
        if size == 0 {
            return Err(MediaError::NotAudio("The file is empty.".to_owned()));
        }
        Ok((std::path::absolute(input)?, size))
    }
}

/// A new folder, so that ffmpeg never meets a file of another job.
pub(crate) async fn fresh_folder(scratch: &Path) -> Result<tempfile::TempDir, MediaError> {
    let scratch = std::path::absolute(scratch)?;
    let make = move || tempfile::Builder::new().prefix("render-").tempdir_in(scratch);
    Ok(tokio::task::spawn_blocking(make).await.map_err(std::io::Error::other)??)
}

/// The path of a program that may be given by name only. If it is not found, the name is kept, and running it reports
/// the error.
fn find_program(program: &Path) -> PathBuf {
    if program.components().count() > 1 {
        return std::path::absolute(program).unwrap_or_else(|_| program.to_owned());
    }
    let folders = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&folders)
        .map(|folder| folder.join(program))
        .find(|candidate| candidate.is_file())
        .unwrap_or_else(|| program.to_owned())
}
