//! Uploads that are resumed over sockets, while the program is killed and across nodes.

use std::time::Duration;

use bytes::Bytes;
use futures::{StreamExt, stream};
use reqwest::{Body, Method};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tonearm_domain::Patch;
use tonearm_fixtures::audio::{Signal, WavSpec, wav};
use tonearm_service::{Caller, CreateTrack, CreateUploadSession, UpdateQuotas};
use tonearm_testkit::{Backend, Client, Program, TestServer};

use crate::command_output::create_organization;
use crate::{binary, eventually, on_both_backends, text};

on_both_backends!(
    uploads_end_with_the_right_at_every_node,
    what_is_held_open_counts_for_the_quota_at_every_node,
);

/// A few megabytes of sound that compresses badly.
fn sound(seconds: f64) -> Bytes {
    let signal = Signal::Noise { seed: 7, amplitude: 0.3 };
    wav(&WavSpec { seconds, signal, ..WavSpec::default() }).into()
}

async fn upload_url(client: &Client, collection: &str) -> (String, String) {
    let created = client.track(collection, "long.wav").await;
    (text(&created, "/track_id").to_owned(), text(&created, "/track_upload/upload_url").to_owned())
}

/// The offset of the upload. A killed node keeps the upload locked for some seconds; until then, clients are told to
/// retry.
async fn offset(client: &Client, url: &str) -> u64 {
    for _ in 0..10 {
        let answer = client.send(client.request(Method::HEAD, url)).await;
        if answer.status != 423 {
            assert_eq!(answer.status, 204);
            return answer.header("upload-offset").parse().unwrap();
        }
        tokio::time::sleep(Duration::from_secs(answer.header("retry-after").parse().unwrap())).await;
    }
    panic!("the upload stays locked");
}

fn append(
    client: &Client,
    url: &str,
    at: u64,
    is_last: bool,
    body: impl Into<Body>,
) -> reqwest::RequestBuilder {
    client
        .request(Method::PATCH, url)
        .header("content-type", "application/partial-upload")
        .header("upload-offset", at)
        .header("upload-complete", if is_last { "?1" } else { "?0" })
        .body(body)
}

/// Bytes that arrive slowly, 64 KiB every few milliseconds.
fn slowly(bytes: Bytes) -> Body {
    let chunks: Vec<Bytes> =
        (0..bytes.len()).step_by(65_536).map(|at| bytes.slice(at..bytes.len().min(at + 65_536))).collect();
    let paced = stream::iter(chunks).then(|chunk| async {
        tokio::time::sleep(Duration::from_millis(2)).await;
        Ok::<_, std::io::Error>(chunk)
    });
    Body::wrap_stream(paced)
}

async fn is_ready(client: &Client, track: &str, bytes: &Bytes, done: &Value) {
    assert_eq!(text(done, "/sha256"), hex::encode(Sha256::digest(bytes)));
    let track = client.settled(track).await;
    assert_eq!(text(&track, "/track_status_id"), "ready");
    assert_eq!(track["info"]["size"], bytes.len());
}

/// Bytes that were reported as durable are durable, whenever the program is killed.
#[tokio::test(flavor = "multi_thread")]
async fn an_upload_goes_on_after_kills() {
    let data = tempfile::tempdir().unwrap();
    let mut program = Program::new(binary(), data.path());
    let made = create_organization(&program, "Kills");
    program.start().await;
    let client = Client::new(&program.url(), text(&made, "/api_key"));
    let collection = client.collection("Kills").await;
    let (track, url) = upload_url(&client, &collection).await;
    let bytes = sound(120.0);
    let begin = client.request(Method::PUT, &url).header("upload-complete", "?0");
    assert_eq!(client.send(begin.body(bytes.slice(..100_000))).await.status, 201);
    let mut known = 100_000;
    for pause in [40, 200, 90, 400] {
        let sent =
            tokio::spawn(append(&client, &url, known, false, slowly(bytes.slice(known as usize..))).send());
        tokio::time::sleep(Duration::from_millis(pause)).await;
        program.kill();
        assert!(sent.await.unwrap().is_err());
        program.start().await;
        let at = offset(&client, &url).await;
        assert!(at >= known, "{at} is before {known}");
        // A piece that was acknowledged.
        let next = at + 500_000;
        let piece = bytes.slice(at as usize..next as usize);
        assert_eq!(client.send(append(&client, &url, at, false, piece)).await.status, 204);
        program.kill();
        program.start().await;
        assert_eq!(offset(&client, &url).await, next);
        known = next;
    }
    let done = client.send(append(&client, &url, known, true, bytes.slice(known as usize..))).await.ok();
    is_ready(&client, &track, &bytes, &done).await;
}

/// Each piece goes to another node. A request that hangs at one node gives way to a request at the other.
#[tokio::test(flavor = "multi_thread")]
async fn any_node_takes_the_next_piece() {
    let server = TestServer::start(Backend::Distributed).await;
    let other = server.another_node(vec![tonearm::Role::Api]).await;
    let client = &server.client;
    let collection = client.collection("Nodes").await;
    let (track, url) = upload_url(client, &collection).await;
    // More than two parts of a multipart upload.
    let bytes = sound(120.0);
    let signed = &url[url.find("/upload/").unwrap()..];
    let addresses =
        [format!("{}{signed}", server.node.public_url()), format!("http://{}{signed}", other.address())];
    let begin = client.request(Method::PUT, &addresses[0]).header("upload-complete", "?0");
    assert_eq!(client.send(begin.body("")).await.status, 201);
    let mut at = 0;
    for (piece, size) in [3_000_000, 7_000_000, 1, 200_000].into_iter().enumerate() {
        let body = bytes.slice(at..at + size);
        let answer = client.send(append(client, &addresses[piece % 2], at as u64, false, body)).await;
        assert_eq!(answer.status, 204, "{}", String::from_utf8_lossy(&answer.bytes));
        at += size;
        assert_eq!(offset(client, &addresses[(piece + 1) % 2]).await, at as u64);
    }
    let hanging =
        stream::iter([Ok::<_, std::io::Error>(bytes.slice(at..at + 1_000_000))]).chain(stream::pending());
    let hung =
        tokio::spawn(append(client, &addresses[0], at as u64, false, Body::wrap_stream(hanging)).send());
    // Before the request has begun, the upload cannot be taken over from it.
    tokio::time::sleep(Duration::from_millis(500)).await;
    let now = offset(client, &addresses[1]).await;
    assert_eq!(now, at as u64 + 1_000_000);
    assert_eq!(hung.await.unwrap().unwrap().status(), 400);
    let rest = bytes.slice(now as usize..);
    let done = client.send(append(client, &addresses[1], now, true, rest)).await.ok();
    is_ready(client, &track, &bytes, &done).await;
    other.stop().await;
    server.node.stop().await;
}

/// tus clients work unchanged. The tests of the pages cover uploads with the protocol of the IETF.
#[tokio::test(flavor = "multi_thread")]
async fn a_session_takes_uploads_by_tus() {
    let server = TestServer::start(Backend::Embedded).await;
    let client = &server.client;
    let collection = client.collection("tus").await;
    let session = client.post("/v1/upload_session", &json!({ "collection_id": collection })).await.ok();
    let bytes = sound(20.0);
    let endpoint = format!("/upload/tus?upload_session_id={}", text(&session, "/upload_session_id"));
    let begin = client
        .request(Method::POST, &endpoint)
        .header("tus-resumable", "1.0.0")
        .header("upload-length", bytes.len())
        .header("upload-metadata", "filename bG9uZy53YXY=");
    let begun = client.send(begin).await;
    assert_eq!(begun.status, 201);
    let (location, track) =
        (begun.header("location").to_owned(), begun.header("tonearm-track-id").to_owned());
    for (at, piece) in [(0, bytes.slice(..1_000_000)), (1_000_000, bytes.slice(1_000_000..))] {
        let patch = client
            .request(Method::PATCH, &location)
            .header("tus-resumable", "1.0.0")
            .header("content-type", "application/offset+octet-stream")
            .header("upload-offset", at)
            .body(piece);
        assert_eq!(client.send(patch).await.status, 204);
    }
    let track = client.settled(&track).await;
    assert_eq!(text(&track, "/track_status_id"), "ready");
    server.node.stop().await;
}

/// Uploads that were begun at one node end when the key or the member of their session loses the right at another one, also
/// while a request sends bytes.
async fn uploads_end_with_the_right_at_every_node(server: TestServer) {
    let other = server.another_node(vec![tonearm::Role::Api]).await;
    let (client, elsewhere) =
        (&server.client, Client::new(other.public_url(), server.client.key()).without_key());
    let collection = client.collection("Ended").await;
    let made = json!({ "title": "Soon gone", "api_key_type_id": "uploader" });
    let made = client.post("/v1/api_key", &made).await.ok();
    let (key, key_path) =
        (client.with_key(text(&made, "/api_key")), format!("/v1/api_key/{}", text(&made, "/api_key_id")));
    let people = &other.services().unwrap().people;
    let library = &other.services().unwrap().library;
    let owner = Caller::owner(server.organization_id.parse().unwrap());
    let quotas = UpdateQuotas { bytes: Patch::Set(1 << 30), ..UpdateQuotas::default() };
    library.set_quotas(&owner, quotas).await.unwrap();
    let (person, _) = people.add_person("Bea", "bea@example.com", false).await.unwrap();
    let link = people.invite(&owner, tonearm_domain::Role::Editor, "").await.unwrap();
    people.join_as(&link.url.rsplit_once('/').unwrap().1.parse().unwrap(), &person).await.unwrap();
    let uploads =
        server.node.services().unwrap().open_uploads(server.config(), &server.ambient).await.unwrap();
    let member = Caller::person(owner.organization_id, person.id);
    let mut begun = Vec::new();
    for by_key in [true, false] {
        for is_under_way in [true, false] {
            let url = if by_key {
                let body = json!({ "collection_id": collection, "track": { "file_name": "a.wav" } });
                text(&key.post("/v1/upload_session", &body).await.ok(), "/track_upload/upload_url").to_owned()
            } else {
                let create = CreateUploadSession {
                    collection_id: Some(collection.parse().unwrap()),
                    track: Some(CreateTrack { file_name: "a.wav".to_owned(), ..CreateTrack::default() }),
                    ..CreateUploadSession::default()
                };
                let created = uploads.create_upload_session(&member, create).await.unwrap();
                created.track.unwrap().handles.track.upload_url
            };
            let first = client.request(Method::PUT, &url).header("upload-complete", "?0").body("12345");
            assert_eq!(client.send(first).await.status, 201);
            let (go, may_go) = tokio::sync::oneshot::channel::<()>();
            let under_way = is_under_way.then(|| {
                let late =
                    stream::once(async { may_go.await.map(|()| "67890").map_err(std::io::Error::other) });
                let body = stream::iter([Ok("0123456789")]).chain(late);
                tokio::spawn(append(client, &url, 5, true, Body::wrap_stream(body)).send())
            });
            begun.push((url, go, under_way));
        }
    }
    // What is arriving counts, with a mebibyte of what comes next: so both requests that are under way have begun.
    eventually("the requests have begun", async || {
        library.quotas(&owner).await.unwrap().used.bytes > 2 << 20
    })
    .await;
    elsewhere.with_key(client.key()).delete(&key_path).await.ok();
    people.remove_member(&owner, person.id).await.unwrap();
    for (url, go, under_way) in begun {
        if let Some(under_way) = under_way {
            let _ = go.send(());
            assert_eq!(under_way.await.unwrap().unwrap().status(), 423);
        }
        let rest = client.send(append(client, &url, 5, true, "67890")).await;
        assert_eq!((rest.status.as_u16(), text(&rest.json(), "/code")), (410, "upload_expired"));
    }
    other.stop().await;
}

/// Uploads in one request, whose senders pause, one at each node. What has arrived is not there for a third one.
async fn what_is_held_open_counts_for_the_quota_at_every_node(server: TestServer) {
    let other = server.another_node(vec![tonearm::Role::Api]).await;
    let client = &server.client;
    let library = &server.node.services().unwrap().library;
    let owner = Caller::owner(server.organization_id.parse().unwrap());
    let quotas = UpdateQuotas { bytes: Patch::Set(1_000_000), ..UpdateQuotas::default() };
    library.set_quotas(&owner, quotas).await.unwrap();
    let used = async || library.quotas(&owner).await.unwrap().used.bytes;
    let collection = client.collection("Held").await;
    let bytes = sound(5.0).slice(..400_000);
    let mut held = Vec::new();
    for node in [&server.node, &other] {
        let (_, url) = upload_url(client, &collection).await;
        let url = url.replace(server.node.public_url(), node.public_url());
        let body = stream::iter([Ok::<_, std::io::Error>(bytes.clone())]).chain(stream::pending());
        held.push(tokio::spawn(client.request(Method::PUT, &url).body(Body::wrap_stream(body)).send()));
        let all = held.len() as u64 * 400_000;
        eventually("it counts", async || used().await >= all).await;
    }
    let (_, url) = upload_url(client, &collection).await;
    let put = async || client.send(client.request(Method::PUT, &url).body(bytes.clone())).await;
    let refused = put().await;
    assert_eq!((refused.status.as_u16(), text(&refused.json(), "/code")), (403, "quota_exceeded"));
    // A client that goes away takes nothing any more.
    held.pop().unwrap().abort();
    eventually("there is room again", async || used().await < 600_000).await;
    put().await.ok();
    held.pop().unwrap().abort();
    other.stop().await;
}
