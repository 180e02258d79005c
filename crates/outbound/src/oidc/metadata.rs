//! The metadata of a provider, cached.

use std::sync::Arc;

use openidconnect::core::{CoreClientAuthMethod, CoreJsonWebKeySet, CoreProviderMetadata};
use openidconnect::{AuthType, AuthUrl, IssuerUrl, JsonWebKeySetUrl, TokenUrl};
use tokio::sync::Mutex;
use tonearm_domain::{Ambient, Timestamp};
use url::Url;

use super::error::ProviderError;
use super::http::ProviderHttp;
use super::settings::{Issuer, is_safe};

/// Seconds until the metadata is fetched again.
const FRESH: i64 = 3600;
/// Seconds for which the metadata is used if the provider does not respond.
const USABLE: i64 = 24 * 3600;
/// Minimum number of seconds between fetches of the keys because a token names an unknown one.
const KEYS_EVERY: i64 = 60;
/// Seconds until a retry, if the provider did not respond.
const PAUSE: i64 = 5;

/// The endpoints of a provider, and its keys.
pub(super) struct Metadata {
    pub(super) authorize: AuthUrl,
    pub(super) token: TokenUrl,
    pub(super) auth: AuthType,
    pub(super) keys: CoreJsonWebKeySet,
    jwks: JsonWebKeySetUrl,
}

#[derive(Default)]
struct CacheState {
    metadata: Option<(Arc<Metadata>, Timestamp)>,
    keys_at: Option<Timestamp>,
    failed: Option<(ProviderError, Timestamp)>,
}

/// The metadata of the provider. Simultaneous requests share one fetch.
pub(super) struct MetadataCache {
    ambient: Ambient,
    state: Mutex<CacheState>,
}

impl MetadataCache {
    pub(super) fn new(ambient: Ambient) -> Self {
        Self { ambient, state: Mutex::default() }
    }

    /// The cached metadata; fetched if it is too old.
    pub(super) async fn get(
        &self,
        issuer: &Issuer,
        http: &ProviderHttp,
    ) -> Result<Arc<Metadata>, ProviderError> {
        let mut state = self.state.lock().await;
        let now = self.ambient.now();
        let within = |at: Timestamp, seconds: i64| now < at.plus_seconds(seconds);
        if let Some((metadata, at)) = &state.metadata
            && within(*at, FRESH)
        {
            return Ok(Arc::clone(metadata));
        }
        let older =
            state.metadata.as_ref().filter(|(_, at)| within(*at, USABLE)).map(|(old, _)| Arc::clone(old));
        let recent_failure =
            state.failed.as_ref().filter(|(_, at)| within(*at, PAUSE)).map(|(error, _)| error.clone());
        let discovered = match recent_failure {
            Some(error) => Err(error),
            None => {
                // Recorded as failed until it succeeds, since this future may be dropped before that.
                state.failed = Some((ProviderError::Away("it did not respond in time".to_owned()), now));
                discover(issuer, http).await.inspect_err(|error| state.failed = Some((error.clone(), now)))
            }
        };
        match (discovered, older) {
            (Ok(metadata), _) => {
                let metadata = Arc::new(metadata);
                let (metadata_at, keys_at) = (Some((Arc::clone(&metadata), now)), Some(now));
                *state = CacheState { metadata: metadata_at, keys_at, failed: None };
                Ok(metadata)
            }
            (Err(error), Some(older)) if error.is_outage() => {
                tracing::warn!(%error, "could not refresh the metadata of the OpenID Connect provider; still using the cached metadata");
                Ok(older)
            }
            (Err(error), _) => Err(error),
        }
    }

    /// The same with the current keys; none if they were fetched less than a minute ago.
    pub(super) async fn with_new_keys(
        &self,
        http: &ProviderHttp,
    ) -> Result<Option<Arc<Metadata>>, ProviderError> {
        let mut state = self.state.lock().await;
        let now = self.ambient.now();
        if state.keys_at.is_some_and(|at| now < at.plus_seconds(KEYS_EVERY)) {
            return Ok(None);
        }
        let Some((cached, at)) = state.metadata.clone() else { return Ok(None) };
        state.keys_at = Some(now);
        let keys = CoreJsonWebKeySet::fetch_async(&cached.jwks, http).await?;
        let metadata = Arc::new(Metadata {
            authorize: cached.authorize.clone(),
            token: cached.token.clone(),
            auth: cached.auth.clone(),
            keys,
            jwks: cached.jwks.clone(),
        });
        state.metadata = Some((Arc::clone(&metadata), at));
        Ok(Some(metadata))
    }
}

async fn discover(issuer: &Issuer, http: &ProviderHttp) -> Result<Metadata, ProviderError> {
    let url = IssuerUrl::new(issuer.as_str().to_owned())
        .map_err(|error| ProviderError::Misconfigured(error.to_string()))?;
    let provider = CoreProviderMetadata::discover_async(url, http).await?;
    let token = provider.token_endpoint().cloned().ok_or_else(|| missing("token_endpoint"))?;
    for (name, endpoint) in [
        ("authorization_endpoint", provider.authorization_endpoint().url()),
        ("token_endpoint", token.url()),
        ("jwks_uri", provider.jwks_uri().url()),
    ] {
        require_safe(name, endpoint)?;
    }
    let methods = provider.token_endpoint_auth_methods_supported();
    let takes_only_post = methods.is_some_and(|methods| {
        methods.contains(&CoreClientAuthMethod::ClientSecretPost)
            && !methods.contains(&CoreClientAuthMethod::ClientSecretBasic)
    });
    Ok(Metadata {
        authorize: provider.authorization_endpoint().clone(),
        token,
        auth: if takes_only_post { AuthType::RequestBody } else { AuthType::BasicAuth },
        keys: provider.jwks().clone(),
        jwks: provider.jwks_uri().clone(),
    })
}

fn missing(name: &str) -> ProviderError {
    ProviderError::Misconfigured(format!("its configuration has no {name}"))
}

fn require_safe(name: &str, endpoint: &Url) -> Result<(), ProviderError> {
    if is_safe(endpoint) {
        return Ok(());
    }
    Err(ProviderError::Misconfigured(format!("its {name} is not an https URL")))
}
