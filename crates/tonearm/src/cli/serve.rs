//! `tonearm serve`

use std::convert::Infallible;
use std::net::TcpListener;
use std::path::PathBuf;
use std::time::Duration;

use rustix::process::{Resource, getrlimit, setrlimit};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tonearm_domain::{Ambient, error_with_causes};
use tonearm_service::{Caller, CreateCollection, Refusal};

use super::{Failure, print};
use crate::config::UnknownVariable;
use crate::{Config, Node, Overrides, Role, Services, opening, service_manager};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Address and port to listen on [default: 127.0.0.1:8080]
    #[arg(long, value_name = "ADDR")]
    listen: Option<String>,
    /// Roles of this node, separated by commas [default: api,worker,edge]
    #[arg(long, value_name = "ROLES", value_delimiter = ',')]
    roles: Option<Vec<Role>>,
    /// Serve HTTPS with this certificate chain, in PEM format; reloaded when it changes
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// Private key of the certificate, in PEM format
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// Migrate the database before starting; the default with SQLite
    #[arg(long)]
    migrate: bool,
    /// If there is no organization, create one with a collection and an API key, and print an example request
    #[arg(long)]
    setup: bool,
}

impl Args {
    pub(super) fn apply(&self, overrides: &mut Overrides) {
        overrides.listen = self.listen.clone();
        overrides.roles = self.roles.clone();
        overrides.tls_cert = self.tls_cert.clone();
        overrides.tls_key = self.tls_key.clone();
        overrides.migrate = self.migrate;
    }
}

/// Serves until a signal stops it, on the socket that a service manager passed on or on the configured address.
pub(super) async fn run(
    config: &Config,
    ambient: Ambient,
    args: Args,
    socket: Option<TcpListener>,
) -> Result<(), Failure> {
    let mut terminate = signal(SignalKind::terminate()).map_err(Failure::failed)?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(Failure::failed)?;
    allow_open_files();
    for UnknownVariable { name, meant } in UnknownVariable::all() {
        tracing::warn!(name, meant, "ignoring an unknown environment variable");
    }
    opening::require_secret(config)?;
    // A start may have to wait, for example for a migration, a database or a bucket. Until requests are answered, it
    // can be cancelled at any point.
    let mut node = tokio::select! {
        node = serve(config, ambient, socket) => node?,
        _ = terminate.recv() => return Ok(()),
        _ = interrupt.recv() => return Ok(()),
    };
    let early = tokio::select! {
        ready = node.start_worker() => ready.map(|()| None)?,
        stop = stop_signal(&mut terminate, &mut interrupt) => Some(stop),
    };
    let stop = match early {
        Some(stop) => stop,
        None => {
            tracing::info!(address = %node.address(), public_url = node.public_url(), "Tonearm is listening");
            service_manager::notify_ready(node.address());
            tokio::select! {
                stop = stop_signal(&mut terminate, &mut interrupt) => stop,
                never = node.watchdog().watch() => match never {},
                never = introduce(&node, config, &args) => match never {},
            }
        }
    };
    service_manager::notify_stopping();
    if stop == StopSignal::Terminate {
        // Load balancers see the stop in `/readyz`, and have this time to send clients to other nodes.
        node.announce_stop();
        tracing::info!(delay = ?config.shutdown_delay, "stopping after the delay");
        tokio::select! {
            () = tokio::time::sleep(config.shutdown_delay) => {}
            _ = stop_signal(&mut terminate, &mut interrupt) => {}
        }
    }
    tracing::info!("stopping; waiting for open requests");
    node.stop().await;
    Ok(())
}

/// The signal that stops a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StopSignal {
    Terminate,
    /// Ctrl-C: a person is waiting at the terminal.
    Interrupt,
}

async fn stop_signal(terminate: &mut Signal, interrupt: &mut Signal) -> StopSignal {
    tokio::select! {
        _ = terminate.recv() => StopSignal::Terminate,
        _ = interrupt.recv() => StopSignal::Interrupt,
    }
}

/// Starts a node that answers requests. The tables are prepared before any client can connect.
async fn serve(config: &Config, ambient: Ambient, socket: Option<TcpListener>) -> Result<Node, Failure> {
    opening::prepare_tables(config, &ambient).await?;
    Ok(Node::serve(config, ambient, socket).await?)
}

/// Prints what its first users need. The node is running by now, so a failure does not end it.
async fn introduce(node: &Node, config: &Config, args: &Args) -> Infallible {
    if let Some(services) = node.services() {
        if args.setup {
            outlast(async || setup(services, node.public_url()).await).await;
        }
        if config.has_role(Role::Api) {
            outlast(async || invite(services).await).await;
        }
    }
    std::future::pending().await
}

/// The pause before what an outage stopped is tried again.
const PAUSE: Duration = Duration::from_secs(2);

/// Does a piece of work, again after each outage of the database.
async fn outlast(work: impl AsyncFn() -> Result<(), Refusal>) {
    let mut has_failed = false;
    while let Err(refusal) = work().await {
        let is_outage = matches!(refusal, Refusal::Unavailable(_) | Refusal::UnknownOutcome(_));
        if !has_failed || !is_outage {
            let error = error_with_causes(&refusal);
            tracing::warn!(error, is_tried_again = is_outage, "could not print what the first users need");
        }
        if !is_outage {
            return;
        }
        has_failed = true;
        tokio::time::sleep(PAUSE).await;
    }
}

/// Prints the link for the first administrator if nobody can sign in yet.
async fn invite(services: &Services) -> Result<(), Refusal> {
    if let Some(link) = services.people.first_administrator_link().await? {
        print::announce(format_args!(
            "\nNobody can sign in to the dashboard yet. Open this link once to become its administrator:\n\n{}\n",
            link.url
        ));
    }
    Ok(())
}

/// Raises the limit of open files to the maximum of this process, because each connection is an open file.
fn allow_open_files() {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    if let Err(error) = setrlimit(Resource::Nofile, limit) {
        tracing::warn!(%error, "could not raise the limit of open files");
    }
}

/// Fills an empty catalog, and prints what was created and how to use it.
async fn setup(services: &Services, public_url: &str) -> Result<(), Refusal> {
    if !services.library.organizations().await?.is_empty() {
        print::announce(format_args!("Tonearm is running at {public_url}. Try it: make demo FILE=song.mp3"));
        return Ok(());
    }
    let created = services.library.create_organization("My audio").await?;
    let caller = Caller::owner(created.organization.id);
    let collection = CreateCollection { title: "First collection".to_owned(), ..CreateCollection::default() };
    let collection = services.library.create_collection(&caller, collection).await?.0.collection;
    let (organization_id, collection_id, key) =
        (created.organization.id, collection.id, created.api_key.reveal());
    print::announce(format_args!(
        "\n\
         Tonearm is running at {public_url}\n\n\
         organization  {organization_id}\n\
         collection    {collection_id}\n\
         API key       {key}\n\n\
         The key is shown only once. To create another one: tonearm key create --type api --org {organization_id}\n\
         To process a file: make demo FILE=song.mp3\n\
         To call the API yourself:\n\n\
         curl -H 'Authorization: Bearer {key}' -H 'Content-Type: application/json' \\\n     \
         -d '{{\"collection_id\":\"{collection_id}\",\"file_name\":\"song.mp3\"}}' \\\n     \
         {public_url}/v1/track\n"
    ));
    Ok(())
}
