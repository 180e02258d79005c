//! The nodes: the program's own loops, each node with its own clock, randomness and connections.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;
use tokio_util::sync::CancellationToken;
use tonearm::background_tasks::{self, CATALOG_KEYS_EVERY};
use tonearm_blobs::Blobs;
use tonearm_catalog::{Catalog, ConnectOptions, DueClock, Migrate};
use tonearm_domain::{Ambient, Meter, NodeRecord, PerClass};
use tonearm_fixtures::CountedEntropy;
use tonearm_media::{Media, MediaConfig};
use tonearm_outbound::Outbound;
use tonearm_service::{
    Heartbeat, KeyFollower, Links, LookupLimits, Lookups, MasterSecrets, Playback, Processing, Resealing,
    RunCounter, Usage, UsageKeeper, Webhooks,
};
use tonearm_signing::{Secrets, UrlSigner, Vault};
use tonearm_worker::{Sender, SenderConfig, Worker, WorkerConfig};

use crate::encoding::Encoding;
use crate::network::Link;
use crate::time::{NodeClock, Since};

/// Connections in a node's pool. Idle nodes need one or two.
const CONNECTIONS: u32 = 4;

/// How often a node without a database looks for signing keys in the store, as in the program.
const LOOK_AT_STORE_EVERY: std::time::Duration = std::time::Duration::from_secs(10);

/// What all nodes share.
#[derive(Clone)]
pub(crate) struct Environment {
    pub(crate) since: Since,
    pub(crate) seed: u64,
    pub(crate) bucket: String,
    /// The URL of the database, without a proxy in between.
    pub(crate) database: String,
    pub(crate) scratch: PathBuf,
}

impl Environment {
    /// The clock and the randomness of a node.
    pub(crate) fn ambient(&self, node: u64, ahead_millis: i64) -> Ambient {
        let clock = NodeClock { since: self.since, ahead_millis };
        let entropy = CountedEntropy::new(self.seed.wrapping_mul(1_000_003).wrapping_add(node));
        Ambient::new(Arc::new(clock), Arc::new(entropy))
    }

    /// Opens the catalog. If there is an `address`, it replaces the address in the URL of the database.
    pub(crate) async fn catalog(
        &self,
        address: Option<std::net::SocketAddr>,
        ambient: &Ambient,
    ) -> Result<Catalog> {
        let url = match address {
            None => self.database.clone(),
            Some(address) => {
                let (start, name) = self.database.rsplit_once('/').unwrap_or((&self.database, ""));
                let user = start.rsplit_once('@').map_or("postgres://postgres", |(user, _)| user);
                format!("{user}@{address}/{name}?sslmode=disable")
            }
        };
        let options = ConnectOptions {
            max_connections: CONNECTIONS,
            due_clock: DueClock::for_node(ambient),
            migrate: if address.is_none() { Migrate::Always } else { Migrate::Never },
            ..ConnectOptions::default()
        };
        Ok(Catalog::connect(&url.parse()?, options).await?)
    }

    pub(crate) async fn blobs(&self) -> Result<Blobs> {
        Ok(Blobs::open(&self.bucket.parse()?).await?)
    }
}

pub(crate) fn secrets() -> Secrets {
    Secrets::from_bytes([7; 32])
}

/// A node with all roles.
pub(crate) struct Node {
    pub(crate) number: u64,
    pub(crate) catalog: Catalog,
    pub(crate) ambient: Ambient,
    pub(crate) playback: Playback,
    pub(crate) meter: Meter,
    link: Link,
    shutdown: CancellationToken,
}

impl Node {
    /// Starts everything that a node does besides answering requests.
    pub(crate) async fn start(
        environment: &Environment,
        number: u64,
        ahead_millis: i64,
        link: Link,
        encoding: &Encoding,
    ) -> Result<Self> {
        let ambient = environment.ambient(number, ahead_millis);
        let catalog = environment.catalog(Some(link.address), &ambient).await?;
        let (blobs, secrets) = (environment.blobs().await?, secrets());
        let signer = UrlSigner::new(secrets.clone());
        let links = Links::new(
            signer.clone(),
            ambient.clone(),
            "https://api.example.com",
            "https://cdn.example.com".parse()?,
        );
        let meter = Meter::new();
        let lookups = Lookups::new(catalog.clone(), LookupLimits::default());
        let playback = Playback::new(lookups, ambient.clone(), links.clone(), meter.clone(), |view, json| {
            serde_json::to_writer(json, &view.title)
        });
        let node =
            Self { number, catalog, ambient, playback, meter, link, shutdown: CancellationToken::new() };
        let runs = RunCounter::default();
        node.start_background_tasks(&blobs, &secrets, signer, runs.clone());
        node.work(environment, blobs, &secrets, links, (encoding, runs))?;
        Ok(node)
    }

    /// The same as `Node::start_catalog_tasks` and `Node::register` of the program.
    fn start_background_tasks(&self, blobs: &Blobs, secrets: &Secrets, signer: UrlSigner, runs: RunCounter) {
        let (catalog, ambient, stop) = (&self.catalog, &self.ambient, || self.shutdown.clone());
        let usage = Usage::new(catalog.clone(), ambient.clone());
        let keeper = UsageKeeper::in_catalog(self.meter.clone(), usage.clone());
        let follower = KeyFollower::of_catalog(catalog.clone(), blobs.clone(), signer, ambient.clone());
        let resealing = Resealing::new(catalog.clone(), ambient.clone(), Vault::new(secrets));
        let known = MasterSecrets::new(catalog.clone(), ambient.clone(), resealing, secrets, 0);
        let record = NodeRecord {
            id: ambient.record_id(),
            name: format!("node-{}", self.number),
            address: self.link.address.to_string(),
            version: "simulated".to_owned(),
            roles: ["api", "worker", "edge"].map(str::to_owned).to_vec(),
            started_at: ambient.now(),
            clock_ahead_millis: None,
            master_secrets: known.fingerprints().to_vec(),
            recent_runs: PerClass::default(),
        };
        let heartbeat = Heartbeat::new(catalog.clone(), ambient.clone(), record, runs);
        tokio::spawn(background_tasks::import_usage(usage, blobs.clone(), stop()));
        tokio::spawn(background_tasks::refresh_signing_keys(follower, CATALOG_KEYS_EVERY, stop()));
        tokio::spawn(background_tasks::record_master_secret(known, stop()));
        tokio::spawn(background_tasks::store_usage(keeper, stop()));
        tokio::spawn(background_tasks::send_heartbeats(heartbeat, stop()));
    }

    /// The same as the role `worker` of the program, except that nothing is encoded.
    fn work(
        &self,
        environment: &Environment,
        blobs: Blobs,
        secrets: &Secrets,
        links: Links,
        (encoding, runs): (&Encoding, RunCounter),
    ) -> Result<()> {
        let (catalog, ambient) = (self.catalog.clone(), self.ambient.clone());
        let media = Media::new(MediaConfig::find());
        let processing =
            Processing::new(catalog.clone(), blobs, media, ambient.clone(), environment.scratch.clone())
                .with_stand_in(Arc::new(encoding.of_node(self.number, catalog.clone())))
                .counting_runs(runs);
        tokio::spawn(Worker::new(processing, WorkerConfig::default()).work(self.shutdown.clone()));
        let webhooks =
            Webhooks::new(catalog.clone(), ambient, links, Vault::new(secrets), Outbound::new(true)?);
        tokio::spawn(Sender::new(webhooks, SenderConfig::default()).work(self.shutdown.clone()));
        let stop = self.shutdown.clone();
        tokio::spawn(async move {
            stop.run_until_cancelled(catalog.listen()).await;
        });
        Ok(())
    }

    /// Ends the node abruptly: it can no longer reach the database.
    pub(crate) fn die(&self) {
        self.link.cut();
        self.shutdown.cancel();
    }
}

/// A node that only delivers. It uses the store and no database.
pub(crate) struct EdgeNode {
    pub(crate) ambient: Ambient,
    pub(crate) meter: Meter,
    _stop: tokio_util::sync::DropGuard,
}

impl EdgeNode {
    /// The same as `Node::start_store_tasks` of the program.
    pub(crate) async fn start(environment: &Environment, number: u64, ahead_millis: i64) -> Result<Self> {
        let ambient = environment.ambient(number, ahead_millis);
        let (blobs, meter, stop) = (environment.blobs().await?, Meter::new(), CancellationToken::new());
        let keeper = UsageKeeper::in_store(meter.clone(), blobs.clone(), ambient.clone());
        let follower = KeyFollower::of_store(blobs, UrlSigner::new(secrets()), ambient.clone());
        tokio::spawn(background_tasks::refresh_signing_keys(follower, LOOK_AT_STORE_EVERY, stop.clone()));
        tokio::spawn(background_tasks::store_usage(keeper, stop.clone()));
        Ok(Self { ambient, meter, _stop: stop.drop_guard() })
    }
}
