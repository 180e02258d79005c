//! How an edge node handles a request.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::response::{IntoResponse as _, Json};
use axum::routing::get;
use http::header::{self, HeaderName};
use http::request::Parts;
use http::{Method, Request, Response};
use serde_json::json;
use tonearm_blobs::Blobs;
use tonearm_domain::{Ambient, CachePolicy, Cover, DeliveryPath, Meter, ObjectKey, RequestId, Timestamp};
use tonearm_signing::{DeliveryGrant, UrlSigner, VerifyError};
use tonearm_telemetry::{Cache, Stopwatch};

use crate::accept::takes_webp;
use crate::body::{Content, Sending};
use crate::conditional::{self, Verdict};
use crate::counted::{Counter, Sender};
use crate::countries::Countries;
use crate::durable::{CatalogSource, ManifestSource, Manifests};
use crate::found_object::FoundObject;
use crate::hosts::OrganizationHosts;
use crate::missing_forms::MissingForms;
use crate::multipart::Multipart;
use crate::range::{RangeSet, Selection};
use crate::refusal::Refusal;
use crate::response;
use crate::verified_urls::{VerifiedObject, VerifiedUrls};

/// How an edge node behaves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EdgeConfig {
    /// How long the store may take to begin a response.
    pub storage_timeout: Duration,
    /// How long the catalog may take to resolve a durable name; after that the store is asked.
    pub catalog_timeout: Duration,
    /// The `Retry-After` for clients when the store is unavailable, in seconds.
    pub retry_after_seconds: u64,
}

impl Default for EdgeConfig {
    fn default() -> Self {
        Self {
            storage_timeout: Duration::from_secs(10),
            catalog_timeout: Duration::from_secs(2),
            retry_after_seconds: 5,
        }
    }
}

/// Serves objects to clients that have a signed URL. Cloning is cheap.
#[derive(Clone)]
pub struct Edge(pub(crate) Arc<Inner>);

#[derive(Clone)]
pub(crate) struct Inner {
    pub(crate) blobs: Blobs,
    pub(crate) signer: UrlSigner,
    pub(crate) config: EdgeConfig,
    pub(crate) counter: Arc<Counter>,
    pub(crate) hosts: Option<OrganizationHosts>,
    pub(crate) missing_forms: MissingForms,
    pub(crate) verified_urls: VerifiedUrls,
    pub(crate) manifests: Manifests,
}

impl Edge {
    /// An edge node over a store.
    pub fn new(blobs: Blobs, signer: UrlSigner, ambient: Ambient, config: EdgeConfig) -> Self {
        let (meter, hasher) = (Meter::new(), signer.listener_hasher());
        let counter = Arc::new(Counter { meter, ambient, hasher, countries: None });
        let (missing_forms, verified_urls) = (MissingForms::new(), VerifiedUrls::default());
        let manifests = Manifests::new(blobs.clone(), None);
        Self(Arc::new(Inner {
            blobs,
            signer,
            config,
            counter,
            hosts: None,
            missing_forms,
            verified_urls,
            manifests,
        }))
    }

    /// The same, counting deliveries with a meter whose counts are collected elsewhere.
    pub fn with_meter(self, meter: Meter) -> Self {
        let counter = Arc::new(Counter { meter, ..Counter::clone(&self.0.counter) });
        Self(Arc::new(Inner { counter, ..Inner::clone(&self.0) }))
    }

    /// The same, counting which countries listeners are in.
    pub fn with_countries(self, countries: Option<Arc<Countries>>) -> Self {
        let counter = Arc::new(Counter { countries, ..Counter::clone(&self.0.counter) });
        Self(Arc::new(Inner { counter, ..Inner::clone(&self.0) }))
    }

    /// The same, for organizations that deliver under host names of their own.
    pub fn with_organization_hosts(self, hosts: Option<OrganizationHosts>) -> Self {
        Self(Arc::new(Inner { hosts, verified_urls: VerifiedUrls::default(), ..Inner::clone(&self.0) }))
    }

    /// The same, for a node with a catalog, which resolves durable names.
    pub fn with_manifests(self, catalog: Arc<dyn ManifestSource>) -> Self {
        let catalog = CatalogSource { source: catalog, timeout: self.0.config.catalog_timeout };
        let manifests = Manifests::new(self.0.blobs.clone(), Some(catalog));
        Self(Arc::new(Inner { manifests, ..Inner::clone(&self.0) }))
    }

    /// The names of the headers that affect a response, or what is counted.
    pub fn header_names() -> &'static [HeaderName] {
        static NAMES: [HeaderName; 11] = [
            header::HOST,
            header::ACCEPT,
            header::RANGE,
            header::IF_RANGE,
            header::IF_MATCH,
            header::IF_NONE_MATCH,
            header::IF_MODIFIED_SINCE,
            header::IF_UNMODIFIED_SINCE,
            header::USER_AGENT,
            header::REFERER,
            response::X_REQUEST_ID,
        ];
        &NAMES
    }

    /// Whether a path has the form of an object's path, whether or not the object exists. A server with other pages
    /// leaves such paths to the edge.
    pub fn owns(path: &str) -> bool {
        path.strip_prefix('/').is_some_and(|path| path.parse::<DeliveryPath>().is_ok())
    }

    /// A server that is only an edge: objects, and `/healthz`, which responds as long as the process does.
    pub fn router(self) -> Router {
        let healthy = self.clone();
        Router::new()
            .route(
                "/healthz",
                get(async move |request: Request<Body>| healthy.health(&request.into_parts().0)),
            )
            .fallback(async move |request: Request<Body>| self.serve(request).await)
    }

    /// Responds to a request. Its id is the [`RequestId`] in its extensions, else a UUID in its `X-Request-Id`, else a
    /// new one.
    pub async fn serve<B>(&self, request: Request<B>) -> Response<Body> {
        // The body of a request for an object has no meaning, and is not waited for.
        let (request, _) = request.into_parts();
        self.answer_alone(&request).await.map(Content::into_body)
    }

    /// As [`serve`](Self::serve), for a server that sends the response itself and may pass repeats of the request to
    /// [`answer_repeated`](Self::answer_repeated).
    pub async fn answer(&self, request: &Parts) -> Response<Content> {
        let mut response = self.answer_alone(request).await;
        if let Some(verified) = response.extensions_mut().remove()
            && let Content::Object(_) = response.body()
        {
            tonearm_telemetry::looked_up(Cache::VerifiedUrls, false);
            self.0.verified_urls.keep(request, verified, response.headers(), self.now());
        }
        response
    }

    async fn answer_alone(&self, request: &Parts) -> Response<Content> {
        let watch = Stopwatch::start();
        let request_id = self.request_id(request);
        let mut response = match request.method {
            Method::OPTIONS => response::preflight(),
            Method::GET | Method::HEAD => self
                .deliver(request, request_id)
                .await
                .unwrap_or_else(|refusal| refusal.into_response(request_id)),
            Method::POST => {
                self.record_played(request).await.unwrap_or_else(|refusal| refusal.into_response(request_id))
            }
            _ => Refusal::Method.into_response(request_id),
        };
        if request.method == Method::HEAD {
            *response.body_mut() = Content::Empty;
        }
        response::finish(response.headers_mut(), request_id);
        tonearm_telemetry::answered(response.status().as_u16(), watch.elapsed());
        response
    }

    /// The current time, as sent to clients.
    pub fn now(&self) -> Timestamp {
        self.ambient().now()
    }

    fn seconds_until(&self, moment: Timestamp) -> i64 {
        moment.unix_seconds() - self.now().unix_seconds()
    }

    pub(crate) fn fresh_id(&self) -> RequestId {
        self.ambient().credential_id()
    }

    fn ambient(&self) -> &Ambient {
        &self.0.counter.ambient
    }

    fn health(&self, request: &Parts) -> Response<Body> {
        let mut response = Json(json!({ "ok": true })).into_response();
        response::finish(response.headers_mut(), self.request_id(request));
        response
    }

    /// The steps: verify, resolve, conditional, range, send.
    async fn deliver(&self, request: &Parts, request_id: RequestId) -> Result<Response<Content>, Refusal> {
        let grant = self.granted(request, request.uri.query())?;
        let (cache, expires_at) = (grant.cache, grant.expires_at);
        match grant.path.clone() {
            DeliveryPath::Object(key) => self.deliver_object(key, grant, request, request_id).await,
            DeliveryPath::Durable(name) => {
                let key = self.newest(&name).await?;
                let mut response = self.deliver_object(key, grant, request, request_id).await?;
                // The name may soon refer to another object.
                response::short_lived(response.headers_mut(), cache, self.seconds_until(expires_at));
                response.extensions_mut().remove::<VerifiedObject>();
                Ok(response)
            }
        }
    }

    async fn deliver_object(
        &self,
        mut key: ObjectKey,
        grant: DeliveryGrant,
        request: &Parts,
        request_id: RequestId,
    ) -> Result<Response<Content>, Refusal> {
        let ranges = ranges_of(request);
        let webp = Cover::webp_of(&key);
        let has_forms = webp.is_some();
        let wanted = webp.filter(|_| grant.attachment.is_none() && takes_webp(&request.headers));
        let takes_smaller = wanted.is_some();
        let smaller = match wanted {
            Some(webp) => self.smaller_form(webp, request, ranges.as_ref()).await?,
            None => None,
        };
        let mut is_provisional = false;
        let object = match smaller {
            Some((webp, object)) => {
                key = webp;
                object
            }
            None => {
                let object = self.resolve(&key, request, ranges.as_ref()).await?;
                is_provisional =
                    takes_smaller && self.now() < object.meta.modified.plus_seconds(FORM_SECONDS);
                object
            }
        };
        let verified = object.worth_keeping(&key, &grant, has_forms).filter(|_| !is_provisional);
        let (cache, expires_at) = (grant.cache, grant.expires_at);
        let mut response = self.respond(key, grant, object, ranges, request, request_id).await?;
        if has_forms {
            response::varies(response.headers_mut());
        }
        if is_provisional {
            response::short_lived(response.headers_mut(), cache, self.seconds_until(expires_at));
        } else if cache == CachePolicy::Public {
            response::shared(response.headers_mut(), self.seconds_until(expires_at));
        }
        if let Some(verified) = verified {
            response.extensions_mut().insert(verified);
        }
        Ok(response)
    }

    /// The last steps, with an existing object.
    async fn respond(
        &self,
        key: ObjectKey,
        grant: DeliveryGrant,
        object: FoundObject,
        ranges: Option<RangeSet>,
        request: &Parts,
        request_id: RequestId,
    ) -> Result<Response<Content>, Refusal> {
        match conditional::evaluate(&request.headers, &object.validators) {
            Verdict::Proceed => {}
            Verdict::NotModified => return Ok(response::not_modified(&object.validators)),
            Verdict::Failed => return Err(Refusal::Precondition),
        }
        let selection = ranges
            .filter(|_| conditional::range_applies(&request.headers, &object.validators))
            .map_or(Selection::Whole, |ranges| ranges.select(object.meta.size));
        self.send(key, grant.attachment, object, selection, request, request_id).await
    }

    /// Verifies the URL, at the host of its organization: its signature is the only permission. `signed` is its query.
    pub(crate) fn granted(&self, request: &Parts, signed: Option<&str>) -> Result<DeliveryGrant, Refusal> {
        let path = request.uri.path();
        let grant = self.0.signer.verify_delivery(path, signed, self.now()).map_err(|error| match error {
            _ if !Self::owns(path) => Refusal::NotFound,
            VerifyError::KeysUnknown => {
                Refusal::KeysUnknown { retry_after: self.0.config.retry_after_seconds }
            }
            error => Refusal::Signature(error),
        })?;
        let owner = grant.path.organization_id();
        match &self.0.hosts {
            Some(hosts) if !hosts.allow(request, owner) => Err(Refusal::NotFound),
            _ => Ok(grant),
        }
    }

    /// Responds with the selected part of the object.
    async fn send(
        &self,
        key: ObjectKey,
        attachment: Option<String>,
        object: FoundObject,
        selection: Selection,
        request: &Parts,
        request_id: RequestId,
    ) -> Result<Response<Content>, Refusal> {
        let size = object.meta.size;
        let is_start = selection.begins_at_start();
        let whole = 0..size;
        let range = match &selection {
            Selection::One(range) => Some(range),
            Selection::Many(ranges) => ranges.first(),
            Selection::Whole if request.method == Method::GET => Some(&whole),
            _ => None,
        };
        let sender = Sender::of(request);
        let tally = self.0.counter.tally(Arc::new(key.clone()), is_start, range, size, &sender);
        let mut response = match selection {
            Selection::Unsatisfiable => return Err(Refusal::Range { size }),
            Selection::Whole if request.method == Method::HEAD => {
                response::whole(&key, &object.validators, size)
            }
            Selection::Whole => {
                let response = response::whole(&key, &object.validators, size);
                let chunks = self.read(&key, object.opened, 0..size).await?;
                response.map(|_| Content::Object(Sending::new(chunks, size, request_id, tally)))
            }
            Selection::One(range) => {
                let response = response::partial(&key, &object.validators, &range, size);
                let length = range.end - range.start;
                let chunks = self.read(&key, object.opened, range).await?;
                response.map(|_| Content::Object(Sending::new(chunks, length, request_id, tally)))
            }
            Selection::Many(ranges) => {
                let parts = Multipart::plan(&key, ranges, size, self.ambient().random());
                let response = response::multipart(parts.content_type(), &object.validators, parts.length());
                let (length, tally) = (parts.length(), tally.of_parts(parts.parts()));
                let chunks = Box::pin(parts.stream(self.0.blobs.clone(), key));
                response.map(|_| Content::Parts(Body::new(Sending::new(chunks, length, request_id, tally))))
            }
        };
        if let Some(name) = attachment {
            response::save_as(response.headers_mut(), &name);
        }
        Ok(response)
    }

    fn request_id(&self, request: &Parts) -> RequestId {
        let from_header = || conditional::single(&request.headers, response::X_REQUEST_ID)?.parse().ok();
        let given = request.extensions.get().copied().or_else(from_header);
        given.unwrap_or_else(|| self.fresh_id())
    }
}

/// For how long after a cover was stored its smaller form may still be made, in seconds. Until then, a client that takes
/// that form must not keep the other one.
const FORM_SECONDS: i64 = 24 * 3600;

impl fmt::Debug for Edge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Edge")
    }
}

/// The requested ranges, if the method is GET. Other methods have none.
fn ranges_of(request: &Parts) -> Option<RangeSet> {
    if request.method != Method::GET {
        return None;
    }
    conditional::single(&request.headers, header::RANGE).and_then(RangeSet::parse)
}
