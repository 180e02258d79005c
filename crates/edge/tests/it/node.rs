//! An edge node with a store of its own, and its responses.

use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use http::header::HeaderMap;
use http::{Method, Request, Response, StatusCode};
use http_body_util::BodyExt as _;
use serde_json::Value;
use tempfile::TempDir;
use tonearm_blobs::{Blobs, CacheTerms};
use tonearm_domain::{Ambient, ContentType, ObjectFile, ObjectKey};
use tonearm_edge::{Edge, EdgeConfig};
use tonearm_fixtures::{ManualClock, S3Server};
use tonearm_signing::{DeliveryTerms, Secrets, UrlSigner};

pub(crate) struct Node {
    pub(crate) edge: Edge,
    pub(crate) blobs: Blobs,
    pub(crate) signer: UrlSigner,
    pub(crate) ambient: Ambient,
    pub(crate) clock: ManualClock,
    pub(crate) s3: Option<S3Server>,
    /// Removed with the node.
    _folder: TempDir,
}

impl Node {
    pub(crate) async fn over_folder() -> Self {
        let folder = TempDir::new().unwrap();
        let url = format!("file://{}/objects", folder.path().display());
        Self::over(&url, None, folder).await
    }

    pub(crate) async fn over_s3() -> Self {
        let s3 = S3Server::start();
        Self::over(&s3.url(), Some(s3), TempDir::new().unwrap()).await
    }

    async fn over(url: &str, s3: Option<S3Server>, folder: TempDir) -> Self {
        let blobs = Blobs::open(&url.parse().unwrap()).await.unwrap();
        let signer = UrlSigner::new(Secrets::from_bytes([1; 32]));
        let (ambient, clock) = tonearm_fixtures::ambient();
        let edge = Edge::new(blobs.clone(), signer.clone(), ambient.clone(), EdgeConfig::default());
        Self { edge, blobs, signer, ambient, clock, s3, _folder: folder }
    }

    /// Another edge over the same store.
    pub(crate) fn edge_with(&self, config: EdgeConfig) -> Edge {
        Edge::new(self.blobs.clone(), self.signer.clone(), self.ambient.clone(), config)
    }

    /// The key of an object that does not exist.
    pub(crate) fn key(&self, content_type: ContentType) -> ObjectKey {
        ObjectKey {
            organization_id: self.ambient.record_id(),
            folder: self.ambient.short_id(),
            file: ObjectFile { label: "hq".parse().unwrap(), version: self.ambient.short_id(), content_type },
        }
    }

    /// Stores an MP3 of `size` bytes, whose bytes depend on their positions, and returns its key.
    pub(crate) async fn store(&self, size: usize) -> ObjectKey {
        let key = self.key(ContentType::Mp3);
        self.blobs.put_bytes(&key, content(size)).await.unwrap();
        key
    }

    /// A URL that permits fetching the object for an hour.
    pub(crate) fn url(&self, key: &ObjectKey) -> String {
        self.signer.sign_delivery(key, DeliveryTerms::default(), self.ambient.now())
    }

    /// Sends a request with these headers, and returns the response.
    pub(crate) async fn request(&self, method: Method, url: &str, headers: &[(&str, &str)]) -> Answer {
        Answer::read(self.open(method, url, headers).await).await
    }

    /// Like [`request`](Self::request), with the body still unread.
    pub(crate) async fn open(&self, method: Method, url: &str, headers: &[(&str, &str)]) -> Response<Body> {
        let mut request = Request::builder().method(method).uri(url);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        self.edge.serve(request.body(Body::empty()).unwrap()).await
    }

    /// GET of an object.
    pub(crate) async fn get(&self, key: &ObjectKey, headers: &[(&str, &str)]) -> Answer {
        self.request(Method::GET, &self.url(key), headers).await
    }
}

/// A cache with room for everything, which never rechecks.
pub(crate) fn cache_in_memory() -> CacheTerms {
    CacheTerms {
        memory_bytes: 64 << 20,
        disk: None,
        recheck: Duration::from_secs(3600),
        recheck_all: Duration::from_secs(3600),
        deadline: Duration::from_secs(5),
    }
}

/// A response that was read to its end.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Answer {
    pub(crate) async fn read(response: Response<Body>) -> Self {
        let (parts, body) = response.into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        Self { status: parts.status, headers: parts.headers, body }
    }

    /// The only line of a header; `None` if the header is missing.
    #[track_caller]
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.headers.get_all(name).iter();
        let value = lines.next()?.to_str().unwrap();
        assert!(lines.next().is_none(), "{name} is there twice");
        Some(value)
    }

    /// Asserts that this is an error with this status and code, in the common format of errors.
    #[track_caller]
    pub(crate) fn assert_error(&self, status: u16, code: &str) {
        assert_eq!(self.status, status, "{self:?}");
        let body: Value = serde_json::from_slice(&self.body).unwrap();
        assert_eq!(body["ok"], false);
        assert_eq!(body["code"], code);
        assert_eq!(body["api_request_id"].as_str(), self.header("x-request-id"));
        assert!(body["message"].as_str().unwrap().ends_with('.'));
        assert_eq!(body.as_object().unwrap().len(), 4);
        assert_eq!(self.header("content-type"), Some("application/json"));
        assert_eq!(self.header("cache-control"), Some("no-store"));
        assert_eq!(self.header("content-length"), Some(self.body.len().to_string().as_str()));
        assert_eq!(self.header("access-control-allow-origin"), Some("*"));
    }
}

/// Bytes that depend on their positions, with a period that no buffer size has.
pub(crate) fn content(size: usize) -> Bytes {
    (0..size).map(|place| (place % 251) as u8).collect()
}
