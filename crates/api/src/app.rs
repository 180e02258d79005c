//! The services and settings that the endpoints use.

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

/// The services and settings that the endpoints use. Each endpoint takes only the part it needs, through [`FromRef`].
///
/// A single pointer, because every layer and every route clones it for every request.
#[derive(Clone)]
pub struct App(Arc<AppParts>);

impl App {
    /// Creates it from these parts.
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
    /// Authenticates API keys.
    pub access: Access,
    /// Manages an organization's resources.
    pub library: Library,
    /// Accepts uploads.
    pub uploads: Uploads,
    /// Stores the responses of requests with an idempotency key.
    pub repeats: IdempotentAnswers,
    /// Issues signed URLs.
    pub playback: Playback,
    /// Reports what was played.
    pub usage: Usage,
    /// Manages webhooks.
    pub webhooks: Webhooks,
    /// Manages credentials for buckets that files are imported from.
    pub import_buckets: ImportBuckets,
    /// Manages signing keys.
    pub signing_keys: SigningKeys,
    /// The open event streams.
    pub streams: Streams,
    /// Verifies upload URLs.
    pub signer: UrlSigner,
    /// Time and randomness.
    pub ambient: Ambient,
    /// The operator's settings.
    pub settings: ApiSettings,
}

/// The operator's settings of the interface.
#[derive(Debug, Clone)]
pub struct ApiSettings {
    /// Whether clients can read a play session with only its id, without a key.
    pub public_play_sessions: bool,
    /// Most bytes of a JSON body.
    pub max_json_bytes: usize,
    /// How long a request under `/v1` may take.
    pub request_timeout: Duration,
    /// How long an upload may be idle.
    pub upload_idle_timeout: Duration,
    /// Rate limits for each key and each address.
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
