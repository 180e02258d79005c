//! Accounts: sign-in, one-time links, and memberships of organizations.

mod administration;
mod devices;
mod identities;
mod links;
mod members;
mod passwords;
mod profile;
mod provider;
mod provider_admission;
mod provider_attempt;
mod provider_return;
mod second_factor;
mod second_factor_setup;
mod sign_in;
mod throttle;

use std::sync::Arc;

use tonearm_catalog::Catalog;
use tonearm_domain::{Ambient, InvitationPurpose, Organization, Person, PersonId, Role};
use tonearm_signing::{Token, Vault};

use crate::refusal::{Refusal, Resource};
use passwords::Passwords;

pub use administration::{OwnerlessOrganizations, PersonList};
pub use links::{NewPerson, OneTimeLink, OpenedLink};
pub use members::{Member, MemberList};
pub use provider::SignInProvider;
pub use provider_attempt::{Begun, ProviderAttempt};
pub use provider_return::{ProviderAnswer, ProviderSignInError, Returned};
pub(crate) use second_factor::vault_context;
pub use second_factor::{Challenge, Entry};
pub use second_factor_setup::{Enrolment, SecondFactorView};
pub use sign_in::{Device, Resumed, SignInError, SignedIn};
pub use tonearm_outbound::ProviderError;

/// Accounts, sign-in and memberships. Cheap to clone.
#[derive(Clone)]
pub struct People {
    catalog: Catalog,
    ambient: Ambient,
    passwords: Passwords,
    vault: Vault,
    public_url: String,
    provider: Option<Arc<SignInProvider>>,
}

impl People {
    /// Creates the use cases for this catalog. One-time links begin with `public_url`, and the secrets of second
    /// factors are sealed with `vault`.
    pub fn new(catalog: Catalog, ambient: Ambient, vault: Vault, public_url: &str) -> Self {
        let public_url = public_url.trim_end_matches('/').to_owned();
        Self { catalog, ambient, passwords: Passwords::new(), vault, public_url, provider: None }
    }

    /// Lets people also sign in with an OpenID Connect provider.
    pub fn with_provider(self, provider: Option<SignInProvider>) -> Self {
        Self { provider: provider.map(Arc::new), ..self }
    }

    /// The organizations that a person belongs to, with the role in each, ordered by name.
    pub async fn organizations_of(&self, person: &Person) -> Result<Vec<(Organization, Role)>, Refusal> {
        Ok(self.catalog.organizations_of(person.id).await?)
    }

    /// One person.
    pub async fn person(&self, id: PersonId) -> Result<Person, Refusal> {
        self.catalog.person(id).await?.ok_or(Refusal::NotFound(Resource::Person))
    }

    /// All people, ordered by creation, for the command line.
    pub async fn everybody(&self) -> Result<Vec<Person>, Refusal> {
        Ok(self.catalog.people().await?)
    }

    fn token(&self) -> Token {
        Token::new(self.ambient.random())
    }

    fn invitation(
        &self,
        purpose: InvitationPurpose,
        created_by: Option<PersonId>,
    ) -> tonearm_domain::Invitation {
        let now = self.ambient.now();
        let expires_at = now.plus_seconds(tonearm_domain::Invitation::lifetime(&purpose));
        tonearm_domain::Invitation {
            id: self.ambient.record_id(),
            purpose,
            created_at: now,
            expires_at,
            used_at: None,
            created_by,
        }
    }
}
