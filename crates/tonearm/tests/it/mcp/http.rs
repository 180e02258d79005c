//! `tonearm mcp --http`.

use std::process::Stdio;

use reqwest::header::{CONTENT_TYPE, HeaderMap, ORIGIN, WWW_AUTHENTICATE};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::Child;
use tokio::task::JoinSet;
use tonearm_testkit::{Backend, Client, TestServer};

use super::{EVENTUALLY, PROTOCOL, command, initialize, result_of};
use crate::text;

/// Calls of one network at a time.
const MOST_CALLS: usize = 64;

const PAGES: &str = "https://app.example.com";

/// The program over HTTP.
struct HttpServer {
    child: Child,
    url: String,
    http: reqwest::Client,
}

impl HttpServer {
    /// The tools of the service at this URL.
    async fn of(service: &str, options: &[&str]) -> Self {
        let mut command = command(service, "");
        // The callers send their keys. The program itself has none.
        command.env_remove("TONEARM_API_KEY").args(["--http", "127.0.0.1:0"]).args(options);
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let line = tokio::time::timeout(EVENTUALLY, lines.next_line()).await.unwrap().unwrap().unwrap();
        let url = line.rsplit(' ').next().unwrap().to_owned();
        Self { child, url, http: Client::new(service, "").http().clone() }
    }

    async fn start(server: &TestServer) -> Self {
        Self::of(server.node.public_url(), &[]).await
    }

    fn post(&self, key: Option<&str>, method: &str, params: &Value) -> reqwest::RequestBuilder {
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let request = self.send(message.to_string());
        key.into_iter().fold(request, |request, key| request.bearer_auth(key))
    }

    fn send(&self, body: impl Into<reqwest::Body>) -> reqwest::RequestBuilder {
        let request = self.http.post(&self.url).header("Accept", "application/json, text/event-stream");
        request.header(CONTENT_TYPE, "application/json").header("MCP-Protocol-Version", PROTOCOL).body(body)
    }

    async fn ask(&self, key: &str, method: &str, params: Value) -> Value {
        let response = self.post(Some(key), method, &params).send().await.unwrap();
        assert_eq!(response.status(), StatusCode::OK);
        response.json().await.unwrap()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn callers_over_http_use_their_own_keys() {
    let server = TestServer::start(Backend::Embedded).await;
    let mut served = HttpServer::start(&server).await;
    let key = server.client.key();
    let said = served.ask(key, "initialize", initialize()).await;
    assert_eq!(text(&said, "/result/serverInfo/name"), "tonearm");
    assert_eq!(
        served.ask(key, "tools/list", json!({})).await["result"]["tools"].as_array().unwrap().len(),
        13
    );
    let create = json!({ "name": "create_collection", "arguments": { "title": "By HTTP" } });
    let made = result_of(&served.ask(key, "tools/call", create).await).unwrap();
    let collection = text(&made, "/collection/id");
    let found = server.client.get(&format!("/v1/collection/{collection}")).await.ok();
    assert_eq!(text(&found, "/collection/title"), "By HTTP");

    let list = json!({ "name": "list_collections", "arguments": {} });
    let keyless = served.post(None, "tools/call", &list).send().await.unwrap();
    assert_eq!(keyless.status(), StatusCode::UNAUTHORIZED);
    assert_eq!(keyless.headers()[WWW_AUTHENTICATE], "Bearer");
    // Requests from pages of other sites, and requests with a foreign host name, are refused.
    for (header, value) in [("Origin", "https://evil.example"), ("Host", "evil.example")] {
        let request = served.post(Some(key), "tools/call", &list).header(header, value);
        assert_eq!(request.send().await.unwrap().status(), StatusCode::FORBIDDEN, "{header}");
    }

    let asked =
        std::process::Command::new("kill").arg(served.child.id().unwrap().to_string()).status().unwrap();
    assert!(asked.success());
    assert!(tokio::time::timeout(EVENTUALLY, served.child.wait()).await.unwrap().unwrap().success());
    server.node.stop().await;
}

/// A key that the service refuses is refused here, whatever it is sent with.
#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_key_is_unauthorized() {
    let server = TestServer::start(Backend::Embedded).await;
    let served = HttpServer::start(&server).await;
    let sentence = server.client.with_key("no_such_key").get("/v1/collection").await.json();
    let list = json!({ "name": "list_collections", "arguments": {} });
    for (method, params) in [("tools/call", list), ("initialize", initialize()), ("tools/list", json!({}))] {
        let refused = served.post(Some("no_such_key"), method, &params).send().await.unwrap();
        assert_eq!(refused.status(), StatusCode::UNAUTHORIZED, "{method}");
        assert_eq!(refused.headers()[WWW_AUTHENTICATE], "Bearer");
        let body: Value = refused.json().await.unwrap();
        assert_eq!((&body["jsonrpc"], &body["id"]), (&json!("2.0"), &json!(1)));
        assert!(body.to_string().contains(text(&sentence, "/message")), "{method}: {body}");
    }
    // A key of another type is valid. What it may not do is an error of the tool.
    let new = json!({ "title": "A player", "api_key_type_id": "player" });
    let made = server.client.post("/v1/api_key", &new).await.ok();
    served.ask(text(&made, "/api_key"), "initialize", initialize()).await;
    server.node.stop().await;
}

fn header<'a>(headers: &'a HeaderMap, name: &str) -> &'a str {
    headers.get(name).map_or("", |value| value.to_str().unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_of_allowed_origins_may_call() {
    let server = TestServer::start(Backend::Embedded).await;
    let served =
        HttpServer::of(server.node.public_url(), &["--allow-origin", "https://app.example.com:443"]).await;
    let preflight = |origin: &str| {
        let request = served.http.request(Method::OPTIONS, &served.url).header(ORIGIN, origin);
        let request = request.header("Access-Control-Request-Method", "POST");
        let headers = "authorization,content-type,mcp-protocol-version";
        request.header("Access-Control-Request-Headers", headers).send()
    };
    let allowed = preflight(PAGES).await.unwrap();
    assert!(allowed.status().is_success(), "{}", allowed.status());
    assert_eq!(header(allowed.headers(), "access-control-allow-origin"), PAGES);
    let headers = header(allowed.headers(), "access-control-allow-headers").to_ascii_lowercase();
    assert!(headers.contains("authorization") && headers.contains("mcp-protocol-version"), "{headers}");
    assert!(header(allowed.headers(), "access-control-allow-methods").contains("POST"));

    let list = json!({ "name": "list_collections", "arguments": {} });
    let key = server.client.key();
    for (key, status) in [(Some(key), StatusCode::OK), (None, StatusCode::UNAUTHORIZED)] {
        let called = served.post(key, "tools/call", &list).header(ORIGIN, PAGES).send().await.unwrap();
        assert_eq!(called.status(), status);
        assert_eq!(header(called.headers(), "access-control-allow-origin"), PAGES);
    }
    for other in ["https://evil.example", "http://app.example.com", "https://app.example.com:8443", "null"] {
        let refused = preflight(other).await.unwrap();
        assert_eq!(header(refused.headers(), "access-control-allow-origin"), "", "{other}");
        let called = served.post(Some(key), "tools/call", &list).header(ORIGIN, other).send().await.unwrap();
        assert_eq!(called.status(), StatusCode::FORBIDDEN, "{other}");
    }
    server.node.stop().await;

    let mut wrong = command("http://127.0.0.1:1", "");
    let wrong =
        wrong.args(["--http", "127.0.0.1:0", "--allow-origin", "app.example.com"]).output().await.unwrap();
    assert_eq!(wrong.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("https://www.example.com"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_message_gets_an_error_of_the_protocol() {
    let server = TestServer::start(Backend::Embedded).await;
    let served = HttpServer::start(&server).await;
    let deep = "[".repeat(1000);
    for (body, code, id) in [
        ("{", -32700, Value::Null),
        ("", -32700, Value::Null),
        (&deep, -32700, Value::Null),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, -32600, Value::Null),
        ("[]", -32600, Value::Null),
        ("7", -32600, Value::Null),
        (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, -32600, Value::Null),
        (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600, Value::Null),
        (r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, -32600, Value::Null),
        (r#"{"jsonrpc":"2.0","id":99999999999999999999,"method":"ping"}"#, -32600, Value::Null),
        (r#"{"jsonrpc":"1.0","id":7,"method":"ping"}"#, -32600, json!(7)),
        (r#"{"jsonrpc":"2.0","id":"seven"}"#, -32600, json!("seven")),
    ] {
        let refused = served.send(body.to_owned()).bearer_auth(server.client.key()).send().await.unwrap();
        assert_eq!(refused.status(), StatusCode::BAD_REQUEST, "{body}");
        assert_eq!(refused.headers()[CONTENT_TYPE], "application/json", "{body}");
        let error: Value = refused.json().await.unwrap();
        assert_eq!((&error["jsonrpc"], &error["id"]), (&json!("2.0"), &id), "{body}: {error}");
        assert_eq!(error["error"]["code"], code, "{body}: {error}");
        assert!(!text(&error, "/error/message").contains("::"), "{error}");
    }
    let large = served.send(vec![b' '; 300_000]).bearer_auth(server.client.key()).send().await.unwrap();
    assert_eq!(large.status(), StatusCode::PAYLOAD_TOO_LARGE);
    assert_eq!(large.json::<Value>().await.unwrap()["error"]["code"], -32600);
    server.node.stop().await;
}

/// A call holds its place for as long as it has a connection to the service, which is not longer than its caller waits.
#[tokio::test(flavor = "multi_thread")]
async fn a_call_ends_with_its_caller() {
    // A service that accepts connections and never answers.
    let service = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let served = HttpServer::of(&format!("http://{}", service.local_addr().unwrap()), &[]).await;
    let list = json!({ "name": "list_collections", "arguments": {} });
    let call = || served.post(Some("any_key"), "tools/call", &list).header("Connection", "close").send();
    let (mut callers, mut connections) = (JoinSet::new(), Vec::new());
    for _ in 0..MOST_CALLS {
        callers.spawn(call());
        let accepted = tokio::time::timeout(EVENTUALLY, service.accept()).await;
        connections.push(accepted.unwrap().unwrap().0);
    }
    let more = call().await.unwrap();
    assert_eq!(more.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert!(more.headers().contains_key("retry-after"));
    callers.shutdown().await;
    for connection in &mut connections {
        let mut request = Vec::new();
        let ended = connection.read_to_end(&mut request);
        tokio::time::timeout(EVENTUALLY, ended).await.expect("a call goes on without its caller").unwrap();
    }
    let place_is_free = async {
        loop {
            tokio::select! {
                accepted = service.accept() => return accepted.unwrap(),
                refused = call() => assert_eq!(refused.unwrap().status(), StatusCode::SERVICE_UNAVAILABLE),
            }
        }
    };
    tokio::time::timeout(EVENTUALLY, place_is_free).await.expect("places are not given back");
}

/// Whoever has no key sends requests that never arrive.
#[tokio::test(flavor = "multi_thread")]
async fn requests_that_do_not_arrive_take_no_places() {
    let server = TestServer::start(Backend::Embedded).await;
    let served = HttpServer::start(&server).await;
    let address = served.url.trim_start_matches("http://").trim_end_matches("/mcp").to_owned();
    let begun = format!(
        "POST /mcp HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer nothing\r\nContent-Length: 9\r\n\
         Content-Type: application/json\r\nExpect: 100-continue\r\n\r\n"
    );
    let mut begun_ones = Vec::new();
    for _ in 0..2 * MOST_CALLS {
        let mut socket = TcpStream::connect(&address).await.unwrap();
        socket.write_all(begun.as_bytes()).await.unwrap();
        // The body is asked for, so the request is under way.
        let mut said = [0; 12];
        tokio::time::timeout(EVENTUALLY, socket.read_exact(&mut said)).await.unwrap().unwrap();
        assert_eq!(&said, b"HTTP/1.1 100");
        begun_ones.push(socket);
    }
    served.ask(server.client.key(), "tools/list", json!({})).await;
    server.node.stop().await;
}

/// Connections are limited, so silent ones are closed.
#[tokio::test(flavor = "multi_thread")]
async fn silent_connections_are_closed() {
    let server = TestServer::start(Backend::Embedded).await;
    let served = HttpServer::start(&server).await;
    let address = served.url.trim_start_matches("http://").trim_end_matches("/mcp").to_owned();
    let mut silent = TcpStream::connect(&address).await.unwrap();
    let mut buffer = Vec::new();
    let closed = silent.read_to_end(&mut buffer);
    let closed = tokio::time::timeout(EVENTUALLY, closed).await;
    assert!(closed.is_ok(), "a connection that says nothing stays open");
    server.node.stop().await;
}
