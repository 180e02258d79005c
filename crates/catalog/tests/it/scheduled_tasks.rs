//! Tasks that one node runs for all nodes.

use tonearm_domain::ScheduledTask;
use tonearm_fixtures::ambient;

use crate::database::{Reach, TestDatabase};

crate::on_both!(
    a_task_goes_to_one_node_each_period,
    a_clock_that_was_wrong_stops_nothing,
    a_task_goes_together_with_what_it_does,
);

const TASK: ScheduledTask = ScheduledTask::SweepObjects;

async fn a_task_goes_to_one_node_each_period(database: TestDatabase) {
    let (ambient, clock) = ambient();
    let nodes = [database.catalog().await, database.catalog().await, database.catalog().await];
    for node in &nodes {
        assert!(
            !node.take_task(TASK, ambient.now()).await.unwrap(),
            "it was never done, and yet not at once"
        );
    }
    clock.advance_seconds(TASK.period_seconds() / 12);
    for _ in 0..5 {
        let takes = nodes.iter().map(|node| node.take_task(TASK, ambient.now()));
        let taken = futures::future::join_all(takes).await;
        assert_eq!(taken.into_iter().filter(|taken| *taken.as_ref().unwrap()).count(), 1);
        clock.advance_seconds(TASK.period_seconds() - 1);
        assert!(!nodes[0].is_task_due(TASK, ambient.now()).await.unwrap());
        assert!(!nodes[0].take_task(TASK, ambient.now()).await.unwrap());
        clock.advance_seconds(1);
    }
    // Others have their own time, and what is quick is done at once.
    assert!(nodes[0].take_task(ScheduledTask::ImportUsage, ambient.now()).await.unwrap());
    assert!(!nodes[1].take_task(ScheduledTask::ImportUsage, ambient.now()).await.unwrap());
    assert!(nodes[0].take_task(TASK, ambient.now()).await.unwrap());
}

async fn a_clock_that_was_wrong_stops_nothing(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let next_year = ambient.now().plus_seconds(365 * 24 * 3600);
    assert!(!catalog.take_task(TASK, next_year).await.unwrap());
    assert!(catalog.take_task(TASK, ambient.now()).await.unwrap());
    assert!(!catalog.take_task(TASK, ambient.now()).await.unwrap());
}

async fn a_task_goes_together_with_what_it_does(database: TestDatabase) {
    let (catalog, (ambient, clock)) = (database.catalog().await, ambient());
    assert!(!catalog.take_task(TASK, ambient.now()).await.unwrap());
    clock.advance_seconds(TASK.period_seconds());
    let tx = catalog.begin().await.unwrap();
    assert!(tx.take_task(TASK, ambient.now()).await.unwrap());
    drop(tx);
    assert!(catalog.is_task_due(TASK, ambient.now()).await.unwrap());
    let tx = catalog.begin().await.unwrap();
    assert!(tx.take_task(TASK, ambient.now()).await.unwrap());
    tx.commit().await.unwrap();
    assert!(!catalog.is_task_due(TASK, ambient.now()).await.unwrap());
}
