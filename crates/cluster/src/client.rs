//! A client that sends each request to any of the nodes, as a load balancer would.

use std::time::Duration;

use anyhow::{Context, Result};
use bytes::Bytes;
use reqwest::Method;
use serde_json::Value;
use tonearm_fixtures::install_tls_provider;

use crate::nodes::Node;

/// How long the client waits for one response.
const TIMEOUT: Duration = Duration::from_secs(30);

/// A response that was read to its end.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) bytes: Bytes,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.bytes).unwrap_or_default()
    }

    /// Status, code, message and request id, for a report.
    pub(crate) fn words(&self) -> String {
        let body = self.json();
        let part = |name: &str| body[name].as_str().unwrap_or_default().to_owned();
        let id = part("api_request_id");
        format!("{} {} {} ({id})", self.status, part("code"), part("message"))
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Client {
    http: reqwest::Client,
    key: String,
    pub(crate) nodes: Vec<Node>,
}

impl Client {
    pub(crate) fn new(key: &str, nodes: Vec<Node>) -> Result<Self> {
        install_tls_provider();
        let http = reqwest::Client::builder()
            .connect_timeout(Duration::from_secs(2))
            .timeout(TIMEOUT)
            .redirect(reqwest::redirect::Policy::none())
            .build()?;
        Ok(Self { http, key: key.to_owned(), nodes })
    }

    /// Builds a request to a node. If `url` is a whole URL, only its path and query are used: every node accepts the
    /// URLs of the others.
    pub(crate) fn request(&self, node: usize, method: Method, url: &str) -> reqwest::RequestBuilder {
        let base = self.nodes[node % self.nodes.len()].url();
        match url.find("://").and_then(|scheme| Some(scheme + 3 + url[scheme + 3..].find('/')?)) {
            Some(path) => self.http.request(method, format!("{base}{}", &url[path..])),
            None => self.http.request(method, format!("{base}{url}")).bearer_auth(&self.key),
        }
    }

    /// Sends a request once.
    pub(crate) async fn send(&self, request: reqwest::RequestBuilder) -> Result<Answer> {
        let response = request.send().await?;
        let status = response.status().as_u16();
        Ok(Answer { status, bytes: response.bytes().await? })
    }

    /// Sends GET requests until the status is 200.
    pub(crate) async fn get(&self, node: usize, path: &str, within: Duration) -> Result<Value> {
        self.until_ok(node, path, None, within).await
    }

    /// Sends POST requests with JSON until the status is 200.
    pub(crate) async fn post(
        &self,
        node: usize,
        path: &str,
        body: &Value,
        within: Duration,
    ) -> Result<Value> {
        self.until_ok(node, path, Some(body), within).await
    }

    async fn until_ok(
        &self,
        node: usize,
        path: &str,
        body: Option<&Value>,
        within: Duration,
    ) -> Result<Value> {
        let begun = std::time::Instant::now();
        loop {
            let request = match body {
                Some(body) => self.request(node, Method::POST, path).json(body),
                None => self.request(node, Method::GET, path),
            };
            let last = match self.send(request).await {
                Ok(answer) if answer.status == 200 => return Ok(answer.json()),
                Ok(answer) => answer.words(),
                Err(error) => format!("{error:#}"),
            };
            if begun.elapsed() > within {
                return Err(anyhow::anyhow!(last)).context(path.to_owned());
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }
}

/// The text at a JSON pointer.
pub(crate) fn text(value: &Value, pointer: &str) -> Result<String> {
    let text = value.pointer(pointer).and_then(Value::as_str);
    Ok(text.with_context(|| format!("no {pointer} in {value}"))?.to_owned())
}
