//! [`Outbound`] as the HTTP client of `openidconnect`.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use openidconnect::{AsyncHttpClient, HttpRequest, HttpResponse};

use crate::outbound::{CallError, CallLimits, Outbound};

/// Maximum size of a response in bytes. Key sets of large providers have some twenty thousand.
const MOST_BYTES: usize = 256 * 1024;

pub(super) struct ProviderHttp {
    pub(super) outbound: Outbound,
    pub(super) timeout: Duration,
}

impl ProviderHttp {
    async fn ask(&self, request: HttpRequest) -> Result<HttpResponse, CallError> {
        let limits = CallLimits { timeout: self.timeout, body: MOST_BYTES };
        let answer = self.outbound.send(request, limits).await?;
        if answer.is_truncated {
            return Err(CallError::Broken(format!("the response has more than {MOST_BYTES} bytes")));
        }
        if answer.status >= 500 {
            return Err(CallError::Broken(format!("the server responded with {}", answer.status)));
        }
        let mut response = HttpResponse::new(answer.body.to_vec());
        *response.status_mut() = http::StatusCode::from_u16(answer.status)
            .map_err(|_| CallError::Broken(format!("the server responded with {}", answer.status)))?;
        *response.headers_mut() = answer.headers;
        Ok(response)
    }
}

impl<'c> AsyncHttpClient<'c> for ProviderHttp {
    type Error = CallError;
    type Future = Pin<Box<dyn Future<Output = Result<HttpResponse, CallError>> + Send + 'c>>;

    fn call(&'c self, request: HttpRequest) -> Self::Future {
        Box::pin(self.ask(request))
    }
}
