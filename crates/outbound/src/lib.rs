//! Calls to third-party servers: webhook delivery, transcription, imports and sign-in, behind the SSRF guard.
//!
//! A URL that a user entered is called by our machines, from inside our network. So every call goes through
//! [`Outbound`], which checks where it really leads: names are looked up once and the connection goes to the addresses
//! that were checked, addresses that are not public are refused in every notation, ports of other protocols are refused
//! too, and time and bytes are limited. Redirects are not followed, except by imports, where each target is checked by
//! the guard like the first URL. Credentials, which only imports from buckets have, are sent to the first URL alone.
//!
//! Only [`Acme`] does not use the guard, since its certificate authority is set in the configuration.

mod acme;
mod acme_http;
mod address;
mod bucket;
mod certificate_term;
mod fetch;
mod guard;
mod names;
mod oidc;
mod outbound;
mod retry_after;
mod source_url;
mod tls_provider;
mod transcribe;
mod webhook;

pub use acme::{Acme, AcmeError, AcmeIssued, AcmeProofs};
pub use bucket::BucketAccess;
pub use certificate_term::{CertificateTerm, CertificateTermError};
pub use fetch::{FetchError, FetchLimits, Fetched};
pub use guard::{ALLOW_PRIVATE, GuardError};
pub use names::Names;
pub use oidc::{
    Account, ClientSecret, IdentityProvider, Issuer, IssuerError, ProviderError, ProviderSecrets,
    ProviderSettings,
};
pub use outbound::{Answer, CallError, CallLimits, Outbound};
pub use source_url::{SourceUrl, SourceUrlError, shown_host};
pub use tls_provider::install_tls_provider;
pub use transcribe::{TranscribeCall, TranscribeError, TranscribedAudio};
pub use webhook::{WebhookCall, WebhookSecret};
