//! The report on the confinement of ffmpeg, and the setting that requires confinement.

use std::process::Output;

use reqwest::Method;
use serde_json::json;
use tonearm_testkit::{Client, Program};

use crate::command_output::create_organization;
use crate::covers::picture;
use crate::{binary, text};

fn report(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// The log line that reports the confinement.
fn start_up_line(program: &Program) -> String {
    let log = program.log();
    log.lines().find(|line| line.contains("confined")).unwrap_or_else(|| panic!("{log}")).to_owned()
}

#[tokio::test]
async fn a_kernel_without_landlock_is_told_of_and_can_be_refused() {
    let data = tempfile::tempdir().unwrap();
    let mut program = Program::new(binary(), data.path());
    let with = program.run(&["doctor"]);
    let has_landlock = report(&with).contains("ok    files");
    assert_eq!(has_landlock, report(&with).contains("Landlock ABI"), "{}", report(&with));

    program.take_landlock_away();
    let without = program.run(&["doctor"]);
    assert!(without.status.success(), "best effort is enough: {}", report(&without));
    let line = "warn  files       ffmpeg can use every file that Tonearm can, as Landlock is missing";
    assert!(report(&without).contains(line), "{}", report(&without));
    assert!(report(&without).contains("ok    network     ffmpeg has no sockets"), "{}", report(&without));
    program.start().await;
    let line = start_up_line(&program);
    assert!(line.contains("WARN") && line.contains("NOT blocked: files"), "{line}");
    let status = std::fs::read_to_string(format!("/proc/{}/status", program.pid().unwrap())).unwrap();
    assert!(!status.contains("THP_enabled:\t1"), "the service does without huge pages: {status}");
    assert!(program.terminate());

    program.set("TONEARM_MEDIA_CONFINEMENT", "required");
    let required = program.run(&["doctor"]);
    assert_eq!(required.status.code(), Some(1));
    assert!(
        report(&required).contains("FAIL  files       ffmpeg can use every file"),
        "{}",
        report(&required)
    );
    let serve = program.run(&["serve", "--listen", "127.0.0.1:0"]);
    assert_eq!(serve.status.code(), Some(1));
    let stderr = String::from_utf8(serve.stderr).unwrap();
    let sentence: Vec<&str> = stderr.lines().filter(|line| line.starts_with("tonearm: ")).collect();
    assert_eq!(sentence.len(), 1, "{stderr}");
    for part in ["media.confinement is \"required\"", "Landlock is missing", "Linux 5.13", "best effort"] {
        assert!(sentence[0].contains(part), "{stderr}");
    }
    // Each attempt to start a child is refused, too.
    assert!(
        report(&required).contains("FAIL  ffmpeg      ffmpeg is not started: media.confinement"),
        "{}",
        report(&required)
    );
}

#[tokio::test]
async fn complete_walls_start_where_they_are_required() {
    let data = tempfile::tempdir().unwrap();
    let mut program = Program::new(binary(), data.path());
    if !report(&program.run(&["doctor"])).contains("ok    files") {
        return;
    }
    program.set("TONEARM_MEDIA_CONFINEMENT", "required");
    program.start().await;
    let line = start_up_line(&program);
    for part in ["INFO", "Landlock ABI", "blocked: files, network, processes, calls"] {
        assert!(line.contains(part), "{line}");
    }
    assert!(program.terminate());
}

/// An upgrade replaces the program while it runs.
#[tokio::test]
async fn covers_are_read_after_the_program_was_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let (copy, data) = (folder.path().join("tonearm"), folder.path().join("data"));
    std::fs::copy(binary(), &copy).unwrap();
    std::fs::create_dir(&data).unwrap();
    let made = create_organization(&Program::new(binary(), &data), "Replaced");
    let mut program = Program::new(&copy, &data);
    program.start().await;
    std::fs::remove_file(&copy).unwrap();
    std::fs::write(&copy, "another version").unwrap();

    let owner = Client::new(&program.url(), text(&made, "/api_key"));
    let created = owner.post("/v1/collection", &json!({"title": "Season 1"})).await.ok();
    let upload = owner.request(Method::POST, text(&created, "/collection_cover_upload/upload_url"));
    owner.send(upload.body(picture())).await.ok();
    assert!(program.terminate());
}
