//! The OpenID Connect provider of the tests, configured for a house and used by a browser.

use std::time::Duration;

use serde_json::Value;
use tonearm_domain::Ambient;
pub(crate) use tonearm_fixtures::{Forgery, TestProvider};
use tonearm_outbound::{ClientSecret, IdentityProvider, Outbound, ProviderSettings};
use tonearm_service::SignInProvider;

use crate::browser::{Browser, Page};
use crate::house::PUBLIC_URL;

/// Methods for a house and its browsers.
pub(crate) trait ForHouse {
    /// The sign-in provider for the configuration of a house.
    fn for_sign_in(&self, ambient: &Ambient) -> SignInProvider;

    /// Like [`Self::for_sign_in`], with another deadline.
    fn with_deadline(&self, ambient: &Ambient, deadline: Duration) -> SignInProvider;

    /// Signs a person in at the URL that a browser was sent to. Returns the path that the browser comes back to.
    fn sign_in(&self, address: &str, claims: Value) -> String;

    /// The whole sign-in, in a browser where nobody is signed in.
    async fn enter(&self, browser: &mut Browser, claims: Value) -> Page;
}

impl ForHouse for TestProvider {
    fn for_sign_in(&self, ambient: &Ambient) -> SignInProvider {
        self.with_deadline(ambient, Duration::from_secs(60))
    }

    fn with_deadline(&self, ambient: &Ambient, deadline: Duration) -> SignInProvider {
        let settings = ProviderSettings {
            issuer: self.issuer().parse().unwrap(),
            client_id: Self::CLIENT.to_owned(),
            client_secret: Some(ClientSecret::new(Self::SECRET.to_owned())),
            scopes: ["openid", "email", "profile"].map(str::to_owned).to_vec(),
        };
        let back = format!("{PUBLIC_URL}/dashboard/sign-in/oidc/return");
        let outbound = Outbound::new(true).unwrap();
        let provider = IdentityProvider::with_deadline(settings, &back, outbound, ambient.clone(), deadline);
        SignInProvider::new(provider.unwrap(), "Example ID".to_owned())
    }

    fn sign_in(&self, address: &str, claims: Value) -> String {
        let back = self.approve(address, &claims);
        let path = back.strip_prefix(PUBLIC_URL).unwrap_or_else(|| panic!("{back}"));
        assert!(path.starts_with("/dashboard/sign-in/oidc/return?"), "{path}");
        path.to_owned()
    }

    async fn enter(&self, browser: &mut Browser, claims: Value) -> Page {
        let sent = browser.get("/dashboard/sign-in/oidc?next=/dashboard/profile").await;
        assert_eq!(sent.status, 303, "{}", sent.html);
        let back = self.sign_in(&sent.location, claims);
        browser.get(&back).await
    }
}
