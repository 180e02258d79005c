//! Everything that is simulated.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result};
use tonearm_domain::{Meter, Timestamp};
use tonearm_fixtures::Dice;
use tonearm_service::{Caller, Links, SigningKeys};
use tonearm_signing::UrlSigner;

use crate::counts::Counts;
use crate::encoding::Encoding;
use crate::library::{self, Playable};
use crate::network::Network;
use crate::node::{EdgeNode, Environment, Node, secrets};
use crate::settings::Settings;
use crate::store;
use crate::time::{DatabaseClock, NodeClock, Since};

/// Where a play is delivered and counted, and that node's clock.
pub(crate) type Delivering = (Meter, Box<dyn Fn() -> Timestamp + Send + Sync>);

/// The number of the ambient that prepares the library. Nodes have lower numbers.
const FOUNDER: u64 = 1_000_000;

/// All nodes start within this time.
pub(crate) const STARTS_WITHIN: Duration = Duration::from_secs(30);

/// The wall clocks of nodes are wrong by up to this many milliseconds, in both directions.
const MOST_AHEAD_MILLIS: usize = 5000;

pub(crate) struct World {
    pub(crate) settings: Settings,
    pub(crate) since: Since,
    pub(crate) counts: Counts,
    pub(crate) network: Network,
    pub(crate) encoding: Encoding,
    pub(crate) library: Vec<Playable>,
    environment: Environment,
    clock: DatabaseClock,
    nodes: Mutex<Vec<Arc<Node>>>,
    edges: Mutex<Vec<Arc<EdgeNode>>>,
    started: AtomicU64,
    plays: AtomicU64,
    failed_plays: AtomicU64,
}

impl World {
    /// Creates the library. No node is started yet.
    pub(crate) async fn make(settings: Settings, database: &str, scratch: &Path) -> Result<Self> {
        let since = Since::now();
        let counts = Counts::new(since);
        let clock = DatabaseClock::install(database, since).await?;
        let bucket = store::serve(counts.clone(), NodeClock { since, ahead_millis: 0 }).await?;
        let environment = Environment {
            since,
            seed: settings.seed,
            bucket,
            database: database.to_owned(),
            scratch: scratch.to_owned(),
        };
        let library = prepare(&environment).await?;
        let network = Network::new(address_of(database)?, clock.clone(), counts.clone());
        let encoding = Encoding::new(since, settings.seed, settings.job_length);
        Ok(Self {
            settings,
            since,
            counts,
            network,
            encoding,
            library,
            environment,
            clock,
            nodes: Mutex::default(),
            edges: Mutex::default(),
            started: AtomicU64::new(0),
            plays: AtomicU64::new(0),
            failed_plays: AtomicU64::new(0),
        })
    }

    /// Starts all nodes, each at its own moment.
    pub(crate) fn start_nodes(self: &Arc<Self>) {
        let mut dice = Dice::sequence(self.settings.seed, 3);
        for _ in 0..self.settings.nodes {
            tokio::spawn(Arc::clone(self).start_node(dice.up_to(STARTS_WITHIN)));
        }
        for number in 0..self.settings.edges {
            let (world, after) = (Arc::clone(self), dice.up_to(STARTS_WITHIN));
            tokio::spawn(async move {
                tokio::time::sleep(after).await;
                let number = FOUNDER / 2 + number as u64;
                let edge = EdgeNode::start(&world.environment, number, world.ahead_millis(number)).await;
                world.edges().push(Arc::new(edge.expect("a node without a database starts")));
            });
        }
    }

    /// Starts one more node with all roles after a delay. If the database is unavailable, the start is retried, as a
    /// service manager would do.
    pub(crate) async fn start_node(self: Arc<Self>, after: Duration) {
        tokio::time::sleep(after).await;
        let number = self.started.fetch_add(1, Ordering::Relaxed);
        let ahead = self.ahead_millis(number);
        loop {
            let link = self.network.link(self.settings.delay).await.expect("a port can be listened on");
            match Node::start(&self.environment, number, ahead, link, &self.encoding).await {
                Ok(node) => return self.nodes().push(Arc::new(node)),
                Err(_) => tokio::time::sleep(Duration::from_secs(5)).await,
            }
        }
    }

    fn ahead_millis(&self, number: u64) -> i64 {
        let most = MOST_AHEAD_MILLIS;
        let ahead = Dice::sequence(self.settings.seed, 1000 + number).below(2 * most + 1);
        if self.settings.are_clocks_wrong { ahead as i64 - most as i64 } else { 0 }
    }

    pub(crate) fn nodes(&self) -> MutexGuard<'_, Vec<Arc<Node>>> {
        self.nodes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn edges(&self) -> MutexGuard<'_, Vec<Arc<EdgeNode>>> {
        self.edges.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The node that a load balancer would pick.
    pub(crate) fn node(&self, choice: u64) -> Option<Arc<Node>> {
        let nodes = self.nodes();
        let index = usize::try_from(choice % nodes.len().max(1) as u64).ok()?;
        nodes.get(index).cloned()
    }

    /// The node that delivers a play: one without a database if there are any.
    pub(crate) fn delivering(&self, choice: u64) -> Option<Delivering> {
        let edges = self.edges();
        let now_of = |ambient: tonearm_domain::Ambient| -> Box<dyn Fn() -> Timestamp + Send + Sync> {
            Box::new(move || ambient.now())
        };
        if edges.is_empty() {
            drop(edges);
            let node = self.node(choice)?;
            return Some((node.meter.clone(), now_of(node.ambient.clone())));
        }
        let edge = edges.get(usize::try_from(choice % edges.len() as u64).ok()?)?;
        Some((edge.meter.clone(), now_of(edge.ambient.clone())))
    }

    /// Creates one more signing key, which all nodes must load.
    pub(crate) async fn add_signing_key(&self) -> Result<()> {
        let node = self.node(0).context("no node is left")?;
        let keys = SigningKeys::new(node.catalog.clone(), node.ambient.clone(), UrlSigner::new(secrets()));
        let caller = Caller::owner(self.library[0].organization_id);
        keys.create(&caller, "A key").await?;
        Ok(())
    }

    pub(crate) fn note_play(&self) {
        self.plays.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn note_failed_play(&self) {
        self.failed_plays.fetch_add(1, Ordering::Relaxed);
    }

    /// The number of plays so far, and of those that failed.
    pub(crate) fn plays(&self) -> (u64, u64) {
        (self.plays.load(Ordering::Relaxed), self.failed_plays.load(Ordering::Relaxed))
    }

    /// Closes the connections that would keep the database from being dropped.
    pub(crate) async fn end(&self) -> Result<()> {
        self.nodes().iter().for_each(|node| node.die());
        self.clock.close().await
    }
}

/// Creates the tables and the library, without the simulated network.
async fn prepare(environment: &Environment) -> Result<Vec<Playable>> {
    let ambient = environment.ambient(FOUNDER, 0);
    let catalog = environment.catalog(None, &ambient).await?;
    let links = Links::new(
        UrlSigner::new(secrets()),
        ambient.clone(),
        "https://api.example.com",
        "https://cdn.example.com".parse()?,
    );
    let library = library::make(&catalog, &ambient, links).await?;
    let keys = SigningKeys::new(catalog.clone(), ambient, UrlSigner::new(secrets()));
    keys.create(&Caller::owner(library[0].organization_id), "The first key").await?;
    catalog.close().await?;
    Ok(library)
}

fn address_of(database: &str) -> Result<std::net::SocketAddr> {
    let server = database.rsplit_once('/').map_or(database, |(server, _)| server);
    let address = server.rsplit_once('@').map_or(server, |(_, address)| address);
    address.parse().with_context(|| format!("{database} names no address"))
}
