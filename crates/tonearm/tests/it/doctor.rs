//! Problems that `tonearm doctor` finds.

use std::fs;
use std::io::{Seek, SeekFrom, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use sea_orm::{ConnectionTrait, Database, DbBackend, Statement};
use serde_json::Value;
use tonearm_fixtures::{BucketProxy, Fault, Postgres, ProxiedRequest, S3Server, country_database};
use tonearm_testkit::Program;

use crate::{binary, text};

/// The exit status and what was printed.
fn doctor(program: &Program) -> (Option<i32>, String) {
    let output = program.run(&["doctor"]);
    (output.status.code(), String::from_utf8(output.stdout).unwrap())
}

#[track_caller]
fn assert_told(report: &(Option<i32>, String), status: i32, line: &str) {
    assert_eq!(report.0, Some(status), "{}", report.1);
    assert!(report.1.contains(line), "{line:?} is missing in {}", report.1);
}

#[test]
fn secrets_that_can_be_guessed() {
    let data = tempfile::tempdir().unwrap();
    let mut program = Program::new(binary(), data.path());
    assert_told(&doctor(&program), 0, "ok    secret      ");
    let drawn = "9f2c41d07be6583a1e94c0d7f3ab8256";
    let file = data.path().join("secret");
    fs::write(&file, drawn).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    let exposed = format!("warn  secrets     {} can be read by other users of this machine", file.display());
    assert_told(&doctor(&program), 0, &exposed);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    let report = doctor(&program);
    assert_told(&report, 0, "ok    secret      it is in ");
    assert!(!report.1.contains("warn  secrets"), "{}", report.1);
    fs::write(&file, "short").unwrap();
    assert_told(&doctor(&program), 1, "FAIL  secret ");
    program.set("TONEARM_SECRET", &format!("{drawn},{}", "abcdefgh".repeat(4)));
    assert_told(&doctor(&program), 0, "warn  secret      master secret number 2 looks guessable");
    program.set("TONEARM_SECRET", "replace-this-with-at-least-32-random-characters");
    assert_told(&doctor(&program), 1, "FAIL  secret      master secret number 1 is an example");
}

#[test]
fn addresses_that_are_open_to_everybody() {
    let data = tempfile::tempdir().unwrap();
    let mut program = Program::new(binary(), data.path());
    program.set("TONEARM_LISTEN", "0.0.0.0:8080");
    program.set("TONEARM_PUBLIC_URL", "http://audio.example.com:8080");
    assert_told(&doctor(&program), 0, "warn  https       clients use http://audio.example.com:8080");
    program.set("TONEARM_TRUSTED_PROXIES", "10.0.0.0/8");
    assert!(!doctor(&program).1.contains("no public_url"), "it is set");
    program.set("TONEARM_TRUSTED_PROXIES", "10.0.0.0/8,0.0.0.0/0");
    assert_told(&doctor(&program), 0, "warn  proxies     trusted_proxies has 0.0.0.0/0");
}

#[test]
fn urls_that_lead_past_the_proxy() {
    let data = tempfile::tempdir().unwrap();
    let mut program = Program::new(binary(), data.path());
    program.set("TONEARM_TRUSTED_PROXIES", "127.0.0.1");
    let warning = "warn  proxies     there are trusted_proxies, but no public_url, so all URLs begin with http://127.0.0.1:8080";
    assert_told(&doctor(&program), 0, warning);
}

#[test]
fn variables_that_are_misspelt() {
    let data = tempfile::tempdir().unwrap();
    let mut program = Program::new(binary(), data.path());
    assert!(!doctor(&program).1.contains("environment"));
    program.set("TONEARM_LISTN", "127.0.0.1:9000");
    let told =
        "warn  environment TONEARM_LISTN is ignored: there is no such setting; did you mean TONEARM_LISTEN?";
    assert_told(&doctor(&program), 0, told);
}

#[test]
fn disks_that_are_too_full() {
    let data = tempfile::tempdir().unwrap();
    let mut program = Program::new(binary(), data.path());
    program.set("TONEARM_LIMITS_MIN_FREE_SPACE", "1000000GiB");
    assert_told(&doctor(&program), 1, "FAIL  disk ");
}

/// The store of such a node belongs to a database that the node does not have.
#[tokio::test(flavor = "multi_thread")]
async fn nodes_that_only_deliver() {
    let (data, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let store = format!("file://{}", other.path().join("objects").display());
    let mut whole = Program::new(binary(), other.path());
    whole.start().await;
    assert!(whole.terminate(), "{}", whole.log());
    let mut edge = Program::new(binary(), data.path());
    edge.set("TONEARM_ROLES", "edge");
    edge.set("TONEARM_SECRET", "9f2c41d07be6583a1e94c0d7f3ab8256");
    edge.set("TONEARM_STORAGE_URL", &store);
    edge.set("TONEARM_MEDIA_FFMPEG", "/nonexistent/ffmpeg");
    let report = doctor(&edge);
    assert_told(&report, 0, "ok    store ");
    for name in ["database", "identity", "ffmpeg"] {
        assert!(!report.1.contains(&format!("  {name} ")), "{name}: {}", report.1);
    }
    let status = edge.run(&["status"]);
    assert_eq!(status.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&status.stderr).contains("this node only delivers"));
    assert!(!data.path().join("tonearm.db").exists(), "no database is made");
}

/// Returns the bytes with the first occurrence of `from` replaced by `to`.
fn replaced(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let at = bytes.windows(from.len()).position(|part| part == from).unwrap();
    [&bytes[..at], to, &bytes[at + from.len()..]].concat()
}

#[test]
fn databases_of_countries() {
    let data = tempfile::tempdir().unwrap();
    let mut program = Program::new(binary(), data.path());
    assert!(!doctor(&program).1.contains("countries"));
    let path = data.path().join("countries.mmdb");
    program.set("TONEARM_USAGE_COUNTRY_DATABASE", path.to_str().unwrap());
    assert_told(&doctor(&program), 1, "FAIL  countries ");
    let whole = country_database(&[("203.0.113.0/24", "DE")]);
    fs::write(&path, &whole).unwrap();
    assert_told(&doctor(&program), 0, "ok    countries   Test-Country of 2030-01-02 in ");
    fs::write(&path, replaced(&whole, b"Test-Country", b"Test-Network")).unwrap();
    assert_told(&doctor(&program), 0, "warn  countries   Test-Network of 2030-01-02 in ");
    // The country is no longer text.
    fs::write(&path, replaced(&whole, b"\x42DE", b"\x5FDE")).unwrap();
    assert_told(&doctor(&program), 0, "warn  countries   Test-Country of 2030-01-02 in ");
    fs::write(&path, &whole[..whole.len() - 1]).unwrap();
    assert_told(&doctor(&program), 1, "FAIL  countries ");
}

#[test]
fn programs_read_a_line_for_each_check() {
    let data = tempfile::tempdir().unwrap();
    let mut program = Program::new(binary(), data.path());
    assert!(program.run(&["migrate"]).status.success());
    fs::create_dir(data.path().join("objects")).unwrap();
    program.set("TONEARM_MEDIA_FFMPEG", "/nonexistent/ffmpeg");
    let output = program.run(&["doctor", "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let lines: Vec<Value> =
        output.stdout.split_inclusive(|b| *b == b'\n').map(|l| serde_json::from_slice(l).unwrap()).collect();
    let verdict = |name: &str| {
        let line = lines.iter().find(|line| line["name"] == name);
        line.map(|line| text(line, "/verdict").to_owned())
    };
    assert_eq!(verdict("ffmpeg").as_deref(), Some("failed"));
    for name in ["database", "file", "store", "identity", "secret", "disk", "clock"] {
        assert_eq!(verdict(name).as_deref(), Some("ok"), "{name}");
    }
    assert!(lines.iter().all(|line| !text(line, "/message").is_empty()));
}

#[tokio::test(flavor = "multi_thread")]
async fn servers_that_forget_commits() {
    let database = Postgres::database().await;
    let data = tempfile::tempdir().unwrap();
    let mut program = Program::new(binary(), data.path());
    program.set("TONEARM_SECRET", "9f2c41d07be6583a1e94c0d7f3ab8256");
    program.set("TONEARM_DATABASE_URL", &database.url);
    assert!(program.run(&["migrate"]).status.success());
    let (status, report) = doctor(&program);
    assert_eq!(status, Some(0), "{report}");
    assert!(!report.contains("synchronous_commit") && report.contains("ok    clocks"), "{report}");
    let raw = Database::connect(&database.url).await.unwrap();
    let forget = "DO $$ BEGIN EXECUTE \
                  format('ALTER DATABASE %I SET synchronous_commit = off', current_database()); END $$";
    raw.execute_unprepared(forget).await.unwrap();
    raw.execute_unprepared(
        &forget.replace("synchronous_commit = off", "default_transaction_isolation = serializable"),
    )
    .await
    .unwrap();
    assert_told(&doctor(&program), 0, "warn  server      synchronous_commit is off");
    assert_told(
        &doctor(&program),
        0,
        "ok    server      default_transaction_isolation = serializable; Tonearm",
    );
    // As on a standby.
    raw.execute_unprepared(&forget.replace("synchronous_commit = off", "default_transaction_read_only = on"))
        .await
        .unwrap();
    raw.close().await.unwrap();
    assert_told(&doctor(&program), 1, "the server takes no writes");
}

#[tokio::test(flavor = "multi_thread")]
async fn files_that_are_damaged() {
    let data = tempfile::tempdir().unwrap();
    let program = Program::new(binary(), data.path());
    assert!(program.run(&["migrate"]).status.success());
    assert_told(&doctor(&program), 0, "ok    file        SQLite finds no damage");
    let file = data.path().join("tonearm.db");
    let (page, size) = root_page(&file, "webhook_attempt").await;
    let mut opened = fs::OpenOptions::new().write(true).open(&file).unwrap();
    opened.seek(SeekFrom::Start((page - 1) * size)).unwrap();
    opened.write_all(&vec![0xFF; usize::try_from(size).unwrap()]).unwrap();
    drop(opened);
    assert_told(&doctor(&program), 1, "FAIL  file        the file is damaged: ");
}

/// The first page of a table, counted from 1, and the size of a page.
async fn root_page(file: &Path, table: &str) -> (u64, u64) {
    let raw = Database::connect(format!("sqlite://{}", file.display())).await.unwrap();
    let number = async |question: String, column: &str| -> u64 {
        let row = raw.query_one_raw(Statement::from_string(DbBackend::Sqlite, question)).await.unwrap();
        row.unwrap().try_get::<i64>("", column).unwrap().try_into().unwrap()
    };
    let page = number(format!("SELECT rootpage FROM sqlite_master WHERE name = '{table}'"), "rootpage").await;
    let size = number("PRAGMA page_size".to_owned(), "page_size").await;
    raw.close().await.unwrap();
    (page, size)
}

#[test]
fn credentials_that_may_not_do_everything() {
    let bucket = S3Server::start();
    let proxy = BucketProxy::start(&bucket);
    let data = tempfile::tempdir().unwrap();
    let mut program = Program::new(binary(), data.path());
    program.set("TONEARM_SECRET", "9f2c41d07be6583a1e94c0d7f3ab8256");
    program.set("TONEARM_STORAGE_URL", proxy.url());
    assert_told(&doctor(&program), 0, "ok    store ");
    let is_left = |path: &std::path::PathBuf| path.to_string_lossy().contains("doctor.");
    assert!(!bucket.files().iter().any(is_left), "the probe is removed");
    type Denied = fn(&ProxiedRequest) -> bool;
    let cases: [(Denied, &str); 4] = [
        (|request| request.method == "POST" && request.target.contains("uploads"), "s3:PutObject"),
        (|request| request.method == "GET" && request.range.is_some(), "s3:GetObject"),
        (|request| request.method == "GET" && request.target.contains("list-type=2"), "s3:ListBucket"),
        (|request| request.method == "POST" && request.target.contains("?delete"), "s3:DeleteObject"),
    ];
    for (is_denied, permission) in cases {
        proxy.set(move |request| is_denied(request).then_some(Fault::Deny));
        let report = doctor(&program);
        assert_told(&report, 1, "FAIL  store ");
        assert!(report.1.contains(permission), "{permission}: {}", report.1);
    }
}
