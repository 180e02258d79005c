//! Pages of other origins (CORS).

use std::str::FromStr;
use std::time::Duration;

use axum::http::Method;
use axum::http::header::{HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use tower_http::cors::{AllowHeaders, AllowOrigin, CorsLayer};
use url::Url;

/// How long a browser may keep the answer to a preflight.
const KEPT: Duration = Duration::from_secs(24 * 60 * 60);

/// An origin: a scheme, a host and a port.
#[derive(Debug, Clone)]
pub(in crate::cli::mcp) struct Origin(Url);

impl FromStr for Origin {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let url = Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
        // Anything beside the origin would be lost.
        let url = url.filter(|url| format!("{}/", url.origin().ascii_serialization()) == url.as_str());
        url.map(Self).ok_or_else(|| "is not an origin such as https://www.example.com".to_owned())
    }
}

impl Origin {
    /// With its port, even if it is that of its scheme. The library takes an origin without one for all ports.
    pub(super) fn with_port(&self) -> String {
        let port = self.0.port_or_known_default().unwrap_or_default();
        format!("{}://{}:{port}", self.0.scheme(), self.0.host_str().unwrap_or_default())
    }

    /// As browsers send it.
    fn sent(&self) -> Option<HeaderValue> {
        self.0.origin().ascii_serialization().parse().ok()
    }
}

/// Answers preflights, and lets pages of these origins read responses.
pub(super) fn cors(origins: &[Origin]) -> CorsLayer {
    CorsLayer::new()
        .allow_origin(AllowOrigin::list(origins.iter().filter_map(Origin::sent)))
        .allow_methods([Method::GET, Method::POST, Method::DELETE])
        // The protocol has headers whose names contain those of arguments.
        .allow_headers(AllowHeaders::mirror_request())
        .expose_headers([RETRY_AFTER, WWW_AUTHENTICATE])
        .max_age(KEPT)
}
