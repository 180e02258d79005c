//! The OpenID Connect provider of the configuration.

use tonearm_domain::Ambient;
use tonearm_outbound::{IdentityProvider, Outbound};
use tonearm_service::SignInProvider;

use crate::Config;
use crate::start_error::StartError;

/// The provider itself. The operator of the service chooses it, so it may be on a private address.
pub(crate) fn identity_provider(
    config: &Config,
    ambient: &Ambient,
    public_url: &str,
) -> Result<Option<IdentityProvider>, StartError> {
    let Some(oidc) = &config.oidc else { return Ok(None) };
    let outbound = Outbound::new(true).map_err(StartError::Outbound)?;
    let back = format!("{}/dashboard/sign-in/oidc/return", public_url.trim_end_matches('/'));
    let provider = IdentityProvider::new(oidc.provider.clone(), &back, outbound, ambient.clone());
    provider.map(Some).map_err(StartError::Provider)
}

/// The provider with the rules about who may sign in.
pub(crate) fn sign_in_provider(
    config: &Config,
    ambient: &Ambient,
    public_url: &str,
) -> Result<Option<SignInProvider>, StartError> {
    let Some(provider) = identity_provider(config, ambient, public_url)? else { return Ok(None) };
    let Some(oidc) = &config.oidc else { return Ok(None) };
    let mut provider = SignInProvider::new(provider, oidc.name.clone());
    if let Some(domains) = &oidc.allowed_domains {
        provider = provider.only_from(domains.clone());
    }
    if let Some(organization) = oidc.join {
        provider = provider.joining(organization);
    }
    Ok(Some(provider))
}
