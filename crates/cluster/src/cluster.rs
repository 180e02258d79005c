//! Several nodes on PostgreSQL and a bucket.

use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use tonearm_fixtures::{Postgres, PostgresDatabase, S3Server};

use crate::client::{Client, text};
use crate::faults::{self, Fault};
use crate::load::Load;
use crate::moto::Moto;
use crate::nodes::Node;
use crate::proxy::{Proxy, Trouble};
use crate::report::{Notes, Report};
use crate::{clock, verdict};

/// Offsets of the nodes' clocks, in seconds.
const CLOCKS: [i64; 3] = [0, 300, -300];
/// How many uploads may be in progress before the next fault waits for them.
const BACKLOG: usize = 300;

/// Where objects are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bucket {
    /// moto's server; the server of our own tests if moto is not available.
    Moto,
    /// The S3 server of our own tests.
    Ours,
}

/// Settings of a run.
#[derive(Debug, Clone)]
pub struct ClusterSettings {
    /// The program under test.
    pub binary: PathBuf,
    /// Where moto is installed and logs are kept.
    pub target: PathBuf,
    /// Total number of uploads.
    pub uploads: usize,
    /// Duration of the outage of the database, and of that of the bucket.
    pub outage: Duration,
    /// Number of nodes; at least 3.
    pub nodes: usize,
    /// How long a lease lasts.
    pub lease: Duration,
    /// Number of faults besides the outages; `None` for one of each kind.
    pub faults: Option<usize>,
    /// Seed for all random numbers.
    pub seed: u64,
    /// Where objects are kept.
    pub bucket: Bucket,
    /// The longest time without progress once no more faults are injected.
    pub settle: Duration,
}

/// The server that holds the bucket, running until it is dropped.
enum Store {
    Moto(Moto),
    Ours(Box<S3Server>),
}

impl Store {
    async fn start(settings: &ClusterSettings, notes: &Notes) -> Self {
        if settings.bucket == Bucket::Moto {
            match Moto::start(&settings.target).await {
                Ok(moto) => return Self::Moto(moto),
                Err(error) => notes.say(format!("moto cannot be had, so the bucket is ours: {error:#}")),
            }
        }
        Self::Ours(Box::new(S3Server::start()))
    }

    fn address(&self) -> Result<SocketAddr> {
        match self {
            Self::Moto(moto) => Ok(moto.address()),
            Self::Ours(server) => {
                let url = server.url();
                let at = url.split("endpoint=http://").nth(1).and_then(|rest| rest.split('&').next());
                at.context("the bucket has an endpoint")?.parse().context("the endpoint is an address")
            }
        }
    }

    fn url_through(&self, proxy: SocketAddr) -> Result<String> {
        match self {
            Self::Moto(_) => Ok(Moto::url(proxy)),
            Self::Ours(server) => Ok(server.url().replace(&self.address()?.to_string(), &proxy.to_string())),
        }
    }
}

/// `host:port` of a PostgreSQL URL.
fn server_of(url: &str) -> Result<&str> {
    let server = url.split("://").nth(1).and_then(|rest| rest.split('/').next()).context("a URL")?;
    Ok(server.rsplit('@').next().unwrap_or(server))
}

struct Cluster {
    nodes: Vec<Node>,
    database: Proxy,
    bucket: Proxy,
    // Dropped after the nodes, which use it.
    store: Store,
    place: PostgresDatabase,
    _folder: tempfile::TempDir,
}

impl Cluster {
    async fn start(settings: &ClusterSettings, notes: &Notes) -> Result<Self> {
        let folder = tempfile::Builder::new().prefix("tonearm-cluster-").tempdir()?;
        let place = Postgres::database().await;
        let store = Store::start(settings, notes).await;
        let server = server_of(&place.url)?.to_owned();
        let target = server.to_socket_addrs()?.next().context("the database has an address")?;
        let (database, bucket) = (Proxy::start(target).await?, Proxy::start(store.address()?).await?);
        let database_url = place.url.replacen(&server, &database.address().to_string(), 1);
        let storage_url = store.url_through(bucket.address())?;
        let library = clock::compile(folder.path())?;
        let logs = settings.target.join("cluster-logs");
        std::fs::create_dir_all(&logs)?;
        let mut nodes = Vec::new();
        for index in 0..settings.nodes {
            let mut variables = vec![
                ("TONEARM_DATABASE_URL".to_owned(), database_url.clone()),
                ("TONEARM_STORAGE_URL".to_owned(), storage_url.clone()),
                ("TONEARM_SECRET".to_owned(), "one secret for all nodes of the cluster".to_owned()),
                ("TONEARM_PUBLIC_URL".to_owned(), "http://cluster.test".to_owned()),
                ("TONEARM_WORKER_LEASE_SECONDS".to_owned(), settings.lease.as_secs().to_string()),
                // Nodes whose clocks are off still honour each other's URLs.
                ("TONEARM_EDGE_CLOCK_TOLERANCE_SECONDS".to_owned(), "900".to_owned()),
            ];
            let seconds = CLOCKS[index % CLOCKS.len()];
            if seconds != 0 {
                variables.extend(clock::variables(&library, seconds));
            }
            let data_dir = folder.path().join(format!("node-{index}"));
            let log = logs.join(format!("node-{index}-{}.log", std::process::id()));
            nodes.push(Node::new(&settings.binary, data_dir, log, variables));
        }
        Ok(Self { nodes, database, bucket, store, place, _folder: folder })
    }

    async fn suffer(&self, fault: Fault) {
        match fault {
            Fault::Kill { node } => self.nodes[node].kill(),
            Fault::Pause { node, for_ } => {
                self.nodes[node].pause();
                tokio::time::sleep(for_).await;
                self.nodes[node].go_on();
            }
            Fault::Bucket { trouble, for_ } => trouble_for(&self.bucket, trouble, for_).await,
            Fault::Database { trouble, for_ } => trouble_for(&self.database, trouble, for_).await,
        }
    }
}

async fn trouble_for(proxy: &Proxy, trouble: Trouble, for_: Duration) {
    proxy.set(trouble);
    tokio::time::sleep(for_).await;
    proxy.set(Trouble::None);
}

/// Uploads while faults happen, then judges the result.
pub async fn run_cluster(settings: &ClusterSettings) -> Result<Report> {
    ensure!(settings.nodes >= 3, "a cluster has at least three nodes");
    let notes = Notes::new();
    let cluster = Cluster::start(settings, &notes).await?;
    let migrated = cluster.nodes[0].run(&["migrate"])?;
    ensure!(migrated.status.success(), "{}", String::from_utf8_lossy(&migrated.stderr));
    let made = cluster.nodes[0].run(&["org", "create", "--name", "Cluster", "--json"])?;
    ensure!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let made = serde_json::from_slice(&made.stdout)?;
    for node in &cluster.nodes {
        node.keep_running().await?;
    }
    let client = Client::new(&text(&made, "/api_key")?, cluster.nodes.clone())?;
    let collection = client
        .post(0, "/v1/collection", &serde_json::json!({"title": "Cluster"}), Duration::from_secs(60))
        .await?;
    let patience = settings.outage * 2 + Duration::from_secs(300);
    let load =
        Load::new(client, text(&collection, "/collection_id")?, notes.clone(), settings.seed, patience);
    notes.say(format!("{} nodes, {} uploads", settings.nodes, settings.uploads));

    let uploaders: Vec<_> = (0..8).map(|_| tokio::spawn(load.clone().upload_all(settings.uploads))).collect();
    let players: Vec<_> = (0..2).map(|_| tokio::spawn(load.clone().play(0))).collect();
    let faults = match settings.faults {
        None => faults::each_once(settings.lease, settings.outage),
        Some(count) => faults::many(count, settings.nodes, settings.lease, settings.outage, settings.seed),
    };
    let share = settings.uploads / faults.len();
    for (done, fault) in faults.iter().enumerate() {
        load.allow(share);
        let begun = Instant::now();
        while share * (done + 1) > load.count() + BACKLOG && begun.elapsed() < Duration::from_secs(60) {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        // By now some uploads of the share are in progress, however slow the machine is.
        tokio::time::sleep(Duration::from_millis(150)).await;
        notes.say(format!("{} acknowledged; {fault}", load.count()));
        cluster.suffer(*fault).await;
    }
    load.allow(settings.uploads);
    for uploader in uploaders {
        uploader.await?;
    }
    notes.say(format!("{} acknowledged; nothing fails any more", load.count()));
    load.end_playing();
    for player in players {
        player.await?;
    }
    let mut report = Report::default();
    report.row("nodes", settings.nodes);
    report.row("faults", faults.len());
    report.row("outages", format!("{} s each of database and bucket", settings.outage.as_secs()));
    report.row("bucket", if matches!(cluster.store, Store::Moto(_)) { "moto" } else { "ours" });
    verdict::judge(&load, settings.uploads, &cluster.place.url, settings.settle, &mut report).await?;
    if !report.is_clean() {
        for (index, node) in cluster.nodes.iter().enumerate() {
            notes.say(format!("from the log of node {index}:\n{}", node.log_excerpt(10)));
        }
    }
    for node in &cluster.nodes {
        node.stop();
    }
    Ok(report)
}
