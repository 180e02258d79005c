//! Runs one child process until it ends or exceeds its limits.

mod exit_status;
mod group;

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, PipeReader};
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::Command;
use tokio_util::sync::CancellationToken;
use tonearm_domain::Outage;
use tonearm_telemetry::Purpose;
use tracing::Instrument;
use tracing::field::Empty;

use self::exit_status::{can_have_used, failure};
use self::group::{ProcessGroup, Reins, start};
use crate::confinement_policy::ConfinementPolicy;
use crate::error::MediaError;
use crate::limits::ProcessLimits;
use crate::own_program::name_of;
use crate::permits::Permits;
use crate::sandbox::{FileAccess, Sandbox, Terms};

/// How many bytes of the end of stderr are kept.
const STDERR_KEPT: usize = 4096;

/// How long a process runs before it may be stopped for others.
const SLICE: Duration = Duration::from_secs(1);

/// A program to run, and what it may access and use.
pub(crate) struct Invocation {
    /// ffmpeg or ffprobe.
    pub(crate) program: PathBuf,
    /// Its arguments.
    pub(crate) args: Vec<OsString>,
    /// Its standard input; empty if `None`.
    pub(crate) stdin: Option<File>,
    /// The one file it reads, as an absolute path.
    pub(crate) input: Option<PathBuf>,
    /// The one folder it writes in, as an absolute path.
    pub(crate) folder: Option<PathBuf>,
    /// How much it may use.
    pub(crate) limits: ProcessLimits,
    /// The permits that it runs with. While others have them, it is stopped.
    pub(crate) permits: Option<Arc<Permits>>,
    /// Whether it may start processes. Only the scripts of some tests do.
    pub(crate) may_fork: bool,
    /// Its purpose, for metrics.
    pub(crate) purpose: Purpose,
    /// How it must be confined.
    pub(crate) policy: Arc<ConfinementPolicy>,
    /// The sentence for people if it fails and stderr holds no known message.
    pub(crate) otherwise: &'static str,
}

impl Invocation {
    /// Runs the process, and `consume` on a blocking thread over its stdout. Returns the result of `consume` after the
    /// process has succeeded.
    ///
    /// However this ends, even by dropping the future, the process and its group are killed.
    pub(crate) async fn run<T: Send + 'static>(
        self,
        cancel: &CancellationToken,
        consume: impl FnOnce(PipeReader) -> Result<T, MediaError> + Send + 'static,
    ) -> Result<T, MediaError> {
        let purpose = self.purpose.as_str();
        let span = tracing::info_span!("process", otel.name = purpose, otel.status_code = Empty, purpose);
        let outcome = Box::pin(self.run_in_span(cancel, consume)).instrument(span.clone()).await;
        if outcome.is_err() {
            tonearm_telemetry::note_failure(&span);
        }
        outcome
    }

    async fn run_in_span<T: Send + 'static>(
        mut self,
        cancel: &CancellationToken,
        consume: impl FnOnce(PipeReader) -> Result<T, MediaError> + Send + 'static,
    ) -> Result<T, MediaError> {
        if cancel.is_cancelled() {
            return Err(MediaError::Cancelled);
        }
        let (stdout, writer) = io::pipe()?;
        let command = self.command(writer).map_err(|e| self.unavailable(&e))?;
        let mut group = ProcessGroup(start(command).await.map_err(|e| self.unavailable(&e))?);
        let stderr = group.0.stderr.take();
        let consumer = tokio::task::spawn_blocking(move || consume(stdout));

        let reins = Reins::of(&group);
        let work = async {
            let wait = async {
                let status = group.0.wait().await;
                reins.let_go();
                status
            };
            let (consumed, stderr, status) = tokio::join!(consumer, tail(stderr), wait);
            Ok::<_, MediaError>((consumed.map_err(io::Error::other)?, stderr?, status?))
        };
        let outcome = tokio::select! {
            biased;
            () = cancel.cancelled() => Err(MediaError::Cancelled),
            () = self.share_until_out_of_time(&reins) => Err(group.out_of_time(&self.limits)),
            done = work => done,
        };
        if outcome.is_err() {
            group.kill();
            // The process is gone before the caller receives the error.
            let _ = group.0.wait().await;
        }
        let ran = reins.ran();
        tonearm_telemetry::ran_process(self.purpose, ran);
        let (consumed, stderr, status) = outcome?;

        if !stderr.is_empty() {
            tracing::debug!(program = %self.program.display(), %status, %stderr, "child process ended");
        }
        let failure = failure(status, &stderr, self.otherwise, can_have_used(ran, &self.limits));
        match (consumed, failure) {
            // The output was incomplete because the process was stopped.
            (
                Err(MediaError::NotAudio(_) | MediaError::Failed(_)),
                Some(cause @ (MediaError::Outage(..) | MediaError::LimitHit(_))),
            ) => Err(cause),
            (Err(error), _) | (Ok(_), Some(error)) => Err(error),
            (Ok(consumed), None) => Ok(consumed),
        }
    }

    /// Stops the process while others need its permits more, and completes when it has run for as long as it may.
    async fn share_until_out_of_time(&self, reins: &Reins) {
        while let left = self.limits.wall.saturating_sub(reins.ran())
            && !left.is_zero()
        {
            tokio::time::sleep(left.min(SLICE)).await;
            if let Some(permits) = self.permits.as_ref().filter(|permits| permits.are_wanted()) {
                reins.stop();
                if let Some(_memory) = reins.memory().and_then(|bytes| permits.reserve(bytes)) {
                    permits.pass_on().await;
                }
                reins.resume();
            }
        }
    }

    fn command(&mut self, stdout: io::PipeWriter) -> io::Result<Command> {
        let mut command = Command::new(&self.program);
        command
            .args(&self.args)
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("LANG", "C.UTF-8")
            // Every arena of glibc takes 64 MiB of the limited address space.
            .env("MALLOC_ARENA_MAX", "2")
            .current_dir("/")
            .stdin(self.stdin.take().map_or_else(Stdio::null, Stdio::from))
            .stdout(stdout)
            .stderr(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true);
        let files = FileAccess {
            program: self.program.clone(),
            input: self.input.clone(),
            folder: self.folder.clone(),
        };
        let mut sandbox = Sandbox::new(Terms {
            files,
            limits: &self.limits,
            niceness: self.permits.as_ref().map_or(0, |permits| permits.niceness()),
            may_fork: self.may_fork,
            policy: &self.policy,
        })?;
        // SAFETY: the closure runs in the child of a fork, where only async-signal-safe calls are allowed. `enter`
        // makes plain system calls, and neither allocates nor takes locks.
        unsafe { command.pre_exec(move || sandbox.enter()) };
        Ok(command)
    }

    fn unavailable(&self, error: &io::Error) -> MediaError {
        let name = name_of(&self.program);
        tracing::debug!(program = %self.program.display(), %error, "child process did not start");
        match error.kind() {
            io::ErrorKind::NotFound => MediaError::Outage(Outage::Tools, format!("{name} is not installed.")),
            io::ErrorKind::ArgumentListTooLong => MediaError::Failed(
                "There are too many outputs or too many tags for one run of ffmpeg.".to_owned(),
            ),
            io::ErrorKind::OutOfMemory | io::ErrorKind::WouldBlock => MediaError::Outage(
                Outage::Memory,
                "The server does not have enough memory to start a process.".to_owned(),
            ),
            _ => MediaError::Outage(Outage::Tools, format!("{name} does not start: {error}.")),
        }
    }
}

/// The end of a stream. Reads to the end, so that the process does not block.
async fn tail(stream: Option<impl AsyncRead + Unpin>) -> io::Result<String> {
    let Some(mut stream) = stream else {
        return Ok(String::new());
    };
    let mut output = Vec::with_capacity(2 * STDERR_KEPT);
    while stream.read_buf(&mut output).await? > 0 {
        if output.len() > STDERR_KEPT {
            output.drain(..output.len() - STDERR_KEPT);
        }
    }
    Ok(String::from_utf8_lossy(&output).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader, Read};
    use std::path::Path;

    use tokio::sync::oneshot;

    use super::*;

    /// A shell script as a child process that may read `/usr` and write `folder`.
    fn script(folder: &Path, script: &str) -> Invocation {
        Invocation {
            program: PathBuf::from("/bin/sh"),
            args: ["-c", script].map(OsString::from).into(),
            stdin: None,
            input: None,
            folder: Some(folder.to_owned()),
            permits: None,
            may_fork: true,
            purpose: Purpose::Test,
            policy: Arc::default(),
            limits: ProcessLimits {
                wall: Duration::from_secs(60),
                cpu_seconds: 60,
                memory: 1 << 30,
                output: 1 << 20,
            },
            otherwise: "It failed.",
        }
    }

    fn text(mut stdout: PipeReader) -> Result<String, MediaError> {
        let mut text = String::new();
        stdout.read_to_string(&mut text)?;
        Ok(text)
    }

    async fn run(folder: &Path, commands: &str) -> Result<String, MediaError> {
        script(folder, commands).run(&CancellationToken::new(), text).await
    }

    #[tokio::test]
    async fn a_child_sees_its_folder_and_nothing_of_ours() {
        let [own, other] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let secret = other.path().join("secret");
        std::fs::write(&secret, "s").unwrap();

        let file = own.path().join("x").display().to_string();
        let words = run(own.path(), &format!("echo hello > {file}; cat {file}")).await;
        assert_eq!(words.unwrap(), "hello\n");
        assert_eq!(run(own.path(), "echo $HOME$USER$CARGO_HOME").await.unwrap(), "\n");
        if crate::sandbox::landlock_abi().is_some() {
            for attempt in [
                format!("cat {}", secret.display()),
                format!("echo x > {}", other.path().join("y").display()),
                format!("rm {}", secret.display()),
                "cat /etc/passwd".to_owned(),
                "ls /home /root".to_owned(),
            ] {
                let result = run(own.path(), &attempt).await;
                assert!(matches!(result, Err(MediaError::Failed(_))), "{attempt}: {result:?}");
            }
        }
    }

    #[tokio::test]
    async fn memory_is_bounded() {
        let folder = tempfile::tempdir().unwrap();
        let mut greedy = script(folder.path(), "x=$(head -c 400000000 /dev/zero | tr '\\0' a); echo ${#x}");
        greedy.limits.memory = 64 << 20;
        let result = greedy.run(&CancellationToken::new(), text).await;
        assert!(result.is_err(), "{result:?}");
    }

    #[tokio::test]
    async fn a_file_that_grows_too_large_ends_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x");
        let grow = format!("exec head -c 3000000 /dev/zero > {}", file.display());
        let result = run(folder.path(), &grow).await;
        assert!(matches!(result, Err(MediaError::LimitHit(_))), "{result:?}");
        assert_eq!(std::fs::metadata(file).unwrap().len(), 1 << 20);
    }

    #[tokio::test]
    async fn processor_time_is_bounded() {
        let folder = tempfile::tempdir().unwrap();
        let mut busy = script(folder.path(), "while :; do :; done");
        busy.limits.cpu_seconds = 1;
        let result = busy.run(&CancellationToken::new(), text).await;
        assert!(matches!(result, Err(MediaError::LimitHit(_))), "{result:?}");
    }

    #[tokio::test]
    async fn wall_clock_time_is_bounded() {
        let folder = tempfile::tempdir().unwrap();
        let mut idle = script(folder.path(), "sleep 1000");
        idle.limits.wall = Duration::from_millis(50);
        let result = idle.run(&CancellationToken::new(), text).await;
        assert!(matches!(result, Err(MediaError::Outage(Outage::Overload, _))), "{result:?}");
    }

    #[tokio::test]
    async fn being_killed_from_outside_is_not_the_files_fault() {
        let folder = tempfile::tempdir().unwrap();
        for signal in ["KILL", "TERM", "HUP", "INT", "USR1", "ALRM", "SYS", "BUS", "XCPU"] {
            let result = run(folder.path(), &format!("kill -s {signal} $$")).await;
            assert!(matches!(result, Err(MediaError::Outage(..))), "{signal}: {result:?}");
        }
        let result = run(folder.path(), "exit 255").await;
        assert!(matches!(result, Err(MediaError::Outage(Outage::Overload, _))), "{result:?}");
        for signal in ["SEGV", "ILL", "FPE", "ABRT", "TRAP"] {
            let result = run(folder.path(), &format!("kill -s {signal} $$")).await;
            assert!(matches!(result, Err(MediaError::Failed(_))), "{signal}: {result:?}");
        }
        let result = run(folder.path(), "echo std::bad_alloc >&2; kill -s ABRT $$").await;
        assert!(matches!(result, Err(MediaError::LimitHit(_))), "{result:?}");
    }

    #[tokio::test]
    async fn a_program_that_does_not_start_is_not_the_files_fault() {
        let folder = tempfile::tempdir().unwrap();
        for words in [
            "/x/ffmpeg: /lib/libc.so.6: version `GLIBC_2.99' not found (required by /x/ffmpeg)",
            "/x/ffmpeg: symbol lookup error: /x/ffmpeg: undefined symbol: av_log",
            "Invalid data found when processing input",
        ] {
            let result =
                run(folder.path(), &format!("echo \"$0: {words}\" >&2; exit 127").replace('`', "'")).await;
            assert!(matches!(result, Err(MediaError::Outage(Outage::Tools, _))), "{words}: {result:?}");
        }
        std::fs::write(folder.path().join("not-a-program"), "x").unwrap();
        let result = run(folder.path(), &format!("exec {}/not-a-program", folder.path().display())).await;
        assert!(matches!(result, Err(MediaError::Outage(Outage::Tools, _))), "{result:?}");
    }

    #[tokio::test]
    async fn what_it_says_in_the_end_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let chatty = "head -c 300000 /dev/zero >&2; echo moov atom not found >&2; exit 1";
        let error = run(folder.path(), chatty).await.unwrap_err();
        assert!(matches!(error, MediaError::NotAudio(_)), "{error}");
    }

    #[tokio::test]
    async fn a_missing_program_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let missing = Invocation { program: folder.path().join("ffmpeg"), ..script(folder.path(), "") };
        let error = missing.run(&CancellationToken::new(), text).await.unwrap_err();
        assert!(matches!(error, MediaError::Outage(Outage::Tools, _)));
        assert_eq!(error.to_string(), "ffmpeg is not installed.");
    }

    /// A child with a child of its own. Both hold the pipe open, so the end of the pipe means that both are gone.
    fn family(
        folder: &Path,
    ) -> (Invocation, impl FnOnce(PipeReader) -> Result<(), MediaError> + use<>, [oneshot::Receiver<()>; 2])
    {
        let (started, has_started) = oneshot::channel();
        let (ended, has_ended) = oneshot::channel();
        let watch = move |stdout: PipeReader| {
            let mut stdout = BufReader::new(stdout);
            stdout.read_line(&mut String::new())?;
            let _ = started.send(());
            stdout.read_to_end(&mut Vec::new())?;
            let _ = ended.send(());
            Ok(())
        };
        (script(folder, "sleep 1000 & echo started; wait"), watch, [has_started, has_ended])
    }

    #[tokio::test]
    async fn calling_off_ends_the_whole_group() {
        let folder = tempfile::tempdir().unwrap();
        let cancel = CancellationToken::new();
        let (invocation, watch, [started, ended]) = family(folder.path());
        let off = cancel.clone();
        let running = tokio::spawn(async move { invocation.run(&off, watch).await });
        started.await.unwrap();
        cancel.cancel();
        assert!(matches!(running.await.unwrap(), Err(MediaError::Cancelled)));
        ended.await.unwrap();
    }

    #[tokio::test]
    async fn dropping_ends_the_whole_group() {
        let folder = tempfile::tempdir().unwrap();
        let (invocation, watch, [started, ended]) = family(folder.path());
        let running = tokio::spawn(async move { invocation.run(&CancellationToken::new(), watch).await });
        started.await.unwrap();
        running.abort();
        ended.await.unwrap();
    }
}
