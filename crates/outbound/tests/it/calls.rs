//! Destinations of calls, and their responses.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Body;
use axum::http::StatusCode;
use axum::response::Redirect;
use axum::routing::post;
use bytes::Bytes;
use tonearm_domain::EventKind;
use tonearm_outbound::{
    CallError, GuardError, Names, Outbound, TranscribeCall, TranscribeError, WebhookCall, WebhookSecret,
};

use crate::receiver::Receiver;

/// Names that resolve to other addresses each time they are looked up.
pub(crate) struct Table {
    answers: Mutex<Vec<Vec<SocketAddr>>>,
    look_ups: AtomicUsize,
}

impl Table {
    /// The last answer is repeated.
    pub(crate) fn new(answers: &[&[&str]]) -> Arc<Self> {
        let parse = |text: &&str| SocketAddr::new(text.parse().unwrap(), 0);
        let answers = answers.iter().rev().map(|answer| answer.iter().map(parse).collect()).collect();
        Arc::new(Self { answers: Mutex::new(answers), look_ups: AtomicUsize::new(0) })
    }
}

#[async_trait::async_trait]
impl Names for Table {
    async fn look_up(&self, _: &str) -> std::io::Result<Vec<SocketAddr>> {
        self.look_ups.fetch_add(1, Ordering::SeqCst);
        let mut answers = self.answers.lock().unwrap();
        let answer = if answers.len() > 1 { answers.pop() } else { answers.last().cloned() };
        Ok(answer.unwrap_or_default())
    }
}

fn call(url: String) -> WebhookCall {
    let (ambient, _) = tonearm_fixtures::ambient();
    WebhookCall {
        url,
        delivery_id: ambient.record_id(),
        event: EventKind::WebhookTest,
        body: Bytes::from_static(b"{}"),
        secrets: vec![WebhookSecret::from_bytes([1; 32])],
        trace: None,
    }
}

async fn send(outbound: &Outbound, url: String) -> Result<tonearm_outbound::Answer, CallError> {
    let (ambient, _) = tonearm_fixtures::ambient();
    outbound.send_webhook(&call(url), ambient.now()).await
}

fn ok() -> Router {
    Router::new().route("/", post(|| async { "taken" }))
}

#[tokio::test]
async fn a_webhook_names_the_trace_that_it_is_part_of() {
    let name_trace = |headers: axum::http::HeaderMap| async move {
        headers.get("traceparent").map_or("none", |value| value.to_str().unwrap()).to_owned()
    };
    let receiver = Receiver::start(Router::new().route("/", post(name_trace))).await;
    let outbound = Outbound::new(true).unwrap();
    let (ambient, _) = tonearm_fixtures::ambient();
    let url = receiver.url("127.0.0.1", "/");
    let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    let traced = WebhookCall { trace: trace.parse().ok(), ..call(url.clone()) };
    let answer = outbound.send_webhook(&traced, ambient.now()).await.unwrap();
    assert_eq!(answer.body, trace);
    assert_eq!(send(&outbound, url).await.unwrap().body, "none");
}

#[tokio::test]
async fn private_addresses_are_never_reached() {
    let receiver = Receiver::start(ok()).await;
    let tables: [&[&str]; 6] = [
        &["127.0.0.1"],
        &["::1"],
        &["::ffff:127.0.0.1"],
        &["64:ff9b::7f00:1"],
        &["1.1.1.1", "127.0.0.1"],
        &["127.0.0.1", "1.1.1.1"],
    ];
    for addresses in tables {
        let outbound = Outbound::with_names(false, Table::new(&[addresses])).unwrap();
        let refused = send(&outbound, receiver.url("hooks.example.com", "/")).await.unwrap_err();
        assert!(
            matches!(refused, CallError::Refused(GuardError::PrivateName(_))),
            "{addresses:?}: {refused}"
        );
    }
    let strict = Outbound::new(false).unwrap();
    for host in ["127.0.0.1", "127.1", "0x7f.1", "2130706433", "[::ffff:127.0.0.1]"] {
        let refused = send(&strict, receiver.url(host, "/")).await.unwrap_err();
        assert!(matches!(refused, CallError::Refused(GuardError::Private(_))), "{host}: {refused}");
    }
    let refused = send(&strict, receiver.url("localhost", "/")).await.unwrap_err();
    assert!(matches!(refused, CallError::Refused(GuardError::PrivateName(_))), "{refused}");
    assert_eq!(receiver.visits(), 0);
    let lax = Outbound::new(true).unwrap();
    assert_eq!(send(&lax, receiver.url("127.0.0.1", "/")).await.unwrap().status, 200);
    assert_eq!(receiver.visits(), 1);
}

#[tokio::test]
async fn a_name_is_looked_up_once_and_what_was_checked_is_called() {
    let receiver = Receiver::start(ok()).await;
    // A second lookup would return no address, so a response proves that there was none.
    let names = Table::new(&[&["127.0.0.1"], &[]]);
    let outbound = Outbound::with_names(true, names.clone()).unwrap();
    let answer = send(&outbound, receiver.url("hooks.example.com", "/")).await.unwrap();
    assert_eq!((answer.status, &answer.body[..]), (200, &b"taken"[..]));
    assert_eq!(names.look_ups.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_name_without_addresses_is_said_so() {
    let outbound = Outbound::with_names(false, Table::new(&[&[]])).unwrap();
    let refused = send(&outbound, "https://nowhere.example".to_owned()).await.unwrap_err();
    assert_eq!(refused.to_string(), "cannot resolve the host name nowhere.example");
}

#[tokio::test]
async fn redirects_are_not_followed() {
    let target = Receiver::start(ok()).await;
    let url = target.url("127.0.0.1", "/");
    let routes = Router::new().route("/", post(|| async move { Redirect::temporary(&url) }));
    let receiver = Receiver::start(routes).await;
    let answer = send(&Outbound::new(true).unwrap(), receiver.url("127.0.0.1", "/")).await.unwrap();
    assert_eq!((answer.status, answer.is_success()), (307, false));
    assert_eq!(target.visits(), 0);
}

#[tokio::test]
async fn only_the_first_bytes_of_an_endless_answer_are_read() {
    let routes = Router::new().route(
        "/",
        post(|| async {
            let chunks =
                futures::stream::repeat_with(|| Ok::<_, std::io::Error>(Bytes::from(vec![b'x'; 1000])));
            (StatusCode::INTERNAL_SERVER_ERROR, Body::from_stream(chunks))
        }),
    );
    let receiver = Receiver::start(routes).await;
    let answer = send(&Outbound::new(true).unwrap(), receiver.url("127.0.0.1", "/")).await.unwrap();
    assert_eq!((answer.status, answer.body.len(), answer.is_truncated), (500, 64 * 1024, true));
}

#[tokio::test]
async fn a_closed_port_and_nonsense_are_sentences() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let speaker = tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await.unwrap();
        tokio::io::AsyncWriteExt::write_all(&mut socket, b"SSH-2.0-OpenSSH_9.9\r\n").await.unwrap();
        listener
    });
    let outbound = Outbound::new(true).unwrap();
    let broken = send(&outbound, format!("http://{address}/")).await.unwrap_err();
    assert!(broken.to_string().starts_with("the connection failed: "), "{broken}");
    drop(speaker.await.unwrap());
    let closed = send(&outbound, format!("http://{address}/")).await.unwrap_err();
    assert!(closed.to_string().starts_with("could not connect: "), "{closed}");
}

#[tokio::test]
async fn a_provider_whose_name_is_not_found_may_be_there_later() {
    let outbound = Outbound::with_names(false, Table::new(&[&[]])).unwrap();
    let call = TranscribeCall {
        base_url: "https://api.nowhere.example/v1".to_owned(),
        key: Some("sk-secret".to_owned()),
        model: "m".to_owned(),
        language: None,
        sound: Bytes::new(),
    };
    let refused = outbound.transcribe(call).await;
    let expected = "cannot resolve the host name api.nowhere.example".to_owned();
    assert_eq!(refused, Err(TranscribeError::Later(expected, None)));
}
