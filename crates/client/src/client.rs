//! Requests with a key, retried after transient errors.

use std::sync::Arc;
use std::time::Duration;

use reqwest::{Method, RequestBuilder, StatusCode};
use serde::de::DeserializeOwned;
use serde_json::Value;
use tonearm_domain::Ambient;

use crate::error::{ClientError, Refusal};
use crate::retry::Attempts;
use crate::server_url::{ServerUrl, host_of};

/// Timeout for establishing a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(15);

/// How long a request with a small body may take. The service gives up earlier.
const CALL_TIMEOUT: Duration = Duration::from_secs(120);

/// The largest response that is read, in bytes.
const LARGEST_RESPONSE: usize = 32 << 20;

/// How a client behaves.
#[derive(Debug, Clone, Copy)]
pub struct ClientOptions {
    /// How long a failing request is retried. Each success restarts the time.
    pub patience: Duration,
}

impl Default for ClientOptions {
    /// Five minutes: a restart or a short outage of the service or the network.
    fn default() -> Self {
        Self { patience: Duration::from_secs(300) }
    }
}

/// Calls to one service with one key. Clones share connections.
#[derive(Clone)]
pub struct Client {
    pub(crate) http: reqwest::Client,
    pub(crate) server: ServerUrl,
    pub(crate) ambient: Ambient,
    key: Arc<str>,
    options: ClientOptions,
}

/// A response with its body.
pub(crate) struct Response {
    pub(crate) status: StatusCode,
    pub(crate) headers: reqwest::header::HeaderMap,
    pub(crate) body: Vec<u8>,
}

/// Installs *ring* as the TLS cryptography provider of the whole process, unless one is installed. HTTP clients cannot
/// be created without one, even for plain HTTP.
fn install_tls_provider() {
    // Fails only if another provider is installed, which is fine too.
    drop(rustls::crypto::ring::default_provider().install_default());
}

impl Client {
    /// A client to `server` with an API key.
    pub fn new(
        server: ServerUrl,
        key: &str,
        ambient: Ambient,
        options: ClientOptions,
    ) -> Result<Self, ClientError> {
        install_tls_provider();
        let http = reqwest::Client::builder()
            .connect_timeout(CONNECT_TIMEOUT)
            .redirect(reqwest::redirect::Policy::none())
            .user_agent(concat!("tonearm/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(|error| ClientError::unreachable(server.host(), &error))?;
        Ok(Self { http, server, ambient, key: key.into(), options })
    }

    /// A client to the same service with another key. The two share connections.
    pub fn with_key(&self, key: &str) -> Self {
        Self { key: key.into(), ..self.clone() }
    }

    /// The service.
    pub fn server(&self) -> &ServerUrl {
        &self.server
    }

    /// The attempts of a new operation.
    pub(crate) fn attempts(&self) -> Attempts<'_> {
        Attempts::new(&self.ambient, self.options.patience)
    }

    /// Sends JSON to a path of the service and reads the JSON that comes back. A POST carries an `Idempotency-Key`, so
    /// that it takes effect only once, no matter how often it is sent. A DELETE that finds nothing succeeds if the
    /// response to an earlier attempt was lost: it returns only `{"ok": true}`.
    pub(crate) async fn call<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
        idempotency_key: Option<&str>,
    ) -> Result<T, ClientError> {
        let own_key = (method == Method::POST).then(|| self.new_idempotency_key());
        let key = idempotency_key.or(own_key.as_deref());
        let mut attempts = self.attempts();
        let mut may_have_effect = false;
        loop {
            let mut request =
                self.http.request(method.clone(), self.server.join(path)).bearer_auth(&self.key);
            if let Some(body) = body {
                request = request.json(body);
            }
            if let Some(key) = key {
                request = request.header("Idempotency-Key", key);
            }
            match self.send(request.timeout(CALL_TIMEOUT)).await.and_then(Response::success) {
                Ok(response) => return self.parse(&response.body),
                Err(error) if method == Method::DELETE && may_have_effect && error.is_not_found() => {
                    return self.parse(br#"{"ok": true}"#);
                }
                Err(error) => {
                    may_have_effect |= error.may_have_taken_effect();
                    attempts.wait_after(error).await?;
                }
            }
        }
    }

    /// A key for a request that may have to be repeated, even by another process.
    pub fn new_idempotency_key(&self) -> String {
        hex::encode(self.ambient.random::<16>())
    }

    /// Sends a request once and reads the response.
    pub(crate) async fn send(&self, request: RequestBuilder) -> Result<Response, ClientError> {
        let (http, request) = request.build_split();
        let request = request.map_err(|error| ClientError::unreachable(self.server.host(), &error))?;
        // Upload URLs may have another host than the service.
        let host = host_of(request.url()).unwrap_or_default();
        let failed = |error: reqwest::Error| ClientError::unreachable(&host, &error);
        let mut response = http.execute(request).await.map_err(failed)?;
        let (status, headers) = (response.status(), std::mem::take(response.headers_mut()));
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(failed)? {
            if body.len() + chunk.len() > LARGEST_RESPONSE {
                return Err(ClientError::invalid_response(&host, "the response is too large"));
            }
            body.extend_from_slice(&chunk);
        }
        Ok(Response { status, headers, body })
    }

    pub(crate) fn parse<T: DeserializeOwned>(&self, body: &[u8]) -> Result<T, ClientError> {
        let invalid =
            |error: serde_json::Error| ClientError::invalid_response(self.server.host(), &error.to_string());
        serde_json::from_slice(body).map_err(invalid)
    }
}

impl Response {
    /// The response if it is a success, else its error.
    pub(crate) fn success(self) -> Result<Self, ClientError> {
        match self.status.is_success() {
            true => Ok(self),
            false => Err(ClientError::Refused(Refusal::read(self.status, &self.headers, &self.body))),
        }
    }

    /// A header with a number.
    pub(crate) fn number(&self, name: &str) -> Option<u64> {
        self.headers.get(name)?.to_str().ok()?.parse().ok()
    }

    /// The text of a header; empty if there is none.
    pub(crate) fn text(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }
}
