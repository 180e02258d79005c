//! The button to sign in with the provider.

use crate::app::Dashboard;

/// The name of the provider, and the address that starts a sign-in with it.
pub(super) struct ProviderLink {
    pub(super) name: String,
    pub(super) address: String,
}

impl ProviderLink {
    /// `None` if there is no provider.
    pub(super) fn to(app: &Dashboard, next: &str) -> Option<Self> {
        let name = app.people.provider_name()?.to_owned();
        let query = serde_urlencoded::to_string([("next", next)]).unwrap_or_default();
        Some(Self { name, address: format!("/dashboard/sign-in/oidc?{query}") })
    }
}
