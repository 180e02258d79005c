//! Checks whether people can sign in with the OpenID Connect provider.

use tonearm_domain::Ambient;

use super::report::Finding;
use crate::Config;
use crate::opening::public_url;
use crate::provider::identity_provider;

/// Returns `None` if no provider is configured.
pub(super) async fn provider(config: &Config, ambient: &Ambient) -> Option<Finding> {
    const NAME: &str = "sign-in";
    let public_url = public_url(config, config.listen);
    let provider = match identity_provider(config, ambient, &public_url) {
        Ok(provider) => provider?,
        Err(error) => return Some(Finding::failed(NAME, error.to_string())),
    };
    let issuer = provider.issuer();
    Some(match provider.check().await {
        Ok(()) => Finding::ok(NAME, issuer.to_string()),
        Err(error) => {
            let advice = "check oidc.issuer and whether the provider is running";
            Finding::failed(NAME, format!("{issuer}: {error}; {advice}"))
        }
    })
}
