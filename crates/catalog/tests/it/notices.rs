//! Nodes on one PostgreSQL server notify each other of queued work.

use std::time::{Duration, Instant};

use sea_orm::sqlx::postgres::{PgListener, PgPool};
use sea_orm::{ConnectionTrait, Statement};
use tokio::task::JoinHandle;
use tonearm_catalog::{Wakeup, Wakeups, WorkKind};
use tonearm_domain::{Job, JobClass};
use tonearm_fixtures::TestDatabase;

use crate::clocks::Node;
use crate::database::Reach;
use crate::jobs::queue;

const MAINTENANCE: WorkKind = WorkKind::Jobs(JobClass::Maintenance);

/// A node that listens and has consumed its initial wake-up.
async fn listening(database: &TestDatabase) -> (Node, Wakeups, JoinHandle<()>) {
    let node = Node::ahead_by(database, 0).await;
    let catalog = node.catalog.clone();
    let task = tokio::spawn(async move { catalog.listen().await });
    for kind in WorkKind::ALL {
        assert_eq!(node.catalog.wakeups(kind).next().await, Wakeup::Elsewhere);
    }
    assert!(node.catalog.is_notified_of_work());
    let wakeups = node.catalog.wakeups(MAINTENANCE);
    (node, wakeups, task)
}

async fn has_been_woken(wakeups: &Wakeups) -> bool {
    tokio::time::timeout(Duration::ZERO, wakeups.next()).await.is_ok()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_one_node_queues_wakes_another() {
    let database = TestDatabase::postgres().await;
    let one = Node::ahead_by(&database, 1).await;
    let (other, wakeups, task) = listening(&database).await;
    for _ in 0..3 {
        queue(&one.catalog, &one.ambient, one.ambient.now()).await;
        assert_eq!(wakeups.next().await, Wakeup::Elsewhere);
    }
    // Work that a node queues itself wakes it at once.
    queue(&other.catalog, &other.ambient, other.ambient.now()).await;
    assert_eq!(wakeups.next().await, Wakeup::Here);
    task.abort();
    task.await.unwrap_err();
    assert!(!other.catalog.is_notified_of_work());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_rolled_back_or_far_away_wakes_nobody() {
    let database = TestDatabase::postgres().await;
    let one = Node::ahead_by(&database, 1).await;
    let (other, wakeups, _task) = listening(&database).await;
    let tx = one.catalog.begin().await.unwrap();
    let (id, now) = (one.ambient.record_id(), one.ambient.now());
    tx.enqueue(Job::SweepObjects {}, id, now, None).await.unwrap();
    drop(tx);
    queue(&one.catalog, &one.ambient, now.plus_seconds(3600)).await;
    // Notices arrive in order.
    let encode = other.catalog.wakeups(WorkKind::Jobs(JobClass::Encode));
    let tx = one.catalog.begin().await.unwrap();
    let (organization_id, track_id) = (one.ambient.record_id(), one.ambient.record_id());
    let job = Job::ProcessTrack { organization_id, track_id };
    tx.enqueue(job, one.ambient.record_id(), now, None).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(encode.next().await, Wakeup::Elsewhere);
    assert!(!has_been_woken(&wakeups).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_connection_is_replaced() {
    let database = TestDatabase::postgres().await;
    let one = Node::ahead_by(&database, 1).await;
    let (other, wakeups, _task) = listening(&database).await;
    let raw = database.raw().await;
    let kill = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE application_name = 'tonearm listener' AND datname = current_database()";
    for _ in 0..2 {
        raw.execute_raw(Statement::from_string(raw.get_database_backend(), kill)).await.unwrap();
        // The node checks for work once, and polls more often from then on.
        assert_eq!(wakeups.next().await, Wakeup::Elsewhere);
        // Until it is notified again, and checks whether it missed something.
        while !other.catalog.is_notified_of_work() {
            wakeups.next().await;
        }
        while has_been_woken(&wakeups).await {}
        queue(&one.catalog, &one.ambient, one.ambient.now()).await;
        assert_eq!(wakeups.next().await, Wakeup::Elsewhere);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn many_commits_send_few_notices() {
    let database = TestDatabase::postgres().await;
    let node = Node::ahead_by(&database, 0).await;
    let pool = PgPool::connect(&database.url).await.unwrap();
    let mut listener = PgListener::connect_with(&pool).await.unwrap();
    listener.listen("tonearm_work").await.unwrap();
    let began = Instant::now();
    for _ in 0..20 {
        let commits = (0..50).map(|_| queue(&node.catalog, &node.ambient, node.ambient.now()));
        futures::future::join_all(commits).await;
    }
    node.catalog.close().await.unwrap();
    let elapsed = began.elapsed();
    sea_orm::sqlx::query("SELECT pg_notify('tonearm_work', 'end')").execute(&pool).await.unwrap();
    let mut count = 0;
    while listener.recv().await.unwrap().payload() != "end" {
        count += 1;
    }
    let most = elapsed.as_millis() / 50 + 2;
    assert!((1..=most).contains(&count), "{count} notices in {elapsed:?}");
}

/// A process that ends right after its commit has notified the others.
#[tokio::test(flavor = "multi_thread")]
async fn a_command_tells_before_it_ends() {
    use tonearm_catalog::{Catalog, ConnectOptions};
    let database = TestDatabase::postgres().await;
    let (other, wakeups, _task) = listening(&database).await;
    let url = database.url.clone();
    let ambient = other.ambient.clone();
    // The command's remaining background work ends with its runtime.
    let command = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let options = ConnectOptions { tell_nodes_first: true, ..ConnectOptions::default() };
            let catalog = Catalog::connect(&url.parse().unwrap(), options).await.unwrap();
            queue(&catalog, &ambient, ambient.now()).await;
        });
    });
    tokio::task::spawn_blocking(move || command.join().unwrap()).await.unwrap();
    assert_eq!(wakeups.next().await, Wakeup::Elsewhere);
}
