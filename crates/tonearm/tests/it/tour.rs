//! The commands of the documentation, run as they are written there.

use std::path::Path;
use std::process::Command;

use axum::Router;
use axum::response::Html;
use axum::routing::get;
use serde_json::json;
use tempfile::TempDir;
use tonearm_fixtures::TestDatabase;
use tonearm_fixtures::audio::{WavSpec, write_wav};
use tonearm_testkit::{Backend, Client, Program, TestServer};

use crate::browser::Browser;
use crate::command_output::create_organization;
use crate::{binary, text};

/// A page of the repository. It is read when the test runs, so that a changed page needs no new build.
fn page(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn task(name: &str) -> String {
    page(&format!("docs/tasks/{name}.md"))
}

/// What is in the blocks of this language, in order.
fn blocks(page: &str, language: &str) -> String {
    let begin = format!("```{language}");
    let mut script = String::new();
    let mut inside = false;
    for line in page.lines() {
        match line {
            line if line == begin => inside = true,
            "```" => inside = false,
            line if inside => {
                script.push_str(line);
                script.push('\n');
            }
            _ => {}
        }
    }
    script
}

fn commands(page: &str) -> String {
    blocks(page, "sh")
}

/// A service with a collection and a key to it.
struct Tour {
    program: Program,
    key: String,
    collection: String,
    database_url: Option<String>,
    data: TempDir,
}

impl Tour {
    async fn begin() -> Self {
        let data = tempfile::tempdir().unwrap();
        let mut program = Program::new(binary(), data.path());
        let made = create_organization(&program, "Tour");
        program.start().await;
        let key = text(&made, "/api_key").to_owned();
        let collection = Client::new(&program.url(), &key).collection("Tour").await;
        Self { program, key, collection, database_url: None, data }
    }

    /// Runs a script in a folder until one of its commands fails. Returns its output.
    fn run(&self, script: &str, folder: &Path) -> String {
        let programs = [binary().parent().unwrap().as_os_str().to_owned(), std::env::var_os("PATH").unwrap()];
        let run = Command::new("bash")
            .arg("-xc")
            .arg(format!("set -eu -o pipefail\n{script}"))
            .current_dir(folder)
            .env("PATH", std::env::join_paths(programs.iter().flat_map(std::env::split_paths)).unwrap())
            .env("TONEARM_DATA_DIR", self.data.path())
            .envs(self.database_url.iter().map(|url| ("TONEARM_DATABASE_URL", url)))
            .env("base", self.program.url())
            .env("key", &self.key)
            .env("collection", &self.collection)
            .env("song", "song.wav")
            .env("backup", folder.join("backup"))
            .output()
            .unwrap();
        let (printed, log) = (String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
        assert!(run.status.success(), "{printed}\n{log}");
        printed.into_owned()
    }
}

fn folder_with_a_song(name: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    write_wav(&WavSpec { seconds: 6.0, ..WavSpec::default() }, &folder.path().join(name)).unwrap();
    folder
}

#[tokio::test(flavor = "multi_thread")]
async fn every_command_of_the_tour_works() {
    let (tour, folder) = (Tour::begin().await, folder_with_a_song("song.wav"));
    tour.run(&commands(&page("docs/api.md")), folder.path());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_steps_end_with_sound() {
    // The content decides, not the name: this is a WAV file named `song.mp3`.
    let (tour, folder) = (Tour::begin().await, folder_with_a_song("song.mp3"));
    let printed = tour.run(&commands(&task("first-upload")), folder.path());
    let heard = Client::new(&tour.program.url(), "").get(printed.lines().last().unwrap()).await;
    assert_eq!((heard.status.as_u16(), heard.header("content-type")), (200, "audio/mpeg"));
    let page = commands(&page("README.md"));
    tour.run(&page[page.find("org=$(").unwrap()..], folder.path());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_is_no_sound_ends_every_wait_with_a_reason() {
    let (tour, folder) = (Tour::begin().await, tempfile::tempdir().unwrap());
    for name in ["song.mp3", "song.wav"] {
        std::fs::write(folder.path().join(name), "This is no sound. ".repeat(100)).unwrap();
    }
    let tutorial = commands(&page("docs/api.md"));
    let (upload, _) = tutorial.split_once("curl -sSf \"$base/v1/track/$track/progress\"").unwrap();
    let first_upload = commands(&task("first-upload"));
    for script in [first_upload, format!("{upload}{}", commands(&page("docs/track-status.md")))] {
        let printed = tour.run(&script, folder.path());
        assert!(printed.contains("init_error"), "{printed}");
        assert!(printed.contains("not audio"), "{printed}");
    }
}

/// A creator with two tracks, for the task that deletes both.
const A_CREATOR: &str = r#"
made=$(curl -sSf "$base/v1/creator" -H "Authorization: Bearer $key" -H 'Content-Type: application/json' \
  -d '{"organization_index": "artist-17"}' | jq -r .creator_id)
for name in one two; do
  curl -sSf "$base/v1/track" -H "Authorization: Bearer $key" -H 'Content-Type: application/json' \
    -d "{\"collection_id\": \"$collection\", \"creator_id\": \"$made\", \"file_name\": \"$name.wav\"}" | jq .track_id
done
"#;

/// One task after the other, in one shell: later ones use what earlier ones made.
#[tokio::test(flavor = "multi_thread")]
async fn the_tasks_of_users_work() {
    let (tour, folder) = (Tour::begin().await, folder_with_a_song("song.mp3"));
    let added = tour.program.run(&["person", "add", "--email", "ada@example.com", "--name", "Ada"]);
    assert!(added.status.success(), "{added:?}");
    let signing = task("sign-urls-in-php");
    std::fs::write(folder.path().join("sign.php"), blocks(&signing, "php")).unwrap();
    let has_php = Command::new("php").arg("--version").output().is_ok_and(|ran| ran.status.success());
    let pages = [
        task("first-upload"),
        task("embed-a-player"),
        task("restrict-a-link"),
        task("record-from-visitors"),
        if has_php { signing } else { String::new() },
        task("delete-a-persons-data"),
    ];
    let [first, embedded, restricted, recorded, signed, deleted] = pages.map(|page| commands(&page));
    let script = [first, embedded, restricted, recorded, signed, A_CREATOR.to_owned(), deleted].concat();
    let printed = tour.run(&script, folder.path());
    assert!(printed.contains("\"track_status_id\": \"ready\""), "{printed}");
    let length = |name: &str| std::fs::metadata(folder.path().join(name)).unwrap().len();
    assert!(length("preview.mp3") > 10_000);
    assert!(!has_php || length("signed.mp3") > 10_000);
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    let made: serde_json::Value = serde_json::from_str(&read("org.json")).unwrap();
    let client = Client::new(&tour.program.url(), text(&made, "/api_key"));
    assert_eq!(client.get("/v1/creator").await.ok()["count"], 0);
    let titles = client.get("/v1/track?status=initialized").await.ok();
    assert_eq!(titles["tracks"], json!([]), "the tracks of the creator are gone, too");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_tasks_of_operators_work() {
    let (mut tour, folder) = (Tour::begin().await, folder_with_a_song("song.mp3"));
    let client = Client::new(&tour.program.url(), &tour.key);
    let track = client.upload_file(&tour.collection, &folder.path().join("song.mp3")).await;
    client.settled(&track).await;
    let printed = tour.run(&commands(&task("alerts")), folder.path());
    assert!(printed.trim_end().ends_with("no backup for two days"), "{printed}");
    let upgrade = task("upgrade");
    let (upgrade, going_back) = upgrade.split_once("## Going back").unwrap();
    tour.run(&commands(upgrade), folder.path());
    let printed = tour.run(&commands(&task("alerts")), folder.path());
    assert!(!printed.contains("no backup"), "{printed}");

    let lost = client.collection("Later").await;
    tour.program.kill();
    for name in ["tonearm.db", "tonearm.db-wal", "tonearm.db-shm"] {
        let _ = std::fs::rename(tour.data.path().join(name), folder.path().join(name));
    }
    tour.run(&commands(going_back), folder.path());
    tour.program.start().await;
    assert_eq!(client.get(&format!("/v1/collection/{lost}")).await.status, 404);
    client.settled(&track).await;

    let move_to_postgres = task("sqlite-to-postgresql");
    let (before, after) = move_to_postgres.split_once("## 4.").unwrap();
    let (running, stopped) = before.split_once("## 3.").unwrap();
    tour.run(&commands(running), folder.path());
    tour.program.kill();
    tour.run(&commands(stopped), folder.path());
    let database = TestDatabase::postgres().await;
    tour.program.set("TONEARM_DATABASE_URL", &database.url);
    tour.database_url = Some(database.url.clone());
    tour.run(&commands(after), folder.path());
    tour.program.start().await;
    let session = client.post("/v1/play_session/track", &json!({"track_id": track})).await.ok();
    let url = text(&session, "/first_track/variants/0/url");
    assert_eq!(client.without_key().get(url).await.status, 200);
}

/// Pages for reference. Their commands name a track, an organization and files that were made before.
const REFERENCE: [&str; 7] =
    ["dashboard", "importing", "operations", "recipes", "transcription", "uploads", "webhooks"];

#[tokio::test(flavor = "multi_thread")]
async fn the_commands_of_the_reference_work() {
    let (tour, folder) = (Tour::begin().await, folder_with_a_song("song.mp3"));
    for email in ["ada@example.com", "eve@example.com"] {
        let added =
            tour.program.run(&["person", "add", "--email", email, "--name", "Ada", "--administrator"]);
        assert!(added.status.success(), "{added:?}");
    }
    let client = Client::new(&tour.program.url(), &tour.key);
    let track = client.upload_file(&tour.collection, &folder.path().join("song.mp3")).await;
    client.settled(&track).await;
    let body = json!({"collection_id": tour.collection, "file_name": "parts.wav"});
    let created = client.post("/v1/track", &body).await.ok();
    let organization =
        text(&client.get(&format!("/v1/track/{track}")).await.ok(), "/track/organization_id").to_owned();
    for (name, length) in
        [("part1", 500_000), ("part2", 500_000), ("key", 20), ("secret-access-key", 20), ("body.json", 20)]
    {
        std::fs::write(folder.path().join(name), "x".repeat(length)).unwrap();
    }
    let url = text(&created, "/track_upload/upload_url");
    let named = format!(
        "org={organization}\ntrack={track}\nurl='{url}'\nSECRET=whsec_c2VjcmV0\nWEBHOOK_ID=1\nWEBHOOK_TIMESTAMP=2\n"
    );
    for name in REFERENCE {
        tour.run(&format!("{named}{}", commands(&page(&format!("docs/{name}.md")))), folder.path());
    }
}

#[test]
fn every_page_with_commands_is_run() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let names =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let pages =
        names.filter(|name| name.ends_with(".md") && !commands(&page(&format!("docs/{name}"))).is_empty());
    let mut pages: Vec<String> = pages.map(|name| name.trim_end_matches(".md").to_owned()).collect();
    pages.sort();
    let mut run: Vec<&str> = REFERENCE.into_iter().chain(["api", "track-status"]).collect();
    run.sort_unstable();
    assert_eq!(pages, run);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_visitor_records_a_message() {
    let server = TestServer::start(Backend::Embedded).await;
    let client = &server.client;
    let collection = client.collection("Guest book").await;
    let session = client.post("/v1/upload_session", &json!({"collection_id": collection})).await.ok();
    let (base, session) = (server.node.public_url(), text(&session, "/upload_session_id"));
    let page = blocks(&task("record-from-visitors"), "html").replace("https://audio.example.com", base);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let site = listener.local_addr().unwrap();
    let router = Router::new().route("/", get(async move || Html(page)));
    tokio::spawn(async move { axum::serve(listener, router).await });

    let browser = Browser::open().await;
    browser.goto(&format!("http://{site}/#session={session}")).await;
    browser.click("#record").await;
    browser.shows("#state", "Recording").await;
    // The browser's microphone beeps once a second.
    browser.run("window.begun = performance.now()", vec![]).await;
    browser.until("performance.now() - window.begun > 2000").await;
    browser.click("#record").await;
    browser.shows("#state", "Sent").await;
    browser.close().await;
    let tracks = client.get(&format!("/v1/collection/{collection}/track")).await.ok();
    let track = client.settled(text(&tracks, "/tracks/0/id")).await;
    assert_eq!(track["track_status_id"], "ready", "{track}");
}
