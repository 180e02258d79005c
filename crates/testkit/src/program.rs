//! The program itself as a child process, which can be killed and restarted.

use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tonearm_fixtures::EVENTUALLY;

use crate::old_kernel::without_landlock;
use crate::secrets::{self, Secrets};

/// `tonearm` on a data folder. When it ends, the test fails if its log contains a known secret: an API key, a master
/// secret, a play session, a cookie, or a secret given to [`Program::keep_secret`]. The test also fails if a command
/// prints one on standard error.
#[derive(Debug)]
pub struct Program {
    binary: PathBuf,
    data_dir: PathBuf,
    port: u16,
    variables: Vec<(String, String)>,
    serve_arguments: Vec<String>,
    has_landlock: bool,
    secrets: Secrets,
    child: Option<Child>,
}

impl Program {
    /// A program on `data_dir`, with a port that was free a moment ago.
    pub fn new(binary: &Path, data_dir: &Path) -> Self {
        let port = tonearm_fixtures::free_port();
        Self {
            binary: binary.to_owned(),
            data_dir: data_dir.to_owned(),
            port,
            // No load balancer in front of it has to notice the shutdown.
            variables: vec![("TONEARM_SHUTDOWN_DELAY_SECONDS".to_owned(), "0".to_owned())],
            serve_arguments: Vec::new(),
            has_landlock: true,
            secrets: Secrets::default(),
            child: None,
        }
    }

    /// Sets a `TONEARM_*` variable for all later runs.
    pub fn set(&mut self, name: &str, value: &str) {
        self.secrets.note_variable(name, value);
        self.variables.push((name.to_owned(), value.to_owned()));
    }

    /// Adds an argument to `serve` for all later starts.
    pub fn serve_with(&mut self, argument: &str) {
        self.serve_arguments.push(argument.to_owned());
    }

    /// Makes the test fail if this text appears in a log from now on.
    pub fn keep_secret(&self, secret: &str) {
        self.secrets.note(secret);
    }

    /// Hides Landlock from it from now on, as if the kernel had none.
    pub fn take_landlock_away(&mut self) {
        self.has_landlock = false;
    }

    /// Its base URL.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The process id, while it runs.
    pub fn pid(&self) -> Option<u32> {
        self.child.as_ref().map(Child::id)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.binary);
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command.arg("--data-dir").arg(&self.data_dir).args(arguments).stdin(Stdio::null());
        if !self.has_landlock {
            without_landlock(&mut command);
        }
        command
    }

    /// Runs a command until it exits.
    pub fn run(&self, arguments: &[&str]) -> Output {
        let output = self.command(arguments).output().unwrap();
        self.secrets.note_output(&output.stdout);
        self.check_for_secrets("standard error", &String::from_utf8_lossy(&output.stderr));
        output
    }

    /// Runs a command until it exits, while the reader of its output stops after this many lines.
    pub fn run_unread_after(&self, lines: usize, arguments: &[&str]) -> Output {
        let (output, writer) = std::io::pipe().unwrap();
        let mut output = std::io::BufReader::new(output);
        let mut read = String::new();
        // Closed before the command starts, because otherwise the command might finish first.
        if lines == 0 {
            drop(output);
            return self.command(arguments).stdout(writer).stderr(Stdio::piped()).output().unwrap();
        }
        let mut command = self.command(arguments);
        let child = command.stdout(writer).stderr(Stdio::piped()).spawn().unwrap();
        // It still holds the writing end of the pipe.
        drop(command);
        for _ in 0..lines {
            output.read_line(&mut read).unwrap();
        }
        drop(output);
        let ended = child.wait_with_output().unwrap();
        Output { stdout: read.into_bytes(), ..ended }
    }

    /// Starts a command, to be killed or waited for.
    pub fn begin(&self, arguments: &[&str]) -> Child {
        self.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// Runs a command until it exits, with a text on standard input.
    pub fn run_with_input(&self, arguments: &[&str], input: &str) -> Output {
        let mut command = self.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(input.as_bytes()).unwrap();
        drop(stdin);
        let output = child.wait_with_output().unwrap();
        self.check_for_secrets("standard error", &String::from_utf8_lossy(&output.stderr));
        output
    }

    /// Starts the service without waiting for it.
    pub fn spawn(&mut self) {
        self.spawn_into(Stdio::null());
    }

    /// The same with a standard output that has no reader.
    pub fn spawn_unread(&mut self) {
        let (_, writer) = std::io::pipe().unwrap();
        self.spawn_into(writer.into());
    }

    fn spawn_into(&mut self, output: Stdio) {
        let log = std::fs::File::create(self.log_path()).unwrap();
        let listen = format!("127.0.0.1:{}", self.port);
        let mut command = self.command(&["serve", "--listen", &listen]);
        command.args(&self.serve_arguments).stdout(output).stderr(log);
        self.child = Some(command.spawn().unwrap());
    }

    /// Starts the service and waits until it responds; returns how long that took. Panics with its log if it exits
    /// instead.
    pub async fn start(&mut self) -> Duration {
        self.spawn();
        self.wait_until_up().await
    }

    /// Waits until the spawned service responds; returns how long that took.
    pub async fn wait_until_up(&mut self) -> Duration {
        let begun = Instant::now();
        loop {
            if let Ok(Ok(())) = timeout(EVENTUALLY, answers(self.port)).await {
                return begun.elapsed();
            }
            if let Some(status) = self.child.as_mut().unwrap().try_wait().unwrap() {
                panic!("the service ended with {status}: {}", self.log());
            }
            assert!(begun.elapsed() < EVENTUALLY, "the service does not answer: {}", self.log());
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    fn log_path(&self) -> PathBuf {
        self.data_dir.with_extension("log")
    }

    /// Its log since it was started.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.log_path()).unwrap_or_default()
    }

    /// Kills it with SIGKILL and waits until it has exited.
    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().unwrap();
            child.wait().unwrap();
            self.check_log();
        }
    }

    fn check_log(&self) {
        self.check_for_secrets("the log", &self.log());
    }

    /// Panics if a text contains a secret. Does nothing if the test has already failed for another reason.
    fn check_for_secrets(&self, what: &str, text: &str) {
        if std::thread::panicking() {
            return;
        }
        let found = self.secrets.found_in(text, &secrets::keys_of(&self.url()));
        assert!(found.is_none(), "{what} contains the secret that begins with {found:?}");
    }

    /// Requests a shutdown. Returns whether the request succeeded, or true if the service is not running.
    pub fn ask_to_stop(&self) -> bool {
        let Some(child) = &self.child else {
            return true;
        };
        Command::new("kill").arg(child.id().to_string()).status().unwrap().success()
    }

    /// Requests a shutdown and waits for it; returns true if the service exited successfully.
    pub fn terminate(&mut self) -> bool {
        let was_asked = self.ask_to_stop();
        let Some(mut child) = self.child.take() else { return true };
        if !was_asked {
            return false;
        }
        let ended_well = child.wait().unwrap().success();
        self.check_log();
        ended_well
    }
}

/// Sends a request and waits for any response: the kernel accepts connections before the service starts to respond. A
/// TLS port responds with an error, which is enough.
async fn answers(port: u16) -> std::io::Result<()> {
    let mut socket = TcpStream::connect(("127.0.0.1", port)).await?;
    socket.write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").await?;
    socket.read_u8().await.map(drop)
}

impl Drop for Program {
    fn drop(&mut self) {
        self.kill();
    }
}
