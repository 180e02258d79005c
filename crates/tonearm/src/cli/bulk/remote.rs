//! The service that a command connects to, and the API key that it uses.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tonearm_client::{Client, ClientOptions, ServerUrl};

use crate::ambient;
use crate::cli::{Failure, print};

/// Maximum bytes read from a key file. No key is that long.
const LONGEST_KEY_FILE: u64 = 4096;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct RemoteArgs {
    /// URL of the service
    #[arg(long, value_name = "URL", env = "TONEARM_SERVER", default_value = "http://127.0.0.1:8080")]
    server: ServerUrl,
    /// File with an API key of type `api`; - reads it from standard input [default: the variable TONEARM_API_KEY]
    #[arg(long, value_name = "FILE", env = "TONEARM_API_KEY_FILE")]
    key_file: Option<PathBuf>,
    /// Seconds for which failing requests are retried [default: 300; mcp: 30]
    #[arg(long, value_name = "SECONDS")]
    retry_for: Option<u32>,
}

/// How long a failed request is retried by commands that run unattended.
const RETRY_SECONDS: u32 = 300;

impl RemoteArgs {
    /// Returns a client of the service.
    pub(in crate::cli) fn client(&self) -> Result<Client, Failure> {
        self.client_with(RETRY_SECONDS)
    }

    /// Returns a client of the service that retries for `retry_seconds`, unless `--retry-for` is given.
    pub(in crate::cli) fn client_with(&self, retry_seconds: u32) -> Result<Client, Failure> {
        let client = self.keyless(retry_seconds)?;
        let key = match &self.key_file {
            Some(file) => key_in(file)?,
            None => std::env::var("TONEARM_API_KEY").map_err(|_| {
                Failure::Usage("set TONEARM_API_KEY to an API key, or use --key-file FILE".to_owned())
            })?,
        };
        let key = key.trim();
        if !is_sendable(key) {
            return Err(Failure::Usage("the API key is not valid; it has letters, digits and _".to_owned()));
        }
        Ok(client.with_key(key))
    }

    /// Returns a client of the service without an API key.
    pub(in crate::cli) fn keyless(&self, retry_seconds: u32) -> Result<Client, Failure> {
        if self.server.is_exposed() {
            print::complain(format_args!(
                "Warning: {} is not encrypted, so others on the network can read the API key.",
                self.server
            ));
        }
        let seconds = self.retry_for.unwrap_or(retry_seconds);
        let options = ClientOptions { patience: Duration::from_secs(seconds.into()) };
        Client::new(self.server.clone(), "", ambient::system(), options).map_err(Failure::failed)
    }
}

/// Whether a text can be sent as an API key. Other characters are not possible in a header.
pub(in crate::cli) fn is_sendable(key: &str) -> bool {
    !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_graphic())
}

fn key_in(file: &Path) -> Result<String, Failure> {
    let problem = |error: std::io::Error| Failure::Usage(format!("--key-file {}: {error}", file.display()));
    let mut text = String::new();
    if file == Path::new("-") {
        std::io::stdin().take(LONGEST_KEY_FILE).read_to_string(&mut text).map_err(problem)?;
    } else {
        let opened = std::fs::File::open(file).map_err(problem)?;
        opened.take(LONGEST_KEY_FILE).read_to_string(&mut text).map_err(problem)?;
    }
    Ok(text)
}
