//! `tonearm mcp`: a running service as tools for AI assistants, by the Model Context Protocol.
//!
//! It is a client of the service with somebody's API key, and has no permissions of its own.

mod http;
mod message;
mod server;
mod shape;
mod stdio;
mod tool;
mod tools;

use std::net::SocketAddr;

use rmcp::ServiceExt as _;

use self::server::{Credential, ToolServer};
use self::stdio::StandardStreams;
use super::Failure;
use super::bulk::{RemoteArgs, Stop};

/// How long a failed request is retried: somebody waits for it.
const RETRY_SECONDS: u32 = 30;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    remote: RemoteArgs,
    /// Serve over HTTP at this address, such as 127.0.0.1:8090, instead of standard input and output
    #[arg(long, value_name = "ADDRESS")]
    http: Option<SocketAddr>,
    /// Host name that clients use for the HTTP server; repeatable [default: localhost, 127.0.0.1 and ::1]
    #[arg(long, value_name = "HOST", requires = "http")]
    allow_host: Vec<String>,
    /// Origin whose pages may call the HTTP server, such as https://www.example.com; repeatable [default: none]
    #[arg(long, value_name = "ORIGIN", requires = "http")]
    allow_origin: Vec<http::Origin>,
}

pub(super) async fn run(args: Args) -> Result<(), Failure> {
    let stop = Stop::default();
    stop.on_signals().map_err(Failure::failed)?;
    match args.http {
        Some(address) => {
            let client = args.remote.keyless(RETRY_SECONDS)?;
            let access = http::Access { hosts: args.allow_host, origins: args.allow_origin };
            http::serve(address, access, ToolServer::new(client, Credential::OfCaller), stop).await
        }
        None => {
            let client = args.remote.client_with(RETRY_SECONDS)?;
            Box::pin(stop.unless_interrupted(speak(ToolServer::new(client, Credential::Own))))
                .await
                .unwrap_or(Ok(()))
        }
    }
}

/// Speaks over standard input and output, until its input ends.
async fn speak(server: ToolServer) -> Result<(), Failure> {
    let problem = |error: &dyn std::fmt::Display| {
        Failure::Failed(format!("the client does not use the Model Context Protocol: {error}"))
    };
    let running = server.serve(StandardStreams::open()).await.map_err(|error| problem(&error))?;
    running.waiting().await.map(drop).map_err(|error| problem(&error))
}
