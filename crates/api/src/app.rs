//! What the endpoints work with.

use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::FromRef;
use tonearm_domain::Ambient;
use tonearm_service::{
    Access, IdempotentAnswers, ImportBuckets, Library, Playback, SigningKeys, Streams, Uploads, Usage,
    Webhooks,
};
use tonearm_signing::UrlSigner;

use crate::rate_limit::RateLimits;

/// What the endpoints work with. Each takes only the part it needs, through [`FromRef`].
///
/// Every layer and every route clones it for every request, so it is one pointer.
#[derive(Clone)]
pub struct App(Arc<AppParts>);

impl App {
    /// With these parts.
    pub fn new(parts: AppParts) -> Self {
        Self(Arc::new(parts))
    }
}

impl Deref for App {
    type Target = AppParts;

    fn deref(&self) -> &AppParts {
        &self.0
    }
}

/// The parts of an [`App`].
#[derive(Clone)]
pub struct AppParts {
    /// Tells whose key it is.
    pub access: Access,
    /// Manages what an organization owns.
    pub library: Library,
    /// Takes bytes in.
    pub uploads: Uploads,
    /// Keeps the answers of requests that may be repeated.
    pub repeats: IdempotentAnswers,
    /// Hands out signed URLs.
    pub playback: Playback,
    /// Tells what was played.
    pub usage: Usage,
    /// Manages webhooks.
    pub webhooks: Webhooks,
    /// Manages credentials for buckets that files are imported from.
    pub import_buckets: ImportBuckets,
    /// Manages signing keys.
    pub signing_keys: SigningKeys,
    /// The streams of events that are open.
    pub streams: Streams,
    /// Verifies upload URLs.
    pub signer: UrlSigner,
    /// Time and randomness.
    pub ambient: Ambient,
    /// What operators choose.
    pub settings: ApiSettings,
}

/// What operators choose about the interface.
#[derive(Debug, Clone)]
pub struct ApiSettings {
    /// Whether a play session can be read by whoever holds its id, without a key.
    pub public_play_sessions: bool,
    /// Most bytes of a JSON body.
    pub max_json_bytes: usize,
    /// How long a request under `/v1` may take.
    pub request_timeout: Duration,
    /// How long an upload may send nothing.
    pub upload_idle_timeout: Duration,
    /// How much one key, and one address, may ask for.
    pub rate_limits: RateLimits,
}

impl Default for ApiSettings {
    fn default() -> Self {
        Self {
            public_play_sessions: false,
            max_json_bytes: 1024 * 1024,
            request_timeout: Duration::from_secs(30),
            upload_idle_timeout: Duration::from_secs(60),
            rate_limits: RateLimits::default(),
        }
    }
}

macro_rules! parts {
    ($($field:ident: $part:ty),* $(,)?) => {
        $(impl FromRef<App> for $part {
            fn from_ref(app: &App) -> Self {
                app.$field.clone()
            }
        })*
    };
}

parts! {
    access: Access,
    library: Library,
    uploads: Uploads,
    playback: Playback,
    usage: Usage,
    webhooks: Webhooks,
    import_buckets: ImportBuckets,
    signing_keys: SigningKeys,
    streams: Streams,
    signer: UrlSigner,
    ambient: Ambient,
    settings: ApiSettings,
}
