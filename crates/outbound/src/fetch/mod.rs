//! Fetches a file from a third party's server, following its redirects.

pub(crate) mod error;
mod fetched;
pub(crate) mod headers;
mod limits;
mod request;

use reqwest::StatusCode;
use tokio::time::Instant;
use tonearm_domain::S3Url;

pub use self::error::FetchError;
use self::error::{too_large, too_late};
pub use self::fetched::Fetched;
use self::headers::{check_kind, length};
pub use self::limits::FetchLimits;
use self::request::{Fetch, Target};
use crate::bucket::{BucketAccess, BucketObject};
use crate::outbound::Outbound;

impl Outbound {
    /// Begins to fetch a file. Each URL that the server redirects to is checked by the guard, like the first one. No
    /// identifying data is sent to any of them.
    pub async fn fetch(&self, url: &str, limits: FetchLimits) -> Result<Fetched, FetchError> {
        self.begin(Target::Url(url.to_owned()), limits).await
    }

    /// The same for an object in a bucket. The signature is sent only to the bucket, not to servers that it redirects
    /// to.
    pub async fn fetch_object(
        &self,
        access: BucketAccess,
        at: S3Url,
        limits: FetchLimits,
    ) -> Result<Fetched, FetchError> {
        self.begin(Target::Object(Box::new(BucketObject::new(access, at))), limits).await
    }

    async fn begin(&self, target: Target, limits: FetchLimits) -> Result<Fetched, FetchError> {
        let left = limits.total.saturating_sub(limits.spent);
        if left.is_zero() {
            return Err(too_late(limits));
        }
        let deadline = Instant::now() + left;
        let fetch = Fetch { outbound: self.clone(), target, limits, deadline };
        let response = fetch.request(None).await?;
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
