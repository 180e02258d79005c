//! The command line, with and without a running server.

use std::time::{Duration, Instant};

use serde_json::Value;
use tonearm_fixtures::{EVENTUALLY, Postgres};
use tonearm_testkit::{Client, Program};

use crate::command_output::{create_organization, json_of};
use crate::{binary, text};

#[tokio::test]
async fn keys_made_beside_a_running_server_work_at_once() {
    let data = tempfile::tempdir().unwrap();
    let mut program = Program::new(binary(), data.path());
    let made = create_organization(&program, "Ünïcode & Co");
    let org = text(&made, "/organization_id").to_owned();
    program.start().await;
    let owner = Client::new(&program.url(), text(&made, "/api_key"));
    let read = owner.get(&format!("/v1/organization/{org}")).await.ok();
    assert_eq!(read["organization"]["name"], "Ünïcode & Co");

    let create = |arguments: &[&str]| {
        let all: Vec<&str> =
            ["key", "create", "--org", &org, "--json"].into_iter().chain(arguments.iter().copied()).collect();
        program.run(&all)
    };
    let player = json_of(&create(&["--type", "player", "--title", "web", "--downloads"]));
    let collection = owner.collection("C").await;
    let session = serde_json::json!({"collection_id": collection, "is_downloadable": true});
    let player_client = owner.with_key(text(&player, "/api_key"));
    let opened = player_client.post("/v1/play_session/collection", &session).await.ok();
    assert_eq!(opened["play_session"]["is_downloadable"], true);
    assert_eq!(opened["first_track"], Value::Null);

    let share = create(&["--type", "share"]);
    assert_eq!(share.status.code(), Some(2), "a share key needs exactly one variant");
    assert_eq!(String::from_utf8_lossy(&share.stderr).lines().count(), 1);
    json_of(&create(&["--type", "share", "--variant", "hq", "--collection", &collection]));

    let id = text(&player, "/api_key_id");
    assert!(program.run(&["key", "revoke", "--org", &org, "--key", id]).status.success());
    let revoked = Instant::now();
    // The server is another process. It may use cached data for a moment.
    while player_client.post("/v1/play_session/collection", &session).await.status != 401 {
        assert!(revoked.elapsed() < Duration::from_secs(2), "the revoked key still works");
    }
    let listed = String::from_utf8(program.run(&["key", "list", "--org", &org]).stdout).unwrap();
    assert!(listed.contains("revoked") && listed.contains("share"), "{listed}");
    assert!(!listed.contains(text(&player, "/api_key")), "a key is shown once");

    let soon = tonearm::ambient::system().now().plus_seconds(5).to_string();
    json_of(&create(&["--type", "uploader", "--expires-at", &soon]));
    let begun = Instant::now();
    while !String::from_utf8_lossy(&program.run(&["key", "list", "--org", &org]).stdout).contains("expired") {
        assert!(begun.elapsed() < EVENTUALLY, "a key whose time is over is not listed as such");
    }

    let url = "https://hooks.example.com/a";
    let set = json_of(&program.run(&["webhook", "set", "--org", &org, "--url", url, "--json"]));
    assert!(text(&set, "/secret").starts_with("whsec_"));
    let read = owner.get(&format!("/v1/organization/{org}")).await.ok();
    assert_eq!(read["organization"]["webhook_url"], url);
    assert!(program.terminate(), "{}", program.log());
}

/// What root writes there, the service could not use.
#[test]
fn root_works_only_on_its_own_data() {
    let data = tempfile::tempdir().unwrap();
    let program = Program::new(binary(), data.path());
    if !rustix::process::geteuid().is_root() {
        return;
    }
    std::os::unix::fs::chown(data.path(), Some(65_534), Some(65_534)).unwrap();
    let target = tempfile::tempdir().unwrap();
    let target = target.path().join("backup");
    let target = target.to_str().unwrap();
    for words in [
        &["org", "create", "--name", "Radio"][..],
        &["restore", "--adopt-store", "--secret-changed", target],
        &["doctor"],
    ] {
        let output = program.run(words);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{words:?}: {said}");
        assert!(said.contains("`sudo -u nobody tonearm …`"), "{words:?}: {said}");
    }
    assert_eq!(std::fs::read_dir(data.path()).unwrap().count(), 0, "nothing is written");
    std::os::unix::fs::chown(data.path(), Some(0), Some(0)).unwrap();
    create_organization(&program, "Radio");
    // A service that root runs in a container, in a folder of the host's.
    std::os::unix::fs::chown(data.path(), Some(1000), Some(1000)).unwrap();
    create_organization(&program, "Television");
    // A target that cannot be used is not called a store.
    let refused = program.run(&["backup", "/dev/null/backup"]);
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(said.contains("cannot use the target of the backup: Not a directory"), "{said}");
}

#[test]
fn an_organization_that_does_not_exist_is_an_error_for_every_command() {
    let data = tempfile::tempdir().unwrap();
    let program = Program::new(binary(), data.path());
    let made = create_organization(&program, "Radio");
    let unknown = "018f0000-0000-7000-8000-000000000001";
    for words in [
        "usage",
        "audit export",
        "key list",
        "key create --type api",
        "recipe list",
        "signing-key list",
        "signing-key create --title a",
        "import-bucket list",
        "transcription show",
        "transcription failures",
        "transcription retry",
        "transcription off",
        "webhook show",
        "webhook deliveries",
        "webhook set --url https://hooks.example.com",
        "track status",
        "org quota",
        "org delivery-key",
    ] {
        let run = |org: &str| program.run(&words.split(' ').chain(["--org", org]).collect::<Vec<_>>());
        let output = run(unknown);
        assert_eq!(output.status.code(), Some(1), "{words}: {output:?}");
        assert_eq!(String::from_utf8_lossy(&output.stdout), "", "{words}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("organization"), "{words}: {output:?}");
        assert!(run(text(&made, "/organization_id")).status.success(), "{words}");
    }
}

#[test]
fn a_year_of_usage_is_printed_whole() {
    let data = tempfile::tempdir().unwrap();
    let program = Program::new(binary(), data.path());
    let made = create_organization(&program, "Radio");
    let year =
        ["usage", "--org", text(&made, "/organization_id"), "--from", "2025-01-01", "--to", "2025-12-31"];
    let lines = |more: &[&str]| {
        let output = program.run(&[&year[..], &["--json"], more].concat());
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (text(&output.stdout).lines().count(), text(&output.stderr))
    };
    assert_eq!(lines(&[]), (365, String::new()));
    let (rows, note) = lines(&["--limit", "10"]);
    assert_eq!(rows, 10);
    assert!(note.contains("355 more rows"), "{note}");
}

/// Waits until a key is refused. The server is another process, and may use cached data for a moment.
async fn is_refused(client: &Client) {
    let begun = Instant::now();
    while client.get("/v1/collection").await.status != 401 {
        assert!(begun.elapsed() < Duration::from_secs(2), "the key still works");
    }
}

#[tokio::test]
async fn a_key_is_rotated_with_an_overlap_and_without() {
    let data = tempfile::tempdir().unwrap();
    let mut program = Program::new(binary(), data.path());
    let made = create_organization(&program, "Radio");
    let org = text(&made, "/organization_id").to_owned();
    program.start().await;
    let key = |command: &str, arguments: &[&str]| {
        program.run(&[&["key", command, "--org", &org][..], arguments].concat())
    };
    let created = json_of(&key("create", &["--type", "api", "--title", "backend", "--json"]));
    let id = text(&created, "/api_key_id");
    let first = Client::new(&program.url(), text(&created, "/api_key"));
    first.get("/v1/collection").await.ok();

    for (hours, code) in [("721", 2), ("-1", 2), ("day", 2)] {
        let refused = key("rotate", &["--key", id, &format!("--overlap={hours}")]);
        assert_eq!(refused.status.code(), Some(code), "{hours}");
    }
    let rotated = json_of(&key("rotate", &["--key", id, "--overlap", "1", "--json"]));
    let second = first.with_key(text(&rotated, "/api_key"));
    for client in [&first, &second] {
        client.get("/v1/collection").await.ok();
    }
    let listed = key("list", &["--json"]).stdout;
    let listed = String::from_utf8(listed).unwrap();
    let listed: Vec<Value> = listed.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let found = listed.iter().find(|key| text(key, "/api_key_id") == id).unwrap();
    assert_eq!(found["old_secret_until"], rotated["old_secret_until"]);
    assert!(found["old_secret_until"].is_string(), "{found}");
    // A key has at most two secrets, so that nobody loses track of them.
    let refused = key("rotate", &["--key", id]);
    assert_eq!(refused.status.code(), Some(1));
    let complaint = String::from_utf8_lossy(&refused.stderr);
    assert!(complaint.contains("still works; end it"), "{complaint}");
    assert!(key("end-old", &["--key", id]).status.success());
    is_refused(&first).await;
    second.get("/v1/collection").await.ok();

    let ended = json_of(&key("rotate", &["--key", id, "--overlap", "0", "--json"]));
    assert_eq!(ended["old_secret_until"], Value::Null);
    is_refused(&second).await;
    first.with_key(text(&ended, "/api_key")).get("/v1/collection").await.ok();
    assert!(program.terminate(), "{}", program.log());
    for client in [&first, &second] {
        assert!(!program.log().contains(client.key()), "a key is in the log");
    }
}

#[test]
fn wrong_usage_is_one_line_and_exit_2() {
    let data = tempfile::tempdir().unwrap();
    let mut program = Program::new(binary(), data.path());
    let unknown = "018f0000-0000-7000-8000-000000000001";
    let missing = program.run(&["key", "create", "--org", unknown, "--type", "api"]);
    assert_eq!(
        missing.status.code(),
        Some(1),
        "an organization that is not there is a failure, not wrong usage"
    );
    program.set("TONEARM_STORAGE_URL", "ftp://nowhere");
    let wrong = program.run(&["serve"]);
    assert_eq!(wrong.status.code(), Some(2));
    let message = String::from_utf8(wrong.stderr).unwrap();
    assert_eq!(message.lines().count(), 1, "{message}");
    assert!(message.starts_with("tonearm: storage_url: "), "{message}");
}

/// A secret that only this node knows would be noticed much later.
#[test]
fn a_node_that_shares_something_needs_the_secret_of_all() {
    for (name, value) in [
        ("TONEARM_STORAGE_URL", "s3://bucket?endpoint=http://127.0.0.1:1"),
        ("TONEARM_DATABASE_URL", "postgres://nobody@127.0.0.1:1/nothing"),
        ("TONEARM_ROLES", "edge"),
    ] {
        let data = tempfile::tempdir().unwrap();
        let mut program = Program::new(binary(), data.path());
        program.set(name, value);
        // The secret is checked before anything else.
        let refused = program.run(&["serve", "--listen", "127.0.0.1:0"]);
        let message = String::from_utf8(refused.stderr).unwrap();
        assert_eq!(refused.status.code(), Some(1), "{name}: {message}");
        assert!(message.lines().last().unwrap().starts_with("tonearm: secret: "), "{name}: {message}");
        assert!(!data.path().join("secret").exists());
    }
}

#[tokio::test]
async fn misspelt_variables_and_overlooked_proxies_are_named() {
    let data = tempfile::tempdir().unwrap();
    let mut program = Program::new(binary(), data.path());
    program.set("TONEARM_LIMITS_MAX_UPLOAD_BYTE", "1GiB");
    program.start().await;
    assert!(program.log().contains("TONEARM_LIMITS_MAX_UPLOAD_BYTE"), "{}", program.log());
    let client = Client::new(&program.url(), "");
    assert!(!program.log().contains("trusted_proxies"));
    for _ in 0..2 {
        client
            .send(client.request(reqwest::Method::GET, "/healthz").header("X-Forwarded-For", "203.0.113.9"))
            .await;
    }
    assert!(program.terminate());
    assert_eq!(program.log().matches("set trusted_proxies").count(), 1, "{}", program.log());
}

#[test]
fn a_configuration_that_cannot_be_read_is_an_error() {
    let data = tempfile::tempdir().unwrap();
    std::fs::create_dir(data.path().join("tonearm.toml")).unwrap();
    let refused = Program::new(binary(), data.path()).run(&["serve"]);
    let message = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(2), "{message}");
    assert!(message.starts_with("tonearm: configuration: cannot read "), "{message}");
}

#[test]
fn the_doctor_says_what_is_missing() {
    let data = tempfile::tempdir().unwrap();
    let mut program = Program::new(binary(), data.path());
    let well = program.run(&["doctor"]);
    let report = String::from_utf8(well.stdout).unwrap();
    assert!(well.status.success(), "{report}");
    for part in ["network", "processes", "calls", "ffmpeg", "database", "store", "disk", "clock"] {
        assert!(report.contains(&format!("ok    {part}")), "{report}");
    }
    assert!(!report.replace("warn  files", "").contains("warn"), "{report}");
    // With this public URL, requests come through a proxy.
    program.set("TONEARM_PUBLIC_URL", "https://audio.example.com");
    let behind = program.run(&["doctor"]);
    let report = String::from_utf8(behind.stdout).unwrap();
    assert!(behind.status.success(), "{report}");
    assert!(report.contains("warn  proxies"), "{report}");
    program.set("TONEARM_TRUSTED_PROXIES", "127.0.0.1");
    assert!(!String::from_utf8(program.run(&["doctor"]).stdout).unwrap().contains("warn  proxies"));
    program.set("TONEARM_MEDIA_FFMPEG", "/nonexistent/ffmpeg");
    let ill = program.run(&["doctor"]);
    assert_eq!(ill.status.code(), Some(1));
    assert!(String::from_utf8(ill.stdout).unwrap().contains("FAIL  ffmpeg"));
    let serve = program.run(&["serve", "--listen", "127.0.0.1:0"]);
    assert_eq!(serve.status.code(), Some(1));
    assert_eq!(
        String::from_utf8(serve.stderr).unwrap().lines().filter(|l| l.starts_with("tonearm:")).count(),
        1
    );
}

#[tokio::test]
async fn a_master_secret_is_replaced_in_steps() {
    let (old, new) =
        ("the master secret that there was at first", "the master secret that takes the place of it");
    let data = tempfile::tempdir().unwrap();
    let mut program = Program::new(binary(), data.path());
    program.set("TONEARM_SECRET", old);
    let made = create_organization(&program, "Rotating");
    let org = text(&made, "/organization_id");
    let url = "https://hooks.example.com/a";
    let set = json_of(&program.run(&["webhook", "set", "--org", org, "--url", url, "--json"]));
    program.set("TONEARM_SECRET", &format!("{new},{old}"));
    program.start().await;
    assert!(program.terminate(), "{}", program.log());
    assert!(program.log().contains("count=1 anew=1"), "{}", program.log());
    program.set("TONEARM_SECRET", new);
    let shown = json_of(&program.run(&["webhook", "show", "--org", org, "--secrets", "--json"]));
    assert!(shown.to_string().contains(text(&set, "/secret")), "{shown}");
}

#[tokio::test]
async fn quotas_are_set_beside_a_running_server() {
    let data = tempfile::tempdir().unwrap();
    let mut program = Program::new(binary(), data.path());
    let made = create_organization(&program, "Small");
    let org = text(&made, "/organization_id").to_owned();
    program.start().await;
    let client = Client::new(&program.url(), text(&made, "/api_key"));
    let collection = client.collection("C").await;
    let set = |arguments: &[&str]| {
        let all: Vec<&str> =
            ["org", "set", "--org", &org].into_iter().chain(arguments.iter().copied()).collect();
        program.run(&all)
    };
    let shown = || json_of(&program.run(&["org", "quota", "--org", &org, "--json"]));
    assert!(
        set(&["--quota-bytes", "10GiB", "--quota-tracks", "1", "--quota-minutes", "90"]).status.success()
    );
    let expected = serde_json::json!({
        "bytes": {"limit": 10_u64 << 30, "used": 0},
        "tracks": {"limit": 1, "used": 0},
        "minutes": {"limit": 90, "used": 0},
    });
    let mut told = shown();
    for kind in ["records", "metadata"] {
        let of_all = told.as_object_mut().unwrap().remove(kind).unwrap();
        assert!(
            of_all["limit"].as_u64() > of_all["used"].as_u64() && of_all["used"] != 0,
            "{kind}: {of_all}"
        );
    }
    assert_eq!(told, expected);
    client.track(&collection, "one.wav").await;
    let body = serde_json::json!({"collection_id": collection, "file_name": "two.wav"});
    let refused = client.post("/v1/track", &body).await;
    assert_eq!((refused.status.as_u16(), refused.json()["code"].clone()), (403, "quota_exceeded".into()));
    // Settings that are not given stay unchanged.
    assert!(set(&["--quota-tracks", "none", "--name", "Larger"]).status.success());
    client.track(&collection, "two.wav").await;
    assert_eq!(shown()["tracks"], serde_json::json!({"limit": null, "used": 2}));
    assert_eq!(shown()["minutes"]["limit"], 90);
    let table = String::from_utf8(program.run(&["org", "quota", "--org", &org]).stdout).unwrap();
    assert!(table.contains("tracks    2     none"), "{table}");
    for wrong in [["--quota-bytes", "much"], ["--quota-tracks", "-1"], ["--quota-minutes", ""]] {
        let refused = set(&[&format!("{}={}", wrong[0], wrong[1])]);
        assert_eq!(refused.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&refused.stderr).contains("or none, for no limit"));
    }
    let unknown = "01890000-0000-7000-8000-000000000000";
    assert!(!program.run(&["org", "set", "--org", unknown, "--quota-tracks", "1"]).status.success());
    assert!(!program.run(&["org", "quota", "--org", unknown]).status.success());
}

#[tokio::test]
async fn the_demo_goes_the_whole_way() {
    let data = tempfile::tempdir().unwrap();
    let mut program = Program::new(binary(), data.path());
    program.start().await;
    let url = program.url();
    let demo = program.run(&["demo", "--url", &url]);
    let printed = String::from_utf8(demo.stdout).unwrap();
    assert!(demo.status.success(), "{printed} {}", String::from_utf8_lossy(&demo.stderr));
    assert!(printed.lines().count() < 200, "it fits on few screens: {printed}");
    let line = printed.lines().find(|line| line.starts_with("hq ")).unwrap();
    let heard = Client::new(&url, "").get(line.split_whitespace().nth(1).unwrap()).await;
    assert_eq!((heard.status.as_u16(), heard.header("content-type")), (200, "audio/mpeg"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_start_that_waits_is_ended_at_once() {
    // A bucket that accepts connections and never responds.
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("http://{}", silent.local_addr().unwrap());
    let data = tempfile::tempdir().unwrap();
    let mut program = Program::new(binary(), data.path());
    program.set("TONEARM_SECRET", "the master secret of a node that waits");
    let bucket = format!("s3://audio?endpoint={endpoint}&region=x&access_key_id=a&secret_access_key=b");
    program.set("TONEARM_STORAGE_URL", &bucket);
    program.spawn();
    let _held = silent.accept().await.unwrap();
    let begun = Instant::now();
    assert!(program.terminate(), "{}", program.log());
    assert!(begun.elapsed() < Duration::from_secs(6), "{:?}", begun.elapsed());
    assert!(!program.log().contains("Tonearm is listening"), "{}", program.log());
}

#[tokio::test(flavor = "multi_thread")]
async fn more_connections_than_the_database_takes_are_told_of() {
    let database = Postgres::database().await;
    let data = tempfile::tempdir().unwrap();
    let mut program = Program::new(binary(), data.path());
    program.set("TONEARM_SECRET", "the master secret of a node of many");
    program.set("TONEARM_DATABASE_URL", &database.url);
    assert!(program.run(&["migrate"]).status.success());
    let report = String::from_utf8(program.run(&["doctor"]).stdout).unwrap();
    assert!(report.contains("ok    database") && report.contains("ok    connections"), "{report}");
    program.set("TONEARM_DATABASE_CONNECTIONS", "100000");
    let report = String::from_utf8(program.run(&["doctor"]).stdout).unwrap();
    assert!(report.contains("warn  connections this node may open 100001 connections"), "{report}");
    program.start().await;
    assert!(program.terminate());
    assert!(program.log().contains("may open 100001 connections"), "{}", program.log());
}
