//! Which service a command works against, and with which key.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tonearm_client::{Client, ClientOptions, ServerUrl};

use crate::ambient;
use crate::cli::Failure;

/// More than any key has, in bytes.
const LONGEST_KEY_FILE: u64 = 4096;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct RemoteArgs {
    /// URL of the service
    #[arg(long, value_name = "URL", env = "TONEARM_SERVER", default_value = "http://127.0.0.1:8080")]
    server: ServerUrl,
    /// File with an API key of type `api`; - reads it from standard input [default: the variable TONEARM_API_KEY]
    #[arg(long, value_name = "FILE")]
    key_file: Option<PathBuf>,
    /// Seconds after which something that keeps failing, such as a connection, is given up
    #[arg(long, value_name = "SECONDS", default_value_t = 300)]
    retry_for: u32,
}

impl RemoteArgs {
    /// A client to the service.
    pub(in crate::cli) fn client(&self) -> Result<Client, Failure> {
        let key = match &self.key_file {
            Some(file) => key_in(file)?,
            None => std::env::var("TONEARM_API_KEY").map_err(|_| {
                Failure::Usage("set TONEARM_API_KEY to an API key, or use --key-file FILE".to_owned())
            })?,
        };
        let key = key.trim();
        // A header cannot have anything else.
        if key.is_empty() || !key.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(Failure::Usage("the API key is not valid; it has letters, digits and _".to_owned()));
        }
        if self.server.is_exposed() {
            eprintln!(
                "Warning: {} is not encrypted, so others on the network can read the API key.",
                self.server
            );
        }
        let options = ClientOptions { patience: Duration::from_secs(self.retry_for.into()) };
        Client::new(self.server.clone(), key, ambient::system(), options).map_err(Failure::failed)
    }
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
