//! Nodes as processes that are restarted whenever they end, as a service manager would do.

use std::fs::OpenOptions;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

/// How long a node that ended stays down before it is restarted.
const RESTART_AFTER: Duration = Duration::from_millis(500);

/// One node. Clones share the same node.
#[derive(Debug, Clone)]
pub(crate) struct Node(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    binary: PathBuf,
    data_dir: PathBuf,
    log: PathBuf,
    port: u16,
    variables: Vec<(String, String)>,
    child: Mutex<Option<Child>>,
}

impl Node {
    /// Creates a node over a data folder, with environment variables. It is not started yet.
    pub(crate) fn new(
        binary: &Path,
        data_dir: PathBuf,
        log: PathBuf,
        variables: Vec<(String, String)>,
    ) -> Self {
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap().port();
        let binary = binary.to_owned();
        Self(Arc::new(Inner { binary, data_dir, log, port, variables, child: Mutex::new(None) }))
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.0.port)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.0.binary);
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.envs(self.0.variables.iter().map(|(name, value)| (name, value)));
        command.arg("--data-dir").arg(&self.0.data_dir).args(arguments).stdin(Stdio::null());
        command
    }

    /// Runs a command of the program and waits until it ends.
    pub(crate) fn run(&self, arguments: &[&str]) -> Result<Output> {
        Ok(self.command(arguments).output()?)
    }

    fn spawn(&self) -> Result<()> {
        let log = OpenOptions::new().create(true).append(true).open(&self.0.log)?;
        let listen = format!("127.0.0.1:{}", self.0.port);
        let mut command = self.command(&["serve", "--listen", &listen]);
        *self.0.child.lock().unwrap() = Some(command.stdout(Stdio::null()).stderr(log).spawn()?);
        Ok(())
    }

    /// Starts the node, and restarts it whenever it ends.
    pub(crate) async fn keep_running(&self) -> Result<()> {
        self.spawn()?;
        let node = self.clone();
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(RESTART_AFTER).await;
                let has_ended = match node.0.child.lock().unwrap().as_mut() {
                    Some(child) => child.try_wait().is_ok_and(|status| status.is_some()),
                    None => return,
                };
                if has_ended && let Err(error) = node.spawn() {
                    eprintln!("a node cannot be started: {error}");
                }
            }
        });
        self.until_it_answers(Duration::from_secs(60)).await
    }

    pub(crate) async fn until_it_answers(&self, within: Duration) -> Result<()> {
        let begun = Instant::now();
        while tokio::net::TcpStream::connect((Ipv4Addr::LOCALHOST, self.0.port)).await.is_err() {
            ensure!(begun.elapsed() < within, "a node does not answer; see {}", self.0.log.display());
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        Ok(())
    }

    pub(crate) fn kill(&self) {
        self.signal("KILL");
    }

    pub(crate) fn pause(&self) {
        self.signal("STOP");
    }

    pub(crate) fn go_on(&self) {
        self.signal("CONT");
    }

    fn signal(&self, name: &str) {
        if let Some(child) = self.0.child.lock().unwrap().as_ref() {
            // A process that has just ended receives no signal; it is restarted anyway.
            let _ = Command::new("kill")
                .args(["-s", name, &child.id().to_string()])
                .stderr(Stdio::null())
                .status();
        }
    }

    /// Stops the node permanently.
    pub(crate) fn stop(&self) {
        if let Some(mut child) = self.0.child.lock().unwrap().take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    /// The first ERROR lines of the log, followed by its last lines; up to `lines` of each.
    pub(crate) fn log_excerpt(&self, lines: usize) -> String {
        let log = std::fs::read_to_string(&self.0.log).unwrap_or_default();
        let all: Vec<&str> = log.lines().collect();
        let errors = all.iter().filter(|line| line.contains(" ERROR ")).take(lines);
        let last = &all[all.len().saturating_sub(lines)..];
        errors.chain(last).copied().collect::<Vec<_>>().join("\n")
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.lock().unwrap().take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
