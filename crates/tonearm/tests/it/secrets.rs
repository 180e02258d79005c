//! Secrets in files, and replacing the master secret.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;
use tonearm_fixtures::EVENTUALLY;
use tonearm_testkit::Program;

use crate::command_output::{create_organization, printed};
use crate::{binary, text};

const SECRET: &str = "a master secret of at least thirty-two characters";

fn status(program: &Program) -> Value {
    let output = program.run(&["secret", "status", "--json"]);
    assert!(output.status.success(), "{}", printed(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn fingerprints(status: &Value) -> Vec<&str> {
    let secrets = status["secrets"].as_array().unwrap();
    secrets.iter().map(|secret| text(secret, "/fingerprint")).collect()
}

fn rotate(program: &Program) -> Result<String, String> {
    let output = program.run(&["secret", "rotate", "--yes"]);
    if output.status.success() { Ok(printed(&output)) } else { Err(printed(&output)) }
}

/// Starts and stops the service, so that it records which secret it signs with.
async fn restart(program: &mut Program) {
    program.start().await;
    assert!(program.terminate(), "{}", program.log());
}

/// Starts the service and waits for its first heartbeat.
async fn start(program: &mut Program) {
    program.start().await;
    let begun = Instant::now();
    loop {
        let output = program.run(&["status", "--json"]);
        let told: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        if told["nodes"].as_array().is_some_and(|nodes| !nodes.is_empty()) {
            return;
        }
        assert!(begun.elapsed() < EVENTUALLY, "{}", printed(&output));
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

fn lines(path: &Path) -> Vec<String> {
    fs::read_to_string(path).unwrap().lines().map(str::to_owned).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_secret_is_not_replaced_without_a_word() {
    let data = tempfile::tempdir().unwrap();
    let mut program = Program::new(binary(), data.path());
    create_organization(&program, "Example Radio");
    let file = data.path().join("secret");
    let kept = fs::read(&file).unwrap();
    // Before the first start of a node, and after it.
    for _ in 0..2 {
        fs::remove_file(&file).unwrap();
        for command in [&["serve"][..], &["org", "list"]] {
            let output = program.run(command);
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(
                !output.status.success() && said.contains("there is no master secret"),
                "{command:?}: {said}"
            );
            assert!(!file.exists(), "{command:?}");
        }
        fs::write(&file, &kept).unwrap();
        assert!(program.run(&["org", "list"]).status.success());
        restart(&mut program).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_master_secret_is_replaced_in_three_steps() {
    let data = tempfile::tempdir().unwrap();
    let file = data.path().join("master");
    fs::write(&file, format!("{SECRET}\n")).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    let mut program = Program::new(binary(), data.path());
    program.set("TONEARM_SECRET_FILE", file.to_str().unwrap());
    let made = create_organization(&program, "Example Radio");
    let org = text(&made, "/organization_id");
    let set = ["webhook", "set", "--org", org, "--url", "https://hooks.example.com/a"];
    assert!(program.run(&set).status.success());
    restart(&mut program).await;
    let before = status(&program);
    let [old] = fingerprints(&before)[..] else { panic!("{before}") };
    assert_eq!(before["secrets"][0]["stored_secrets"], 1);

    assert!(rotate(&program).unwrap().contains("Restart all nodes"));
    let added = lines(&file);
    assert_eq!((added.len(), added[0].as_str()), (2, SECRET));
    restart(&mut program).await;
    let between = status(&program);
    assert_eq!(fingerprints(&between)[0], old);
    assert_eq!(between["secrets"][1]["last_signed_at"], Value::Null);

    let promoted = rotate(&program).unwrap();
    assert!(promoted.contains("1 stored secrets are encrypted with the new master secret"), "{promoted}");
    assert_eq!(lines(&file), [added[1].as_str(), SECRET]);
    let refused = rotate(&program).unwrap_err();
    assert!(refused.contains("no node signs with the first secret yet"), "{refused}");
    restart(&mut program).await;
    let after = status(&program);
    assert_eq!(fingerprints(&after)[1], old);
    let sealed: Vec<_> = (0..2).map(|at| &after["secrets"][at]["stored_secrets"]).collect();
    assert_eq!(sealed, [1, 0]);
    // URLs that were signed with the old secret are valid for a day.
    let refused = rotate(&program).unwrap_err();
    assert!(refused.contains("URLs that were signed with an older one are valid until"), "{refused}");
    assert_eq!(lines(&file).len(), 2);
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_secret_is_put_first_when_all_running_nodes_know_it() {
    let data = tempfile::tempdir().unwrap();
    let file = data.path().join("master");
    fs::write(&file, format!("{SECRET}\n")).unwrap();
    let mut program = Program::new(binary(), data.path());
    program.set("TONEARM_SECRET_FILE", file.to_str().unwrap());
    start(&mut program).await;
    assert!(rotate(&program).unwrap().contains("Restart all nodes"));
    let refused = rotate(&program).unwrap_err();
    assert!(refused.contains("restart the node ") && refused.contains("without the new secret"), "{refused}");
    assert_eq!(lines(&file)[0], SECRET, "nothing is changed");
    let between = status(&program);
    assert_eq!(between["reasons_not_to_promote"].as_array().unwrap().len(), 1, "{between}");
    assert!(program.terminate(), "{}", program.log());
    start(&mut program).await;
    assert!(rotate(&program).unwrap().contains("Restart all nodes"));
    assert_eq!(lines(&file)[1], SECRET);
    let refused = rotate(&program).unwrap_err();
    assert!(refused.contains("which may still sign with an older one"), "{refused}");
    assert!(program.terminate(), "{}", program.log());
}

/// Older versions did not note which secrets they signed with.
#[tokio::test(flavor = "multi_thread")]
async fn a_secret_that_signed_before_notes_were_taken_is_not_put_first() {
    let data = tempfile::tempdir().unwrap();
    let mut program = Program::new(binary(), data.path());
    program.set("TONEARM_SECRET", &format!("another master secret of enough characters,{SECRET}"));
    restart(&mut program).await;
    let refused = rotate(&program).unwrap_err();
    assert!(refused.contains("URLs that were signed with an older one are valid until"), "{refused}");
}

#[tokio::test]
async fn a_secret_that_is_no_file_is_printed_and_never_shown_whole() {
    let data = tempfile::tempdir().unwrap();
    let mut program = Program::new(binary(), data.path());
    program.set("TONEARM_SECRET", SECRET);
    assert!(program.run(&["migrate"]).status.success());
    let added = rotate(&program).unwrap();
    assert!(added.contains("separated by a comma"), "{added}");
    assert!(!added.contains(SECRET) && !data.path().join("secret").exists(), "{added}");
    let status = printed(&program.run(&["secret", "status"]));
    assert!(status.contains("signs and encrypts") && !status.contains(SECRET), "{status}");
}

#[tokio::test]
async fn credentials_of_systemd_are_found_and_exposed_files_are_named() {
    let data = tempfile::tempdir().unwrap();
    let credentials = tempfile::tempdir().unwrap();
    let file = credentials.path().join("secret");
    fs::write(&file, format!("{SECRET}\n")).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    let mut program = Program::new(binary(), data.path());
    program.set("CREDENTIALS_DIRECTORY", credentials.path().to_str().unwrap());
    let doctor = || printed(&program.run(&["doctor"]));
    let warning = format!("{} can be read by every user of this machine", file.display());
    let found = doctor();
    assert!(found.contains(&warning), "{found}");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    let found = doctor();
    assert!(!found.contains("can be read by every user"), "{found}");
    assert!(!data.path().join("secret").exists(), "no other secret is made");
    fs::write(&file, "\n").unwrap();
    let output = program.run(&["secret", "status"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        printed(&output),
        format!("tonearm: secret: {} is empty; write the secret into it\n", file.display())
    );
}
