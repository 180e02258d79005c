//! Logs: what each line says, and that no secret is in any.

use std::time::Duration;

use reqwest::Method;
use reqwest::header::{CONTENT_TYPE, COOKIE, LOCATION, ORIGIN, SET_COOKIE};
use serde_json::{Value, json};
use tempfile::TempDir;
use tonearm_fixtures::audio::{WavSpec, wav};
use tonearm_fixtures::{Postgres, PostgresDatabase, S3Server};
use tonearm_testkit::{Answer, Client, Program};

use crate::command_output::create_organization;
use crate::receiver::Receiver;
use crate::{binary, text};

const PASSWORD: &str = "violin-harbour-lantern-1742";
const SECRET: &str = "the master secret of the nodes whose logs are read";

/// A program that logs much, and the secrets that it must not log.
struct Stage {
    program: Program,
    secrets: Vec<String>,
    key: String,
    org: String,
    receiver: Receiver,
    _data: TempDir,
    _backends: Option<(PostgresDatabase, S3Server)>,
}

impl Stage {
    async fn start(format: &str, backends: Option<(PostgresDatabase, S3Server)>) -> Self {
        let data = tempfile::tempdir().unwrap();
        let mut program = Program::new(binary(), data.path());
        for (name, value) in [
            ("TONEARM_LOG_FORMAT", format),
            ("TONEARM_LOG_FILTER", "debug"),
            ("TONEARM_SECRET", SECRET),
            ("TONEARM_OUTBOUND_ALLOW_PRIVATE", "true"),
            ("TONEARM_DATABASE_MIGRATE", "true"),
        ] {
            program.set(name, value);
        }
        let mut secrets = vec![SECRET.to_owned(), PASSWORD.to_owned()];
        if let Some((database, s3)) = &backends {
            program.set("TONEARM_DATABASE_URL", &database.url);
            program.set("TONEARM_STORAGE_URL", &s3.url());
            secrets.push(S3Server::CREDENTIALS.1.to_owned());
            assert!(program.run(&["migrate"]).status.success());
        }
        let made = create_organization(&program, "Radio");
        let (org, key) = (text(&made, "/organization_id").to_owned(), text(&made, "/api_key").to_owned());
        let receiver = Receiver::start(Duration::ZERO).await;
        let set = program.run(&["webhook", "set", "--org", &org, "--url", &receiver.url(), "--json"]);
        let set: Value = serde_json::from_slice(&set.stdout).unwrap();
        secrets.extend([key.clone(), text(&set, "/secret").to_owned()]);
        program.start().await;
        Self { program, secrets, key, org, receiver, _data: data, _backends: backends }
    }

    fn client(&self) -> Client {
        Client::new(&self.program.url(), &self.key)
    }

    /// Uploads a track and waits until it is ready and the receiver has been notified.
    async fn upload(&mut self) -> String {
        let client = self.client();
        let collection = client.collection("Songs").await;
        let created = client.track(&collection, "tone.wav").await;
        let upload_url = text(&created, "/track_upload/upload_url");
        self.secrets.push(signature(upload_url));
        let sound = wav(&WavSpec { seconds: 1.0, ..WavSpec::default() });
        client.send(client.request(Method::PUT, upload_url).body(sound)).await.ok();
        let track = text(&created, "/track_id").to_owned();
        assert_eq!(client.settled(&track).await["track_status_id"], "ready", "{}", self.program.log());
        self.receiver.wait_for(1).await;
        track
    }

    /// Plays it, by a play session and by a share link.
    async fn play(&mut self, track: &str) {
        let (client, anyone) = (self.client(), self.client().without_key());
        let session = client.post("/v1/play_session/track", &json!({ "track_id": track })).await.ok();
        let (session_id, url) =
            (text(&session, "/play_session_id"), text(&session, "/first_track/variants/0/url"));
        assert_eq!(anyone.get(url).await.status, 200);
        assert_eq!(anyone.get(&format!("/v1/play/{session_id}/{track}")).await.status, 200);
        let share = json!({"title": "For Ben", "api_key_type_id": "share", "variants": ["hq"]});
        let share = client.post("/v1/api_key", &share).await.ok();
        let share_key = text(&share, "/api_key");
        let streamed = anyone.get(&format!("/v1/stream/{track}/{share_key}")).await;
        let location = streamed.header(LOCATION.as_str()).to_owned();
        assert_eq!(anyone.get(&location).await.status, 200);
        assert_eq!(anyone.get(&format!("/share/{track}/{share_key}")).await.status, 200);
        // URLs and keys that are not valid, too.
        let mut forged = url.to_owned();
        forged.push('x');
        assert_ne!(anyone.get(&forged).await.status, 200);
        assert_eq!(anyone.with_key(&format!("{}x", self.key)).get("/v1/collection").await.status, 401);
        self.secrets.extend([session_id, share_key].map(str::to_owned));
        self.secrets.extend([signature(url), signature(&location)]);
    }

    /// Chooses a password, signs in with it, and opens a page.
    async fn sign_in(&mut self) {
        let add = ["person", "add", "--email", "ada@example.com", "--name", "Ada", "--administrator"];
        let added = String::from_utf8(self.program.run(&add).stdout).unwrap();
        let link = added.lines().next().unwrap().trim();
        // The command does not know the port of the program.
        let path = &link[link.find("/dashboard/").unwrap()..];
        let link = format!("{}{path}", self.program.url());
        let chosen = self.form(&link, &format!("password={PASSWORD}")).await;
        assert_eq!(chosen.status, 303, "{}", String::from_utf8_lossy(&chosen.bytes));
        let page = format!("{}/dashboard/sign-in", self.program.url());
        let wrong = self.form(&page, &format!("email=ada%40example.com&password={PASSWORD}-no")).await;
        assert_ne!(wrong.status, 303);
        let signed_in = self.form(&page, &format!("email=ada%40example.com&password={PASSWORD}")).await;
        assert_eq!(signed_in.status, 303, "{}", String::from_utf8_lossy(&signed_in.bytes));
        let cookies: Vec<String> = [&chosen, &signed_in].into_iter().flat_map(cookies).collect();
        let client = self.client().without_key();
        let library = client.request(Method::GET, &format!("/dashboard/{}/library", self.org));
        let opened = client.send(library.header(COOKIE, cookies.join("; "))).await;
        assert_eq!(opened.status, 200);
        let values = cookies.iter().filter_map(|cookie| cookie.split_once('=')).map(|(_, value)| value);
        self.secrets.extend(values.filter(|value| value.len() >= 16).map(str::to_owned));
        self.secrets.push(link.rsplit('/').next().unwrap().to_owned());
    }

    async fn form(&self, url: &str, body: &str) -> Answer {
        let client = self.client().without_key();
        let request = client.request(Method::POST, url).header(ORIGIN, self.program.url());
        let request = request.header(CONTENT_TYPE, "application/x-www-form-urlencoded");
        client.send(request.body(body.to_owned())).await
    }

    /// Does all of this, ends the program, and returns its log, which has no secret in it.
    async fn log_of_everything(mut self) -> String {
        let track = self.upload().await;
        self.play(&track).await;
        self.sign_in().await;
        assert!(self.program.terminate(), "{}", self.program.log());
        let log = self.program.log();
        for secret in &self.secrets {
            assert!(secret.len() >= 10, "{secret} may be there for other reasons");
            let line = log.lines().find(|line| line.contains(secret.as_str()));
            assert_eq!(line, None, "{secret} is in the log");
        }
        assert!(log.contains(&track));
        log
    }
}

/// The last parameter of a signed URL.
fn signature(url: &str) -> String {
    url.rsplit('=').next().unwrap().to_owned()
}

/// Names and values of the cookies that an answer sets.
fn cookies(answer: &Answer) -> Vec<String> {
    let set = answer.headers.get_all(SET_COOKIE).iter();
    set.map(|line| line.to_str().unwrap().split(';').next().unwrap().to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn json_lines_are_flat_and_have_ids_and_no_secrets() {
    let log = Stage::start("json", None).await.log_of_everything().await;
    let lines: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for line in &lines {
        let fields = line.as_object().unwrap();
        assert!(fields.values().all(|value| !value.is_object()), "{line}");
        assert!(!fields.keys().any(|name| name.starts_with("otel.") || name == "trace_id"), "{line}");
        assert!(["timestamp", "level", "target", "message"].iter().all(|name| fields.contains_key(*name)));
    }
    let has = |line: &Value, names: &[&str]| names.iter().all(|name| line[*name].is_string());
    let answered =
        lines.iter().find(|line| line["message"] == "answered" && line["route"] == "/v1/collection");
    let answered = answered.expect("requests are logged");
    assert!(has(answered, &["request_id", "organization_id", "method", "address"]), "{answered}");
    assert_eq!(answered["status"], 200);
    let uploaded = lines.iter().find(|line| line["message"] == "answered" && line["method"] == "PUT");
    assert!(has(uploaded.expect("the upload is logged"), &["request_id", "organization_id", "track_id"]));
    let finished = |line: &&Value| line["message"] == "finished a job" && line["job.kind"] == "process_track";
    let finished = lines.iter().find(finished).expect("jobs are logged");
    assert!(has(finished, &["job_id", "job.class", "organization_id", "track_id"]), "{finished}");
    assert_eq!(finished["job.attempt"], 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn text_lines_have_ids_and_no_secrets() {
    let backends = (Postgres::database().await, S3Server::start());
    let log = Stage::start("text", Some(backends)).await.log_of_everything().await;
    let is_finished = |line: &&str| line.contains("finished a job") && line.contains("process_track");
    let finished = log.lines().find(is_finished).expect("jobs are logged");
    assert!(
        ["job_id=", "organization_id=", "job.kind="].iter().all(|name| finished.contains(name)),
        "{finished}"
    );
    let answered = log.lines().find(|line| line.contains("answered") && line.contains("/v1/collection"));
    let answered = answered.expect("requests are logged");
    assert!(["request_id=", "organization_id="].iter().all(|name| answered.contains(name)), "{answered}");
    assert!(!log.contains("otel."));
}
