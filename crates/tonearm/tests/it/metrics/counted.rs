//! Metrics count what happens.

use sea_orm::{ConnectionTrait, Database};
use serde_json::json;
use tonearm_fixtures::audio::{WavSpec, wav};
use tonearm_fixtures::{BucketProxy, Fault, S3Server};
use tonearm_testkit::{Backend, TestServer};

use super::{ON, Scrape};

macro_rules! on_both_with_metrics {
    ($($case:ident),* $(,)?) => {
        mod embedded {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $case() {
                super::$case(super::start(super::Backend::Embedded).await).await;
            })*
        }
        mod distributed {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $case() {
                super::$case(super::start(super::Backend::Distributed).await).await;
            })*
        }
    };
}

on_both_with_metrics!(deliveries_are_counted_by_status_and_byte, jobs_and_encoders_are_counted);

async fn start(backend: Backend) -> TestServer {
    TestServer::start_with(backend, &[ON]).await
}

async fn deliveries_are_counted_by_status_and_byte(server: TestServer) {
    let (path, sound) = crate::edge::deliverable(&server).await;
    let client = server.client.without_key();
    let before = Scrape::of(&server.node).await;
    let url = format!("{}{path}", server.node.public_url());
    // Fetch the whole object first: while it is still on its way from a bucket, the cache cannot answer for it.
    let mut bytes = client.get(&path).await.bytes.len();
    for _ in 0..5 {
        bytes += client.get_range(&url, "100-1099").await.bytes.len();
    }
    assert_eq!(bytes, 5000 + sound.len());
    assert_eq!(client.get(&path.replace("verify=", "verify=0")).await.status, 401);
    let after = Scrape::of(&server.node).await;
    let gained = |series: &str| after.value(series) - before.value(series);
    let answers = |status: u16| {
        gained(&format!(r#"tonearm_http_requests_total{{route="delivery",status="{status}"}}"#))
    };
    assert_eq!((answers(206), answers(200), answers(401)), (5.0, 1.0, 1.0));
    assert_eq!(gained("tonearm_delivered_bytes_total"), bytes as f64);
    assert_eq!(gained("tonearm_delivery_duration_seconds_count"), 7.0);
    let lookups = |after: &Scrape, result: &str| {
        let series = format!(r#"tonearm_cache_requests_total{{cache="verified_urls",result="{result}"}}"#);
        after.value(&series) - before.value(&series)
    };
    // The first range request finds the object at hand, and the later ones find the URL verified.
    assert!(lookups(&after, "miss") >= 1.0 && lookups(&after, "hit") <= 5.0);
    // A URL stays verified for a second: on a busy machine, each request may come after that.
    let mut hits = lookups(&after, "hit");
    for _ in 0..100 {
        if hits < 1.0 {
            client.get_range(&url, "100-1099").await;
            hits = lookups(&Scrape::of(&server.node).await, "hit");
        }
    }
    assert!(hits >= 1.0);
    assert!(after.sum("tonearm_http_connections") >= 1.0);
}

async fn jobs_and_encoders_are_counted(server: TestServer) {
    let client = &server.client;
    let collection = client.collection("Measured").await;
    let sound = wav(&WavSpec::default());
    let size = sound.len() as f64;
    let id = client.upload(&collection, "a.wav", sound).await;
    assert_eq!(client.settled(&id).await["track_status_id"], "ready");
    crate::until_done(&server, "process_track").await;
    // A run is counted right after it is recorded.
    let finished = r#"tonearm_job_duration_seconds_count{kind="process_track",outcome="finished"}"#;
    let scrape = Scrape::once(&server.node, finished, |scrape| scrape.value(finished) >= 1.0).await;
    assert!(scrape.value("tonearm_received_bytes_total") >= size);
    assert!(scrape.value(r#"tonearm_media_process_duration_seconds_count{purpose="encode"}"#) >= 1.0);
    let put = r#"tonearm_store_operation_duration_seconds_count{operation="put",outcome="success"}"#;
    assert!(scrape.value(put) >= 2.0);
    assert!(scrape.value("tonearm_database_wait_seconds_count") >= 1.0);
    assert!(scrape.value("tonearm_database_statements_total") >= 1.0);
    assert_eq!(scrape.value("tonearm_job_counts_up"), 1.0);
    let uploads =
        r#"tonearm_http_requests_total{route="/upload/{organization_id}/{id}/source",status="200"}"#;
    assert_eq!(scrape.value(uploads), 1.0);
    assert_eq!(scrape.value("tonearm_uploads_in_flight"), 0.0);
    let created = r#"tonearm_http_requests_total{route="/v1/track",status="200"}"#;
    assert_eq!(scrape.value(created), 1.0);
    // The URL of another upload expires later, and a job waits for that.
    let unused = json!({"collection_id": collection, "file_name": "b.wav"});
    client.post("/v1/track", &unused).await.ok();
    let waits = r#"tonearm_jobs{class="maintenance",kind="expire_upload",state="waiting"}"#;
    // Jobs are counted every ten seconds.
    Scrape::once(&server.node, waits, |scrape| scrape.value(waits) >= 1.0).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn jobs_that_are_given_up_are_counted() {
    let server = start(Backend::Embedded).await;
    let given_up = r#"tonearm_jobs_given_up_total{kind="expire_upload"}"#;
    let before = Scrape::of(&server.node).await;
    assert_eq!(before.series().get(given_up), Some(&0.0), "a rate needs a beginning");
    let collection = server.client.collection("Deadly").await;
    server.client.track(&collection, "never.wav").await;
    // According to its row, the job that expires the upload has killed its workers.
    let file = server.data_dir().join("tonearm.db");
    let raw = Database::connect(format!("sqlite://{}", file.display())).await.unwrap();
    let deadly = "UPDATE job SET run_at = 0, deaths = 5, deaths_alone = 3 WHERE kind = 'expire_upload'";
    assert_eq!(raw.execute_unprepared(deadly).await.unwrap().rows_affected(), 1);
    raw.close().await.unwrap();
    Scrape::once(&server.node, given_up, |scrape| scrape.value(given_up) >= 1.0).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_that_hangs_is_seen() {
    let bucket = S3Server::start();
    let proxy = BucketProxy::start(&bucket);
    let server = TestServer::start_with(Backend::Embedded, &[ON, ("TONEARM_STORAGE_URL", proxy.url())]).await;
    proxy.set(|_| Some(Fault::Hang));
    assert_eq!(server.client.without_key().get("/readyz").await.status, 503);
    let hung = r#"tonearm_store_operation_duration_seconds_count{operation="check",outcome="cancelled"}"#;
    Scrape::once(&server.node, hung, |scrape| scrape.value(hung) >= 1.0).await;
}
