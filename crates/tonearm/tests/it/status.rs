//! What nodes and `tonearm status` report about the service.

use std::time::{Duration, Instant};

use sea_orm::{ConnectionTrait, Database};
use serde_json::{Value, json};
use tonearm::Role;
use tonearm_fixtures::audio::{WavSpec, wav};
use tonearm_fixtures::{EVENTUALLY, Postgres};
use tonearm_testkit::{Backend, Client, Program, TestServer};

use crate::command_output::create_organization;
use crate::{binary, eventually, text};

fn status(program: &Program) -> Value {
    let output = program.run(&["status", "--json"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Waits until this many nodes are reported. Nodes send their first heartbeat in the background.
async fn nodes(program: &Program, count: usize) -> Vec<Value> {
    let begun = Instant::now();
    loop {
        let told = status(program);
        let nodes = told["nodes"].as_array().unwrap();
        if nodes.len() == count {
            return nodes.clone();
        }
        assert!(begun.elapsed() < EVENTUALLY, "{count} nodes are expected: {told}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[test]
fn without_a_node_the_status_is_told_too() {
    let data = tempfile::tempdir().unwrap();
    let program = Program::new(binary(), data.path());
    assert!(program.run(&["migrate"]).status.success());
    let told = status(&program);
    assert_eq!((&told["nodes"], &told["failures"]), (&json!([]), &json!([])));
    for part in ["database", "store"] {
        assert_eq!(told[part]["state"], "ok", "{told}");
        assert!(told[part]["latency_ms"].is_u64(), "{told}");
    }
    assert_eq!((&told["certificate_expires_at"], &told["has_more_failures"]), (&Value::Null, &json!(false)));
    let classes: Vec<_> = told["queues"].as_array().unwrap().iter().map(|it| text(it, "/class")).collect();
    assert_eq!(classes, ["encode", "wait", "maintenance"]);
    for queue in told["queues"].as_array().unwrap() {
        for name in ["finished_last_minute", "finished_last_hour", "failed_last_minute", "failed_last_hour"] {
            assert_eq!(queue[name], 0, "{name}: {told}");
        }
    }
    assert_eq!((&told["acme"], &told["last_backup"]), (&Value::Null, &Value::Null));
    assert_eq!((&told["near_quotas"], &told["has_more_near_quotas"]), (&json!([]), &json!(false)));
    let disk = &told["disks"][0];
    assert!(disk["free_bytes"].as_u64() <= disk["size_bytes"].as_u64() && disk["place"] == "data", "{told}");
    let words = String::from_utf8(program.run(&["status"]).stdout).unwrap();
    for line in [
        "database  ok, ",
        "backup    none yet; ",
        "No node has run in the last day.",
        "third-party calls",
        "No job failed in the last day.",
        "No quota is nearly used up.",
    ] {
        assert!(words.contains(line), "{line:?} is missing in {words}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nodes_are_told_with_their_clocks_until_they_stop() {
    let database = Postgres::database().await;
    let (store, folders) = (tempfile::tempdir().unwrap(), [(); 2].map(|()| tempfile::tempdir().unwrap()));
    let [mut one, mut other] = folders.each_ref().map(|folder| {
        let mut program = Program::new(binary(), folder.path());
        program.set("TONEARM_SECRET", "9f2c41d07be6583a1e94c0d7f3ab8256");
        program.set("TONEARM_DATABASE_URL", &database.url);
        program.set("TONEARM_STORAGE_URL", &format!("file://{}", store.path().join("objects").display()));
        program
    });
    other.set("TONEARM_ROLES", "api");
    one.start().await;
    other.start().await;
    // Each node is reported by both.
    for program in [&one, &other] {
        for node in nodes(program, 2).await {
            assert_eq!(node["version"], env!("CARGO_PKG_VERSION"), "{node}");
            assert_eq!(node["is_lost"], false, "{node}");
            assert!(node["clock_ahead_ms"].is_i64(), "{node}");
            let is_other = other.url().ends_with(text(&node, "/address"));
            let roles = if is_other { json!(["api"]) } else { json!(["api", "worker", "edge"]) };
            assert_eq!(node["roles"], roles, "{node}");
        }
    }

    // A node that was killed stays in the list, and is lost after a long silence.
    let address = other.url().trim_start_matches("http://").to_owned();
    other.kill();
    let raw = Database::connect(&database.url).await.unwrap();
    let silent = format!("UPDATE node SET seen_at = seen_at - 120000 WHERE address = '{address}'");
    assert_eq!(raw.execute_unprepared(&silent).await.unwrap().rows_affected(), 1);
    raw.close().await.unwrap();
    let told = nodes(&one, 2).await;
    assert_eq!((&told[0]["is_lost"], &told[1]["is_lost"]), (&json!(false), &json!(true)));
    assert_eq!(text(&told[1], "/address"), address);

    // A node that stops says so.
    assert!(one.terminate(), "{}", one.log());
    assert_eq!(text(&nodes(&one, 1).await[0], "/address"), address);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_is_gone_when_it_has_stopped() {
    let server = TestServer::start(Backend::Distributed).await;
    let catalog = &server.node.services().unwrap().catalog;
    let other = server.another_node(vec![Role::Worker]).await;
    eventually("the other node sends a heartbeat", async || {
        catalog.seen_nodes(server.ambient.now()).await.unwrap().len() >= 2
    })
    .await;
    other.stop().await;
    let seen = catalog.seen_nodes(server.ambient.now()).await.unwrap();
    let addresses: Vec<_> = seen.into_iter().map(|seen| seen.node.address).collect();
    assert_eq!(addresses, [server.node.address().to_string()]);
}

#[tokio::test(flavor = "multi_thread")]
async fn jobs_that_end_are_counted() {
    let data = tempfile::tempdir().unwrap();
    let mut program = Program::new(binary(), data.path());
    assert!(program.run(&["migrate"]).status.success());
    let made = create_organization(&program, "Counted");
    program.start().await;
    let client = Client::new(&program.url(), text(&made, "/api_key"));
    let collection = client.collection("Songs").await;
    let track = client.upload(&collection, "song.wav", wav(&WavSpec::default())).await;
    client.settled(&track).await;
    // Each heartbeat contains them. There is one every fifteen seconds.
    let begun = Instant::now();
    loop {
        let told = status(&program);
        let encode = &told["queues"][0];
        if encode["finished_last_minute"].as_u64() >= Some(1) {
            assert!(
                encode["finished_last_hour"].as_u64() >= encode["finished_last_minute"].as_u64(),
                "{told}"
            );
            return;
        }
        assert!(begun.elapsed() < Duration::from_secs(45), "{told}");
        tokio::time::sleep(Duration::from_millis(250)).await;
    }
}
