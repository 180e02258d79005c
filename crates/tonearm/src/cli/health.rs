//! `tonearm health`

use std::net::SocketAddr;
use std::time::Duration;

use reqwest::{Client, StatusCode};
use serde_json::Value;
use tonearm_domain::innermost_cause;
use tonearm_outbound::install_tls_provider;

use super::{Failure, print};
use crate::Config;
use crate::service_manager::reachable;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// URL of the service [default: the listen address]
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// Only check whether the process answers, not whether its dependencies are available
    #[arg(long)]
    alive: bool,
    /// Time to wait for the response
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=300))]
    timeout: u64,
}

pub(super) async fn run(config: &Config, args: Args) -> Result<(), Failure> {
    let url = args.url.unwrap_or_else(|| own_url(config.listen, config.has_tls()));
    let path = if args.alive { "healthz" } else { "readyz" };
    let answer = client(Duration::from_secs(args.timeout))?
        .get(format!("{}/{path}", url.trim_end_matches('/')))
        .send()
        .await
        .map_err(|error| Failure::failed(format!("no response from {url}: {}", cause(&error))))?;
    if answer.status() == StatusCode::OK {
        print::outln!("{}", if args.alive { "alive" } else { "ready" });
        return Ok(());
    }
    let status = answer.status();
    let body = answer.json().await.unwrap_or(Value::Null);
    Err(Failure::failed(format!("the service at {url} is not ready: {}", reason(status, &body))))
}

/// A client that accepts any certificate: a certificate is for the public name, not for the address requested here, and
/// nothing is sent that an attacker could use.
fn client(patience: Duration) -> Result<Client, Failure> {
    install_tls_provider();
    let builder = Client::builder().timeout(patience).no_proxy().tls_danger_accept_invalid_certs(true);
    builder.build().map_err(Failure::failed)
}

fn own_url(listen: SocketAddr, has_tls: bool) -> String {
    let scheme = if has_tls { "https" } else { "http" };
    format!("{scheme}://{}", reachable(listen))
}

/// The innermost cause. The error itself only repeats the URL.
fn cause(error: &reqwest::Error) -> String {
    innermost_cause(error).map_or_else(|| error.to_string(), ToString::to_string)
}

/// The parts that are unavailable, as far as the service says.
fn reason(status: StatusCode, body: &Value) -> String {
    if body["stopping"] == true {
        return "it is stopping".to_owned();
    }
    let parts = body.as_object().into_iter().flatten();
    let missing: Vec<&str> =
        parts.filter(|(_, state)| *state == "unavailable").map(|(part, _)| part.as_str()).collect();
    match missing.as_slice() {
        [] => format!("it responds with {status}"),
        parts => format!("unavailable: {}", parts.join(", ")),
    }
}
