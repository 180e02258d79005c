//! Headers about the scheme of a request change nothing: clients are sent to the public URL.

use serde_json::json;
use tonearm_testkit::{Backend, Client, TestServer};

use crate::text;

const TRUSTING: (&str, &str) = ("TONEARM_TRUSTED_PROXIES", "127.0.0.0/8,::1");

const CLAIMS: [(&str, &str); 4] = [
    ("x-forwarded-proto", "https"),
    ("x-forwarded-proto", "http"),
    ("x-forwarded-host", "elsewhere.example.com"),
    ("forwarded", "for=203.0.113.1;proto=https;host=elsewhere.example.com"),
];

/// Requests upload URLs with each of the claims.
async fn upload_urls_begin_with(variables: &[(&str, &str)], public_url: Option<&str>) {
    let server = TestServer::start_with(Backend::Embedded, variables).await;
    let client = Client::new(&format!("http://{}", server.node.address()), server.client.key());
    let collection = client.collection("C").await;
    let expected = public_url.unwrap_or(server.node.public_url());
    for (name, value) in CLAIMS {
        let request = client.request(reqwest::Method::POST, "/v1/track").header(name, value);
        let request = request.json(&json!({"collection_id": collection, "file_name": "a.wav"}));
        let created = client.send(request).await.ok();
        let url = text(&created, "/track_upload/upload_url");
        assert!(url.starts_with(&format!("{expected}/upload/")), "{name}: {value}: {url}");
    }
    // Browsers are told to stay with HTTPS if the public URL uses it.
    let answer = client.get("/healthz").await;
    let told = if expected.starts_with("https://") { "max-age=31536000" } else { "" };
    assert_eq!(answer.header("strict-transport-security"), told, "{expected}");
    server.node.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_public_url_decides_whatever_anybody_claims() {
    let public = "https://audio.example.com";
    upload_urls_begin_with(&[], None).await;
    upload_urls_begin_with(&[TRUSTING], None).await;
    upload_urls_begin_with(&[TRUSTING, ("TONEARM_PUBLIC_URL", public)], Some(public)).await;
}
