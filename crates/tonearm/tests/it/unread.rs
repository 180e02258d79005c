//! Commands whose output is no longer read, as in `tonearm doctor | head -1`.

use tonearm_fixtures::Postgres;
use tonearm_testkit::{Client, Program};

use crate::command_output::create_organization;
use crate::{binary, text};

/// The exit status that shells report for a program that SIGPIPE has ended.
const READER_IS_GONE: Option<i32> = Some(141);

#[test]
fn commands_end_quietly_when_nobody_reads() {
    let data = tempfile::tempdir().unwrap();
    let program = Program::new(binary(), data.path());
    let made = create_organization(&program, "Unread");
    let usage = ["usage", "--org", text(&made, "/organization_id")];
    let commands: [&[&str]; 9] = [
        &["doctor"],
        &["--help"],
        &["--version"],
        &["config"],
        &["completions", "bash"],
        &usage,
        &["org", "list"],
        &["org", "list", "--json"],
        &["job", "list"],
    ];
    for arguments in commands {
        let unread = program.run_unread_after(0, arguments);
        let stderr = String::from_utf8_lossy(&unread.stderr);
        assert_eq!((unread.status.code(), &*stderr), (READER_IS_GONE, ""), "{arguments:?}");
        let begun = program.run_unread_after(1, arguments);
        let stderr = String::from_utf8_lossy(&begun.stderr);
        // Short output is written before the reader ends.
        let is_quiet = [Some(0), READER_IS_GONE].contains(&begun.status.code()) && stderr.is_empty();
        assert!(is_quiet && begun.stdout.ends_with(b"\n"), "{arguments:?}: {} {stderr}", begun.status);
    }
}

/// Errors are printed to standard error even if no process reads standard output.
#[test]
fn failures_keep_their_exit_status() {
    let data = tempfile::tempdir().unwrap();
    let program = Program::new(binary(), data.path());
    let wrong = program.run_unread_after(0, &["org", "create"]);
    assert_eq!((wrong.status.code(), wrong.stderr.is_empty()), (Some(2), false));
}

/// A migration that stopped because its reader did would have to be run again.
#[tokio::test(flavor = "multi_thread")]
async fn a_migration_is_done_to_its_end() {
    let database = Postgres::database().await;
    let data = tempfile::tempdir().unwrap();
    let mut program = Program::new(binary(), data.path());
    program.set("TONEARM_SECRET", "the master secret of this database");
    program.set("TONEARM_DATABASE_URL", &database.url);
    program.run_unread_after(0, &["migrate"]);
    let check = program.run(&["migrate", "--check"]);
    assert!(check.status.success(), "{}", String::from_utf8_lossy(&check.stderr));
}

#[tokio::test]
async fn a_service_runs_whoever_reads() {
    let data = tempfile::tempdir().unwrap();
    let mut program = Program::new(binary(), data.path());
    program.serve_with("--setup");
    program.spawn_unread();
    program.wait_until_up().await;
    let client = Client::new(&program.url(), "");
    client.send(client.request(reqwest::Method::GET, "/readyz")).await;
    assert!(program.terminate(), "{}", program.log());
    assert!(!program.log().contains("panicked"), "{}", program.log());
}
