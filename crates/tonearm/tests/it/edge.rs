//! Nodes that only deliver.

use bytes::Bytes;
use serde_json::json;
use tonearm_blobs::Blobs;
use tonearm_domain::{ContentType, ObjectFile, ObjectKey};
use tonearm_fixtures::S3Server;
use tonearm_fixtures::audio::{Signal, WavSpec, wav};
use tonearm_signing::{DeliveryTerms, Secrets, UrlSigner};
use tonearm_testkit::{Client, Program, TestServer};

use crate::text;

pub(crate) const SECRET: &str = "a secret of an edge and of whoever signs";

/// The path and query of a URL that the server delivers, and the content.
pub(crate) async fn deliverable(server: &TestServer) -> (String, Bytes) {
    deliverable_of(server, 10.0).await
}

/// The same, for a file of this many seconds.
pub(crate) async fn deliverable_of(server: &TestServer, seconds: f64) -> (String, Bytes) {
    let client = &server.client;
    let signal = Signal::Noise { seed: 1, amplitude: 0.3 };
    let sound = Bytes::from(wav(&WavSpec { seconds, signal, ..WavSpec::default() }));
    let collection = client.collection("Delivered").await;
    let id = client.upload(&collection, "sound.wav", sound.clone()).await;
    assert_eq!(client.settled(&id).await["track_status_id"], "ready");
    let session = json!({"track_id": id, "variants": ["original"]});
    let session = client.post("/v1/play_session/track", &session).await.ok();
    let url = text(&session, "/first_track/variants/0/url");
    (url.strip_prefix(server.node.public_url()).unwrap().to_owned(), sound)
}

/// Stores an object in a bucket. Returns the path and query that permit fetching it.
pub(crate) async fn stored(s3: &S3Server, content: &Bytes) -> String {
    let ambient = tonearm::ambient::system();
    let blobs = Blobs::open(&s3.url().parse().unwrap()).await.unwrap();
    let key = ObjectKey {
        organization_id: ambient.record_id(),
        folder: ambient.short_id(),
        file: ObjectFile {
            label: "hq".parse().unwrap(),
            version: ambient.short_id(),
            content_type: ContentType::Mp3,
        },
    };
    blobs.put_bytes(&key, content.clone()).await.unwrap();
    let signer = UrlSigner::new(Secrets::parse(SECRET).unwrap());
    signer.sign_delivery(&key, DeliveryTerms::default(), ambient.now())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edge_needs_a_secret_and_a_store_and_nothing_else() {
    let mut s3 = S3Server::start();
    let content = Bytes::from_iter((0..3_000_000u32).map(|n| (n % 251) as u8));
    let url = stored(&s3, &content).await;
    let data = tempfile::tempdir().unwrap();
    let mut edge = Program::new(crate::binary(), &data.path().join("data"));
    edge.set("TONEARM_ROLES", "edge");
    edge.set("TONEARM_SECRET", SECRET);
    edge.set("TONEARM_STORAGE_URL", &s3.url());
    // Neither of these can be used, and neither is used.
    edge.set("TONEARM_DATABASE_URL", "postgres://nobody@127.0.0.1:1/nothing");
    edge.set("TONEARM_MEDIA_FFMPEG", "/nowhere/ffmpeg");
    edge.start().await;

    let client = Client::new(&edge.url(), "").without_key();
    let ready = client.get("/readyz").await.ok();
    assert_eq!((&ready["database"], &ready["ffmpeg"]), (&json!("not used"), &json!("not used")));
    assert!(client.get(&url).await.bytes == content);
    let part = client.get_range(&format!("{}{url}", edge.url()), "1000000-2999999").await;
    assert_eq!(part.status, 206);
    assert!(part.bytes == content[1_000_000..]);
    assert_eq!(client.get(&url.replace("verify=", "verify=0")).await.status, 401);
    assert_eq!(client.get("/v1/track").await.status, 404);

    s3.stop();
    let elsewhere = url.replace("/hq.", "/lq.");
    assert_eq!(client.get(&elsewhere).await.status, 401);
    assert!(edge.terminate(), "{}", edge.log());
}
