//! Identifies users with an OpenID Connect provider: authorization code with PKCE.
//!
//! The provider is the operator's choice, so it may be on an address that is not public. Deadlines and limits apply as
//! for every other call, and data is encrypted unless it stays on this machine.

mod error;
mod http;
mod metadata;
mod settings;

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use openidconnect::core::{
    CoreAuthenticationFlow, CoreClient, CoreIdToken, CoreIdTokenClaims, CoreIdTokenVerifier,
    CoreJsonWebKeySet, CoreJwsSigningAlgorithm,
};
use openidconnect::{
    AuthorizationCode, ClaimsVerificationError, ClientId, CsrfToken, IssuerUrl, Nonce, PkceCodeChallenge,
    PkceCodeVerifier, RedirectUrl, Scope, TokenResponse,
};
use tokio::sync::Semaphore;
use tokio::time::timeout;
use tonearm_domain::{Ambient, EmailAddress};

use error::is_unknown_key;
use http::ProviderHttp;
use metadata::{Metadata, MetadataCache};

use crate::outbound::Outbound;

pub use error::ProviderError;
pub use settings::{ClientSecret, Issuer, IssuerError, ProviderSettings};

/// Deadline for all calls to the provider for one request of a browser.
const DEADLINE: Duration = Duration::from_secs(10);

/// Maximum number of browser requests for which the provider is called at once. Further ones are refused.
const AT_ONCE: usize = 32;

/// How many seconds the clock of the provider may be ahead.
const MOST_AHEAD: i64 = 60;

/// Longest subject of an account in OpenID Connect.
const MOST_SUBJECT: usize = 255;

/// Signatures that only the provider can make. Those made with the client's secret are excluded, as is `none`.
const ALGORITHMS: [CoreJwsSigningAlgorithm; 9] = [
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha256,
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha384,
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha512,
    CoreJwsSigningAlgorithm::RsaSsaPssSha256,
    CoreJwsSigningAlgorithm::RsaSsaPssSha384,
    CoreJwsSigningAlgorithm::RsaSsaPssSha512,
    CoreJwsSigningAlgorithm::EcdsaP256Sha256,
    CoreJwsSigningAlgorithm::EcdsaP384Sha384,
    CoreJwsSigningAlgorithm::EdDsa,
];

/// Secrets that tie a response to the browser that began the sign-in: the state is sent to the browser and the
/// provider, the nonce comes back in the token, and the verifier is sent to the provider at the end. All are random,
/// and have at least 43 characters.
#[derive(Clone)]
pub struct ProviderSecrets {
    /// Comes back with the browser.
    pub state: String,
    /// Comes back in the token.
    pub nonce: String,
    /// Proves that the code is redeemed by the service that began the sign-in.
    pub verifier: String,
}

/// A user, as identified by the provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// The provider's id of the account, which never changes.
    pub subject: String,
    /// The address, if there is one.
    pub email: Option<EmailAddress>,
    /// Whether the provider has verified that the address belongs to the user.
    pub is_email_verified: bool,
    /// The user's name.
    pub name: Option<String>,
}

/// An OpenID Connect provider. Clones share the cached metadata.
#[derive(Clone)]
pub struct IdentityProvider(Arc<Inner>);

struct Inner {
    settings: ProviderSettings,
    issuer: IssuerUrl,
    redirect: RedirectUrl,
    http: ProviderHttp,
    cache: MetadataCache,
    ambient: Ambient,
    turns: Semaphore,
    deadline: Duration,
}

impl IdentityProvider {
    /// Browsers come back to `redirect_url`. `outbound` should allow private addresses.
    pub fn new(
        settings: ProviderSettings,
        redirect_url: &str,
        outbound: Outbound,
        ambient: Ambient,
    ) -> Result<Self, ProviderError> {
        Self::with_deadline(settings, redirect_url, outbound, ambient, DEADLINE)
    }

    /// The same with another deadline.
    pub fn with_deadline(
        settings: ProviderSettings,
        redirect_url: &str,
        outbound: Outbound,
        ambient: Ambient,
        deadline: Duration,
    ) -> Result<Self, ProviderError> {
        let wrong = |error: openidconnect::url::ParseError| ProviderError::Misconfigured(error.to_string());
        Ok(Self(Arc::new(Inner {
            issuer: IssuerUrl::new(settings.issuer.as_str().to_owned()).map_err(wrong)?,
            redirect: RedirectUrl::new(redirect_url.to_owned()).map_err(wrong)?,
            http: ProviderHttp { outbound, timeout: deadline },
            cache: MetadataCache::new(ambient.clone()),
            turns: Semaphore::new(AT_ONCE),
            settings,
            ambient,
            deadline,
        })))
    }

    /// The provider.
    pub fn issuer(&self) -> &Issuer {
        &self.0.settings.issuer
    }

    /// The URL to which the browser goes to sign in.
    pub async fn authorize_url(&self, secrets: &ProviderSecrets) -> Result<String, ProviderError> {
        let metadata = self.in_time(self.0.metadata()).await?;
        let client = CoreClient::new(self.0.client_id(), self.0.issuer.clone(), CoreJsonWebKeySet::default())
            .set_auth_uri(metadata.authorize.clone())
            .set_redirect_uri(self.0.redirect.clone());
        let (state, nonce) = (CsrfToken::new(secrets.state.clone()), Nonce::new(secrets.nonce.clone()));
        let verifier = PkceCodeVerifier::new(secrets.verifier.clone());
        // The client adds this one itself.
        let scopes = self.0.settings.scopes.iter().filter(|scope| *scope != "openid");
        let (url, _, _) = client
            .authorize_url(CoreAuthenticationFlow::AuthorizationCode, move || state, move || nonce)
            .add_scopes(scopes.map(|scope| Scope::new(scope.clone())))
            .set_pkce_challenge(PkceCodeChallenge::from_code_verifier_sha256(&verifier))
            .url();
        Ok(url.to_string())
    }

    /// Identifies the user by the code that the browser came back with.
    pub async fn identify(&self, code: String, secrets: &ProviderSecrets) -> Result<Account, ProviderError> {
        self.in_time(self.0.identify(code, secrets)).await
    }

    /// Whether the provider can be reached and is the one that is configured.
    pub async fn check(&self) -> Result<(), ProviderError> {
        self.in_time(self.0.metadata()).await.map(|_| ())
    }

    async fn in_time<T>(
        &self,
        work: impl Future<Output = Result<T, ProviderError>>,
    ) -> Result<T, ProviderError> {
        let Ok(_turn) = self.0.turns.try_acquire() else {
            return Err(ProviderError::Away("too many people are signing in at once".to_owned()));
        };
        let seconds = self.0.deadline.as_secs_f32();
        let late = |_| ProviderError::Away(format!("no complete response within {seconds} s"));
        timeout(self.0.deadline, work).await.map_err(late)?
    }
}

impl Inner {
    async fn metadata(&self) -> Result<Arc<Metadata>, ProviderError> {
        self.cache.get(&self.settings.issuer, &self.http).await
    }

    fn client_id(&self) -> ClientId {
        ClientId::new(self.settings.client_id.clone())
    }

    async fn identify(&self, code: String, secrets: &ProviderSecrets) -> Result<Account, ProviderError> {
        let metadata = self.metadata().await?;
        let token = self.exchange(&metadata, code, secrets).await?;
        let nonce = Nonce::new(secrets.nonce.clone());
        let verified = match self.claims(&token, &metadata, &nonce) {
            Err(error) if is_unknown_key(&error) => match self.cache.with_new_keys(&self.http).await? {
                Some(metadata) => self.claims(&token, &metadata, &nonce),
                None => Err(error),
            },
            verified => verified,
        };
        account(&verified?)
    }

    async fn exchange(
        &self,
        metadata: &Metadata,
        code: String,
        secrets: &ProviderSecrets,
    ) -> Result<CoreIdToken, ProviderError> {
        let mut client = CoreClient::new(self.client_id(), self.issuer.clone(), CoreJsonWebKeySet::default())
            .set_token_uri(metadata.token.clone())
            .set_redirect_uri(self.redirect.clone())
            .set_auth_type(metadata.auth.clone());
        if let Some(secret) = &self.settings.client_secret {
            client = client.set_client_secret(openidconnect::ClientSecret::new(secret.reveal()));
        }
        let response = client
            .exchange_code(AuthorizationCode::new(code))
            .set_pkce_verifier(PkceCodeVerifier::new(secrets.verifier.clone()))
            .request_async(&self.http)
            .await?;
        let token = response.id_token().cloned();
        token.ok_or_else(|| ProviderError::BadToken("the response has no ID token".to_owned()))
    }

    /// The library verifies signature, issuer, audience, expiry and nonce, and asks here about the time of issue. It does
    /// not verify for whom the token was issued.
    fn claims(
        &self,
        token: &CoreIdToken,
        metadata: &Metadata,
        nonce: &Nonce,
    ) -> Result<CoreIdTokenClaims, ClaimsVerificationError> {
        let now = self.ambient.now().unix_millis();
        // A time outside the calendar's range counts as after every expiry.
        let now = DateTime::from_timestamp_millis(now).unwrap_or(DateTime::<Utc>::MAX_UTC);
        let verifier = CoreIdTokenVerifier::new_public_client(
            self.client_id(),
            self.issuer.clone(),
            metadata.keys.clone(),
        );
        let issued = move |at: DateTime<Utc>| {
            let is_past = at - now <= TimeDelta::seconds(MOST_AHEAD);
            if is_past { Ok(()) } else { Err("it was issued in the future".to_owned()) }
        };
        let verifier =
            verifier.set_allowed_algs(ALGORITHMS).set_time_fn(move || now).set_issue_time_verifier_fn(issued);
        let claims = token.claims(&verifier, nonce)?;
        match claims.authorized_party() {
            Some(party) if *party != self.client_id() => {
                Err(ClaimsVerificationError::InvalidAudience("it was issued for another client".to_owned()))
            }
            _ => Ok(claims.clone()),
        }
    }
}

fn account(claims: &CoreIdTokenClaims) -> Result<Account, ProviderError> {
    let subject = claims.subject().as_str().to_owned();
    if subject.is_empty() || subject.len() > MOST_SUBJECT || subject.contains(char::is_control) {
        return Err(ProviderError::BadToken("its subject is empty or too long".to_owned()));
    }
    let email = claims.email().and_then(|email| email.as_str().parse().ok());
    let name = claims.name().and_then(|name| name.get(None)).map(|name| name.as_str().to_owned());
    Ok(Account { subject, email, is_email_verified: claims.email_verified() == Some(true), name })
}
