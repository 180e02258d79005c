//! Why a provider did not identify a user.

use openidconnect::core::{CoreErrorResponseType, CoreRequestTokenError};
use openidconnect::{ClaimsVerificationError, DiscoveryError, RequestTokenError, SignatureVerificationError};
use tonearm_domain::error_with_causes;

use crate::outbound::CallError;

/// Why there is no account. The texts are for the log and for operators; they contain neither codes nor tokens.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProviderError {
    /// It cannot be reached, does not respond in time, or responds with a server error.
    #[error("the OpenID Connect provider is unavailable: {0}")]
    Away(String),
    /// It does not know this service as its client, or its configuration does not work with this service.
    #[error("the OpenID Connect provider does not accept this service: {0}")]
    Misconfigured(String),
    /// It, or its token, claims to be another provider.
    #[error("the issuer of the OpenID Connect provider is not the configured one: {0}")]
    WrongIssuer(String),
    /// The code from the browser is no longer accepted.
    #[error("the OpenID Connect provider refused the code: {0}")]
    Refused(String),
    /// Its token does not contain what it must.
    #[error("the ID token is not valid: {0}")]
    BadToken(String),
}

impl ProviderError {
    /// Whether it says nothing about the user who tries to sign in.
    pub fn is_outage(&self) -> bool {
        matches!(self, Self::Away(_) | Self::Misconfigured(_))
    }
}

impl From<DiscoveryError<CallError>> for ProviderError {
    fn from(error: DiscoveryError<CallError>) -> Self {
        match error {
            DiscoveryError::Request(error) => Self::Away(error.to_string()),
            DiscoveryError::Response(status, _, text) if status.is_server_error() => Self::Away(text),
            DiscoveryError::Response(_, _, text) => Self::Misconfigured(text),
            DiscoveryError::Validation(text) => Self::WrongIssuer(text),
            other => Self::Misconfigured(error_with_causes(&other)),
        }
    }
}

impl From<CoreRequestTokenError<CallError>> for ProviderError {
    /// Only the kind of the error is kept: the provider's explanation may repeat the code.
    fn from(error: CoreRequestTokenError<CallError>) -> Self {
        match error {
            RequestTokenError::Request(error) => Self::Away(error.to_string()),
            RequestTokenError::ServerResponse(response) => match response.error() {
                CoreErrorResponseType::InvalidGrant => Self::Refused("invalid_grant".to_owned()),
                other => Self::Misconfigured(other.to_string()),
            },
            // The parser's message could quote the token.
            RequestTokenError::Parse(error, _) => {
                Self::BadToken(format!("the response cannot be read at {}", error.path()))
            }
            RequestTokenError::Other(text) => Self::Away(text),
        }
    }
}

impl From<ClaimsVerificationError> for ProviderError {
    fn from(error: ClaimsVerificationError) -> Self {
        match error {
            ClaimsVerificationError::InvalidIssuer(text) => Self::WrongIssuer(text),
            other => Self::BadToken(error_with_causes(&other)),
        }
    }
}

/// Whether the provider may have created new keys since they were fetched.
pub(super) fn is_unknown_key(error: &ClaimsVerificationError) -> bool {
    matches!(error, ClaimsVerificationError::SignatureVerification(SignatureVerificationError::NoMatchingKey))
}
