//! Objects in a bucket of a third party, requested with credentials for that bucket.

use std::fmt;

use http::header::AUTHORIZATION;
use http::{HeaderMap, HeaderName, Request, StatusCode};
use object_store::aws::{AwsAuthorizer, AwsCredential};
use object_store::client::HttpRequestBody;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::Response;
use tokio::time::{Instant, timeout_at};
use tonearm_domain::{AccessKeyId, BucketName, BucketRegion, S3Url};
use url::Url;

use crate::fetch::error::{FetchError, not_allowed};
use crate::fetch::headers::{is_temporary, text, wait};
use crate::guard::{Guard, GuardError};
use crate::outbound::Outbound;

/// What S3 encodes in the path that it signs: everything but unreserved characters and the slashes of the key.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');

/// The header in which stores report the region of a bucket, if the request is signed for another one.
const REGION: HeaderName = HeaderName::from_static("x-amz-bucket-region");

/// Maximum number of bytes that are read of a response that is not the object.
const MOST_OF_ERROR: usize = 8 * 1024;

/// Where a bucket is, and the credentials that let us read it. `Debug` does not show the secret.
#[derive(Clone)]
pub struct BucketAccess {
    /// The endpoint of a store that is not Amazon's, without a slash at the end; the bucket is then part of the path.
    pub endpoint: Option<String>,
    /// The region that requests are signed for.
    pub region: BucketRegion,
    /// The public half of the credentials.
    pub access_key_id: AccessKeyId,
    /// The secret half.
    pub secret_access_key: String,
}

impl fmt::Debug for BucketAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { endpoint, region, access_key_id, secret_access_key: _ } = self;
        write!(f, "BucketAccess({endpoint:?}, {region}, {})", access_key_id.as_str())
    }
}

impl Outbound {
    /// Checks the endpoint of a store as far as possible without calling it. Returns it in the form in which it is
    /// stored: without a slash at the end.
    pub fn check_endpoint(&self, text: &str) -> Result<String, GuardError> {
        if text.contains(['?', '#']) {
            return Err(GuardError::Malformed);
        }
        let url = self.guard.check_url(text)?;
        Ok(url.as_str().trim_end_matches('/').to_owned())
    }
}

/// An object, and what lets us read it.
#[derive(Debug)]
pub(crate) struct BucketObject {
    access: BucketAccess,
    at: S3Url,
}

impl BucketObject {
    pub(crate) fn new(access: BucketAccess, at: S3Url) -> Self {
        Self { access, at }
    }

    /// The URL, and headers that are valid for some minutes. The signature is in the headers: the URL contains nothing
    /// secret, since redirects and logs of other servers would spread it.
    pub(crate) fn request(&self, guard: Guard) -> Result<(Url, HeaderMap), FetchError> {
        let (base, key) = (self.base(), utf8_percent_encode(&self.at.key, ENCODED).to_string());
        let url = guard.check_url(&format!("{base}/{key}")).map_err(not_allowed)?;
        if !url.path().ends_with(&format!("/{key}")) {
            return Err(FetchError::Final("no URL can express the key of the object".to_owned()));
        }
        let headers = self.signed(&url).map_err(|error| {
            tracing::warn!(%error, "could not sign a request to a bucket");
            FetchError::Later("the request to the bucket could not be signed".to_owned(), None)
        })?;
        Ok((url, headers))
    }

    fn base(&self) -> String {
        let (bucket, region) = (&self.at.bucket, self.access.region.as_str());
        if let Some(endpoint) = &self.access.endpoint {
            return format!("{endpoint}/{bucket}");
        }
        let domain = if region.starts_with("cn-") { "amazonaws.com.cn" } else { "amazonaws.com" };
        // Amazon's certificate covers only bucket names without dots.
        if bucket.as_str().contains('.') {
            format!("https://s3.{region}.{domain}/{bucket}")
        } else {
            format!("https://{bucket}.s3.{region}.{domain}")
        }
    }

    fn signed(&self, url: &Url) -> Result<HeaderMap, Box<dyn std::error::Error + Send + Sync>> {
        let credential = AwsCredential {
            key_id: self.access.access_key_id.as_str().to_owned(),
            secret_key: self.access.secret_access_key.clone(),
            token: None,
        };
        let mut request = Request::get(url.as_str()).body(HttpRequestBody::empty())?;
        AwsAuthorizer::new(&credential, "s3", self.access.region.as_str())
            .try_authorize(&mut request, None)?;
        let mut headers = std::mem::take(request.headers_mut());
        if let Some(authorization) = headers.get_mut(AUTHORIZATION) {
            authorization.set_sensitive(true);
        }
        Ok(headers)
    }

    /// Interprets a response without the object. Its body is read until `until` at the latest.
    pub(crate) async fn refused(&self, response: Response, until: Instant) -> FetchError {
        let (status, wait) = (response.status(), wait(response.headers()));
        let region = text(response.headers(), &REGION).and_then(|region| region.parse().ok());
        let other_region = region.filter(|region: &BucketRegion| *region != self.access.region);
        let code = timeout_at(until, error_code(response)).await.ok().flatten();
        meaning(&self.at.bucket, &Refused { status, code, other_region, wait })
    }
}

/// A response without the object.
struct Refused {
    status: StatusCode,
    /// The error code of S3.
    code: Option<String>,
    /// The region of the bucket, if it is not the one that the request was signed for.
    other_region: Option<BucketRegion>,
    wait: Option<i64>,
}

fn meaning(bucket: &BucketName, refused: &Refused) -> FetchError {
    let Refused { status, code, other_region, wait } = refused;
    let code = code.as_deref().unwrap_or_default();
    let detail = if code.is_empty() { status.to_string() } else { format!("{status}, {code}") };
    match (status.as_u16(), code) {
        // The clocks of this server and the bucket differ, which says nothing about the file.
        (_, "RequestTimeTooSkewed") => FetchError::Later(
            format!(
                "the clock of this server differs too much from that of the bucket {bucket}; synchronize it with NTP"
            ),
            None,
        ),
        (_, "RequestTimeout") => {
            FetchError::Later(format!("the bucket {bucket} responded with {detail}"), *wait)
        }
        _ if is_temporary(*status) => {
            FetchError::Later(format!("the bucket {bucket} responded with {detail}"), *wait)
        }
        (_, "NoSuchBucket") => FetchError::Final(format!("the bucket {bucket} does not exist ({detail})")),
        (_, "InvalidObjectState") => FetchError::Final(format!(
            "the bucket {bucket} has archived the object ({detail}); restore it there first"
        )),
        (404 | 410, _) => {
            FetchError::Final(format!("the bucket {bucket} has no object with this key ({detail})"))
        }
        (301 | 307 | 308 | 400 | 403, _) if let Some(region) = other_region => FetchError::Final(format!(
            "the bucket {bucket} is in the region {region}; set the region of its credentials accordingly ({detail})"
        )),
        (401 | 403, _) => FetchError::Final(format!(
            "the bucket {bucket} refuses the credentials, or they do not permit reading the object ({detail})"
        )),
        _ => FetchError::Final(format!("the bucket {bucket} responded with {detail}")),
    }
}

/// The code in the XML body of an error of S3.
async fn error_code(mut response: Response) -> Option<String> {
    let mut body = Vec::new();
    while let Ok(Some(chunk)) = response.chunk().await {
        let room = MOST_OF_ERROR - body.len();
        body.extend_from_slice(&chunk[..chunk.len().min(room)]);
        if chunk.len() >= room {
            break;
        }
    }
    code_in(&body)
}

fn code_in(body: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(body);
    let (_, rest) = text.split_once("<Code>")?;
    let (code, _) = rest.split_once("</Code>")?;
    let is_code = (1..=64).contains(&code.len()) && code.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_code.then(|| code.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const GUARD: Guard = Guard { allow_private: false };

    fn object(endpoint: Option<&str>, region: &str, at: &str) -> BucketObject {
        let access = BucketAccess {
            endpoint: endpoint.map(str::to_owned),
            region: region.parse().unwrap(),
            access_key_id: "AKIAIOSFODNN7EXAMPLE".parse().unwrap(),
            secret_access_key: "very secret".to_owned(),
        };
        BucketObject::new(access, at.parse().unwrap())
    }

    #[test]
    fn objects_have_addresses() {
        let amazon = |region: &str, at: &str| object(None, region, at).request(GUARD).unwrap().0.to_string();
        assert_eq!(
            amazon("eu-central-1", "s3://music/a/b.wav"),
            "https://music.s3.eu-central-1.amazonaws.com/a/b.wav"
        );
        assert_eq!(amazon("us-east-1", "s3://my.music/a"), "https://s3.us-east-1.amazonaws.com/my.music/a");
        assert_eq!(amazon("cn-north-1", "s3://music/a"), "https://music.s3.cn-north-1.amazonaws.com.cn/a");
        let own = |at: &str| {
            let object = object(Some("https://store.example.com/s3"), "auto", at);
            object.request(GUARD).unwrap().0.to_string()
        };
        assert_eq!(own("s3://music//a//b/"), "https://store.example.com/s3/music//a//b/");
        assert_eq!(own("s3://music/%2e%2e/100%"), "https://store.example.com/s3/music/%252e%252e/100%25");
        assert_eq!(
            own("s3://music/ä b?c#d\\e~f"),
            "https://store.example.com/s3/music/%C3%A4%20b%3Fc%23d%5Ce~f"
        );
    }

    #[test]
    fn a_key_never_becomes_another_one() {
        for key in ["..", "../b", "a/../../b", ".", "a/./b"] {
            // Such a URL is not accepted, so the struct is built directly.
            let at = S3Url { bucket: "music".parse().unwrap(), key: key.to_owned() };
            let access = object(Some("https://store.example.com"), "auto", "s3://music/a").access;
            let refused = BucketObject::new(access, at).request(GUARD).unwrap_err();
            assert!(matches!(refused, FetchError::Final(_)), "{key}");
        }
    }

    #[test]
    fn requests_are_signed_and_secrets_stay_here() {
        let object = object(None, "eu-central-1", "s3://music/a.wav");
        let (url, headers) = object.request(GUARD).unwrap();
        let authorization = headers[AUTHORIZATION].to_str().unwrap();
        assert!(
            authorization.starts_with("AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/"),
            "{authorization}"
        );
        assert!(authorization.contains("/eu-central-1/s3/aws4_request"), "{authorization}");
        assert_eq!(url.query(), None);
        let shown = format!("{object:?} {headers:?}");
        assert!(!shown.contains("very secret") && !shown.contains("Signature"), "{shown}");
    }

    #[test]
    fn endpoints_are_guarded() {
        let outbound = Outbound::new(false).unwrap();
        let of = |text: &str| outbound.check_endpoint(text);
        assert_eq!(of("https://store.example.com/"), Ok("https://store.example.com".to_owned()));
        assert_eq!(of("https://store.example.com/v1/s3/"), Ok("https://store.example.com/v1/s3".to_owned()));
        for text in ["store.example.com", "s3://store", "https://a.example/?x", "https://a.example/#x"] {
            assert_eq!(of(text), Err(GuardError::Malformed), "{text}");
        }
        assert!(matches!(of("http://169.254.169.254"), Err(GuardError::Private(_))));
        assert_eq!(of("https://me:secret@store.example.com"), Err(GuardError::Credentials));
        assert!(object(Some("http://10.0.0.1"), "auto", "s3://music/a").request(GUARD).is_err());
    }

    #[test]
    fn answers_are_understood() {
        let of = |status: u16, code: Option<&str>, region: Option<&str>| {
            let refused = Refused {
                status: StatusCode::from_u16(status).unwrap(),
                code: code.map(str::to_owned),
                other_region: region.map(|region| region.parse().unwrap()),
                wait: None,
            };
            match meaning(&"music".parse().unwrap(), &refused) {
                FetchError::Final(reason) => ("final", reason),
                FetchError::Later(reason, _) => ("later", reason),
                FetchError::StartOver(reason) => ("anew", reason),
            }
        };
        for (answer, when, part) in [
            (of(403, Some("SignatureDoesNotMatch"), None), "final", "refuses the credentials"),
            (of(403, None, None), "final", "refuses the credentials"),
            (of(403, Some("RequestTimeTooSkewed"), None), "later", "differs too much from that"),
            (of(403, Some("InvalidObjectState"), None), "final", "has archived the object"),
            (of(404, Some("NoSuchKey"), None), "final", "has no object with this key"),
            (of(404, Some("NoSuchBucket"), None), "final", "does not exist"),
            (
                of(400, Some("AuthorizationHeaderMalformed"), Some("eu-west-1")),
                "final",
                "the region eu-west-1",
            ),
            (of(301, Some("PermanentRedirect"), Some("eu-west-1")), "final", "the region eu-west-1"),
            (of(400, Some("RequestTimeout"), None), "later", "RequestTimeout"),
            (of(503, Some("SlowDown"), None), "later", "503 Service Unavailable, SlowDown"),
            (of(405, None, None), "final", "responded with 405"),
        ] {
            assert_eq!(answer.0, when, "{}", answer.1);
            assert!(answer.1.contains(part) && answer.1.contains("the bucket music"), "{}", answer.1);
        }
    }

    #[test]
    fn codes_are_only_codes() {
        let found = code_in(b"<?xml?><Error><Code>NoSuchKey</Code><Key>a</Key></Error>");
        assert_eq!(found.as_deref(), Some("NoSuchKey"));
        for body in ["", "<Code>", "<Code></Code>", "<Code>a b</Code>", "<Code><b></Code>", "</Code><Code>"] {
            assert_eq!(code_in(body.as_bytes()), None, "{body}");
        }
    }
}
