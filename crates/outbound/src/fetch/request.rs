//! The requests of a fetch, and their redirects.

use http::header::{ACCEPT_ENCODING, IF_MATCH, IF_RANGE, LOCATION, RANGE};
use http::{HeaderMap, HeaderValue, StatusCode};
use reqwest::Response;
use tokio::time::{Instant, timeout_at};
use url::Url;

use super::error::{FetchError, not_allowed};
use super::headers::{is_strong, is_temporary, wait};
use super::limits::FetchLimits;
use crate::bucket::BucketObject;
use crate::outbound::{CallError, CallLimits, Outbound, explain};

/// How often a server may redirect.
const MOST_REDIRECTS: usize = 5;

/// What is fetched, and within which limits.
pub(super) struct Fetch {
    pub(super) outbound: Outbound,
    pub(super) target: Target,
    pub(super) limits: FetchLimits,
    pub(super) deadline: Instant,
}

/// Where a file is.
pub(super) enum Target {
    Url(String),
    /// Each request gets a new signature: signatures are valid for minutes, but a fetch may take hours.
    Object(Box<BucketObject>),
}

/// The byte from which a file is requested, and the validator by which the server recognises the same version.
pub(super) struct ResumePoint<'a> {
    pub(super) offset: u64,
    pub(super) validator: &'a HeaderValue,
}

impl Fetch {
    /// The response after all redirects, whatever its status.
    pub(super) async fn request(&self, from: Option<ResumePoint<'_>>) -> Result<Response, FetchError> {
        let guard = self.outbound.guard;
        let (mut url, mut headers) = match &self.target {
            Target::Url(url) => (guard.check_url(url).map_err(not_allowed)?, HeaderMap::new()),
            Target::Object(object) => object.request(guard)?,
        };
        for _ in 0..=MOST_REDIRECTS {
            let response =
                self.request_once(url.clone(), std::mem::take(&mut headers), from.as_ref()).await?;
            if !is_redirect(response.status()) {
                return Ok(response);
            }
            let target = match (target(&url, response.headers()), &self.target) {
                (Some(target), _) => target,
                // The bucket is in another region, which it reports in its own way.
                (None, Target::Object(_)) => return Ok(response),
                (None, Target::Url(_)) => {
                    let reason = "the server redirects to an address that is not a URL".to_owned();
                    return Err(FetchError::Final(reason));
                }
            };
            url = guard.check_url(target.as_str()).map_err(|error| {
                FetchError::Final(format!("the server redirects to an address that is not allowed: {error}"))
            })?;
        }
        Err(FetchError::Final(format!("the server redirects more than {MOST_REDIRECTS} times")))
    }

    async fn request_once(
        &self,
        url: Url,
        headers: HeaderMap,
        from: Option<&ResumePoint<'_>>,
    ) -> Result<Response, FetchError> {
        // The stored bytes must be those of the file itself.
        let request = self.outbound.client.get(url).headers(headers);
        let mut request = request.header(ACCEPT_ENCODING, "identity");
        if let Some(point) = from {
            request = request.header(RANGE, format!("bytes={}-", point.offset));
            request = request.header(IF_RANGE, point.validator);
            // Object stores do not guarantee to support `If-Range`.
            if matches!(self.target, Target::Object(_)) && is_strong(point.validator) {
                request = request.header(IF_MATCH, point.validator);
            }
        }
        let patience = self.limits.patience;
        let until = self.deadline.min(Instant::now() + patience);
        match timeout_at(until, request.send()).await {
            Ok(Ok(response)) => Ok(response),
            Ok(Err(error)) => Err(self.explain(&error)),
            Err(_) => Err(FetchError::Later(
                format!("the server did not respond within {} s", patience.as_secs()),
                None,
            )),
        }
    }

    /// Interprets a response without the file.
    pub(super) async fn refused(&self, response: Response) -> FetchError {
        match &self.target {
            Target::Url(_) => refused(&response),
            Target::Object(object) => {
                let until = self.deadline.min(Instant::now() + self.limits.patience);
                object.refused(response, until).await
            }
        }
    }

    pub(super) fn explain(&self, error: &reqwest::Error) -> FetchError {
        match explain(error, CallLimits { timeout: self.limits.patience, body: 0 }) {
            CallError::Refused(error) => not_allowed(error),
            error => FetchError::Later(error.to_string(), None),
        }
    }
}

fn is_redirect(status: StatusCode) -> bool {
    matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308)
}

fn target(url: &Url, headers: &HeaderMap) -> Option<Url> {
    let location = std::str::from_utf8(headers.get(LOCATION)?.as_bytes()).ok()?;
    url.join(location).ok()
}

/// Overload and errors of the server are temporary. All other errors are caused by the request.
fn refused(response: &Response) -> FetchError {
    let status = response.status();
    let sentence = match status.as_u16() {
        401 | 403 => format!("the server does not permit access ({status})"),
        404 | 410 => format!("there is no file at this URL ({status})"),
        _ => format!("the server responded with {status}"),
    };
    if is_temporary(status) {
        FetchError::Later(sentence, wait(response.headers()))
    } else {
        FetchError::Final(sentence)
    }
}
