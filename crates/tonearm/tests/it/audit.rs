//! The audit log: who did what.

use std::net::IpAddr;

use serde_json::{Value, json};
use tonearm_catalog::AuditFilter;
use tonearm_domain::AuditRecord;
use tonearm_fixtures::audio::{WavSpec, wav};
use tonearm_service::Caller;
use tonearm_testkit::{Program, TestServer};

use crate::command_output::create_organization;
use crate::{binary, text};

crate::on_both_backends!(what_keys_do_is_written_down, uploads_are_written_down_with_their_address);

async fn what_keys_do_is_written_down(server: TestServer) {
    let client = &server.client;
    server.clock.advance_seconds(1);
    let collection = client.collection("Season 1").await;
    server.clock.advance_seconds(1);
    let track = text(&client.track(&collection, "a.wav").await, "/track_id").to_owned();
    server.clock.advance_seconds(1);
    client.put(&format!("/v1/track/{track}"), &json!({"player_title": "A"})).await.ok();
    server.clock.advance_seconds(1);
    client.delete(&format!("/v1/track/{track}")).await.ok();
    // Requests that are refused are not recorded.
    assert_eq!(client.delete(&format!("/v1/track/{track}")).await.status, 404);
    let key = json!({"title": "web", "api_key_type_id": "player"});
    server.clock.advance_seconds(1);
    client.post("/v1/api_key", &key).await.ok();
    server.clock.advance_seconds(1);
    client.post("/v1/upload_session", &json!({"collection_id": collection})).await.ok();

    let audit = server.node.services().unwrap().audit.clone();
    let caller = Caller::owner(server.organization_id.parse().unwrap());
    let lines = audit.entries(&caller, &AuditFilter::default(), None, 100).await.unwrap();
    let told = |line: &AuditRecord| (line.action.clone(), line.actor.clone(), line.title.clone());
    // The first two entries have the same timestamp, so their order is not defined.
    let mut lines = lines;
    lines[6..].sort_by(|a, b| a.action.cmp(&b.action));
    let expected = [
        ("upload_session.create", "key", "Season 1"),
        ("api_key.create", "key", "web"),
        ("track.delete", "key", "a.wav"),
        ("track.update", "key", "a.wav"),
        ("track.create", "key", "a.wav"),
        ("collection.create", "key", "Season 1"),
        ("api_key.create", "command_line", "First key"),
        ("organization.create", "command_line", "Test organization"),
    ];
    let expected = expected.map(|(action, actor, title)| (action.into(), actor.into(), Some(title.into())));
    assert_eq!(lines.iter().map(told).collect::<Vec<_>>(), expected);
    assert_eq!(lines[2].subject_id.unwrap().to_string(), track);
    assert!(lines[..6].iter().all(|line| line.actor_id.is_some() && line.actor_id == lines[0].actor_id));
    server.node.stop().await;
}

async fn uploads_are_written_down_with_their_address(server: TestServer) {
    let client = &server.client;
    let collection = client.collection("Season 1").await;
    client.upload(&collection, "a.wav", wav(&WavSpec { seconds: 0.2, ..WavSpec::default() })).await;
    let session = client.post("/v1/upload_session", &json!({"collection_id": collection})).await.ok();
    let path = format!("/v1/upload/{}/track", text(&session, "/upload_session_id"));
    client.without_key().post(&path, &json!({"file_name": "b.wav"})).await.ok();

    let audit = server.node.services().unwrap().audit.clone();
    let caller = Caller::owner(server.organization_id.parse().unwrap());
    let lines = audit.entries(&caller, &AuditFilter::default(), None, 100).await.unwrap();
    let by_uploaders = lines.iter().filter(|line| line.actor == "uploader");
    let mut told: Vec<_> = by_uploaders.map(|line| (line.action.as_str(), line.address)).collect();
    told.sort();
    let here = Some(IpAddr::from([127, 0, 0, 1]));
    assert_eq!(told, [("track.create", here), ("track.upload", here)]);
    server.node.stop().await;
}

#[test]
fn the_log_is_exported_line_by_line() {
    let data = tempfile::tempdir().unwrap();
    let program = Program::new(binary(), data.path());
    let made = create_organization(&program, "Logged");
    let org = text(&made, "/organization_id");
    let export = |arguments: &[&str]| {
        let all: Vec<&str> = ["audit", "export", "--org", org].iter().chain(arguments).copied().collect();
        let output = program.run(&all);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let lines = String::from_utf8(output.stdout).unwrap();
        let parse =
            |line| serde_json::from_str::<Value>(line).unwrap()["action"].as_str().unwrap().to_owned();
        let mut actions: Vec<String> = lines.lines().map(parse).collect();
        actions.sort();
        actions
    };
    assert_eq!(export(&[]), ["api_key.create", "organization.create"]);
    assert_eq!(export(&["--action", "api_key"]), ["api_key.create"]);
    assert!(export(&["--since", "2100-01-01T00:00:00Z"]).is_empty());
}
