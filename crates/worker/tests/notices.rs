//! Workers of one cluster that are notified of work, and rarely poll.

#![allow(clippy::unwrap_used, reason = "a test that cannot be prepared has failed")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tempfile::TempDir;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tonearm_blobs::Blobs;
use tonearm_catalog::{Catalog, ConnectOptions, DueClock, Wakeup, WorkKind};
use tonearm_domain::{Ambient, Clock, Job, Timestamp};
use tonearm_fixtures::{CountedEntropy, TestDatabase};
use tonearm_media::{Media, MediaConfig};
use tonearm_service::Processing;
use tonearm_worker::{Worker, WorkerConfig};

/// The system clock, because the server's clock runs too.
struct SystemClock;

impl Clock for SystemClock {
    #[allow(clippy::disallowed_methods, reason = "the server's clock cannot be set")]
    fn now(&self) -> Timestamp {
        let since_epoch = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
        Timestamp::from_unix_millis(i64::try_from(since_epoch.as_millis()).unwrap()).unwrap()
    }
}

struct Node {
    catalog: Catalog,
    ambient: Ambient,
    shutdown: CancellationToken,
    tasks: Vec<JoinHandle<()>>,
    _folder: TempDir,
}

const LEASE: Duration = Duration::from_secs(2);

impl Node {
    /// A node that only queues jobs.
    async fn without_workers(database: &TestDatabase, seed: u64) -> Self {
        let ambient = Ambient::new(Arc::new(SystemClock), Arc::new(CountedEntropy::new(seed)));
        let options = ConnectOptions { due_clock: DueClock::for_node(&ambient), ..ConnectOptions::default() };
        let catalog = Catalog::connect(&database.url.parse().unwrap(), options).await.unwrap();
        let shutdown = CancellationToken::new();
        Self { catalog, ambient, shutdown, tasks: Vec::new(), _folder: tempfile::tempdir().unwrap() }
    }

    /// A node that polls once an hour.
    async fn with_workers(database: &TestDatabase, seed: u64) -> Self {
        let mut node = Self::without_workers(database, seed).await;
        let folder = node._folder.path();
        let url = format!("file://{}", folder.join("objects").display());
        let blobs = Blobs::open(&url.parse().unwrap()).await.unwrap();
        let media = Media::new(MediaConfig::find());
        let scratch = folder.join("scratch");
        let processing = Processing::new(node.catalog.clone(), blobs, media, node.ambient.clone(), scratch);
        let hour = Duration::from_secs(3600);
        let config = WorkerConfig {
            slow_poll: hour,
            probe: hour,
            lease: LEASE,
            heartbeat: LEASE / 4,
            ..WorkerConfig::default()
        };
        let (catalog, stop) = (node.catalog.clone(), node.shutdown.clone());
        // Started first, so that the workers find it listening.
        let listen = tokio::spawn(async move {
            stop.run_until_cancelled(catalog.listen()).await;
        });
        let deliveries = node.catalog.wakeups(WorkKind::Deliveries);
        assert_eq!(deliveries.next().await, Wakeup::Elsewhere);
        assert!(node.catalog.is_notified_of_work());
        let work = tokio::spawn(Worker::new(processing, config).work(node.shutdown.clone()));
        node.tasks.extend([listen, work]);
        node
    }

    async fn queue(&self, run_at: Timestamp) {
        let tx = self.catalog.begin().await.unwrap();
        tx.enqueue(Job::ForgetExpired {}, self.ambient.record_id(), run_at, None).await.unwrap();
        tx.commit().await.unwrap();
    }

    async fn until_all_is_done(&self) {
        while !self.catalog.pending_jobs().await.unwrap().is_empty() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    async fn stop(self) {
        self.shutdown.cancel();
        for task in self.tasks {
            task.await.unwrap();
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn jobs_of_another_node_run_without_being_looked_for() {
    let database = TestDatabase::postgres().await;
    let one = Node::without_workers(&database, 1).await;
    let other = Node::with_workers(&database, 2).await;
    for seconds in [0, 0, 1, 2] {
        one.queue(one.ambient.now().plus_seconds(seconds)).await;
        one.until_all_is_done().await;
    }
    other.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_job_of_a_dead_worker_is_taken_over() {
    let database = TestDatabase::postgres().await;
    let one = Node::without_workers(&database, 1).await;
    one.queue(one.ambient.now()).await;
    let now = one.ambient.now();
    let until = now.plus_millis(i64::try_from(LEASE.as_millis()).unwrap());
    one.catalog.claim_job(now, one.ambient.credential_id(), until).await.unwrap().unwrap();
    let other = Node::with_workers(&database, 2).await;
    one.until_all_is_done().await;
    other.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn workers_that_hear_nothing_look_once_a_second() {
    let database = TestDatabase::postgres().await;
    let other = Node::with_workers(&database, 2).await;
    // Its listener ends; it is not notified of jobs that are queued from now on.
    other.tasks[0].abort();
    while other.catalog.is_notified_of_work() {
        tokio::task::yield_now().await;
    }
    let one = Node::without_workers(&database, 1).await;
    for _ in 0..2 {
        one.queue(one.ambient.now()).await;
        one.until_all_is_done().await;
    }
    other.shutdown.cancel();
}

/// Counts a node's later statements about maintenance jobs: those that claim, and those that only check.
fn watch(node: &Node) -> (Arc<AtomicUsize>, Arc<AtomicUsize>) {
    let (claims, looks) = (Arc::<AtomicUsize>::default(), Arc::<AtomicUsize>::default());
    let counted = (Arc::clone(&claims), Arc::clone(&looks));
    node.catalog.watch_statements(move |statement| {
        if !format!("{:?}", statement.values).contains("maintenance") {
            return;
        }
        let is_claim = statement.sql.contains("RECURSIVE");
        let counter = if is_claim { &counted.0 } else { &counted.1 };
        counter.fetch_add(1, Ordering::SeqCst);
    });
    (claims, looks)
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_is_woken_for_nothing_only_looks() {
    let database = TestDatabase::postgres().await;
    let other = Node::with_workers(&database, 2).await;
    let (claims, looks) = watch(&other);
    let one = Node::without_workers(&database, 1).await;
    let mut claims_at_first = 0;
    for round in 0..6 {
        let before = looks.load(Ordering::SeqCst);
        // Close enough that all nodes are notified, but not due.
        one.queue(one.ambient.now().plus_seconds(25)).await;
        while looks.load(Ordering::SeqCst) == before {
            tokio::task::yield_now().await;
        }
        // When it started, it claimed without a notification.
        if round == 1 {
            claims_at_first = claims.load(Ordering::SeqCst);
        }
    }
    other.stop().await;
    assert_eq!(claims.load(Ordering::SeqCst), claims_at_first);
}

/// Pictures are decoded by another process of this program; see [`tonearm_media::serve_if_confined`].
#[ctor::ctor(unsafe)]
fn be_confined() {
    tonearm_media::serve_if_confined();
}
