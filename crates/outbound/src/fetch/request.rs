//! Fetching a file from somebody else's server, from wherever it redirects to.

use std::time::Duration;

use http::header::{
    ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, IF_MATCH, IF_RANGE, LOCATION, RANGE,
    RETRY_AFTER,
};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use reqwest::Response;
use tokio::time::{Instant, timeout_at};
use tonearm_domain::S3Url;
use url::Url;

use crate::bucket::{BucketAccess, BucketObject};
use crate::fetched::Fetched;
use crate::guard::GuardError;
use crate::outbound::{CallError, CallLimits, Outbound, explain};

/// How often a server may redirect.
const MOST_REDIRECTS: usize = 5;

/// The longest that a server may make us wait before we ask again, in seconds.
const MOST_SECONDS: i64 = 3600;

/// Types of answers that are no sound, whatever they contain: pages that say what is wrong, for the most part.
const NO_SOUND: [&str; 5] =
    ["text/html", "application/xhtml+xml", "application/json", "application/xml", "text/xml"];

/// What bounds a fetch.
#[derive(Debug, Clone, Copy)]
pub struct FetchLimits {
    /// Most bytes of the file.
    pub max_bytes: u64,
    /// From the first request to the last byte.
    pub total: Duration,
    /// How long the server may take to begin an answer, and to send each [`FetchLimits::LEAST_BYTES`] of it.
    pub patience: Duration,
    /// How long to wait before a broken connection is made anew; twice as long each time that nothing came.
    pub pause: Duration,
}

impl FetchLimits {
    /// Fewer bytes than these in [`FetchLimits::patience`] are as good as none.
    pub const LEAST_BYTES: u64 = 64 * 1024;

    /// For files of up to so many bytes.
    pub const fn of_file(max_bytes: u64) -> Self {
        Self {
            max_bytes,
            total: Duration::from_secs(6 * 3600),
            patience: Duration::from_secs(60),
            pause: Duration::from_secs(1),
        }
    }
}

/// Why there is no file. The text is for people and never contains the URL.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FetchError {
    /// Asked again, the server would say the same, or it may not be asked.
    #[error("{0}")]
    Final(String),
    /// It may go better later; not before these seconds, where the server said so.
    #[error("{0}")]
    Later(String, Option<i64>),
    /// The rest does not belong to what has come so far, or cannot be had by itself: the file has to be fetched from its
    /// beginning.
    #[error("{0}")]
    StartOver(String),
}

/// What is fetched, and within which bounds.
pub(crate) struct Fetch {
    outbound: Outbound,
    target: Target,
    pub(crate) limits: FetchLimits,
    pub(crate) deadline: Instant,
}

/// Where a file is.
enum Target {
    Url(String),
    /// Each request is signed anew, as signatures hold for minutes and files come for hours.
    Object(Box<BucketObject>),
}

/// From where on a file is asked for, and how the server tells that it is still the same.
pub(crate) struct Rest<'a> {
    pub(crate) offset: u64,
    pub(crate) validator: &'a HeaderValue,
}

impl Outbound {
    /// Begins to fetch a file. Each address that the server redirects to passes the guard as the first one does. Nothing
    /// that identifies anybody is sent to any of them.
    pub async fn fetch(&self, url: &str, limits: FetchLimits) -> Result<Fetched, FetchError> {
        self.begin(Target::Url(url.to_owned()), limits).await
    }

    /// The same for an object in a bucket. The bucket alone is sent what proves that we may read it, and not those that it
    /// redirects to.
    pub async fn fetch_object(
        &self,
        access: BucketAccess,
        at: S3Url,
        limits: FetchLimits,
    ) -> Result<Fetched, FetchError> {
        self.begin(Target::Object(Box::new(BucketObject::new(access, at))), limits).await
    }

    async fn begin(&self, target: Target, limits: FetchLimits) -> Result<Fetched, FetchError> {
        let deadline = Instant::now() + limits.total;
        let fetch = Fetch { outbound: self.clone(), target, limits, deadline };
        let response = fetch.ask(None).await?;
        if response.status() != StatusCode::OK {
            return Err(fetch.refused(response).await);
        }
        check_kind(response.headers())?;
        let size = length(response.headers());
        if size.is_some_and(|size| size > limits.max_bytes) {
            return Err(too_large(limits, size));
        }
        Ok(Fetched::begin(fetch, response, size))
    }
}

impl Fetch {
    /// The answer at the end of all redirects, whatever it is.
    pub(crate) async fn ask(&self, rest: Option<Rest<'_>>) -> Result<Response, FetchError> {
        let guard = self.outbound.guard;
        let (mut url, mut headers) = match &self.target {
            Target::Url(url) => (guard.check_url(url).map_err(not_allowed)?, HeaderMap::new()),
            Target::Object(object) => object.request(guard)?,
        };
        for _ in 0..=MOST_REDIRECTS {
            let response = self.ask_once(url.clone(), std::mem::take(&mut headers), rest.as_ref()).await?;
            if !is_redirect(response.status()) {
                return Ok(response);
            }
            let target = match (target(&url, response.headers()), &self.target) {
                (Some(target), _) => target,
                // Its region is another one, which it says in its own way.
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

    async fn ask_once(
        &self,
        url: Url,
        headers: HeaderMap,
        rest: Option<&Rest<'_>>,
    ) -> Result<Response, FetchError> {
        // What is stored are the bytes of the file itself.
        let request = self.outbound.client.get(url).headers(headers);
        let mut request = request.header(ACCEPT_ENCODING, "identity");
        if let Some(rest) = rest {
            request = request.header(RANGE, format!("bytes={}-", rest.offset));
            request = request.header(IF_RANGE, rest.validator);
            // Stores of objects do not promise to look at `If-Range`.
            if matches!(self.target, Target::Object(_)) && is_strong(rest.validator) {
                request = request.header(IF_MATCH, rest.validator);
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

    /// What an answer without the file means.
    pub(crate) async fn refused(&self, response: Response) -> FetchError {
        match &self.target {
            Target::Url(_) => refused(&response),
            Target::Object(object) => {
                let until = self.deadline.min(Instant::now() + self.limits.patience);
                object.refused(response, until).await
            }
        }
    }

    pub(crate) fn explain(&self, error: &reqwest::Error) -> FetchError {
        match explain(error, CallLimits { timeout: self.limits.patience, body: 0 }) {
            CallError::Refused(error) => not_allowed(error),
            error => FetchError::Later(error.to_string(), None),
        }
    }
}

pub(crate) fn not_allowed(error: GuardError) -> FetchError {
    match error {
        GuardError::Unresolvable(_) => FetchError::Later(error.to_string(), None),
        error => FetchError::Final(error.to_string()),
    }
}

fn is_redirect(status: StatusCode) -> bool {
    matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308)
}

fn target(url: &Url, headers: &HeaderMap) -> Option<Url> {
    let location = std::str::from_utf8(headers.get(LOCATION)?.as_bytes()).ok()?;
    url.join(location).ok()
}

/// Overload and faults of the server pass; everything else is about what was asked.
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

/// How many seconds the server wants us to wait, within reason.
pub(crate) fn wait(headers: &HeaderMap) -> Option<i64> {
    let seconds: i64 = text(headers, &RETRY_AFTER)?.trim().parse().ok()?;
    Some(seconds.clamp(1, MOST_SECONDS))
}

/// Whether it is a tag that only the same bytes have.
pub(crate) fn is_strong(tag: &HeaderValue) -> bool {
    tag.as_bytes().starts_with(b"\"")
}

pub(crate) fn is_temporary(status: StatusCode) -> bool {
    matches!(status.as_u16(), 408 | 425 | 429 | 500..)
}

/// Refuses what is clearly no sound, and what is not the file as it is.
pub(crate) fn check_kind(headers: &HeaderMap) -> Result<(), FetchError> {
    let encoding = text(headers, &CONTENT_ENCODING).unwrap_or("identity").trim();
    if !encoding.eq_ignore_ascii_case("identity") && !encoding.is_empty() {
        let encoding = shortened(encoding);
        return Err(FetchError::Final(format!(
            "the server sends the file with Content-Encoding {encoding}, which was not requested; serve it without compression"
        )));
    }
    let kind =
        text(headers, &CONTENT_TYPE).and_then(|text| text.split(';').next()).unwrap_or_default().trim();
    match NO_SOUND.into_iter().find(|no_sound| kind.eq_ignore_ascii_case(no_sound)) {
        Some(kind) => Err(FetchError::Final(format!(
            "the URL leads to a document ({kind}), not to an audio file; use the URL of the file itself"
        ))),
        None => Ok(()),
    }
}

pub(crate) fn too_large(limits: FetchLimits, size: Option<u64>) -> FetchError {
    let most = limits.max_bytes;
    FetchError::Final(match size {
        Some(size) => format!("the file has {size} bytes, which is more than the limit of {most} bytes"),
        None => format!("the file is larger than the limit of {most} bytes"),
    })
}

pub(crate) fn length(headers: &HeaderMap) -> Option<u64> {
    text(headers, &CONTENT_LENGTH)?.trim().parse().ok()
}

pub(crate) fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

/// What a server says, as far as it fits into a sentence.
fn shortened(said: &str) -> &str {
    &said[..said.floor_char_boundary(40)]
}
