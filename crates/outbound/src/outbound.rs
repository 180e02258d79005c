//! Calls third-party servers.

use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::HeaderMap;
use reqwest::RequestBuilder;
use tonearm_domain::{error_causes, innermost_cause};

use crate::guard::{Guard, GuardError};
use crate::names::{GuardedNames, Names, SystemNames};
use crate::tls_provider::install_tls_provider;

/// Timeout for establishing a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// How long an idle connection is kept.
const IDLE_TIMEOUT: Duration = Duration::from_secs(30);

/// Why there is no response. The text is a sentence for people.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    /// It may not be called.
    #[error(transparent)]
    Refused(#[from] GuardError),
    /// It did not respond in time.
    #[error("no complete response within {} s", .0.as_secs())]
    TimedOut(Duration),
    /// The connection could not be made.
    #[error("could not connect: {0}")]
    NoConnection(String),
    /// The connection broke, or the response is not HTTP.
    #[error("the connection failed: {0}")]
    Broken(String),
}

/// A response.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The first bytes of the body, up to the limit of the call.
    pub body: Bytes,
    /// Whether there was more.
    pub is_truncated: bool,
}

impl Answer {
    /// Whether the status is 2xx.
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }
}

/// The limits of a call.
#[derive(Debug, Clone, Copy)]
pub struct CallLimits {
    /// Timeout from the look-up of the name to the last byte of the body.
    pub timeout: Duration,
    /// Maximum number of bytes of the body that are read; the rest is not waited for.
    pub body: usize,
}

/// The client for third-party servers: every call to them goes through here, and is checked by the guard. The HTTP
/// client does not follow redirects, does not use proxies of the environment, and never decompresses bodies. Clones
/// share connections.
#[derive(Clone)]
pub struct Outbound {
    pub(crate) client: reqwest::Client,
    pub(crate) guard: Guard,
}

impl Outbound {
    /// With `allow_private`, servers on addresses that are not public may be called too.
    pub fn new(allow_private: bool) -> Result<Self, reqwest::Error> {
        Self::with_names(allow_private, Arc::new(SystemNames))
    }

    /// The same with another way to look up names.
    pub fn with_names(allow_private: bool, names: Arc<dyn Names>) -> Result<Self, reqwest::Error> {
        install_tls_provider();
        let guard = Guard { allow_private };
        let client = reqwest::Client::builder()
            .dns_resolver(GuardedNames { names, guard })
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            .connect_timeout(CONNECT_TIMEOUT)
            .pool_idle_timeout(IDLE_TIMEOUT)
            .user_agent(concat!("Tonearm/", env!("CARGO_PKG_VERSION")))
            .build()?;
        Ok(Self { client, guard })
    }

    /// Checks a URL as far as possible without calling it, for the user who enters it.
    pub fn check_url(&self, url: &str) -> Result<(), GuardError> {
        self.guard.check_url(url).map(|_| ())
    }

    /// A POST to a URL that the guard lets pass; `build` adds headers and body.
    pub(crate) async fn post(
        &self,
        url: &str,
        limits: CallLimits,
        build: impl FnOnce(RequestBuilder) -> RequestBuilder,
    ) -> Result<Answer, CallError> {
        let url = self.guard.check_url(url)?;
        self.answer(build(self.client.post(url)), limits).await
    }

    /// Any other request to a URL that the guard lets pass.
    pub async fn send(
        &self,
        request: http::Request<Vec<u8>>,
        limits: CallLimits,
    ) -> Result<Answer, CallError> {
        let (parts, body) = request.into_parts();
        let url = self.guard.check_url(&parts.uri.to_string())?;
        self.answer(self.client.request(parts.method, url).headers(parts.headers).body(body), limits).await
    }

    async fn answer(&self, request: RequestBuilder, limits: CallLimits) -> Result<Answer, CallError> {
        let request = request.timeout(limits.timeout);
        let mut response = request.send().await.map_err(|error| explain(&error, limits))?;
        let (status, headers) = (response.status().as_u16(), std::mem::take(response.headers_mut()));
        let mut body = BytesMut::new();
        let mut is_truncated = false;
        while let Some(chunk) = response.chunk().await.map_err(|error| explain(&error, limits))? {
            let room = limits.body - body.len();
            body.extend_from_slice(&chunk[..chunk.len().min(room)]);
            if chunk.len() > room {
                is_truncated = true;
                break;
            }
        }
        Ok(Answer { status, headers, body: body.freeze(), is_truncated })
    }
}

pub(crate) fn explain(error: &reqwest::Error, limits: CallLimits) -> CallError {
    if let Some(refused) = error_causes(error).find_map(|cause| cause.downcast_ref::<GuardError>()) {
        return CallError::Refused(refused.clone());
    }
    let reason = innermost_cause(error).map_or_else(|| error.to_string(), ToString::to_string);
    if error.is_timeout() {
        CallError::TimedOut(if error.is_connect() {
            CONNECT_TIMEOUT.min(limits.timeout)
        } else {
            limits.timeout
        })
    } else if error.is_connect() {
        CallError::NoConnection(reason)
    } else {
        CallError::Broken(reason)
    }
}
