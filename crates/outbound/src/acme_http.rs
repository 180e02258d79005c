//! The HTTP client for calls to certificate authorities.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::header::{HeaderMap, HeaderValue, RETRY_AFTER};
use http_body_util::BodyExt as _;
use instant_acme::{BodyWrapper, BytesResponse, Error, HttpClient};
use tonearm_domain::RetryAfter;

use crate::retry_after::retry_after;
use crate::tls_provider::install_tls_provider;

/// How long one call may take.
const CALL_TIMEOUT: Duration = Duration::from_secs(30);

/// Maximum size of a response in bytes. A certificate chain has some thousand.
const MOST_BYTES: usize = 1 << 20;

/// Calls an authority, and trusts the certificates that this system trusts. Remembers the `Retry-After` of the last
/// response.
#[derive(Clone)]
pub(crate) struct AcmeHttp {
    client: reqwest::Client,
    /// Seconds; 0 for none.
    retry_after: Arc<AtomicU64>,
}

impl AcmeHttp {
    pub(crate) fn new() -> Result<Self, reqwest::Error> {
        install_tls_provider();
        let client = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .timeout(CALL_TIMEOUT)
            .user_agent(concat!("Tonearm/", env!("CARGO_PKG_VERSION")))
            .build()?;
        Ok(Self { client, retry_after: Arc::default() })
    }

    /// The same client for another sequence of calls.
    pub(crate) fn afresh(&self) -> Self {
        Self { client: self.client.clone(), retry_after: Arc::default() }
    }

    /// The `Retry-After` of the last response in this sequence of calls, in seconds, at most a day.
    pub(crate) fn retry_after_seconds(&self) -> Option<u64> {
        Some(self.retry_after.load(Ordering::Relaxed)).filter(|seconds| *seconds > 0)
    }
}

impl HttpClient for AcmeHttp {
    fn request(
        &self,
        request: http::Request<BodyWrapper<Bytes>>,
    ) -> Pin<Box<dyn Future<Output = Result<BytesResponse, Error>> + Send>> {
        let Self { client, retry_after } = self.clone();
        Box::pin(async move {
            let (parts, body) = request.into_parts();
            let body = body.collect().await.unwrap_or_else(|never| match never {}).to_bytes();
            let call = client.request(parts.method, parts.uri.to_string()).headers(parts.headers).body(body);
            let mut answer = call.send().await.map_err(other)?;
            let (mut head, ()) = http::Response::new(()).into_parts();
            head.status = answer.status();
            head.headers = std::mem::take(answer.headers_mut());
            let seconds = bounded_wait(&mut head.headers);
            retry_after.store(seconds.unwrap_or(0), Ordering::Relaxed);
            let mut read = BytesMut::new();
            while let Some(piece) = answer.chunk().await.map_err(other)? {
                if read.len() + piece.len() > MOST_BYTES {
                    return Err(Error::Str("an answer of the authority is too long"));
                }
                read.extend_from_slice(&piece);
            }
            Ok(BytesResponse { parts: head, body: Box::new(read.freeze()) })
        })
    }
}

/// The `Retry-After` of a response in seconds. The header is set to that number: a larger one would be added to the
/// time of the clock without a limit.
fn bounded_wait(headers: &mut HeaderMap) -> Option<u64> {
    let seconds = retry_after(headers, RetryAfter::MOST_SECONDS);
    match seconds {
        Some(seconds) => headers.insert(RETRY_AFTER, HeaderValue::from(seconds)),
        None => headers.remove(RETRY_AFTER),
    };
    seconds
}

fn other(error: reqwest::Error) -> Error {
    Error::Other(error.into())
}

#[cfg(test)]
mod tests {
    use http::header::DATE;

    use super::*;

    #[test]
    fn waits_are_bounded_and_need_no_clock() {
        let sent = "Mon, 05 Nov 2029 12:00:00 GMT";
        let day = RetryAfter::MOST_SECONDS;
        for (retry_after, expected) in [
            ("120", Some(120)),
            (" 0 ", Some(0)),
            ("18446744073709551615", Some(day)),
            ("99999999999999999999999", None),
            ("Mon, 05 Nov 2029 12:10:00 GMT", Some(600)),
            ("Tue, 05 Nov 2069 12:10:00 GMT", Some(day)),
            ("Mon, 05 Nov 2029 11:00:00 GMT", None),
            ("soon", None),
            ("-5", None),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(DATE, HeaderValue::from_static(sent));
            headers.insert(RETRY_AFTER, HeaderValue::from_static(retry_after));
            assert_eq!(bounded_wait(&mut headers), expected, "{retry_after}");
            let left = headers.get(RETRY_AFTER).map(|value| value.to_str().unwrap().to_owned());
            assert_eq!(left, expected.map(|seconds| seconds.to_string()), "{retry_after}");
        }
        let mut none = HeaderMap::new();
        assert_eq!(bounded_wait(&mut none), None);
    }
}
