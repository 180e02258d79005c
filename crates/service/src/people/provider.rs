//! The OpenID Connect provider with which people sign in, and the rules about which of its accounts may sign in.

use tonearm_domain::{EmailAddress, OrganizationId};
use tonearm_outbound::{Account, IdentityProvider};

use super::People;

/// The provider, and the operator's rules about its accounts.
pub struct SignInProvider {
    provider: IdentityProvider,
    name: String,
    allowed_domains: Option<Vec<String>>,
    join: Option<OrganizationId>,
}

impl SignInProvider {
    /// A provider that is shown as `name`. Its accounts may sign in if they belong to a person or an invitation.
    pub fn new(provider: IdentityProvider, name: String) -> Self {
        Self { provider, name, allowed_domains: None, join: None }
    }

    /// Allows only accounts with verified email addresses in these domains.
    pub fn only_from(self, domains: Vec<String>) -> Self {
        let domains = domains.into_iter().map(|domain| domain.to_ascii_lowercase()).collect();
        Self { allowed_domains: Some(domains), ..self }
    }

    /// Makes the owners of allowed accounts who are new to this service members of an organization.
    pub fn joining(self, organization: OrganizationId) -> Self {
        Self { join: Some(organization), ..self }
    }

    pub(super) fn provider(&self) -> &IdentityProvider {
        &self.provider
    }

    pub(super) fn issuer(&self) -> &str {
        self.provider.issuer().as_str()
    }

    /// The organization that people without an invitation join. Without a list of domains there is none: otherwise
    /// everybody with an account at the provider could join.
    pub(super) fn join(&self) -> Option<OrganizationId> {
        self.allowed_domains.as_ref().and(self.join)
    }

    /// Whether accounts may sign in whatever their email address is.
    pub(super) fn takes_any_address(&self) -> bool {
        self.allowed_domains.is_none()
    }

    pub(super) fn allows(&self, email: &EmailAddress) -> bool {
        let Some(domains) = &self.allowed_domains else { return true };
        let domain = email.as_str().rsplit_once('@').map(|(_, domain)| domain);
        domain.is_some_and(|domain| domains.iter().any(|allowed| allowed == domain))
    }
}

/// The email address of an account, if the provider has verified it.
pub(super) fn verified_email(account: &Account) -> Option<&EmailAddress> {
    account.email.as_ref().filter(|_| account.is_email_verified)
}

impl People {
    /// The display name of the sign-in provider, if there is one.
    pub fn provider_name(&self) -> Option<&str> {
        self.provider.as_deref().map(|provider| provider.name.as_str())
    }
}
