//! The trace that a job belongs to.

use sea_orm::ConnectionTrait;
use tonearm_catalog::{Catalog, NewJob};
use tonearm_domain::{Ambient, Job, TraceContext};
use tonearm_fixtures::ambient;

use crate::database::{Reach, TestDatabase};

crate::on_both!(a_job_keeps_its_trace, a_text_that_is_no_trace_does_not_stop_a_job);

async fn queue(catalog: &Catalog, ambient: &Ambient, trace: Option<TraceContext>) {
    let job = NewJob::new(Job::SweepObjects {}, ambient.record_id(), ambient.now());
    let tx = catalog.begin().await.unwrap();
    tx.enqueue_all(vec![NewJob { trace, ..job }]).await.unwrap();
    tx.commit().await.unwrap();
}

/// The trace of the next job.
async fn claim(catalog: &Catalog, ambient: &Ambient) -> Option<TraceContext> {
    let until = ambient.now().plus_seconds(60);
    let claimed = catalog.claim_job(ambient.now(), ambient.credential_id(), until).await.unwrap();
    claimed.expect("a job waits").trace
}

async fn a_job_keeps_its_trace(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01".parse().unwrap();
    for trace in [Some(trace), None] {
        queue(&catalog, &ambient, trace).await;
        assert_eq!(claim(&catalog, &ambient).await, trace);
    }
}

async fn a_text_that_is_no_trace_does_not_stop_a_job(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    queue(&catalog, &ambient, None).await;
    let raw = database.raw().await;
    raw.execute_unprepared("UPDATE job SET traceparent = 'ff-0-0-0'").await.unwrap();
    assert_eq!(claim(&catalog, &ambient).await, None);
}
