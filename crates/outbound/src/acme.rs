//! Certificates from an authority that speaks ACME (RFC 8555). Names are proved by TLS-ALPN-01 (RFC 8737).

use std::error::Error as StdError;
use std::time::Duration;

use async_trait::async_trait;
use instant_acme::{
    Account, AccountCredentials, AuthorizationStatus, ChallengeType, Error, Identifier, NewAccount, NewOrder,
    Order, OrderStatus, RetryPolicy,
};
use rcgen::{CertificateParams, DistinguishedName, KeyPair};
use rustls::crypto::ring;
use rustls::sign::CertifiedKey;
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use tonearm_domain::{CertificateNames, RetryAfter, Timestamp, error_with_causes};

use crate::acme_http::AcmeHttp;
use crate::certificate_term::CertificateTerm;

/// How long the authority is polled for each result.
const PATIENCE: RetryPolicy =
    RetryPolicy::new().initial_delay(Duration::from_millis(500)).timeout(Duration::from_secs(120));

/// The authority no longer knows the account.
const NO_ACCOUNT: &str = "urn:ietf:params:acme:error:accountDoesNotExist";

/// Too many requests.
const RATE_LIMITED: &str = "urn:ietf:params:acme:error:rateLimited";

/// Publishes proofs to all nodes, since the authority may connect to any of them.
#[async_trait]
pub trait AcmeProofs: Send + Sync {
    /// Lets all nodes prove a name with this digest.
    async fn publish(&self, name: &str, digest: [u8; 32]) -> Result<(), Box<dyn StdError + Send + Sync>>;
}

/// A certificate authority.
#[derive(Clone)]
pub struct Acme {
    http: AcmeHttp,
    directory: String,
    contact: Option<String>,
}

/// A certificate with its key.
pub struct AcmeIssued {
    /// The certificate chain in PEM: the certificate and the intermediate certificates.
    pub chain: String,
    /// The private key, in PKCS #8.
    pub key: Vec<u8>,
    /// From when it is valid.
    pub not_before: Timestamp,
    /// Until when.
    pub not_after: Timestamp,
}

/// Why there is no certificate.
#[derive(Debug, thiserror::Error)]
#[error("{reason}")]
pub struct AcmeError {
    reason: String,
    /// When the authority accepts a retry.
    pub retry_after: RetryAfter,
    /// The authority does not know the account.
    pub is_without_account: bool,
}

impl AcmeError {
    /// Adds the `Retry-After` of the last response.
    fn after(self, http: &AcmeHttp) -> Self {
        let retry_after = http.retry_after_seconds().map_or(self.retry_after, RetryAfter::Seconds);
        Self { retry_after, ..self }
    }

    fn new(reason: impl std::fmt::Display) -> Self {
        Self { reason: reason.to_string(), retry_after: RetryAfter::None, is_without_account: false }
    }
}

impl From<Error> for AcmeError {
    fn from(error: Error) -> Self {
        let kind = match &error {
            Error::Api(problem) => problem.r#type.as_deref(),
            _ => None,
        };
        let retry_after = if kind == Some(RATE_LIMITED) { RetryAfter::TooMuch } else { RetryAfter::None };
        Self { reason: error_with_causes(&error), retry_after, is_without_account: kind == Some(NO_ACCOUNT) }
    }
}

impl Acme {
    /// The authority with this directory. It may write to `contact`, an email address.
    pub fn new(directory: &str, contact: Option<&str>) -> Result<Self, reqwest::Error> {
        Ok(Self {
            http: AcmeHttp::new()?,
            directory: directory.to_owned(),
            contact: contact.map(|address| format!("mailto:{address}")),
        })
    }

    /// The address of the directory, which identifies the authority.
    pub fn directory(&self) -> &str {
        &self.directory
    }

    /// Opens an account, and agrees to the terms of the authority. Returns the account, including its private key.
    pub async fn register(&self) -> Result<Vec<u8>, AcmeError> {
        let http = self.http.afresh();
        self.register_over(&http).await.map_err(|error| error.after(&http))
    }

    async fn register_over(&self, http: &AcmeHttp) -> Result<Vec<u8>, AcmeError> {
        let contact: Vec<&str> = self.contact.iter().map(String::as_str).collect();
        let account =
            NewAccount { contact: &contact, terms_of_service_agreed: true, only_return_existing: false };
        let builder = Account::builder_with_http(Box::new(http.clone()));
        let (_, credentials) = builder.create(&account, self.directory.clone(), None).await?;
        serde_json::to_vec(&credentials).map_err(AcmeError::new)
    }

    /// Orders a certificate with an account that [`Acme::register`] returned, and waits for it.
    pub async fn order(
        &self,
        account: &[u8],
        names: &CertificateNames,
        proofs: &dyn AcmeProofs,
    ) -> Result<AcmeIssued, AcmeError> {
        let http = self.http.afresh();
        order_over(&http, account, names, proofs).await.map_err(|error| error.after(&http))
    }
}

async fn order_over(
    http: &AcmeHttp,
    account: &[u8],
    names: &CertificateNames,
    proofs: &dyn AcmeProofs,
) -> Result<AcmeIssued, AcmeError> {
    let credentials: AccountCredentials = serde_json::from_slice(account).map_err(AcmeError::new)?;
    let builder = Account::builder_with_http(Box::new(http.clone()));
    let account = builder.from_credentials(credentials).await?;
    let identifiers: Vec<_> = names.as_slice().iter().cloned().map(Identifier::Dns).collect();
    let mut order = account.new_order(&NewOrder::new(&identifiers)).await?;
    prove(&mut order, proofs).await?;
    if order.poll_ready(&PATIENCE).await? != OrderStatus::Ready {
        return Err(refusal_of(&mut order).await);
    }
    let (request, key) = signing_request(names)?;
    order.finalize_csr(&request).await?;
    issued(order.poll_certificate(&PATIENCE).await?, key)
}

/// Has the authority check each name that is not authorized yet.
async fn prove(order: &mut Order, proofs: &dyn AcmeProofs) -> Result<(), AcmeError> {
    let mut authorizations = order.authorizations();
    while let Some(authorization) = authorizations.next().await {
        let mut authorization = authorization?;
        match authorization.status {
            AuthorizationStatus::Pending => {}
            AuthorizationStatus::Valid => continue,
            _ => return Err(AcmeError::new(format!("{} is not authorized", authorization.identifier()))),
        }
        let name = authorization.identifier().to_string();
        let Some(mut challenge) = authorization.challenge(ChallengeType::TlsAlpn01) else {
            let reason = format!("the authority offers no tls-alpn-01 challenge for {name}");
            return Err(AcmeError::new(reason));
        };
        let digest: [u8; 32] = challenge
            .key_authorization()
            .digest()
            .as_ref()
            .try_into()
            .map_err(|_| AcmeError::new("a digest has the wrong length"))?;
        proofs.publish(&name, digest).await.map_err(AcmeError::new)?;
        challenge.set_ready().await?;
    }
    Ok(())
}

/// The authority's reason for not accepting an order.
async fn refusal_of(order: &mut Order) -> AcmeError {
    let mut authorizations = order.authorizations();
    while let Some(Ok(mut authorization)) = authorizations.next().await {
        let name = authorization.identifier().to_string();
        let Ok(state) = authorization.refresh().await else { continue };
        if let Some(problem) = state.challenges.iter().find_map(|challenge| challenge.error.clone()) {
            let error = AcmeError::from(Error::Api(problem));
            return AcmeError { reason: format!("{name}: {}", error.reason), ..error };
        }
    }
    AcmeError::new("the authority refused the order without a reason")
}

/// A request for a certificate, with a key of its own.
fn signing_request(names: &CertificateNames) -> Result<(Vec<u8>, Vec<u8>), AcmeError> {
    let mut params = CertificateParams::new(names.as_slice()).map_err(AcmeError::new)?;
    params.distinguished_name = DistinguishedName::new();
    let key = KeyPair::generate().map_err(AcmeError::new)?;
    let request = params.serialize_request(&key).map_err(AcmeError::new)?;
    Ok((request.der().to_vec(), key.serialize_der()))
}

/// Checks that the certificate matches the key, and reads its validity.
fn issued(chain: String, key: Vec<u8>) -> Result<AcmeIssued, AcmeError> {
    let certificates: Vec<CertificateDer<'static>> =
        CertificateDer::pem_slice_iter(chain.as_bytes()).collect::<Result<_, _>>().map_err(AcmeError::new)?;
    let Some(own) = certificates.first().cloned() else {
        return Err(AcmeError::new("the authority sent no certificate"));
    };
    let private = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.clone()));
    CertifiedKey::from_der(certificates, private, &ring::default_provider()).map_err(AcmeError::new)?;
    let CertificateTerm { not_before, not_after } = CertificateTerm::read(&own).map_err(AcmeError::new)?;
    Ok(AcmeIssued { chain, key, not_before, not_after })
}
