//! A third-party S3 server: moto, from PyPI.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use tonearm_fixtures::install_tls_provider;

const BUCKET: &str = "tonearm";

/// A running server with one empty bucket. It is stopped when dropped.
#[derive(Debug)]
pub(crate) struct Moto {
    child: Child,
    address: SocketAddr,
}

impl Moto {
    /// Starts the server, from `PATH` or from a virtual environment below `target`, which is created if necessary.
    pub(crate) async fn start(target: &Path) -> Result<Self> {
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port();
        let folder = target.to_owned();
        let program = tokio::task::spawn_blocking(move || find(&folder)).await??;
        let child = Command::new(&program)
            .args(["-H", "127.0.0.1", "-p", &port.to_string()])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("{} cannot be run", program.display()))?;
        let moto = Self { child, address: (Ipv4Addr::LOCALHOST, port).into() };
        moto.make_bucket().await?;
        Ok(moto)
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// The storage URL of the bucket, reached through the server or proxy at `address`.
    pub(crate) fn url(address: SocketAddr) -> String {
        format!(
            "s3://{BUCKET}?endpoint=http://{address}&region=us-east-1&access_key_id=cluster&secret_access_key=cluster"
        )
    }

    async fn make_bucket(&self) -> Result<()> {
        install_tls_provider();
        let http = reqwest::Client::new();
        let begun = Instant::now();
        loop {
            let put = http.put(format!("http://{}/{BUCKET}", self.address)).send().await;
            if put.is_ok_and(|answer| answer.status().is_success()) {
                return Ok(());
            }
            ensure!(begun.elapsed() < Duration::from_secs(60), "moto does not answer");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }
}

impl Drop for Moto {
    fn drop(&mut self) {
        // The process may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn find(target: &Path) -> Result<PathBuf> {
    let serves = |program: &Path| {
        Command::new(program).arg("--help").output().is_ok_and(|output| output.status.success())
    };
    let installed = target.join("moto/bin/moto_server");
    for program in [PathBuf::from("moto_server"), installed.clone()] {
        if serves(&program) {
            return Ok(program);
        }
    }
    let venv = target.join("moto");
    run(Command::new("python3").args(["-m", "venv"]).arg(&venv))?;
    run(Command::new(venv.join("bin/pip")).args(["install", "--quiet", "moto[server]"]))?;
    Ok(installed)
}

fn run(command: &mut Command) -> Result<()> {
    let output = command.stdin(Stdio::null()).output()?;
    if !output.status.success() {
        bail!("{}", String::from_utf8_lossy(&output.stderr).lines().last().unwrap_or("it failed"));
    }
    Ok(())
}
