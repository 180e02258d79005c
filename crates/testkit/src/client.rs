//! An API client like those that customers write: JSON over HTTP with a bearer key.

use std::path::Path;
use std::time::Duration;

use bytes::Bytes;
use reqwest::header::HeaderMap;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tonearm_fixtures::{EVENTUALLY, install_tls_provider};

use crate::secrets;

/// A client to one node, with or without a key.
#[derive(Debug, Clone)]
pub struct Client {
    http: reqwest::Client,
    base_url: String,
    key: Option<String>,
}

/// A response, read to its end.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub bytes: Bytes,
}

impl Answer {
    async fn of(response: reqwest::Response) -> Self {
        let (status, headers) = (response.status(), response.headers().clone());
        Self { status, headers, bytes: response.bytes().await.unwrap() }
    }

    /// The body as JSON; null if it is not JSON.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.bytes).unwrap_or(Value::Null)
    }

    /// The JSON body of a 200; panics on any other status.
    #[track_caller]
    pub fn ok(self) -> Value {
        assert_eq!(self.status, 200, "{}", String::from_utf8_lossy(&self.bytes));
        self.json()
    }

    /// A header's text; empty if it is missing.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }
}

impl Client {
    /// A client with a key.
    pub fn new(base_url: &str, key: &str) -> Self {
        install_tls_provider();
        let http = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .timeout(Duration::from_secs(120))
            .build()
            .unwrap();
        secrets::note_key(base_url, key);
        Self { http, base_url: base_url.to_owned(), key: Some(key.to_owned()) }
    }

    /// The same client with another key.
    pub fn with_key(&self, key: &str) -> Self {
        secrets::note_key(&self.base_url, key);
        Self { key: Some(key.to_owned()), ..self.clone() }
    }

    /// The same client without a key.
    pub fn without_key(&self) -> Self {
        Self { key: None, ..self.clone() }
    }

    /// The key.
    pub fn key(&self) -> &str {
        self.key.as_deref().unwrap_or_default()
    }

    /// The underlying HTTP client, for requests that this one does not support.
    pub fn http(&self) -> &reqwest::Client {
        &self.http
    }

    /// A request to a path of the node, or to a full URL.
    pub fn request(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        let url = if path.starts_with('/') { format!("{}{path}", self.base_url) } else { path.to_owned() };
        let request = self.http.request(method, url);
        match &self.key {
            Some(key) if path.starts_with('/') => request.bearer_auth(key),
            _ => request,
        }
    }

    /// Sends a request and reads the response.
    pub async fn send(&self, request: reqwest::RequestBuilder) -> Answer {
        let answer = Answer::of(request.send().await.unwrap()).await;
        secrets::note_answer(&self.base_url, &answer.headers, &answer.bytes);
        answer
    }

    /// GET.
    pub async fn get(&self, path: &str) -> Answer {
        self.send(self.request(Method::GET, path)).await
    }

    /// POST of JSON.
    pub async fn post(&self, path: &str, body: &Value) -> Answer {
        self.send(self.request(Method::POST, path).json(body)).await
    }

    /// PUT of JSON.
    pub async fn put(&self, path: &str, body: &Value) -> Answer {
        self.send(self.request(Method::PUT, path).json(body)).await
    }

    /// DELETE.
    pub async fn delete(&self, path: &str) -> Answer {
        self.send(self.request(Method::DELETE, path)).await
    }

    /// GET of a range of bytes, such as `0-99`.
    pub async fn get_range(&self, url: &str, range: &str) -> Answer {
        self.send(self.request(Method::GET, url).header("Range", format!("bytes={range}"))).await
    }

    /// Creates a collection and returns its id.
    pub async fn collection(&self, title: &str) -> String {
        text(&self.post("/v1/collection", &json!({ "title": title })).await.ok(), "/collection_id")
    }

    /// Creates a track and returns the response.
    pub async fn track(&self, collection_id: &str, file_name: &str) -> Value {
        self.post("/v1/track", &json!({"collection_id": collection_id, "file_name": file_name})).await.ok()
    }

    /// Creates a track, uploads `bytes` to it and returns its id.
    pub async fn upload(&self, collection_id: &str, file_name: &str, bytes: impl Into<Bytes>) -> String {
        let created = self.track(collection_id, file_name).await;
        self.upload_to(&created, bytes).await;
        text(&created, "/track_id")
    }

    /// Uploads `bytes` to a track, given the response that created it.
    pub async fn upload_to(&self, created: &Value, bytes: impl Into<Bytes>) {
        let put = self.request(Method::PUT, &text(created, "/track_upload/upload_url"));
        self.send(put.body(reqwest::Body::from(bytes.into()))).await.ok();
    }

    /// Creates a track and uploads a file to it.
    pub async fn upload_file(&self, collection_id: &str, path: &Path) -> String {
        let name = path.file_name().unwrap().to_str().unwrap();
        let bytes = tokio::fs::read(path).await.unwrap();
        self.upload(collection_id, name, bytes).await
    }

    /// Waits until a track no longer changes and returns its full record. Times out after [`EVENTUALLY`].
    pub async fn settled(&self, track_id: &str) -> Value {
        self.settled_within(track_id, EVENTUALLY).await
    }

    /// The same with another timeout.
    pub async fn settled_within(&self, track_id: &str, bound: Duration) -> Value {
        let begun = std::time::Instant::now();
        while begun.elapsed() < bound {
            let track = self.get(&format!("/v1/track/{track_id}")).await.ok();
            let status = text(&track, "/track/track_status_id");
            if !matches!(status.as_str(), "initialized" | "processing" | "fallback_processing") {
                return track["track"].clone();
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("track {track_id} did not settle within {bound:?}");
    }
}

/// The text at a JSON pointer.
#[track_caller]
fn text(value: &Value, pointer: &str) -> String {
    value
        .pointer(pointer)
        .and_then(Value::as_str)
        .unwrap_or_else(|| panic!("no {pointer} in {value}"))
        .to_owned()
}
