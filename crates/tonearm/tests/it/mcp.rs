//! `tonearm mcp`: JSON-RPC with the program itself, over standard input and output and over HTTP.

mod http;

use std::process::Stdio;

use reqwest::StatusCode;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tonearm_fixtures::audio::{WavSpec, wav};
use tonearm_fixtures::{EVENTUALLY, FileAnswer, FileServer};
use tonearm_testkit::{Backend, TestServer};

use crate::{binary, text};

const PROTOCOL: &str = "2025-06-18";

const PRIVATE: (&str, &str) = ("TONEARM_OUTBOUND_ALLOW_PRIVATE", "true");

fn command(server: &str, key: &str) -> Command {
    let mut command = Command::new(binary());
    command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.env("TONEARM_SERVER", server).env("TONEARM_API_KEY", key).arg("mcp").kill_on_drop(true);
    command
}

fn initialize() -> Value {
    json!({
        "protocolVersion": PROTOCOL,
        "capabilities": {},
        "clientInfo": { "name": "test", "version": "1" },
    })
}

/// An assistant that started the program.
struct Assistant {
    child: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
    key: String,
    id: u64,
}

impl Assistant {
    async fn start(server: &TestServer, key: &str) -> Self {
        Self::of(server.node.public_url(), key).await
    }

    /// Connects to the service at this address.
    async fn of(url: &str, key: &str) -> Self {
        let mut assistant = Self::spawn(url, key);
        assistant.begin().await;
        assistant
    }

    fn spawn(url: &str, key: &str) -> Self {
        let mut command = command(url, key);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let output = BufReader::new(output).lines();
        Self { child, input, output, key: key.to_owned(), id: 0 }
    }

    async fn begin(&mut self) {
        let said = self.ask("initialize", initialize()).await["result"].clone();
        assert_eq!((text(&said, "/serverInfo/name"), text(&said, "/protocolVersion")), ("tonearm", PROTOCOL));
        self.send(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
    }

    async fn send(&mut self, message: Value) {
        self.input.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    async fn ask(&mut self, method: &str, params: Value) -> Value {
        self.id += 1;
        let id = self.id;
        self.send(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })).await;
        let line = tokio::time::timeout(EVENTUALLY, self.output.next_line()).await.unwrap().unwrap().unwrap();
        // The output must have messages only. Any other text fails to parse.
        let answer: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    /// Calls a tool. Returns its result, or the sentence of its error.
    async fn call(&mut self, tool: &str, arguments: Value) -> Result<Value, String> {
        let answer = self.ask("tools/call", json!({ "name": tool, "arguments": arguments })).await;
        result_of(&answer)
    }

    /// Closes the input, which ends the program, and checks that the program has not printed its key.
    async fn leave(mut self) {
        drop(self.input);
        let (mut errors, mut stderr) = (String::new(), self.child.stderr.take().unwrap());
        tokio::time::timeout(EVENTUALLY, stderr.read_to_string(&mut errors)).await.unwrap().unwrap();
        assert!(tokio::time::timeout(EVENTUALLY, self.child.wait()).await.unwrap().unwrap().success());
        assert!(!errors.contains(&self.key), "the key is on standard error");
    }
}

fn result_of(answer: &Value) -> Result<Value, String> {
    let said = text(answer, "/result/content/0/text");
    if answer["result"]["isError"] == true {
        return Err(said.to_owned());
    }
    let structured = answer["result"]["structuredContent"].clone();
    assert_eq!(serde_json::from_str::<Value>(said).unwrap(), structured);
    Ok(structured)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_assistant_uploads_names_plays_shares_and_deletes_a_track() {
    let server = TestServer::start_with(Backend::Embedded, &[PRIVATE]).await;
    let song = wav(&WavSpec { seconds: 2.0, ..WavSpec::default() });
    let files = FileServer::start(move |request| FileAnswer::of(request, &song, "a")).await;
    let mut assistant = Assistant::start(&server, server.client.key()).await;
    let listed = assistant.ask("tools/list", json!({})).await;
    let tools = listed["result"]["tools"].as_array().unwrap();
    assert_eq!(tools.len(), 13);
    let delete = tools.iter().find(|tool| tool["name"] == "delete_track").unwrap();
    assert_eq!(delete["annotations"]["destructiveHint"], true);

    let made = assistant.call("create_collection", json!({ "title": "Voices" })).await.unwrap();
    let collection = text(&made, "/collection/id").to_owned();
    let found = assistant.call("list_collections", json!({})).await.unwrap();
    assert_eq!(text(&found, "/collections/0/id"), collection);
    let upload = json!({ "collection_id": collection, "source_url": files.url("/dawn.wav") });
    let uploaded = assistant.call("upload_from_url", upload).await.unwrap();
    assert!(!uploaded.to_string().contains("upload_url"), "upload URLs are credentials: {uploaded}");
    let track = text(&uploaded, "/track/id").to_owned();
    server.client.settled(&track).await;
    let read = assistant.call("read_track", json!({ "track_id": track })).await.unwrap();
    assert_eq!((text(&read, "/track/track_status_id"), &read["progress"]["percent"]), ("ready", &json!(100)));

    let update = json!({ "track_id": track, "player_title": "Dawn" });
    let updated = assistant.call("update_track", update).await.unwrap();
    assert_eq!(text(&updated, "/track/player_title"), "Dawn");
    let found = assistant.call("find_tracks", json!({ "query": "dawn", "limit": 1 })).await.unwrap();
    assert_eq!((text(&found, "/tracks/0/id"), &found["count"]), (track.as_str(), &json!(1)));

    let session = assistant.call("create_play_session", json!({ "track_id": track })).await.unwrap();
    let url = text(&session, "/first_track_urls/0/url");
    assert_eq!(reqwest::get(url).await.unwrap().status(), StatusCode::OK);
    let share = json!({ "track_id": track, "variant": "hq" });
    let shared = assistant.call("create_share_link", share).await.unwrap();
    let (link, id) = (text(&shared, "/url").to_owned(), text(&shared, "/share_link/id").to_owned());
    assert_eq!(reqwest::get(&link).await.unwrap().status(), StatusCode::OK);
    assistant.call("revoke_share_link", json!({ "share_link_id": id })).await.unwrap();
    for tool in ["read_listens", "read_usage"] {
        let read = assistant.call(tool, json!({ "group": "track", "limit": 5 })).await.unwrap();
        assert_eq!(read["group"], "track", "{tool}");
    }
    let quota = assistant.call("read_quota", json!({})).await.unwrap();
    assert_eq!(quota["quota"]["tracks"]["used"], 1);

    let deleted = assistant.call("delete_track", json!({ "track_id": track })).await.unwrap();
    assert_eq!(text(&deleted, "/deleted_track/id"), track);
    let gone = assistant.call("read_track", json!({ "track_id": track })).await.unwrap_err();
    let sentence = server.client.get(&format!("/v1/track/{track}")).await.json();
    assert_eq!(gone, format!("{} ({})", text(&sentence, "/message"), text(&sentence, "/code")));
    assistant.leave().await;
    server.node.stop().await;
}

/// A proxy to the service that loses the first response. Returns its address.
async fn losing_way(server: &TestServer) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (own, upstream) = (listener.local_addr().unwrap(), server.node.address());
    tokio::spawn(async move {
        let (mut client, _) = listener.accept().await.unwrap();
        let mut service = TcpStream::connect(upstream).await.unwrap();
        let mut answer = [0; 1];
        let (mut from, mut to) = client.split();
        let (mut answers, mut requests) = service.split();
        tokio::select! {
            _ = tokio::io::copy(&mut from, &mut requests) => {}
            _ = answers.read_exact(&mut answer) => {}
        }
        let _ = to.shutdown().await;
        drop((client, service));
        while let Ok((mut client, _)) = listener.accept().await {
            let mut service = TcpStream::connect(upstream).await.unwrap();
            tokio::spawn(async move { tokio::io::copy_bidirectional(&mut client, &mut service).await });
        }
    });
    format!("http://{own}")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deletion_whose_answer_is_lost_is_a_success_and_links_have_the_address_for_everybody() {
    let server = TestServer::start(Backend::Embedded).await;
    let made = server.client.post("/v1/collection", &json!({ "title": "Voices" })).await.ok();
    let new = json!({ "collection_id": text(&made, "/collection_id"), "file_name": "dawn.wav" });
    let [gone, kept] =
        [server.client.post("/v1/track", &new).await, server.client.post("/v1/track", &new).await]
            .map(|reply| text(&reply.ok(), "/track_id").to_owned());
    let mut assistant = Assistant::of(&losing_way(&server).await, server.client.key()).await;
    let deleted = assistant.call("delete_track", json!({ "track_id": gone })).await.unwrap();
    assert_eq!(deleted, json!({ "deleted_track": { "id": gone } }));
    let again = assistant.call("delete_track", json!({ "track_id": gone })).await.unwrap_err();
    assert!(again.ends_with("(track_not_found)"), "{again}");

    let shared =
        assistant.call("create_share_link", json!({ "track_id": kept, "variant": "hq" })).await.unwrap();
    let begin = format!("{}/v1/stream/{kept}/", server.node.public_url());
    assert!(text(&shared, "/url").starts_with(&begin), "{shared}");
    assistant.leave().await;
    server.node.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_with_a_call_is_said_in_a_sentence() {
    let server = TestServer::start(Backend::Embedded).await;
    let mut assistant = Assistant::start(&server, server.client.key()).await;
    for (tool, arguments, part) in [
        ("read_track", json!({ "track_id": "dawn" }), "track_id: "),
        ("read_track", json!({}), "arguments: must have the field `track_id`"),
        ("read_track", json!({ "track": "dawn" }), "unknown field"),
        ("find_tracks", json!({ "limit": 51 }), "limit: must be 1 to 50"),
        ("find_tracks", json!({ "limit": 300 }), "limit: must be 1 to 50"),
        ("find_tracks", json!({ "limit": "5" }), "limit: must be a whole number, 0 or greater"),
        ("find_tracks", json!({ "query": 5 }), "query: must be a string"),
        ("find_tracks", json!({ "query": "x".repeat(70_000) }), "the request is too long"),
        (
            "create_play_session",
            json!({ "is_downloadable": "yes" }),
            "is_downloadable: must be true or false",
        ),
        ("create_play_session", json!({ "variants": "hq" }), "variants: must be an array"),
        ("find_tracks", json!({ "status": "done" }), "status: must be "),
        ("read_listens", json!({ "group": "planet" }), "group: must be one of day, track, collection"),
        ("update_track", json!({ "track_id": "018f0000-0000-7000-8000-000000000001" }), "nothing to change"),
        ("create_play_session", json!({}), "either collection_id or track_id"),
    ] {
        let error = assistant.call(tool, arguments.clone()).await.unwrap_err();
        assert!(error.contains(part), "{tool} {arguments}: {error}");
    }
    let unknown = assistant.ask("tools/call", json!({ "name": "format_disk", "arguments": {} })).await;
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    assistant.leave().await;

    // A key has the same permissions over the tools as over the API.
    let body = json!({ "title": "A player", "api_key_type_id": "player" });
    let player = server.client.post("/v1/api_key", &body).await.ok();
    let mut listener = Assistant::start(&server, text(&player, "/api_key")).await;
    let refused = listener.call("find_tracks", json!({})).await.unwrap_err();
    let sentence = server.client.with_key(text(&player, "/api_key")).get("/v1/track").await.json();
    assert_eq!(refused, format!("{} ({})", text(&sentence, "/message"), text(&sentence, "/code")));
    listener.leave().await;
    server.node.stop().await;
}

#[tokio::test]
async fn a_key_is_needed_and_explained() {
    let mut command = command("http://127.0.0.1:1", "");
    let output = command.env_remove("TONEARM_API_KEY").stdin(Stdio::null()).output().await.unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("TONEARM_API_KEY"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_request_is_ignored_before_the_beginning() {
    let server = TestServer::start(Backend::Embedded).await;
    let mut assistant = Assistant::spawn(server.node.public_url(), server.client.key());
    for early in [
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 } }),
        json!({ "jsonrpc": "2.0", "id": 1, "result": {} }),
    ] {
        assistant.send(early).await;
        assert_eq!(assistant.ask("ping", json!({})).await["result"], json!({}));
    }
    assistant.begin().await;
    assistant.leave().await;
    server.node.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn lines_that_are_no_message_get_an_error_of_the_protocol() {
    let server = TestServer::start(Backend::Embedded).await;
    let mut assistant = Assistant::start(&server, server.client.key()).await;
    let long = format!("\"{}\"", "x".repeat(17 << 20));
    for (line, code, id) in [
        ("{", -32700, Value::Null),
        ("\u{feff}{}", -32700, Value::Null),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, -32600, Value::Null),
        ("7", -32600, Value::Null),
        (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, -32600, Value::Null),
        (r#"{"jsonrpc":"1.0","id":7,"method":"ping"}"#, -32600, json!(7)),
        (r#"{"jsonrpc":"2.0","id":"seven"}"#, -32600, json!("seven")),
        (&long, -32600, Value::Null),
    ] {
        // Notifications and empty lines have no answer.
        let notification = r#"{"jsonrpc":"1.0","method":"notifications/initialized"}"#;
        let sent = format!("\n{notification}\n\r\n{line}\r\n");
        assistant.input.write_all(sent.as_bytes()).await.unwrap();
        let answer = tokio::time::timeout(EVENTUALLY, assistant.output.next_line()).await.unwrap();
        let error: Value = serde_json::from_str(&answer.unwrap().unwrap()).unwrap();
        assert_eq!((&error["jsonrpc"], error.get("id")), (&json!("2.0"), Some(&id)), "{error}");
        assert_eq!(error["error"]["code"], code, "{error}");
        assert!(!text(&error, "/error/message").contains("::"), "{error}");
    }
    assert_eq!(assistant.ask("ping", json!({})).await["result"], json!({}));
    assistant.leave().await;
    server.node.stop().await;
}
