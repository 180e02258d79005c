//! The references that Tonearm is compared with: other programs on the same machine in the same run.

mod bare;
mod nginx;

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, ensure};
use rustix::process::{Pid, Signal, kill_process};

pub(crate) use bare::{Bare, serve};
pub(crate) use nginx::{Nginx, version as nginx_version};

use crate::memory;

/// A running program. It is ended when dropped.
#[derive(Debug)]
struct Running(Child);

impl Running {
    /// The process and its children.
    fn processes(&self) -> Vec<u32> {
        let mut processes = memory::children(self.0.id());
        processes.push(self.0.id());
        processes
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Terminated, not killed, so that nginx ends its workers itself. The process may have ended already.
        if let Ok(id) = i32::try_from(self.0.id())
            && let Some(id) = Pid::from_raw(id)
        {
            let _ = kill_process(id, Signal::TERM);
        }
        drop(self.0.wait());
    }
}

/// One of this program's own bare servers, in a separate process.
#[derive(Debug)]
pub(crate) struct BareServer {
    running: Running,
    url: String,
}

impl BareServer {
    /// Starts a server over a folder.
    pub(crate) fn start(kind: Bare, folder: &Path) -> Result<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["--serve", kind.name()]).current_dir(folder);
        let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
        let mut running = Running(child);
        let output = running.0.stdout.take().context("its output is piped")?;
        let mut url = String::new();
        BufReader::new(output).read_line(&mut url)?;
        ensure!(!url.is_empty(), "the bare server does not start");
        Ok(Self { running, url: url.trim().to_owned() })
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    pub(crate) fn processes(&self) -> Vec<u32> {
        self.running.processes()
    }
}

/// A file server: nginx if it is installed, otherwise a bare server.
#[derive(Debug)]
pub(crate) enum FileServer {
    Nginx(Nginx),
    Bare(BareServer),
}

impl FileServer {
    /// Serves the files of `folder`.
    pub(crate) fn start(folder: &Path) -> Result<Self> {
        match nginx::find() {
            Some(binary) => Ok(Self::Nginx(Nginx::start(&binary, folder)?)),
            None => Ok(Self::Bare(BareServer::start(Bare::Files, folder)?)),
        }
    }

    /// The name of the server in the report.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Nginx(_) => "nginx",
            Self::Bare(_) => "bare axum",
        }
    }

    pub(crate) fn url(&self) -> &str {
        match self {
            Self::Nginx(nginx) => nginx.url(),
            Self::Bare(server) => server.url(),
        }
    }

    /// The path of a file, signed if the server checks signatures.
    pub(crate) fn path(&self, file: &str) -> String {
        match self {
            Self::Nginx(nginx) => nginx.signed_path(file),
            Self::Bare(_) => format!("/{file}"),
        }
    }

    pub(crate) fn processes(&self) -> Vec<u32> {
        match self {
            Self::Nginx(nginx) => nginx.processes(),
            Self::Bare(server) => server.processes(),
        }
    }
}
