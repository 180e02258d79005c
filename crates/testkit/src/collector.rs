//! A collector of traces (OTLP over HTTP) that keeps everything it receives.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, StatusCode};
use bytes::Bytes;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::KeyValue;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::trace::v1::Span;
use opentelemetry_proto::tonic::trace::v1::status::StatusCode as SpanStatus;
use prost::Message;
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tonearm_fixtures::EVENTUALLY;

/// A span, as received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CollectedSpan {
    /// Its name.
    pub name: String,
    /// The trace that it belongs to, in hexadecimal digits.
    pub trace_id: String,
    /// Its id.
    pub span_id: String,
    /// Its parent span; empty for the root of a trace.
    pub parent_span_id: String,
    /// Its attributes, as text.
    pub attributes: BTreeMap<String, String>,
    /// The resource attributes of the process that sent it.
    pub resource: BTreeMap<String, String>,
    /// Whether its status is an error.
    pub has_failed: bool,
}

/// A server that receives spans.
#[derive(Clone)]
pub struct Collector {
    address: SocketAddr,
    inner: Arc<Inner>,
}

#[derive(Default)]
struct Inner {
    spans: Mutex<Vec<CollectedSpan>>,
    requests: Mutex<Vec<(HeaderMap, Bytes)>>,
    arrived: Notify,
    is_silent: bool,
}

impl Collector {
    /// A collector that accepts everything.
    pub async fn start() -> Self {
        Self::with(Inner::default()).await
    }

    /// A collector that accepts requests and never responds.
    pub async fn start_silent() -> Self {
        Self::with(Inner { is_silent: true, ..Inner::default() }).await
    }

    async fn with(inner: Inner) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (address, inner) = (listener.local_addr().unwrap(), Arc::new(inner));
        let routes = Router::new()
            .route("/v1/traces", axum::routing::post(take))
            .layer(DefaultBodyLimit::disable())
            .with_state(Arc::clone(&inner));
        tokio::spawn(async move { axum::serve(listener, routes).await });
        Self { address, inner }
    }

    /// Its address, without the path for traces.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The spans received so far.
    pub fn spans(&self) -> Vec<CollectedSpan> {
        self.inner.spans.lock().unwrap().clone()
    }

    /// The headers of all requests.
    pub fn headers(&self) -> Vec<HeaderMap> {
        self.inner.requests.lock().unwrap().iter().map(|(headers, _)| headers.clone()).collect()
    }

    /// Whether any received request contains a text.
    pub fn holds(&self, text: &str) -> bool {
        let requests = self.inner.requests.lock().unwrap();
        requests.iter().any(|(_, body)| body.windows(text.len()).any(|part| part == text.as_bytes()))
    }

    /// Waits for a request, whether or not it gets a response. Times out after a minute.
    pub async fn wait_for_request(&self) {
        self.wait(|inner| !inner.requests.lock().unwrap().is_empty()).await;
    }

    /// Waits until enough spans have been received, and returns them. Times out after a minute.
    pub async fn wait_for(&self, is_enough: impl Fn(&[CollectedSpan]) -> bool) -> Vec<CollectedSpan> {
        self.wait(|inner| is_enough(&inner.spans.lock().unwrap())).await;
        self.spans()
    }

    async fn wait(&self, is_enough: impl Fn(&Inner) -> bool) {
        let enough = async {
            loop {
                let arrived = self.inner.arrived.notified();
                if is_enough(&self.inner) {
                    return;
                }
                arrived.await;
            }
        };
        let waited = tokio::time::timeout(EVENTUALLY, enough).await;
        assert!(waited.is_ok(), "the collector was not sent enough: {:#?}", self.spans());
    }
}

async fn take(State(inner): State<Arc<Inner>>, headers: HeaderMap, body: Bytes) -> StatusCode {
    inner.requests.lock().unwrap().push((headers, body.clone()));
    inner.arrived.notify_one();
    if inner.is_silent {
        std::future::pending::<()>().await;
    }
    let Ok(request) = ExportTraceServiceRequest::decode(body) else { return StatusCode::BAD_REQUEST };
    let mut spans = Vec::new();
    for of_process in request.resource_spans {
        let resource = of_process.resource.map(|resource| texts(&resource.attributes)).unwrap_or_default();
        let own = of_process.scope_spans.into_iter().flat_map(|of_scope| of_scope.spans);
        spans.extend(own.map(|span| collected(span, resource.clone())));
    }
    inner.spans.lock().unwrap().extend(spans);
    inner.arrived.notify_one();
    StatusCode::OK
}

fn collected(span: Span, resource: BTreeMap<String, String>) -> CollectedSpan {
    let failed = SpanStatus::Error as i32;
    CollectedSpan {
        name: span.name,
        trace_id: hex::encode(span.trace_id),
        span_id: hex::encode(span.span_id),
        parent_span_id: hex::encode(span.parent_span_id),
        attributes: texts(&span.attributes),
        resource,
        has_failed: span.status.is_some_and(|status| status.code == failed),
    }
}

fn texts(attributes: &[KeyValue]) -> BTreeMap<String, String> {
    let text = |attribute: &KeyValue| match attribute.value.as_ref().and_then(|value| value.value.as_ref()) {
        Some(Value::StringValue(text)) => text.clone(),
        Some(Value::IntValue(number)) => number.to_string(),
        Some(Value::BoolValue(truth)) => truth.to_string(),
        other => format!("{other:?}"),
    };
    attributes.iter().map(|attribute| (attribute.key.clone(), text(attribute))).collect()
}
