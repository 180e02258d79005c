//! Which nodes are listed as running.

use tonearm_domain::{Ambient, EndedRuns, NodeRecord, PerClass, RecentRuns};
use tonearm_fixtures::ambient;

use crate::database::{Reach, TestDatabase};

crate::on_both!(nodes_are_seen_until_they_stop, nodes_are_told_for_a_day);

fn node(ambient: &Ambient, name: &str) -> NodeRecord {
    NodeRecord {
        id: ambient.record_id(),
        name: name.to_owned(),
        address: "127.0.0.1:8080".to_owned(),
        version: "0.1.0".to_owned(),
        roles: vec!["api".to_owned(), "edge".to_owned()],
        started_at: ambient.now(),
        clock_ahead_millis: None,
        master_secrets: vec!["5a1f".to_owned(), "9c02".to_owned()],
        recent_runs: PerClass::default(),
    }
}

async fn nodes_are_seen_until_they_stop(database: TestDatabase) {
    let (catalog, (ambient, clock)) = (database.catalog().await, ambient());
    assert_eq!(catalog.seen_nodes(ambient.now()).await.unwrap(), []);
    let (mut one, other) = (node(&ambient, "one"), node(&ambient, "other"));
    for node in [&one, &other] {
        catalog.note_node(node, ambient.now()).await.unwrap();
    }
    clock.advance_seconds(90);
    // A heartbeat renews the row, and updates the clock offset and the job counts.
    one.clock_ahead_millis = Some(-1500);
    one.recent_runs = PerClass::of(|class| RecentRuns {
        minute: EndedRuns { finished: class.as_str().len() as u64, failed: 1 },
        hour: EndedRuns { finished: 3600, failed: 0 },
    });
    catalog.note_node(&one, ambient.now()).await.unwrap();
    let seen = catalog.seen_nodes(ambient.now()).await.unwrap();
    let seen: Vec<_> = seen.into_iter().map(|seen| (seen.node, seen.seen_millis_ago)).collect();
    assert_eq!(seen, [(one.clone(), 0), (other.clone(), 90_000)]);
    catalog.forget_node(one.id).await.unwrap();
    catalog.forget_node(one.id).await.unwrap();
    let seen = catalog.seen_nodes(ambient.now()).await.unwrap();
    assert_eq!(seen.into_iter().map(|seen| seen.node).collect::<Vec<_>>(), [other]);
}

async fn nodes_are_told_for_a_day(database: TestDatabase) {
    let (catalog, (ambient, clock)) = (database.catalog().await, ambient());
    catalog.note_node(&node(&ambient, "one"), ambient.now()).await.unwrap();
    clock.advance_seconds(NodeRecord::KEPT_SECONDS - 1);
    assert_eq!(catalog.seen_nodes(ambient.now()).await.unwrap().len(), 1);
    clock.advance_seconds(1);
    assert_eq!(catalog.seen_nodes(ambient.now()).await.unwrap(), []);
}
