//! Nodes whose clocks are wrong, over one PostgreSQL server.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use tonearm_catalog::{Catalog, ConnectOptions, DueClock, Wait};
use tonearm_domain::{Ambient, ClaimedJob, Clock, Job, Outage, Timestamp, TrackProgress};
use tonearm_fixtures::{CountedEntropy, TestDatabase};

use crate::database::Reach;
use crate::jobs::queue;
use crate::samples::{bare_track, stored_collection, stored_track};

const MINUTE: i64 = 60_000;

/// The system's clock, so far ahead.
struct Skewed(AtomicI64);

impl Clock for Skewed {
    #[allow(clippy::disallowed_methods, reason = "the server's clock moves too and cannot be set")]
    fn now(&self) -> Timestamp {
        let since_epoch = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
        let millis = i64::try_from(since_epoch.as_millis()).unwrap();
        Timestamp::from_unix_millis(millis + self.0.load(Ordering::SeqCst)).unwrap()
    }
}

pub(crate) struct Node {
    pub(crate) catalog: Catalog,
    pub(crate) ambient: Ambient,
}

impl Node {
    pub(crate) async fn ahead_by(database: &TestDatabase, millis: i64) -> Self {
        let seed = u64::from_ne_bytes(millis.to_ne_bytes());
        let clock = Arc::new(Skewed(AtomicI64::new(millis)));
        let ambient = Ambient::new(clock, Arc::new(CountedEntropy::new(seed)));
        let options = ConnectOptions { due_clock: DueClock::for_node(&ambient), ..ConnectOptions::default() };
        let catalog = Catalog::connect(&database.database_url(), options).await.unwrap();
        Self { catalog, ambient }
    }

    async fn claim(&self, lease_millis: i64) -> Option<ClaimedJob> {
        let now = self.ambient.now();
        let lease = self.ambient.credential_id();
        self.catalog.claim_job(now, lease, now.plus_millis(lease_millis)).await.unwrap()
    }
}

/// Two nodes, five minutes behind and ahead.
async fn nodes(database: &TestDatabase) -> [Node; 2] {
    [Node::ahead_by(database, -5 * MINUTE).await, Node::ahead_by(database, 5 * MINUTE).await]
}

#[tokio::test]
async fn no_lease_is_stolen() {
    let database = TestDatabase::postgres().await;
    let nodes = nodes(&database).await;
    for [one, other] in [[&nodes[0], &nodes[1]], [&nodes[1], &nodes[0]]] {
        queue(&one.catalog, &one.ambient, one.ambient.now()).await;
        let claimed = one.claim(MINUTE).await.expect("it is due at once");
        assert_eq!(other.claim(MINUTE).await, None);
        let until = one.ambient.now().plus_millis(MINUTE);
        assert!(one.catalog.renew_lease(&claimed, until).await.unwrap());
        assert_eq!(other.claim(MINUTE).await, None);
        let tx = one.catalog.begin().await.unwrap();
        assert!(tx.finish_job(&claimed).await.unwrap());
        tx.commit().await.unwrap();
    }
}

#[tokio::test]
async fn nothing_is_delayed_and_nothing_is_early() {
    let database = TestDatabase::postgres().await;
    let nodes = nodes(&database).await;
    for [one, other] in [[&nodes[0], &nodes[1]], [&nodes[1], &nodes[0]]] {
        // Queued by one, claimed by the other at once.
        queue(&one.catalog, &one.ambient, one.ambient.now()).await;
        let claimed = other.claim(MINUTE).await.expect("it is due at once");
        // A pause of a minute is a minute for both.
        let run_at = other.ambient.now().plus_millis(MINUTE);
        assert!(other.catalog.retry_job(&claimed, run_at, "again").await.unwrap());
        assert_eq!(one.claim(MINUTE).await, None);
        assert_eq!(other.claim(MINUTE).await, None);
        // One that is over is over for both.
        let tx = one.catalog.begin().await.unwrap();
        tx.restart_job(claimed.id, one.ambient.now()).await.unwrap();
        tx.commit().await.unwrap();
        let claimed = other.claim(MINUTE).await.unwrap();
        let now = other.ambient.now();
        let wait = Wait {
            outage: Outage::Store,
            failed_at: now.plus_millis(-10_000),
            run_at: now,
            probe_at: None,
            reason: "away",
        };
        assert!(other.catalog.wait_job(&claimed, wait).await.unwrap());
        // Each node knows by its own clock since when it fails.
        let claimed = one.claim(MINUTE).await.unwrap();
        let failing_for = one.ambient.now().unix_millis() - claimed.failing_since.unwrap().unix_millis();
        assert!((10_000..40_000).contains(&failing_for), "{failing_for}");
        let tx = one.catalog.begin().await.unwrap();
        assert!(tx.finish_job(&claimed).await.unwrap());
        tx.commit().await.unwrap();
    }
}

/// A lease that has run out by the server's clock is taken over, whatever the nodes' clocks say.
#[tokio::test]
async fn leases_end_in_their_time() {
    let database = TestDatabase::postgres().await;
    let nodes = nodes(&database).await;
    for [one, other] in [[&nodes[0], &nodes[1]], [&nodes[1], &nodes[0]]] {
        queue(&one.catalog, &one.ambient, one.ambient.now()).await;
        let lost = one.claim(1).await.unwrap();
        let mut taken_over = other.claim(MINUTE).await;
        while taken_over.is_none() {
            taken_over = other.claim(MINUTE).await;
        }
        let taken_over = taken_over.unwrap();
        assert_eq!((lost.id, taken_over.deaths), (taken_over.id, 1));
        let tx = other.catalog.begin().await.unwrap();
        assert!(!tx.check_lease(&lost).await.unwrap());
        assert!(tx.finish_job(&taken_over).await.unwrap());
        tx.commit().await.unwrap();
    }
}

/// What one node renders is shown by the others, whatever their clocks say.
#[tokio::test]
async fn renderings_are_seen_by_all_nodes() {
    let database = TestDatabase::postgres().await;
    let nodes = nodes(&database).await;
    for [one, other] in [[&nodes[0], &nodes[1]], [&nodes[1], &nodes[0]]] {
        let (organization, collection) = stored_collection(&one.catalog, &one.ambient).await;
        let track = stored_track(&one.catalog, bare_track(&one.ambient, &collection)).await;
        let variant_id = one.ambient.record_id();
        let job =
            Job::RenderTrack { organization_id: organization.id, track_id: track.id, variant_id, run: None };
        let tx = one.catalog.begin().await.unwrap();
        tx.enqueue(job, one.ambient.record_id(), one.ambient.now(), None).await.unwrap();
        tx.commit().await.unwrap();
        let claimed = one.claim(MINUTE).await.expect("it is due at once");
        for node in [one, other] {
            let now = node.ambient.now();
            let rendered = node.catalog.renderings_in_the_making(organization.id, now).await.unwrap();
            assert_eq!(rendered, [(variant_id, TrackProgress::default())]);
        }
        let tx = one.catalog.begin().await.unwrap();
        assert!(tx.finish_job(&claimed).await.unwrap());
        tx.commit().await.unwrap();
    }
}

/// Many jobs, claimed by both nodes in turns under leases that are renewed and let go of at random: each job is held
/// by one node at a time, and all are done.
#[tokio::test]
async fn each_job_is_held_once() {
    let database = TestDatabase::postgres().await;
    let nodes = nodes(&database).await;
    for number in 0..40 {
        let node = &nodes[number % 2];
        queue(&node.catalog, &node.ambient, node.ambient.now()).await;
    }
    let mut held: Vec<(usize, ClaimedJob)> = Vec::new();
    let mut done = 0;
    while done < 40 {
        let [which, action] = nodes[0].ambient.random::<2>().map(usize::from);
        let (which, node) = (which % 2, &nodes[which % 2]);
        if let Some(claimed) = node.claim(MINUTE).await {
            assert!(held.iter().all(|(_, other)| other.id != claimed.id), "it was held twice");
            assert_eq!(claimed.deaths, 0, "it was stolen");
            held.push((which, claimed));
        }
        let Some((owner, claimed)) = held.first().cloned() else { continue };
        let node = &nodes[owner];
        let now = node.ambient.now();
        match action % 4 {
            0 => assert!(node.catalog.renew_lease(&claimed, now.plus_millis(MINUTE)).await.unwrap()),
            1 => {
                assert!(node.catalog.retry_job(&claimed, now, "again").await.unwrap());
                held.remove(0);
            }
            _ => {
                let tx = node.catalog.begin().await.unwrap();
                assert!(tx.finish_job(&claimed).await.unwrap());
                tx.commit().await.unwrap();
                held.remove(0);
                done += 1;
            }
        }
    }
    assert_eq!(nodes[1].claim(MINUTE).await, None);
}
