//! A node serves only the store that its database belongs to.

use reqwest::Method;
use serde_json::Value;
use tonearm_fixtures::audio::{WavSpec, wav};
use tonearm_fixtures::{EVENTUALLY, S3Server};
use tonearm_testkit::{Client, Program};

use crate::command_output::{create_organization, printed};
use crate::{binary, text};

fn shown(program: &Program) -> Value {
    let output = program.run(&["store", "show", "--json"]);
    assert!(output.status.success(), "{}", printed(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[tokio::test]
async fn a_store_of_another_database_is_refused_until_it_is_adopted() {
    let data = tempfile::tempdir().unwrap();
    let mut program = Program::new(binary(), data.path());
    assert!(program.run(&["migrate"]).status.success());
    assert_eq!(shown(&program)["database"], Value::Null);
    program.start().await;
    assert!(program.terminate(), "{}", program.log());
    let first = shown(&program);
    assert_eq!((&first["agrees"], &first["store"][0]), (&Value::Bool(true), &first["database"]));

    // The database is lost, and an empty one takes its place.
    program.set("TONEARM_DATABASE_URL", &format!("sqlite://{}/other.db", data.path().display()));
    let refused = program.run(&["serve", "--listen", "127.0.0.1:0"]);
    assert_eq!(refused.status.code(), Some(1));
    let message = printed(&refused);
    let message: Vec<_> = message.lines().filter(|line| line.starts_with("tonearm: ")).collect();
    assert_eq!(message.len(), 1, "{message:?}");
    assert!(message[0].contains(text(&first, "/database")), "{message:?}");
    assert!(message[0].contains("tonearm store adopt"), "{message:?}");
    let doctor = program.run(&["doctor"]);
    assert!(String::from_utf8_lossy(&doctor.stdout).contains("FAIL  identity"));

    let unasked = program.run(&["store", "adopt"]);
    assert_eq!(unasked.status.code(), Some(2), "{}", printed(&unasked));
    assert!(printed(&unasked).contains("--yes"));
    assert_eq!(shown(&program)["agrees"], false);
    let adopted = program.run(&["store", "adopt", "--yes"]);
    assert!(adopted.status.success(), "{}", printed(&adopted));
    program.start().await;
    assert!(program.terminate(), "{}", program.log());

    let status = program.run(&["sweep", "--json"]);
    let status: Value = serde_json::from_slice(&status.stdout).unwrap();
    assert_eq!((&status["started_at"], &status["noted"]), (&Value::Null, &Value::from(0)));
    assert_eq!(program.run(&["sweep", "--confirm"]).status.code(), Some(1), "nothing waits");
}

/// The status of an upload.
async fn uploaded(client: &Client) -> u16 {
    let track = client.track(&client.collection("Album").await, "a.wav").await;
    let put = client.request(Method::PUT, text(&track, "/track_upload/upload_url"));
    client.send(put.body(wav(&WavSpec { seconds: 1.0, ..WavSpec::default() }))).await.status.as_u16()
}

/// What is created in the folder of a disk that is not mounted would look like a store that lost its objects.
#[tokio::test]
async fn nothing_is_created_where_a_store_is_not_mounted() {
    let data = tempfile::tempdir().unwrap();
    let [objects, disk] = ["objects", "disk"].map(|name| data.path().join(name));
    let mut program = Program::new(binary(), data.path());
    program.set("TONEARM_STORAGE_URL", &format!("file://{}", objects.display()));
    program.start().await;
    let organization = create_organization(&program, "Radio");
    let client = Client::new(&program.url(), text(&organization, "/api_key"));
    std::fs::rename(&objects, &disk).unwrap();
    // A disk that is not mounted leaves an empty folder, or none.
    for has_folder in [false, true] {
        if has_folder {
            std::fs::create_dir(&objects).unwrap();
        }
        for command in [&["doctor"][..], &["verify"], &["serve", "--listen", "127.0.0.1:0"]] {
            let output = program.run(command);
            assert!(matches!(output.status.code(), Some(1 | 2)), "{}", printed(&output));
            assert!(
                printed(&output).contains("its disk is not mounted"),
                "{command:?}: {}",
                printed(&output)
            );
        }
        assert_eq!(shown(&program)["agrees"], false);
        assert_eq!(uploaded(&client).await, 503);
        assert_eq!(std::fs::read_dir(&objects).map_or(0, Iterator::count), 0, "nothing was created");
    }
    // An earlier version left this behind.
    std::fs::create_dir(objects.join(".tmp")).unwrap();
    assert_eq!(uploaded(&client).await, 503);
    std::fs::remove_dir_all(&objects).unwrap();
    std::fs::rename(&disk, &objects).unwrap();
    // Copies of a store have its identity, and may lack empty folders.
    std::fs::remove_dir(objects.join(".tmp")).unwrap();
    assert_eq!(uploaded(&client).await, 200);
    assert_eq!(program.run(&["doctor"]).status.code(), Some(0));
    assert!(program.terminate(), "{}", program.log());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_starts_without_its_store_and_checks_it_later() {
    let data = tempfile::tempdir().unwrap();
    let mut server = S3Server::start();
    server.stop();
    let mut program = Program::new(binary(), data.path());
    program.set("TONEARM_STORAGE_URL", &server.url());
    program.set("TONEARM_SECRET", "the master secret of a node with a bucket");
    program.start().await;
    server.restart();
    let begun = std::time::Instant::now();
    while shown(&program)["agrees"] != true || shown(&program)["database"].is_null() {
        assert!(begun.elapsed() < EVENTUALLY, "{}", program.log());
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    assert!(program.terminate(), "{}", program.log());
}
