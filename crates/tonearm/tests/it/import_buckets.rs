//! Credentials for buckets on the command line, and a running service that imports with them.

use serde_json::{Value, json};
use tonearm_fixtures::S3Server;
use tonearm_fixtures::audio::{WavSpec, wav};
use tonearm_testkit::{Client, Program};

use crate::command_output::create_organization;
use crate::{binary, text};

fn holds(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|part| part == text.as_bytes())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_object_is_imported_and_the_secret_stays_secret() {
    let (data, server) = (tempfile::tempdir().unwrap(), S3Server::start());
    let song = wav(&WavSpec { seconds: 2.0, ..WavSpec::default() });
    server.put_object("songs/Dawn.wav", &song);
    let mut program = Program::new(binary(), data.path());
    program.set("TONEARM_OUTBOUND_ALLOW_PRIVATE", "true");
    program.set("TONEARM_LOG_FILTER", "trace");
    let made = create_organization(&program, "Radio");
    let org = text(&made, "/organization_id").to_owned();
    let (id, secret) = S3Server::CREDENTIALS;
    let endpoint = server.endpoint();
    let bucket = ["--org", &org, "--bucket", S3Server::BUCKET];
    let of_store = [&bucket[..], &["--endpoint", &endpoint, "--access-key-id", id]].concat();
    let set = |more: &[&'static str]| [&["import-bucket", "set"][..], &of_store, more].concat();
    let refused = program.run_with_input(&set(&[]), "\n");
    assert_eq!(refused.status.code(), Some(2), "{}", String::from_utf8_lossy(&refused.stderr));
    let saved = program.run_with_input(&set(&[]), &format!("{secret}\n"));
    assert!(saved.status.success(), "{}", String::from_utf8_lossy(&saved.stderr));
    let key_file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(key_file.path(), format!("{secret}\n")).unwrap();
    for (variable, value) in [
        ("TONEARM_IMPORT_SECRET_ACCESS_KEY", secret),
        ("TONEARM_IMPORT_SECRET_ACCESS_KEY_FILE", key_file.path().to_str().unwrap()),
    ] {
        let mut other = Program::new(binary(), data.path());
        other.set("TONEARM_OUTBOUND_ALLOW_PRIVATE", "true");
        other.set(variable, value);
        let saved = other.run(&set(&[]));
        assert!(saved.status.success(), "{variable}: {}", String::from_utf8_lossy(&saved.stderr));
    }
    let kept = program.run(&set(&["--region", "eu-central-1", "--keep-secret"]));
    assert!(kept.status.success(), "{}", String::from_utf8_lossy(&kept.stderr));
    let listed = program.run(&["import-bucket", "list", "--org", &org, "--json"]);
    let record: Value = serde_json::from_slice(&listed.stdout).unwrap();
    assert_eq!((&record["region"], &record["has_secret"]), (&json!("eu-central-1"), &json!(true)));
    assert!(!holds(&listed.stdout, secret));

    program.start().await;
    let client = Client::new(&program.url(), text(&made, "/api_key"));
    let source_url = format!("s3://{}/songs/Dawn.wav", S3Server::BUCKET);
    let body = json!({ "collection_id": client.collection("Imported").await, "source_url": source_url });
    let created = client.post("/v1/track", &body).await.ok();
    let track = client.settled(text(&created, "/track_id")).await;
    assert_eq!(
        (text(&track, "/track_status_id"), text(&track, "/file_name")),
        ("ready", "Dawn.wav"),
        "{track}"
    );
    assert_eq!(track["info"]["size"], song.len());
    let bucket_removed = [&["import-bucket", "remove"][..], &bucket].concat();
    assert!(program.run(&bucket_removed).status.success());
    let refused = client.post("/v1/track", &body).await;
    assert_eq!((refused.status.as_u16(), refused.json()["field"].as_str()), (400, Some("source_url")));
    assert!(program.terminate());
    let log = program.log();
    assert!(log.contains("TRACE") && !log.contains(secret) && !log.contains("Signature="));
    for file in std::fs::read_dir(data.path()).unwrap() {
        let path = file.unwrap().path();
        assert!(!path.is_file() || !holds(&std::fs::read(&path).unwrap(), secret), "{}", path.display());
    }
}
