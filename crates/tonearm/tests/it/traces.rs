//! Traces: from a request through its jobs to webhooks, as a collector and a receiver see them.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use tempfile::TempDir;
use tonearm_fixtures::audio::{WavSpec, wav};
use tonearm_testkit::{Client, CollectedSpan, Collector, Program};

use crate::command_output::create_organization;
use crate::receiver::Receiver;
use crate::{binary, text};

const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
const CALLER: &str = "b7ad6b7169203331";
const KEY_OF_COLLECTOR: &str = "Bearer the-key-of-the-collector";

fn traceparent(flags: &str) -> String {
    format!("00-{TRACE}-{CALLER}-{flags}")
}

/// A program that sends its traces to a collector, and a receiver of one kind of webhook.
struct Stage {
    program: Program,
    receiver: Receiver,
    key: String,
    webhook_secret: String,
    _data: TempDir,
}

impl Stage {
    async fn start(kind: &str, collector: &Collector, variables: &[(&str, &str)]) -> Self {
        let data = tempfile::tempdir().unwrap();
        let mut program = Program::new(binary(), data.path());
        program.set("TONEARM_OUTBOUND_ALLOW_PRIVATE", "true");
        program.set("TONEARM_LOG_FORMAT", "json");
        program.set("TONEARM_LOG_FILTER", "info,tonearm=debug,tonearm_api=debug,tonearm_worker=debug");
        program.set("TONEARM_TRACING_OTLP_ENDPOINT", &collector.url());
        program.set("TONEARM_TRACING_OTLP_HEADERS", &format!("authorization={KEY_OF_COLLECTOR}"));
        variables.iter().for_each(|(name, value)| program.set(name, value));
        let made = create_organization(&program, "Radio");
        let receiver = Receiver::start(Duration::ZERO).await;
        let (org, url) = (text(&made, "/organization_id"), receiver.url());
        let set = program.run(&["webhook", "set", "--org", org, "--kind", kind, "--url", &url, "--json"]);
        let set: Value = serde_json::from_slice(&set.stdout).unwrap();
        program.start().await;
        let (key, webhook_secret) = (text(&made, "/api_key").to_owned(), text(&set, "/secret").to_owned());
        Self { program, receiver, key, webhook_secret, _data: data }
    }

    fn client(&self) -> Client {
        Client::new(&self.program.url(), &self.key)
    }

    /// Creates a collection with these headers, and returns the `traceparent` that the receiver gets.
    async fn told_of(&self, traceparents: &[&str]) -> String {
        let (client, before) = (self.client(), self.receiver.hooks().len());
        let body = json!({ "title": "Traced" });
        let request = client.request(Method::POST, "/v1/collection").json(&body);
        let request = traceparents.iter().fold(request, |request, line| request.header("traceparent", *line));
        client.send(request).await.ok();
        self.receiver.wait_for(before + 1).await[before].header("traceparent").to_owned()
    }
}

fn named<'a>(spans: &'a [CollectedSpan], name: &str) -> Option<&'a CollectedSpan> {
    spans.iter().find(|span| span.trace_id == TRACE && span.name.starts_with(name))
}

#[tokio::test(flavor = "multi_thread")]
async fn one_trace_leads_from_an_upload_to_the_webhook() {
    let collector = Collector::start().await;
    let mut stage = Stage::start("track", &collector, &[]).await;
    let client = stage.client();
    let collection = client.collection("Traced").await;
    let created = client.track(&collection, "tone.wav").await;
    let (track, upload_url) = (text(&created, "/track_id"), text(&created, "/track_upload/upload_url"));
    let sound = wav(&WavSpec { seconds: 1.0, ..WavSpec::default() });
    let put = client.request(Method::PUT, upload_url).header("traceparent", traceparent("01"));
    client.send(put.body(sound)).await.ok();
    client.settled(track).await;
    let hook = stage.receiver.wait_for(1).await.remove(0);
    let parts: Vec<&str> = hook.header("traceparent").split('-').collect();
    let [_, trace_id, webhook_span, flags] = parts[..] else { panic!("{:?}", hook.headers) };
    assert_eq!((trace_id, flags), (TRACE, "01"));

    let names =
        ["PUT /upload/", "job process_track", "encode", "store_file", "record_track", "webhook track.status"];
    let spans = collector.wait_for(|spans| names.iter().all(|name| named(spans, name).is_some())).await;
    let span = |name: &str| named(&spans, name).unwrap();
    let (request, job, webhook) = (span(names[0]), span(names[1]), span(names[5]));
    assert_eq!(request.parent_span_id, CALLER);
    assert_eq!(request.attributes["track_id"], track);
    assert_eq!(request.attributes["status"], "200");
    assert_eq!(job.parent_span_id, request.span_id);
    assert_eq!(job.attributes["job.class"], "encode");
    assert_eq!(job.attributes["outcome"], "finished");
    assert_eq!(job.attributes["organization_id"], request.attributes["organization_id"]);
    assert_eq!(webhook.span_id, webhook_span);
    assert_eq!(webhook.attributes["status"], "200");
    assert!(!job.has_failed && !webhook.has_failed);
    assert_eq!(request.resource["service.name"], "tonearm");
    assert!(request.resource.contains_key("service.instance.id"));
    let sent = collector.headers();
    assert!(sent.iter().all(|headers| headers["authorization"] == KEY_OF_COLLECTOR));

    for path in ["/share/nothing", "/embed/nothing/player.json"] {
        let page = client.without_key().request(Method::GET, path).header("traceparent", traceparent("01"));
        assert_eq!(client.send(page).await.status, 404, "{path}");
    }
    let names = ["GET /share/{first}", "GET /embed/{first}/player.json"];
    let spans = collector.wait_for(|spans| names.iter().all(|name| named(spans, name).is_some())).await;
    assert_eq!(named(&spans, names[0]).unwrap().attributes["status"], "404");

    let session = client.post("/v1/play_session/track", &json!({ "track_id": track })).await.ok();
    let url = text(&session, "/first_track/variants/0/url").to_owned();
    assert_eq!(client.without_key().get(&url).await.status, 200);
    assert!(stage.program.terminate(), "{}", stage.program.log());
    let session_id = text(&session, "/play_session_id");
    let is_left = |span: &CollectedSpan| span.name.contains("play_session");
    assert!(collector.spans().iter().any(is_left), "what is left is sent at the end");
    let signature = |url: &str| url.rsplit('=').next().unwrap().to_owned();
    let signatures = [signature(&url), signature(upload_url)];
    let secrets = [stage.key.as_str(), stage.webhook_secret.as_str(), session_id, "whsec_"];
    for secret in secrets.into_iter().chain(signatures.iter().map(String::as_str)) {
        assert!(!collector.holds(secret), "{secret}");
    }
    let log = stage.program.log();
    let lines = log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let traced: Vec<Value> = lines.filter(|line| line["trace_id"] == TRACE).collect();
    assert!(traced.iter().any(|line| line["message"] == "answered" && line["span_id"] == request.span_id));
    assert!(traced.iter().any(|line| line["message"] == "finished a job" && line["track_id"] == track));
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_choose_the_trace_and_not_whether_it_is_recorded() {
    let collector = Collector::start().await;
    let mut stage = Stage::start("collection", &collector, &[("TONEARM_TRACING_SAMPLE_RATIO", "0")]).await;
    let told = stage.told_of(&[&traceparent("01")]).await;
    assert!(told.starts_with(&format!("00-{TRACE}-")) && told.ends_with("-00"), "{told}");
    // A header that is not a valid traceparent starts another trace.
    let own = traceparent("01");
    let upper = own.to_uppercase();
    for lines in [vec![upper.as_str()], vec!["ff-1"], vec![own.as_str(), own.as_str()]] {
        let told = stage.told_of(&lines).await;
        assert!(told.len() == 55 && !told.contains(TRACE), "{told}");
    }
    assert!(stage.program.terminate(), "{}", stage.program.log());
    assert_eq!(collector.spans(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_trusted_proxy_decides_whether_a_trace_is_recorded() {
    let collector = Collector::start().await;
    let variables = [("TONEARM_TRACING_SAMPLE_RATIO", "0"), ("TONEARM_TRUSTED_PROXIES", "127.0.0.1")];
    let mut stage = Stage::start("collection", &collector, &variables).await;
    assert!(stage.told_of(&[&traceparent("01")]).await.ends_with("-01"));
    assert!(stage.told_of(&[&traceparent("00")]).await.ends_with("-00"));
    assert!(stage.program.terminate(), "{}", stage.program.log());
    let spans = collector.spans();
    assert_eq!(spans.iter().filter(|span| span.name == "POST /v1/collection").count(), 1, "{spans:#?}");
    assert!(spans.iter().all(|span| span.trace_id == TRACE), "{spans:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_collector_that_never_answers_holds_nobody_up() {
    let collector = Collector::start_silent().await;
    let mut stage = Stage::start("collection", &collector, &[]).await;
    assert!(stage.told_of(&[&traceparent("01")]).await.contains(TRACE));
    collector.wait_for_request().await;
    assert!(stage.told_of(&[]).await.ends_with("-01"));
    assert!(stage.program.terminate(), "{}", stage.program.log());
    assert!(
        stage.program.log().contains("the last traces were not exported in time"),
        "{}",
        stage.program.log()
    );
}

#[tokio::test]
async fn without_a_collector_there_are_no_traces() {
    let data = tempfile::tempdir().unwrap();
    let mut program = Program::new(binary(), data.path());
    program.set("TONEARM_TRACING_OTLP_ENDPOINT", "collector:4318");
    let refused = program.run(&["serve", "--listen", "127.0.0.1:0"]);
    let stderr = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(2), "{stderr}");
    assert!(stderr.starts_with("tonearm: tracing.otlp_endpoint: must be an http or https URL"), "{stderr}");
    assert_eq!(stderr.lines().count(), 1, "{stderr}");

    let mut program = Program::new(binary(), data.path());
    program.set("TONEARM_OUTBOUND_ALLOW_PRIVATE", "true");
    let made = create_organization(&program, "Radio");
    let receiver = Receiver::start(Duration::ZERO).await;
    let (org, url) = (text(&made, "/organization_id"), receiver.url());
    let set = program.run(&["webhook", "set", "--org", org, "--kind", "collection", "--url", &url]);
    assert!(set.status.success());
    program.start().await;
    let client = Client::new(&program.url(), text(&made, "/api_key"));
    let request = client.request(Method::POST, "/v1/collection").json(&json!({ "title": "Untraced" }));
    client.send(request.header("traceparent", traceparent("01"))).await.ok();
    assert_eq!(receiver.wait_for(1).await[0].header("traceparent"), "");
    assert!(program.terminate(), "{}", program.log());
}
